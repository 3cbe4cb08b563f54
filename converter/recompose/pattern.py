"""Patterns of nodes, written like the formulas they stand for: `x * op.Sigmoid(x)`.

Add, Mul, Max and Min match in either order. A pattern yields every way in which it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from types import EllipsisType
from typing import Any

import numpy as np

from ..graph.graph import Node
from .edit import INPUT_OF_ATTRIBUTE, Array, Editor

COMMUTATIVE = frozenset({"Add", "Mul", "Max", "Min", "And", "Or"})
DEEPEST_PRODUCT = 8
"""Products in products that are looked at: no exporter writes more of them."""

ELEMENTWISE = COMMUTATIVE | {"Sub", "Div", "Pow"}
TOLERANCE = 1e-5
"""Relative: exporters write sqrt(2) as 1.41421, 1.4142135, or its half-precision neighbour."""


@dataclass(frozen=True)
class Found:
    """What a pattern has matched so far."""

    values: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, Node] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()

    def value(self, name: str, value: str) -> Iterator[Found]:
        """With `name` bound to `value`, unless it is another one already."""
        if self.values.get(name, value) == value:
            yield Found({**self.values, name: value}, self.calls, self.numbers, self.nodes)

    def call(self, name: str, node: Node) -> Found:
        calls = {**self.calls, name: node} if name else self.calls
        return Found(self.values, calls, self.numbers, (*self.nodes, node))

    def number(self, name: str, number: float) -> Found:
        return replace(self, numbers={**self.numbers, name: number}) if name else self


class Pattern:
    """What a value may be. Arithmetic on patterns makes patterns of Add, Sub, Mul, Div, Pow."""

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        raise NotImplementedError

    def may_match(self, value: str, graph: Editor) -> bool:
        """False only if `match` yields nothing, which most nodes let see at once."""
        return True

    def may_occur(self, graph: Editor) -> bool:
        """False only if it matches nowhere, as the graph has no node of an operator in it."""
        return True

    def roots(self) -> frozenset[str]:
        """The operators whose result can match."""
        return frozenset()

    def __add__(self, other: Pattern | float) -> Pattern:
        return Call("Add", (self, lifted(other)))

    def __radd__(self, other: float) -> Pattern:
        return lifted(other) + self

    def __sub__(self, other: Pattern | float) -> Pattern:
        return Call("Sub", (self, lifted(other)))

    def __mul__(self, other: Pattern | float) -> Pattern:
        return Call("Mul", (self, lifted(other)))

    def __rmul__(self, other: float) -> Pattern:
        return lifted(other) * self

    def __truediv__(self, other: Pattern | float) -> Pattern:
        return Call("Div", (self, lifted(other)))

    def __rtruediv__(self, other: float) -> Pattern:
        return lifted(other) / self

    def __pow__(self, other: Pattern | float) -> Pattern:
        return Call("Pow", (self, lifted(other)))


@dataclass(frozen=True)
class Value(Pattern):
    """Any value; the same name means the same value. `constant`: only one that is known."""

    name: str
    constant: bool = False

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        if self.may_match(value, graph):
            yield from found.value(self.name, value)

    def may_match(self, value: str, graph: Editor) -> bool:
        return bool(value) and (not self.constant or graph.constant(value) is not None)


@dataclass(frozen=True)
class MadeBy(Pattern):
    """Any value that a node of `op` makes; the node is no part of the match: others may read it."""

    op: str
    name: str

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        if self.may_match(value, graph):
            yield from found.value(self.name, value)

    def may_match(self, value: str, graph: Editor) -> bool:
        node = graph.producer(value)
        return node is not None and node.op == self.op and not node.domain

    def may_occur(self, graph: Editor) -> bool:
        return graph.has_op(self.op)


@dataclass(frozen=True)
class Number(Pattern):
    """A known scalar: `value` within the tolerance, or any, remembered as `name`."""

    name: str = ""
    value: float | None = None

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        known = scalar(graph.constant(value))
        if known is not None and (self.value is None or close(known, self.value)):
            yield found.number(self.name, known.value)

    def may_match(self, value: str, graph: Editor) -> bool:
        known = graph.constant(value)
        return known is not None and known.size == 1


@dataclass(frozen=True)
class Exactly(Pattern):
    """A constant of one element that is `value` and no neighbour of it, remembered as `name`."""

    name: str
    value: float

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        if self.may_match(value, graph):
            yield from found.value(self.name, value)

    def may_match(self, value: str, graph: Editor) -> bool:
        known = graph.constant(value)
        return known is not None and known.size == 1 and bool((known == self.value).all())


@dataclass(frozen=True)
class Call(Pattern):
    """A node: its operator and arguments; an Ellipsis at the end stands for any others.

    Arguments that older schemas had as attributes (the axes of ReduceMean) are not listed: rules
    ask for them by name.
    """

    op: str
    args: tuple[Pattern | EllipsisType, ...]
    name: str = ""
    domain: str = ""

    def named(self, name: str) -> Call:
        return replace(self, name=name)

    def roots(self) -> frozenset[str]:
        return frozenset({self.op})

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        node = graph.producer(value)
        if node is None or not self.may_match(value, graph) or _widens(node, graph):
            return
        values = _arguments(node)
        args = [arg for arg in self.args if isinstance(arg, Pattern)]
        if len(args) == len(values) or (... in self.args and len(args) <= len(values)):
            begun = found.call(self.name, node)
            yield from _each(args, values, begun, graph)
            if self.op in COMMUTATIVE and len(values) == 2 and args != args[::-1]:
                yield from _each(args, values[::-1], begun, graph)

    def may_match(self, value: str, graph: Editor) -> bool:
        node = graph.producer(value)
        if node is None or node.op != self.op or node.domain != self.domain:
            return False
        if node.outputs[0] != value:
            return False
        if len(node.inputs) != 2 or len(self.args) != 2 or self.op not in ELEMENTWISE:
            return True
        a, b = self.args
        if not isinstance(a, Pattern) or not isinstance(b, Pattern):
            return True
        x, y = node.inputs
        if a.may_match(x, graph) and b.may_match(y, graph):
            return True
        return self.op in COMMUTATIVE and a.may_match(y, graph) and b.may_match(x, graph)

    def may_occur(self, graph: Editor) -> bool:
        inner = (arg for arg in self.args if isinstance(arg, Pattern))
        return graph.has_op(self.op) and all(arg.may_occur(graph) for arg in inner)


@dataclass(frozen=True)
class Either(Pattern):
    """Any of several ways to write the same."""

    options: tuple[Pattern, ...]

    def roots(self) -> frozenset[str]:
        return frozenset().union(*(option.roots() for option in self.options))

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        for option in self.options:
            yield from option.match(value, found, graph)

    def may_match(self, value: str, graph: Editor) -> bool:
        return any(option.may_match(value, graph) for option in self.options)

    def may_occur(self, graph: Editor) -> bool:
        return any(option.may_occur(graph) for option in self.options)


@dataclass(frozen=True)
class Product(Pattern):
    """Factors times a number, multiplied and divided in any order.

    The number must be `coefficient`, or is remembered under that name.
    """

    coefficient: float | str
    factors: tuple[Pattern, ...]

    def roots(self) -> frozenset[str]:
        return frozenset({"Mul", "Div"})

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        flat = Flat.of(value, graph)
        if len(self.factors) == 1 < len(flat.leaves):
            flat = Flat(Scalar(1.0), (value,), ())  # a product of others, times 1
        if len(flat.leaves) != len(self.factors):
            return
        begun = replace(found, nodes=(*found.nodes, *flat.nodes))
        if isinstance(self.coefficient, str):
            begun = begun.number(self.coefficient, flat.number.value)
        elif not close(flat.number, self.coefficient):
            return
        for leaves in dict.fromkeys(permutations(flat.leaves)):
            yield from _each(self.factors, leaves, begun, graph)

    def may_occur(self, graph: Editor) -> bool:
        return all(factor.may_occur(graph) for factor in self.factors)


@dataclass(frozen=True)
class Clipped(Pattern):
    """Clip with constant limits; None for one that is absent."""

    x: Pattern
    low: float | None
    high: float | None

    def roots(self) -> frozenset[str]:
        return frozenset({"Clip"})

    def match(self, value: str, found: Found, graph: Editor) -> Iterator[Found]:
        node = graph.producer(value)
        if node is None or node.op != "Clip":
            return
        limits = ((graph.argument(node, "min"), self.low), (graph.argument(node, "max"), self.high))
        if all(_is_limit(got, wanted) for got, wanted in limits):
            yield from self.x.match(node.inputs[0], found.call("", node), graph)

    def may_occur(self, graph: Editor) -> bool:
        return graph.has_op("Clip") and self.x.may_occur(graph)


@dataclass(frozen=True)
class Scalar:
    """A number and how precisely its element type holds it."""

    value: float
    precision: float = 0.0


@dataclass(frozen=True)
class Flat:
    """A tree of products, flattened as far as nobody else reads its parts."""

    number: Scalar
    leaves: tuple[str, ...]
    nodes: tuple[Node, ...]

    @staticmethod
    def of(value: str, graph: Editor, levels: int = DEEPEST_PRODUCT) -> Flat:
        known = scalar(graph.constant(value))
        if known is not None:
            return Flat(known, (), ())
        node = graph.producer(value)
        is_product = node is not None and node.op in ("Mul", "Div") and not node.domain
        if node is None or not is_product or levels == 0:
            return Flat(Scalar(1.0), (value,), ())
        if levels < DEEPEST_PRODUCT and not graph.is_private(value):
            return Flat(Scalar(1.0), (value,), ())
        a, b = (Flat.of(name, graph, levels - 1) for name in node.inputs)
        if _widens(node, graph) or (node.op == "Div" and (b.leaves or b.number.value == 0)):
            return Flat(Scalar(1.0), (value,), ())
        number = a.number.value * b.number.value ** (-1 if node.op == "Div" else 1)
        precision = max(a.number.precision, b.number.precision)
        nodes = (*a.nodes, *b.nodes, node)
        return Flat(Scalar(number, precision), (*a.leaves, *b.leaves), nodes)


class _Ops:
    """`op.Erf(x)`: the pattern of a node of that operator."""

    def __getattr__(self, name: str) -> Callable[..., Call]:
        return lambda *args: Call(name, tuple(a if a is ... else lifted(a) for a in args))


op = _Ops()


def lifted(item: Pattern | float) -> Pattern:
    return item if isinstance(item, Pattern) else Number(value=item)


def either(*options: Pattern) -> Pattern:
    return Either(options)


def product(coefficient: float | str, *factors: Pattern) -> Pattern:
    return Product(coefficient, factors)


def scalar(array: Array | None) -> Scalar | None:
    """The number in an array of one element, shortest in decimals; None for anything else."""
    if array is None or array.size != 1 or array.dtype.kind not in "fiuV":
        return None
    item = array.reshape(())[()]
    precision = 0.0 if array.dtype.kind in "iu" else float(2.0 ** -_mantissa(array.dtype))
    return Scalar(float(str(item)), precision)


def close(known: Scalar, wanted: float) -> bool:
    """Whether a number is the wanted one as far as its element type can say."""
    tolerance = max(TOLERANCE, known.precision) if known.precision else 0.0
    return abs(known.value - wanted) <= tolerance * abs(wanted)


def _mantissa(dtype: np.dtype[Any]) -> int:
    """Bits after the leading one; 7 for bfloat16, which NumPy does not know."""
    return int(np.finfo(dtype).nmant) if dtype.kind == "f" else 7


def _is_limit(got: str | Array | None, wanted: float | None) -> bool:
    if isinstance(got, str):
        return False
    known = scalar(got)
    if known is None or wanted is None:
        return got is None and wanted is None
    return close(known, wanted)


_FORMERS: dict[str, list[int]] = {}
"""Operator -> the inputs that were attributes in older schemas."""
for (_op, _), _index in INPUT_OF_ATTRIBUTE.items():
    _FORMERS.setdefault(_op, []).append(_index)


def _arguments(node: Node) -> list[str]:
    """The node's inputs without absent ones at the end and without former attributes."""
    formers = _FORMERS.get(node.op, ())
    values = [name for i, name in enumerate(node.inputs) if i not in formers]
    while values and not values[-1]:
        values.pop()
    return values


def _each(
    args: Sequence[Pattern], values: Sequence[str], found: Found, graph: Editor
) -> Iterator[Found]:
    if not args:
        yield found
        return
    for step in args[0].match(values[0], found, graph):
        yield from _each(args[1:], values[1:], step, graph)


def _widens(node: Node, graph: Editor) -> bool:
    """Whether a constant of one element gives the result more dimensions than the operand has."""
    if node.op not in ELEMENTWISE or len(node.inputs) != 2:
        return False
    known = [graph.constant(name) for name in node.inputs]
    for array, other in zip(known, reversed(node.inputs), strict=True):
        if array is None or array.size != 1 or array.ndim == 0:
            continue
        rank = graph.type_of(other).rank
        if rank is not None and array.ndim > rank:
            return True
    return False
