"""Sizes that an exported graph leaves open: found by tracing a network at several sizes.

What is traced at one size has it in its constants (the shape for a Reshape, the zeros that an LSTM
starts from). Traced at several, a constant that differs is written as what gives all of them: the
size of an input or of a value computed before, times or plus a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import GraphProto, NodeProto

from ...errors import MsconvertError
from . import dtype as dtypes
from .dtype import Array
from .reference import WITH_GRAPHS, HostNode, read_by
from .session import node_of
from .tensor import Tensor, wrap
from .trace import Symbol, Trace

if TYPE_CHECKING:
    from .primitive import Primitive

Vector = tuple[Any, ...]
"""One number per run."""

SHAPE_LIMIT = 64
"""Integer constants of more elements are contents, not shapes."""
PRODUCT_LIMIT = 60
"""Sizes of which products are tried."""


class ExportError(MsconvertError, RuntimeError):
    """MS308: a network cannot be written as an ONNX file."""

    def __init__(self, where: str, problem: str, *, got: str = "", advice: str = "") -> None:
        super().__init__("MS308", where, problem, got=got, advice=advice)


class FixedSizeError(ExportError):
    """MS308: something of the graph depends on a size in a way that it cannot compute."""

    def __init__(self, where: str, problem: str, got: str = "") -> None:
        advice = "export with fixed sizes, or compute it from the inputs with ops"
        super().__init__(where, problem, got=got, advice=advice)


class ExportTrace(Trace):
    """A trace whose constants are never merged: equal at one size, they may differ at another.

    Unless it `folds`, arrays that are known are computed with in the graph: an array made of a
    size is then made of it there.
    """

    folds = True

    def apply(
        self,
        primitive: Primitive,
        inputs: tuple[Tensor | None, ...],
        outputs: int,
        attrs: dict[str, Any],
    ) -> Any:
        known = [k for k, x in enumerate(inputs) if x is not None and x.size > 1]
        if self.folds or len(known) == 0:
            return super().apply(primitive, inputs, outputs, attrs)
        first = inputs[known[0]]
        assert first is not None
        lifted = (*inputs[: known[0]], wrap(self.lift(first)), *inputs[known[0] + 1 :])
        return super().apply(primitive, lifted, outputs, attrs)

    def constant(self, array: Array) -> Symbol:
        return self.named(self.fresh("constant"), array)


@dataclass
class Run:
    """The network traced at one choice of sizes; `outputs` names and symbols of its results."""

    trace: Trace
    nodes: list[NodeProto]
    outputs: list[str]
    symbols: list[Symbol]

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of inputs and computed values, by name."""
        found = {symbol.name: symbol.shape for symbol in self.trace.inputs}
        return found | {name: symbol.shape for name, symbol in self.trace.symbols.items()}


def require_same_structure(runs: Sequence[Run]) -> None:
    """Raises: MS308 if the runs have other operators, or attributes that depend on a size."""
    first = runs[0]
    for run in runs[1:]:
        pairs = zip(first.nodes, run.nodes, strict=False)
        different = next((a for a, b in pairs if signature(a) != signature(b)), None)
        if different is not None:
            problem = "the operators themselves depend on a size (Python's if or for)"
            raise FixedSizeError(different.op_type, problem)
        for a, b in zip(first.nodes, run.nodes, strict=False):
            if list(a.attribute) != list(b.attribute):
                names = [x.name for x, y in zip(a.attribute, b.attribute, strict=False) if x != y]
                raise FixedSizeError(a.op_type, "an attribute depends on a size", ", ".join(names))
        if len(first.nodes) != len(run.nodes):
            raise FixedSizeError("the graph", "the number of operators depends on a size")


def signature(node: NodeProto) -> Any:
    return node.op_type, list(node.input), list(node.output), len(node.attribute)


@dataclass
class Source:
    """A size that is known in the graph: axis `axis` of `name`, computed by node `position`."""

    name: str
    axis: int
    position: int


