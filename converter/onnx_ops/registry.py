"""Finds and calls handlers: one per ONNX operator, listing the schema versions that it knows."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

import numpy as np

from ...errors import MsconvertError
from ...extensions import extensions, unusable
from ..code.control import Nesting, Network
from ..code.expr import INT, Call, Code, Constant, Expr, Literal, Ref, Weight, ms
from ..code.host import Hosts
from ..graph.graph import Dim, Graph, Node, ValueType, reads
from ..graph.validity import required_inputs

Handler = Callable[..., Expr | tuple[Expr, ...]]
H = TypeVar("H", bound=Handler)
Handlers = dict[tuple[str, str], tuple[Handler, tuple[int, ...]]]
"""Domain and operator -> the handler and the schema versions that it knows."""
_HANDLERS: Handlers = {}

GROUP = "msconvert.onnx_ops"
"""The entry points by which packages of users name modules with handlers, for domains of theirs."""

DTYPE_NAMES = {"bool": "bool_"}
"""NumPy names of element types that MindSpore spells differently."""


def onnx_op(op: str, *versions: int, domain: str = "") -> Callable[[H], H]:
    """Registers an operator's handler for the schema versions listed (ONNX's since_version)."""

    def register(handler: H) -> H:
        if (domain, op) in _HANDLERS:
            raise ValueError(f"a second handler for {domain}::{op}")
        _HANDLERS[domain, op] = (handler, versions)
        return handler

    return register


@cache
def load_handlers() -> Handlers:
    """All handlers, found by walking this folder; those of users, by their entry points.

    Raises: MsconvertError (MS902) for an extension that cannot be imported, or has no handler
    """
    package = __package__ or ""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")
    for name, added in extensions(GROUP):
        own = [f for f, _ in _HANDLERS.values() if f.__module__ == getattr(added, "__name__", "")]
        if not own:
            raise unusable(GROUP, name, "it is no module that has a function under @onnx_op")
    return _HANDLERS


OF_LISTS = frozenset(
    {
        "ConcatFromSequence",
        "Identity",
        "If",
        "Loop",
        "SequenceAt",
        "SequenceConstruct",
        "SequenceEmpty",
        "SequenceErase",
        "SequenceInsert",
        "SequenceLength",
        "SplitToSequence",
    }
)
"""Operators that take or give sequences of tensors, which are Python's lists."""


MOST_ASKED = 8
"""Elements of a tensor that are sizes."""


