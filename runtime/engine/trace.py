"""Graph mode: the graph under construction, its symbols, and the session made of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

import numpy as np
from onnx import (
    GraphProto,
    NodeProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    helper,
    numpy_helper,
    shape_inference,
)

from . import dtype as dtypes
from .chance.frozen import undrawn
from .dtype import Array
from .failure import LoopError, ShapeError, TracedValueError
from .reference import Function, HostNode, read_by
from .session import IR_VERSION, OPSET_IMPORTS, node_of, placeholder
from .tensor import Tensor, wrap

if TYPE_CHECKING:
    from .primitive import Primitive

INLINE_LIMIT = 1024
"""Bytes up to which a constant is written into the graph; larger ones stay where they are."""

SIZES_LIMIT = 1 << 17
"""The same for a vector of integers: shapes depend on it, such as on the sizes of many parts."""

BROADCASTING = frozenset(("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Where", "Less",
                          "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"))  # fmt: skip

PLAIN = (int, float, str, bytes, tuple, type(None))
"""Types of attributes that are told from others by their text."""

_local = threading.local()


def active() -> Trace | None:
    """The graph under construction in this thread, or None."""
    return getattr(_local, "trace", None)


def remember(x: Tensor) -> None:
    """To be called before a plain Tensor changes: graphs change copies, as MindSpore's do."""
    trace = active()
    if trace is not None and isinstance(x.content, np.ndarray):
        trace.changed.append((x, x.content, x.version))


@contextmanager
def undoing(trace: Trace) -> Iterator[None]:
    """Afterwards plain Tensors hold again what they held before."""
    try:
        yield
    finally:
        for x, array, version in reversed(trace.changed):
            x.content, x.version = array, version
        for owner, name, value in trace.before:
            owner.__dict__[name] = value


@contextmanager
def tracing(trace: Trace | None) -> Iterator[None]:
    """Appends every primitive call inside to `trace`; None computes at once."""
    before = active()
    _local.trace = trace
    try:
        yield
    finally:
        _local.trace = before