@dataclass
class OpenSizes:
    """The nodes of several runs as one graph."""

    runs: Sequence[Run]
    nodes: list[NodeProto] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)
    made: dict[Any, str] = field(default_factory=dict)
    counter: int = 0

    def __post_init__(self) -> None:
        for run in self.runs:
            run.nodes = [without_sizes(node) for node in run.nodes]
        require_same_structure(self.runs)
        self.sources = self.find_sources()

    def find_sources(self) -> dict[Vector, Source]:
        """Each size that differs between the runs, and where the graph has it first."""
        shapes = [run.shapes() for run in self.runs]
        first = self.runs[0]
        places = [(symbol.name, -1) for symbol in first.trace.inputs]
        places += [(name, k) for k, node in enumerate(first.nodes) for name in node.output]
        found: dict[Vector, Source] = {}
        for name, position in places:
            if name not in shapes[0]:
                continue
            for axis, sizes in enumerate(zip(*[of[name] for of in shapes], strict=True)):
                if len(set(sizes)) > 1:
                    found.setdefault(sizes, Source(name, axis, position))
        return found

    def write(self) -> list[NodeProto]:
        """The nodes, with every constant that depends on a size computed in front of its use."""
        held = [run.trace.constants for run in self.runs]
        variables = {variable.name for variable in self.runs[0].trace.variables.values()}
        for position, node in enumerate(self.runs[0].nodes):
            replaced: dict[str, str] = {}
            for name in read_by(node):
                known = name in held[0] and name not in variables
                arrays = [constants[name] for constants in held] if known else []
                if not all(same(arrays[0], array) for array in arrays[1:]):
                    k = [*node.input, name].index(name)
                    replaced[name] = self.computed(node, k, arrays, position)
            self.nodes.append(replacing(node, replaced))
        return self.nodes

    def computed(self, node: NodeProto, k: int, arrays: list[Array], position: int) -> str:
        """The value that is `arrays` at the sizes of the runs. Raises: MS308 if none is found."""
        first = arrays[0]
        name = ""
        if len({(a.shape, a.dtype) for a in arrays}) == 1 and first.size <= SHAPE_LIMIT:
            name = self.numbers(node, k, arrays, position)
        elif len({(a.ndim, a.dtype) for a in arrays}) == 1:
            name = self.contents(arrays, position)
        if name:
            return name
        problem = f"input {k} is a constant that depends on a size in an unknown way"
        shown = f"{first.dtype}{list(first.shape)}, then {arrays[1].dtype}{list(arrays[1].shape)}"
        raise FixedSizeError(node.op_type, problem, shown)

    def numbers(self, node: NodeProto, k: int, arrays: list[Array], position: int) -> str:
        """Numbers one by one; "" if one of them is not found."""
        vectors = [tuple(v) for v in np.stack([a.reshape(-1) for a in arrays], 1).tolist()]
        open_ = [v for v in vectors if len(set(v)) > 1]
        kind = arrays[0].dtype
        if node.op_type == "Reshape" and k == 1 and len(open_) == 1 and arrays[0].min() > 0:
            sizes = [-1 if len(set(v)) > 1 else v[0] for v in vectors]
            return self.constant(np.array(sizes, np.int64))
        find = self.size if kind.kind in "iu" else self.factor
        parts = [
            find(v, position) if len(set(v)) > 1 else self.constant(np.array([v[0]], kind))
            for v in vectors
        ]
        if not all(parts):
            return ""
        whole = parts[0] if len(parts) == 1 else self.node("Concat", *parts, axis=0)
        if kind.kind in "iu" and kind != np.int64:
            whole = self.node("Cast", whole, to=dtypes.OF_NUMPY[kind].onnx)
        shape = self.constant(np.array(arrays[0].shape, np.int64))
        return whole if arrays[0].ndim == 1 else self.node("Reshape", whole, shape)

    def contents(self, arrays: list[Array], position: int) -> str:
        """An array whose shape is open: one number, steps, or a triangle; "" if it is none."""
        shape = self.shape(arrays, position)
        if not shape:
            return ""
        return self.filled(arrays, shape) or self.steps(arrays, shape) or self.mask(arrays, shape)

    def shape(self, arrays: list[Array], position: int) -> str:
        vectors = list(zip(*[a.shape for a in arrays], strict=True))
        parts = [
            self.size(v, position) if len(set(v)) > 1 else self.constant(np.array([v[0]], np.int64))
            for v in vectors
        ]
        if not all(parts):
            return ""
        return parts[0] if len(parts) == 1 else self.node("Concat", *parts, axis=0)

    def filled(self, arrays: list[Array], shape: str) -> str:
        value = arrays[0].reshape(-1)[:1]
        if not all(same(np.full(a.shape, value), a) for a in arrays):
            return ""
        return self.node("Expand", self.constant(value), shape)

    def steps(self, arrays: list[Array], shape: str) -> str:
        """start, start + step, ... along the only axis that is longer than 1."""
        longest = max(arrays, key=lambda a: a.size)
        flat = longest.reshape(-1)
        if longest.dtype.kind not in "iuf" or max(longest.shape) != longest.size:
            return ""
        start, step = flat[0], flat[1] - flat[0]
        if not all(
            np.array_equal(start + step * np.arange(a.size, dtype=a.dtype), a.reshape(-1))
            for a in arrays
        ):
            return ""
        count = self.node("ReduceProd", shape, keepdims=0)
        wide = self.node("Cast", count, to=dtypes.OF_NUMPY[flat.dtype].onnx)
        first, by = (self.constant(np.array(v, flat.dtype)) for v in (start, step))
        limit = self.node("Add", first, self.node("Mul", wide, by))
        return self.node("Reshape", self.node("Range", first, limit, by), shape)

    def mask(self, arrays: list[Array], shape: str) -> str:
        """Two numbers, one on and above a diagonal of the last two axes, one below it."""
        values = np.unique(max(arrays, key=lambda a: a.size))
        if arrays[0].ndim < 2 or len(values) != 2:
            return ""
        for k, (above, below) in product((0, 1, -1, 2), (values, values[::-1])):
            if all(same(triangular(a, k, above, below), a) for a in arrays):
                return self.triangle(shape, k, above, below)
        return ""

    def triangle(self, shape: str, k: int, above: Any, below: Any) -> str:
        ones = self.node("Expand", self.constant(np.array([1], np.int64)), shape)
        upper = self.node("Trilu", ones, self.constant(np.array(k, np.int64)), upper=1)
        where = self.node("Cast", upper, to=dtypes.bool_.onnx)
        return self.node("Where", where, *[self.constant(np.array(v)) for v in (above, below)])

    def size(self, vector: Vector, position: int) -> str:
        """A value of shape (1,) that is `vector` at the sizes of the runs; "" if none is."""
        for parts, factor, divisor, offset in self.expressions(vector, position):
            value = self.source(parts[0])
            for part in parts[1:]:
                value = self.node("Mul", value, self.source(part))
            for op, number, neutral in (
                ("Mul", factor, 1),
                ("Div", divisor, 1),
                ("Add", offset, 0),
            ):
                if number != neutral:
                    value = self.node(op, value, self.constant(np.array([number], np.int64)))
            return value
        return ""

    def expressions(self, vector: Vector, position: int) -> Iterator[Any]:
        """Sources and numbers with product(sources) * factor // divisor + offset == vector."""
        known = {v: s for v, s in self.sources.items() if s.position < position}
        if vector in known:
            yield (known[vector],), 1, 1, 0
        wanted = np.array(vector)
        singles = [((s,), np.array(v)) for v, s in known.items()]
        few = singles[:PRODUCT_LIMIT]
        products = [((*a, *b), x * y) for (a, x), (b, y) in combinations_with_replacement(few, 2)]
        for parts, sizes in singles + products:
            numbers = line_through(sizes, wanted)
            if numbers is not None:
                yield parts, *numbers

    def factor(self, vector: Vector, position: int) -> str:
        """As `size`, for a number that is a constant times a size or one by it, or their root."""
        wanted = np.array(vector, np.float64)
        known = {v: s for v, s in self.sources.items() if s.position < position}
        for sizes, source in known.items():
            for power in (1.0, -1.0, 0.5, -0.5):
                constant = wanted[0] / sizes[0] ** power
                if np.allclose(constant * np.array(sizes, float) ** power, wanted, 1e-6, 0):
                    wide = self.node("Cast", self.source(source), to=dtypes.float32.onnx)
                    raised = self.node("Pow", wide, self.constant(np.array([power], np.float32)))
                    scale = self.constant(np.array([constant], np.float32))
                    return self.node("Mul", raised, scale)
        return ""

    def source(self, source: Source) -> str:
        return self.node("Shape", source.name, start=source.axis, end=source.axis + 1)

    def node(self, op: str, *inputs: str, **attrs: Any) -> str:
        """The value of a node; the same one is made only once."""
        key = (op, inputs, tuple(attrs.items()))
        if key not in self.made:
            self.made[key] = name = self.fresh()
            self.nodes.append(node_of(op, inputs, [name], attrs))
        return self.made[key]

    def constant(self, array: Array) -> str:
        key = (array.dtype, array.shape, array.tobytes())
        if key not in self.made:
            self.made[key] = name = self.fresh()
            self.constants[name] = array
        return self.made[key]

    def fresh(self) -> str:
        self.counter += 1
        return f"size{self.counter}"