class NodeView:
    """What a handler may ask of its node: attributes, types, constant inputs."""

    def __init__(
        self,
        node: Node,
        graph: Graph,
        hosts: Hosts,
        place: str = "",
        nesting: Nesting | None = None,
    ) -> None:
        self.node = node
        self.graph = graph
        self.hosts = hosts
        self.place = place
        self._nesting = nesting
        self.version = node.version
        self.remarks: list[str] = []
        """What the reader of the script must know of how this node is written."""

    def operands(self) -> list[Expr | None]:
        """The inputs as expressions, None where absent; shape arithmetic becomes a tensor."""
        return [self.operand(name) for name in self.node.inputs]

    def operand(self, name: str) -> Expr | None:
        """A value as an expression; None for the empty name."""
        if not name:
            return None
        if name in self.graph.constants:
            array, known = self.graph.constants[name], self.graph.derived.get(name)
            if known is None:
                return Constant(name, Weight(array, (name,)))
            return Constant(name, Weight(array, known.weights, ", ".join(known.ops)))
        return self.hosts.tensor_of(name) if self.hosts.is_host(name) else Ref(name)

    def value(self, name: str) -> Expr:
        """A value of the graph, which a graph inside the node reads."""
        found = self.operand(name)
        assert found is not None
        return found

    def network(self, key: str, types: Mapping[str, ValueType] | None = None) -> Network:
        """The graph that is an attribute, converted. Raises: MS101 if something in it cannot be"""
        if self._nesting is None:
            raise self.refuse(f"no handler for {self.node.op} here")
        return self._nesting.network(self.node, key, self.graph, types or {})

    def class_name(self, word: str) -> str:
        """A name for a class of the script that no other has."""
        return word if self._nesting is None else self._nesting.name(word)

    def is_true(self, index: int) -> bool:
        """Whether input `index` is a constant that is true."""
        array = self.array(index)
        return array is not None and bool(array.all())

    def steps(self) -> tuple[Expr, bool]:
        """How often a loop runs at most (input 0), and whether that is a bound at all."""
        sizes = self.hosts.sizes(self.node.inputs[0]) if self.has(0) else None
        if sizes is not None and isinstance(sizes[0], Literal):
            number = int(sizes[0].value or 0)
            return Literal(number), number < 2**31
        if sizes is not None:
            return sizes[0], True
        found = self.operand(self.node.inputs[0])
        return (Literal(0), False) if found is None else (found, True)

    def sizes(self, index: int, expected: Dim = None) -> list[Expr]:
        """Input `index`, an integer scalar or vector, as Python integers of the script.

        `expected` is how many there must be, for a vector whose own size is not known.
        """
        sizes = self.hosts.sizes(self.node.inputs[index])
        return self._asked(index, expected) if sizes is None else sizes

    def _asked(self, index: int, expected: Dim) -> list[Expr]:
        """The elements of a tensor of known size as Python integers: `int(x[0])`."""
        shape, value = self.type(index).shape, self.operand(self.node.inputs[index])
        count = 1 if shape == () else (shape[0] if shape is not None and len(shape) == 1 else None)
        count = count if isinstance(count, int) else expected
        if not isinstance(count, int) or count > MOST_ASKED or value is None:
            raise self.refuse(
                f"input {index} is computed by the graph",
                got="a tensor",
                expected="a constant, or sizes taken from shapes",
                advice="give --shape",
            )
        elements = [value] if shape == () else [value[i] for i in range(count)]
        return [Call(INT, (element,)) for element in elements]

    def bounds(self, name: str, index: int, expected: Dim = None) -> list[Expr]:
        """As `sizes`, for what was an attribute in old versions."""
        value = self.attr(name)
        return self.sizes(index, expected) if value is None else [Literal(int(v)) for v in value]

    def attr(self, name: str, default: Any = None) -> Any:
        """The attribute, or `default` if the node has none of that name."""
        value = self.node.attrs.get(name)
        return default if value is None else value

    def choice(self, name: str, default: str, known: Mapping[str, str]) -> str:
        """What `known` has for a text attribute; any other text is refused, never passed on."""
        value = str(self.attr(name, default))
        if value not in known:
            raise self.refuse(
                f"an unknown {name}", got=value, expected=" or ".join(map(repr, known))
            )
        return known[value]

    def has(self, index: int) -> bool:
        """Whether input `index` is given."""
        return index < len(self.node.inputs) and self.node.inputs[index] != ""

    def type(self, index: int = 0) -> ValueType:
        return self.graph.type_of(self.node.inputs[index]) if self.has(index) else ValueType()

    def out(self, index: int = 0) -> ValueType:
        return self.graph.type_of(self.node.outputs[index])

    def check_inputs(self) -> None:
        """Refuses a node that lacks an input which its operator must have."""
        node = self.node
        for index in required_inputs(node.domain, node.op, node.version):
            if not self.has(index):
                raise self.malformed(f"input {index} is missing")

    def check_types(self) -> None:
        """Refuses what MindSpore has no element type for: text, sequences, float8, int4, ..."""
        if (self.node.domain, self.node.op) == ("ai.onnx.ml", "ZipMap"):
            return  # its dictionaries are written as the tensor that they hold
        for name in filter(None, (*self.node.inputs, *self.node.outputs)):
            known = self.graph.type_of(name)
            dtype = known.dtype
            if not known.container and (dtype is None or has_dtype(dtype)):
                continue
            wrapped = known.container and not self._is_list(name)
            if (wrapped or (dtype is not None and not has_dtype(dtype))) and self._matters(name):
                kind = "text" if dtype is not None and dtype.kind == "O" else str(dtype)
                raise self.refuse(
                    f"{known.container[0] if known.container else kind} is no type of MindSpore's",
                    expected="tensors of numbers",
                    advice=self.without(name),
                )

    def _matters(self, name: str) -> bool:
        """Whether a value is an input or one that something reads."""
        outputs = self.node.outputs
        return name not in outputs or self.is_read(outputs.index(name))

    def without(self, name: str) -> str:
        """How to convert the model without this value."""
        others = [other for other in self.graph.outputs if other != name]
        if name in self.graph.outputs and others:
            return f"convert the other outputs alone: --output_nodes {' '.join(others)}"
        return "cut the graph before this node"

    def _is_list(self, name: str) -> bool:
        """Whether a value is a list of tensors between operators: no network takes or gives one."""
        if self.graph.type_of(name).container != ("sequence",) or self.node.op not in OF_LISTS:
            return False
        inside = self._nesting is not None and self._nesting.is_inside
        return inside or name not in (*self.graph.inputs, *self.graph.outputs)

    def wants(self, index: int) -> bool:
        """Whether output `index` has a name (an absent optional output has none)."""
        return index < len(self.node.outputs) and self.node.outputs[index] != ""

    def is_read(self, index: int) -> bool:
        """Whether anything reads output `index`."""
        name = self.node.outputs[index] if self.wants(index) else ""
        if not name or name in self.graph.outputs:
            return bool(name)
        return any(name in reads(node) for node in self.graph.nodes)

    def shape(self, index: int = 0) -> tuple[int | str | None, ...]:
        """The shape of input `index`; sizes may be unknown, the rank must be known."""
        shape = self.type(index).shape
        if shape is None:
            raise self.refuse(
                f"the rank of input {index} is unknown",
                expected="a shape for every tensor",
                advice="give --shape, or export with static shapes",
            )
        return shape

    def rank(self, index: int = 0) -> int:
        return len(self.shape(index))

    def static_shape(self, index: int = 0, start: int = 0) -> tuple[int, ...]:
        """The sizes of input `index` from axis `start` on, every one known, or a refusal."""
        shape = self.shape(index)[start:]
        sizes = tuple(d for d in shape if isinstance(d, int))
        if len(sizes) != len(shape):
            place = f" from axis {start} on" if start else ""
            raise self._dynamic(index, f"static sizes{place}")
        return sizes

    def static_size(self, axis: int, index: int = 0) -> int:
        """The size of one axis of input `index`, or a refusal."""
        size = self.shape(index)[axis]
        if not isinstance(size, int):
            raise self._dynamic(index, f"a static size of axis {axis}")
        return size

    def _dynamic(self, index: int, expected: str) -> MsconvertError:
        return self.refuse(
            f"input {index} has a dynamic shape",
            got=str(self.shape(index)),
            expected=expected,
            advice="give --shape",
        )

    def array(self, index: int) -> np.ndarray[Any, Any] | None:
        """Input `index` if it is a constant, else None."""
        return self.graph.constants.get(self.node.inputs[index]) if self.has(index) else None

    def constant(self, index: int, what: str) -> np.ndarray[Any, Any]:
        """Input `index`, which must be a constant here."""
        array = self.array(index)
        if array is None:
            raise self.refuse(
                f"{what} comes from the graph",
                got="a computed tensor",
                expected="a constant",
                advice="give --shape so that it can be folded, or rewrite this part of the model",
            )
        return array

    def weight(
        self, value: Constant, array: np.ndarray[Any, Any] | None = None, change: str = "none"
    ) -> Weight:
        """A layer's weight from a constant, with its changed array and the change in words."""
        kept = value.weight
        if array is None:
            return kept
        known = kept.transformation
        return Weight(array, kept.sources, change if known == "none" else f"{known}; {change}")

    def ints(self, name: str, index: int | None = None) -> list[int] | None:
        """Integers that are an attribute in old versions, an input in new ones; None if absent."""
        value = self.attr(name)
        if value is None and index is not None and self.has(index):
            value = self.constant(index, name)
        return None if value is None else [int(v) for v in np.asarray(value).reshape(-1)]

    def axes(
        self, index: int | None = None, name: str = "axes", rank: int | None = None
    ) -> list[int] | None:
        """Axes as non-negative integers, in the order given; negative ones need the rank."""
        axes = self.ints(name, index)
        if axes is None or min(axes, default=0) >= 0:
            return axes
        size = self.rank() if rank is None else rank
        return [a + size if a < 0 else a for a in axes]

    def axis(self, default: int) -> int:
        """The attribute `axis` as a non-negative integer. Raises: MS104 beyond a known rank"""
        axis = int(self.attr("axis", default))
        rank = self.graph.type_of(self.node.inputs[0]).rank
        if rank is not None and not -rank <= axis <= rank:
            raise self.malformed(f"axis {axis} of a tensor with {rank} axes")
        return axis + self.rank() if axis < 0 else axis

    def refuse(
        self, problem: str, *, got: str = "", expected: str = "", advice: str = ""
    ) -> MsconvertError:
        """The error that this node cannot be converted; the handler raises it."""
        where = self._where
        return MsconvertError("MS101", where, problem, got=got, expected=expected, advice=advice)

    def malformed(self, reason: str) -> MsconvertError:
        """The error that this node is not what its operator's schema says."""
        expected = f"what {self.node.op} takes at version {self.version}"
        advice = "check the model with onnx.checker, and export it again"
        problem = "its attributes and inputs do not go together"
        return MsconvertError(
            "MS104", self._where, problem, got=reason, expected=expected, advice=advice
        )

    @property
    def _where(self) -> str:
        return f"{self.place}: {self.node.label}" if self.place else self.node.label