@dataclass(frozen=True, eq=False, slots=True)
class Symbol:
    """A value of the traced graph. A size that only the data decide is -1.

    `data` is the value itself if it is small and known, for shape inference.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    data: TensorProto | None = None


@dataclass(eq=False)
class Variable:
    """A Tensor that the graph reads, as it was (`version`) when the session was made.

    `name` is the initialiser's, `symbol` the value of the Tensor's own element type.
    """

    name: str
    tensor: Tensor
    symbol: Symbol
    version: int
    current: Symbol | None = None
    """What the graph itself has assigned to it."""


@dataclass(eq=False)
class Inner:
    """What is traced into a graph inside of another: the body of a loop, one side of a branch.

    `captured` are the Tensors that it reads (its own results among them); `assigned` the
    variables that it sets, with the values that they have at its end.
    """

    nodes: list[NodeProto | HostNode] = field(default_factory=list)
    captured: list[Tensor] = field(default_factory=list)
    assigned: dict[int, tuple[Tensor, Symbol]] = field(default_factory=dict)
    repeated: bool = False


@dataclass(eq=False)
class Trace:
    """The graph under construction.

    `variables` are the parameters and buffers that were read, by identity; `updates` those that
    were assigned, with their new values; `sources` arrays that are made anew for every call.
    """

    nodes: list[NodeProto | HostNode] = field(default_factory=list)
    inputs: list[Symbol] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)
    variables: dict[int, Variable] = field(default_factory=dict)
    updates: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)
    forwards: dict[int, Any] = field(default_factory=dict)
    """Runs of cells by identity: `cells/forward`."""
    sources: dict[str, Callable[[], Array]] = field(default_factory=dict)
    known: dict[Any, Symbol] = field(default_factory=dict)
    inferred: dict[Any, list[tuple[tuple[int, ...], np.dtype[Any]]]] = field(default_factory=dict)
    """What calls of a kind give: most of a large graph's are of a few kinds."""
    symbols: dict[str, Symbol] = field(default_factory=dict)
    """What calls gave, by name."""
    computed: set[str] = field(default_factory=set)
    """Values of nodes that may still become outputs under their own name."""
    changed: list[tuple[Tensor, Array, int]] = field(default_factory=list)
    """Plain Tensors that tracing has changed, with what they held before."""
    attributes: dict[tuple[int, str], tuple[Any, str, Tensor]] = field(default_factory=dict)
    """Attributes of objects that were set to symbols, with those."""
    before: list[tuple[Any, str, Any]] = field(default_factory=list)
    """What those attributes were."""
    plain: dict[int, tuple[ReferenceType[Tensor], int]] = field(default_factory=dict)
    """Plain Tensors whose arrays became constants, with their versions."""
    closed: set[str] = field(default_factory=set)
    """Values of inner graphs that are done: nothing outside may read them."""
    effects: list[Any] = field(default_factory=list)
    """What is printed and checked after each run."""
    lowering: bool = False
    """Whether the user's source is rewritten before it is traced."""
    inner: Inner | None = None
    outermost: list[NodeProto | HostNode] = field(default_factory=list)
    """The nodes of the graph itself while those of an inner one are traced."""
    told: list[tuple[Callable[..., None], tuple[Tensor | None, ...]]] = field(default_factory=list)
    """What is called after each run, with the arrays of these Tensors."""
    counter: int = 0
    named_by: Callable[[], str] | None = None
    """What names nodes after the places where they stand, if their times are taken."""

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def input(self, shape: tuple[int, ...], array_type: np.dtype[Any]) -> Tensor:
        """A new input of the graph; bfloat16 comes in as float32."""
        wide = np.dtype(np.float32) if array_type == dtypes.bfloat16.numpy else array_type
        symbol = Symbol(self.fresh("input"), shape, wide)
        self.inputs.append(symbol)
        return wrap(self.converted(symbol, array_type))

    def source(
        self, shape: tuple[int, ...], array_type: np.dtype[Any], make: Callable[[], Array]
    ) -> Tensor:
        """An array that `make` makes anew before every run (random numbers)."""
        wide = np.dtype(np.float32) if array_type == dtypes.bfloat16.numpy else array_type
        if self.inner is not None and self.inner.repeated:
            raise LoopError("random numbers", "each turn of the loop would get the same ones")
        symbol = Symbol(self.fresh("source"), shape, wide)
        self.inputs.append(symbol)
        self.sources[symbol.name] = lambda: make().astype(wide)
        return wrap(self.converted(symbol, array_type))

    def converted(self, symbol: Symbol, array_type: np.dtype[Any]) -> Symbol:
        if symbol.dtype == array_type:
            return symbol
        name = self.fresh("cast")
        to = dtypes.OF_NUMPY[array_type].onnx
        nodes = self.nodes if self.inner is None else self.outermost
        nodes.append(node_of("Cast", [symbol.name], [name], {"to": to}))
        return Symbol(name, symbol.shape, array_type)

    @contextmanager
    def within(self, repeated: bool = False, inner: Inner | None = None) -> Iterator[Inner]:
        """Appends to an inner graph inside, a new one or `inner`; afterwards its variables are as
        before.
        """
        outer, nodes, computed = self.inner, self.nodes, {*self.computed}
        before = {key: held.current for key, held in self.variables.items()}
        updates = dict(self.updates)
        if outer is None:
            self.outermost = nodes
        known = dict(self.known)
        if inner is None:
            inner = Inner(repeated=repeated or (outer is not None and outer.repeated))
        self.inner, self.nodes = inner, inner.nodes
        self.closed.difference_update(name for node in inner.nodes for name in node.output)
        try:
            yield inner
        finally:
            self.closed.update(name for node in inner.nodes for name in node.output)
            self.known = known | {k: s for k, s in self.known.items() if s.name in self.constants}
            for key, held in self.variables.items():
                current, held.current = held.current, before.get(key)
                if current is not None and current is not held.current:
                    inner.assigned[key] = (held.tensor, current)
            self.inner, self.nodes, self.updates, self.computed = outer, nodes, updates, computed
            if outer is not None:
                outer.captured += inner.captured

    def apply(
        self,
        primitive: Primitive,
        inputs: tuple[Tensor | None, ...],
        outputs: int,
        attrs: dict[str, Any],
    ) -> Any:
        """Appends a call of `primitive`; computes it now if every input is a plain array."""
        if not any(x is not None and (x.is_traced or x.variable) for x in inputs):
            for x in inputs:
                self.read(x)
            with tracing(None):
                return primitive.run(inputs, outputs, attrs)
        given = [None if x is None else x.dtype for x in inputs]
        plan = primitive.plan(given, outputs, attrs)
        if plan is not None:
            return primitive.bridged(plan, inputs, outputs, attrs)
        symbols = [None if x is None else self.lift(x) for x in inputs]
        if primitive.op in BROADCASTING:
            symbols = self.levelled(symbols)
        function = primitive.host_function(given, outputs, attrs)
        if function is None:
            made = self.append(primitive, symbols, max(outputs, 1), attrs)
        else:
            made = self.append_call(primitive, symbols, function)
        self.symbols.update((symbol.name, symbol) for symbol in made)
        return tuple(map(wrap, made)) if outputs else wrap(made[0])

    def levelled(self, symbols: list[Symbol | None]) -> list[Symbol | None]:
        """Single numbers with as many axes as the largest operand, if its last size is 1.

        ONNX Runtime's loops take (c, 1, 1) with (1, 1, 1) at once, with () one by one.
        """
        rank = max([len(s.shape) for s in symbols if s is not None and s.shape[-1:] == (1,)] + [0])
        if rank < 2:
            return symbols
        return [s if s is None or s.shape != () else self.ranked(s, rank) for s in symbols]

    def ranked(self, symbol: Symbol, rank: int) -> Symbol:
        """A single number as an array of `rank` axes."""
        key = (symbol.name, rank)
        if key not in self.known:
            shape = self.constant(np.ones(rank, np.int64))
            name = self.fresh("ranked")
            self.nodes.append(node_of("Reshape", [symbol.name, shape.name], [name], {}))
            self.known[key] = Symbol(name, (1,) * rank, symbol.dtype)
        return self.known[key]

    def append(
        self,
        primitive: Primitive,
        symbols: list[Symbol | None],
        count: int,
        attrs: dict[str, Any],
    ) -> list[Symbol]:
        prefix = f"{primitive.name}_"
        targets = [self.fresh(prefix) for _ in range(count)]
        node = node_of(primitive.op, ["" if s is None else s.name for s in symbols], targets, attrs)
        key = kind_of(primitive, symbols, count, attrs)
        kinds = self.inferred.get(key) if key is not None else None
        if kinds is None:
            found = inferred_of(primitive, node, [s for s in symbols if s is not None])
            made = [symbol_of(name, found.get(name)) for name in targets]
            if key is not None:
                self.inferred[key] = [(symbol.shape, symbol.dtype) for symbol in made]
        else:
            made = [Symbol(name, *kind) for name, kind in zip(targets, kinds, strict=True)]
        if self.named_by is not None:
            node.name = self.named_by()
        self.nodes.append(node)
        self.computed.update(targets)
        return made if primitive.shaped is None else primitive.shaped([*symbols, *made], attrs)

    def append_call(
        self, primitive: Primitive, symbols: list[Symbol | None], function: Function
    ) -> list[Symbol]:
        """Appends a call of a function, which is run between two sessions."""
        given = [None if s is None else sample(s, 2) for s in symbols]
        with undrawn():
            found = function(*given)
            other = function(*[None if s is None else sample(s, 3) for s in symbols])
        targets = [self.fresh(f"{primitive.name}_") for _ in found]
        sources = ["" if s is None else s.name for s in symbols]
        self.nodes.append(HostNode(function, sources, targets))
        self.computed.update(targets)
        made = []
        for name, a, b in zip(targets, found, other, strict=True):
            open_ = [a.ndim + k if k < 0 else k for k in primitive.dynamic]
            sizes = [
                n if n == m and k not in open_ else -1
                for k, (n, m) in enumerate(zip(a.shape, b.shape, strict=True))
            ]
            made.append(Symbol(name, tuple(sizes), a.dtype))
        return made

    def lift(self, x: Tensor) -> Symbol:
        """`x` as a value of this graph: a variable, a constant, or the symbol that it is."""
        if self.inner is not None and (x.is_traced or x.variable):
            self.inner.captured.append(x)
        if not isinstance(x.content, np.ndarray):
            if x.content.name in self.closed:
                raise LoopError("a value", "it leaves the branch or the turn that it was made in")
            return x.content
        if not x.variable:
            self.read(x)
            return self.constant(x.content)
        held = self.variables.get(id(x))
        if held is None:
            name = self.fresh("variable")
            symbol = self.named(name, x.content)
            held = self.variables[id(x)] = Variable(name, x, symbol, x.version)
        return held.symbol if held.current is None else held.current

    def keep(self, owner: Any, name: str, value: Tensor) -> None:
        """An attribute of `owner` is set to `value`: it gets what that is after each run."""
        if self.inner is not None:
            raise LoopError(f"{name} of {type(owner).__name__}", "a branch or loop cannot set it")
        if (id(owner), name) not in self.attributes:
            self.before.append((owner, name, owner.__dict__.get(name)))
        self.attributes[id(owner), name] = (owner, name, value)

    def look_at(self, variable: Tensor) -> None:
        """Python sees what a variable holds: the graph holds only for that."""
        held = self.variables.get(id(variable))
        if held is not None and held.current is not None:
            raise TracedValueError("a parameter that the graph has set")
        self.read(variable)

    def read(self, x: Tensor | None) -> None:
        """Notes that the graph holds only for what `x`, a plain Tensor, holds now."""
        if x is not None and id(x) not in self.plain:
            self.plain[id(x)] = (ref(x, partial(self.forget, id(x))), x.version)

    def forget(self, key: int, _gone: Any) -> None:
        """A plain Tensor exists no more: another may get its identity."""
        self.plain.pop(key, None)

    def alive(self) -> list[tuple[ReferenceType[Tensor], int]]:
        """The plain Tensors that were read, those that exist no more left out."""
        changed = {id(x) for x, _, _ in self.changed}
        return [kept for key, kept in self.plain.items() if key not in changed]

    def assign(self, variable: Tensor, new: Tensor) -> None:
        """Sets a variable: later reads see `new`, the variable itself gets it after the run."""
        self.lift(variable)
        self.updates[id(variable)] = (variable, new)
        self.variables[id(variable)].current = self.lift(new)

    def constant(self, array: Array) -> Symbol:
        small = array.nbytes <= INLINE_LIMIT
        key = (array.dtype, array.shape, array.tobytes() if small else id(array))
        if key not in self.known:
            self.known[key] = self.named(self.fresh("constant"), array)
        return self.known[key]

    def named(self, name: str, array: Array) -> Symbol:
        """`array` as an initialiser; bfloat16 is held as float32 and converted in the graph."""
        self.constants[name] = held = widened(array)
        data = numpy_helper.from_array(held, name) if is_inline(held) else None
        return self.converted(Symbol(name, held.shape, held.dtype, data), array.dtype)

    def output(self, x: Tensor) -> str:
        """The name under which `x` leaves the graph; bfloat16 leaves as float32."""
        symbol = self.lift(x)
        narrow = symbol.dtype == dtypes.bfloat16.numpy
        if symbol.name in self.computed and not narrow:
            self.computed.discard(symbol.name)
            return symbol.name
        name = self.fresh("output")
        if symbol.dtype.kind == "c":
            self.nodes.append(HostNode(lambda x: (x,), [symbol.name], [name]))
            return name
        attrs = {"to": dtypes.float32.onnx} if narrow else {}
        self.nodes.append(node_of("Cast" if narrow else "Identity", [symbol.name], [name], attrs))
        return name

    def graph(
        self, nodes: list[NodeProto], inputs: list[Symbol], outputs: list[str], fed: set[str]
    ) -> tuple[GraphProto, dict[str, Array]]:
        """A graph of `nodes`, and its large constants; those named in `fed` become inputs."""
        graph = GraphProto(name="main", node=nodes)
        used = {name for node in nodes for name in read_by(node)}
        large: dict[str, Array] = {}
        for symbol in inputs:
            graph.input.append(ValueInfoProto(name=symbol.name, type=type_of(symbol)))
        for name, array in self.constants.items():
            if name in fed:
                info = type_of(Symbol(name, array.shape, array.dtype))
                graph.input.append(ValueInfoProto(name=name, type=info))
            elif name not in used:
                continue
            elif is_inline(array):
                graph.initializer.append(numpy_helper.from_array(array, name))
            else:
                large[name] = np.ascontiguousarray(array)
                graph.initializer.append(placeholder(name, array))
        graph.output.extend(ValueInfoProto(name=name) for name in outputs)
        return graph, large