def replacing(node: NodeProto, names: Mapping[str, str]) -> NodeProto:
    return renamed(node, lambda name: names.get(name, name))


def triangular(a: Array, k: int, above: Any, below: Any) -> Array:
    """An array such as `a` of two numbers, `above` on and above diagonal `k`."""
    upper = np.triu(np.ones(a.shape[-2:], bool), k)
    return np.broadcast_to(np.where(upper, above, below).astype(a.dtype), a.shape)


def same(a: Array, b: Array) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def line_through(sizes: Array, wanted: Array) -> tuple[int, int, int] | None:
    """factor, divisor, offset with sizes * factor // divisor + offset == wanted, if there are."""
    k = int(np.argmax(sizes != sizes[0]))
    rise, run = int(wanted[k] - wanted[0]), int(sizes[k] - sizes[0])
    common = int(np.gcd(rise, run))
    if rise == 0 or common == 0:
        return None
    factor, divisor = rise // common, run // common
    if divisor < 0:
        factor, divisor = -factor, -divisor
    if divisor > 1 and (sizes * factor % divisor).any():
        return None
    offset = int(wanted[0]) - int(sizes[0]) * factor // divisor
    fits = np.array_equal(sizes * factor // divisor + offset, wanted)
    return (factor, divisor, offset) if fits else None


def plain_nodes(nodes: Sequence[NodeProto | HostNode]) -> list[NodeProto]:
    """Raises: MS308 if one of them is no ONNX operator."""
    for node in nodes:
        if isinstance(node, HostNode):
            problem = "it is computed by NumPy or SciPy: ONNX has no operator for it"
            raise ExportError(node.output[0].rstrip("0123456789").rstrip("_"), problem)
    return [node for node in nodes if isinstance(node, NodeProto)]


# nodes with graphs inside of them (If, Loop)


def renamed(node: NodeProto, name: Callable[[str], str]) -> NodeProto:
    """A copy of `node` with every value called `name(value)`, inside of its graphs too."""
    copy = NodeProto()
    copy.CopyFrom(node)
    copy.input[:] = [name(value) for value in node.input]
    copy.output[:] = [name(value) for value in node.output]
    for graph in graphs_of(copy):
        nodes = [renamed(inner, name) for inner in graph.node]
        del graph.node[:]
        graph.node.extend(nodes)
        for info in (*graph.input, *graph.output):
            info.name = name(info.name)
    return copy


def without_sizes(node: NodeProto) -> NodeProto:
    """`node`, or a copy whose inner graphs declare no sizes: only numbers of axes."""
    if node.op_type not in WITH_GRAPHS:
        return node
    copy = NodeProto()
    copy.CopyFrom(node)
    for graph in graphs_of(copy):
        for info in (*graph.input, *graph.output):
            for size in info.type.tensor_type.shape.dim:
                size.Clear()
        nodes = [without_sizes(inner) for inner in graph.node]
        del graph.node[:]
        graph.node.extend(nodes)
    return copy


def graphs_of(node: NodeProto) -> list[GraphProto]:
    if node.op_type not in WITH_GRAPHS:
        return []
    return [a.g for a in node.attribute if a.HasField("g")]