@lru_cache(maxsize=256)
def has_dtype(dtype: np.dtype[Any]) -> bool:
    """Whether MindSpore has this element type; NumPy's own numbers and bfloat16."""
    return dtype.name == "bfloat16" or (dtype.kind in "fiubc" and dtype.isbuiltin == 1)


def dtype_code(dtype: np.dtype[Any]) -> Expr:
    """`ms.float32` for a NumPy element type."""
    return Code(f"ms.{DTYPE_NAMES.get(dtype.name, dtype.name)}")


def tensor(array: np.ndarray[Any, Any]) -> Expr:
    """`ms.Tensor([...], dtype)`: a small constant, written out."""
    return ms.Tensor(nested(array), dtype_code(array.dtype))


def nested(array: np.ndarray[Any, Any]) -> Any:
    """The array as nested lists of numbers, floats in the shortest form that reads back equal."""
    if array.ndim:
        return [nested(part) for part in array]
    return shortest(array.flat[0])


def shortest(number: np.generic) -> int | float | bool:
    """The Python number that prints shortest and converts back to the same `number`."""
    if isinstance(number, np.floating) and not isinstance(number, np.float64):
        return float(str(number))
    return number.item()


def same(sizes: Sequence[int]) -> int | tuple[int, ...]:
    """One number where all sizes are equal, else the tuple: kernel 3 instead of (3, 3)."""
    return sizes[0] if len(set(sizes)) == 1 else tuple(sizes)