def kind_of(
    primitive: Primitive, symbols: Sequence[Symbol | None], count: int, attrs: dict[str, Any]
) -> Hashable:
    """What the types of a call's results follow from; None where values decide, too."""
    if any(s is not None and s.data is not None for s in symbols):
        return None
    given = [None if s is None else (s.shape, s.dtype) for s in symbols]
    plain = all(isinstance(value, PLAIN) for value in attrs.values())
    return (primitive.op, count, *given, repr(attrs)) if plain else None


def inferred_of(
    primitive: Primitive, node: NodeProto, symbols: Sequence[Symbol]
) -> dict[str, TypeProto]:
    """The types of a node's outputs. Raises: MS304 if ONNX says that its inputs do not fit"""
    types = {s.name: type_of(s) for s in symbols}
    data = {s.name: s.data for s in symbols if s.data is not None}
    try:
        return shape_inference.infer_node_outputs(
            primitive.schema, node, types, data, {}, OPSET_IMPORTS, IR_VERSION
        )
    except shape_inference.InferenceError as error:
        got = ", ".join(f"{dtypes.OF_NUMPY[s.dtype].name}{list(s.shape)}" for s in symbols)
        reason = str(error).split(") ")[-1].removeprefix("[ShapeInferenceError] ")
        raise ShapeError(primitive.op, reason, got=got) from None


def sample(symbol: Symbol, size: int) -> Array:
    """An array such as `symbol` may be: its value if known; ones, or identity matrices.

    `size` stands for the sizes that only the data decide.
    """
    if symbol.data is not None:
        return numpy_helper.to_array(symbol.data)
    shape = tuple([size if n < 0 else n for n in symbol.shape])
    square = len(shape) > 1 and shape[-1] == shape[-2]
    filled = np.broadcast_to(np.eye(shape[-1]), shape) if square else np.ones(shape)
    return filled.astype(symbol.dtype)


def widened(array: Array) -> Array:
    """`array`, as float32 if it is bfloat16, which ONNX Runtime cannot take from NumPy."""
    return array.astype(np.float32) if array.dtype == dtypes.bfloat16.numpy else array


def is_inline(array: Array) -> bool:
    """Whether a constant is written into the graph."""
    is_vector = array.ndim == 1 and array.dtype == np.int64
    return array.nbytes <= (SIZES_LIMIT if is_vector else INLINE_LIMIT)


def type_of(symbol: Symbol) -> TypeProto:
    """The ONNX type of `symbol`; unknown sizes are left open."""
    shape = [None if size < 0 else size for size in symbol.shape]
    return helper.make_tensor_type_proto(dtypes.OF_NUMPY[symbol.dtype].onnx, shape)


def symbol_of(name: str, inferred: TypeProto | None) -> Symbol:
    """A symbol of the inferred type. Raises: MS304 if not even the rank is known."""
    if inferred is None or not inferred.tensor_type.HasField("shape"):
        raise ShapeError(name, "the number of axes depends on the data", advice="use PYNATIVE_MODE")
    tensor_type = inferred.tensor_type
    sizes = [d.dim_value if d.HasField("dim_value") else -1 for d in tensor_type.shape.dim]
    if any(d.dim_value < 0 for d in tensor_type.shape.dim):
        raise ShapeError(name, "a size would be negative", got=str(sizes))
    return Symbol(name, tuple(sizes), dtypes.OF_ONNX[tensor_type.elem_type].numpy)
