"""Expressions of the emitted script: what handlers return, blocks compare and the writer prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Plain = int | float | bool | str | None
"""What a literal may hold; tuples are `Tuple`s, so that each element can differ between blocks."""

_BINDING = {"or": 1, "and": 2, "<": 4, ">": 4, "<=": 4, ">=": 4, "==": 4, "!=": 4}
_BINDING |= {"|": 5, "^": 6, "&": 7, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10}
_BINDING |= {"@": 10, "~": 11, "neg": 11, "**": 12}
_ATOM = 20


@dataclass(frozen=True)
class Expr:
    """Base of all expressions. Operators build bigger ones: `x + 1` is the code "x + 1"."""

    def __add__(self, other: Any) -> Expr:
        return Binary("+", self, expr(other))

    def __radd__(self, other: Any) -> Expr:
        return Binary("+", expr(other), self)

    def __sub__(self, other: Any) -> Expr:
        return Binary("-", self, expr(other))

    def __rsub__(self, other: Any) -> Expr:
        return Binary("-", expr(other), self)

    def __mul__(self, other: Any) -> Expr:
        return Binary("*", self, expr(other))

    def __rmul__(self, other: Any) -> Expr:
        return Binary("*", expr(other), self)

    def __truediv__(self, other: Any) -> Expr:
        return Binary("/", self, expr(other))

    def __rtruediv__(self, other: Any) -> Expr:
        return Binary("/", expr(other), self)

    def __floordiv__(self, other: Any) -> Expr:
        return Binary("//", self, expr(other))

    def __mod__(self, other: Any) -> Expr:
        return Binary("%", self, expr(other))

    def __matmul__(self, other: Any) -> Expr:
        return Binary("@", self, expr(other))

    def __pow__(self, other: Any) -> Expr:
        return Binary("**", self, expr(other))

    def __lt__(self, other: Any) -> Expr:
        return Binary("<", self, expr(other))

    def __le__(self, other: Any) -> Expr:
        return Binary("<=", self, expr(other))

    def __gt__(self, other: Any) -> Expr:
        return Binary(">", self, expr(other))

    def __ge__(self, other: Any) -> Expr:
        return Binary(">=", self, expr(other))

    def __neg__(self) -> Expr:
        return Unary("-", self)

    def __getitem__(self, items: Any) -> Expr:
        return Index(
            self, tuple(expr(i) for i in (items if isinstance(items, tuple) else (items,)))
        )

    def method(self, name: str, *args: Any, **kwargs: Any) -> Expr:
        """The call `self.name(args)`; `None` keywords vanish."""
        return _call(Attribute(self, name), args, kwargs)

    def attribute(self, name: str) -> Expr:
        return Attribute(self, name)


@dataclass(frozen=True)
class Ref(Expr):
    """A tensor of the graph, by its ONNX name: the writer chooses the variable."""

    name: str


@dataclass(frozen=True, eq=False)
class Literal(Expr):
    """A value written out; equal to another if the text is: 1 is neither 1.0 nor True."""

    value: Plain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(repr(self.value))


_PLAIN = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*|\[\d+\])*( is None)?|\.\.\.|\?", re.ASCII)


@dataclass(frozen=True)
class Code(Expr):
    """Text that msconvert itself wrote (`ms.float32`); never text from a model.

    Raises: ValueError for what is more than names, dots, numbers in brackets and `is None`
    """

    text: str

    def __post_init__(self) -> None:
        if not _PLAIN.fullmatch(self.text):
            raise ValueError(f"{self.text[:80]!r} is no plain name")


@dataclass(frozen=True)
class FunctionName(Code):
    """The name of a function that the script itself gets (see written.py)."""


@dataclass(frozen=True)
class Tuple(Expr):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class List(Expr):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Slice(Expr):
    """`start:stop:step` inside an index; a `Literal(None)` part is left out."""

    start: Expr
    stop: Expr
    step: Expr


@dataclass(frozen=True)
class Call(Expr):
    func: Expr
    args: tuple[Expr, ...]
    kwargs: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True)
class Attribute(Expr):
    obj: Expr
    name: str


@dataclass(frozen=True)
class Index(Expr):
    obj: Expr
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Binary(Expr):
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Unary(Expr):
    op: str
    operand: Expr


@dataclass(frozen=True)
class IfElse(Expr):
    """`then if condition else other`."""

    then: Expr
    condition: Expr
    other: Expr


@dataclass(frozen=True)
class Size(Expr):
    """A statement's value that is an integer of Python's, not a tensor: `x.shape[0] * 4`."""

    value: Expr


@dataclass(frozen=True)
class ForEach(Expr):
    """The value after `for cell in members: x = cell(x, *others)`, which starts with `first`."""

    members: str
    first: Expr
    others: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Weight:
    """A converted weight: its array, the ONNX tensors it comes from, and what was done to them."""

    array: np.ndarray[Any, Any]
    sources: tuple[str, ...]
    transformation: str = "none"


@dataclass(frozen=True, eq=False)
class Constant(Expr):
    """A constant tensor that is no layer's weight: a Parameter of a module, or written out."""

    name: str
    weight: Weight


@dataclass(frozen=True, eq=False)
class Cell:
    """A layer to construct: `nn.KIND(arguments)`, with its weights by parameter name.

    `arguments` holds every argument of the signature in order, defaults included, so that two
    layers of one kind always compare argument by argument.
    """

    kind: str
    arguments: tuple[tuple[str, Expr], ...]
    weights: tuple[tuple[str, Weight], ...] = ()

    def __call__(self, *inputs: Any) -> CellCall:
        return CellCall(self, tuple(expr(i) for i in inputs))

    def argument(self, name: str) -> Expr:
        return dict(self.arguments)[name]


@dataclass(frozen=True, eq=False)
class CellCall(Expr):
    cell: Cell
    args: tuple[Expr, ...]


def expr(value: Any) -> Expr:
    """`value` as an expression: Python and NumPy numbers, strings, None, tuples, lists, dtypes."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, tuple):
        return Tuple(tuple(expr(v) for v in value))
    if isinstance(value, list):
        return List(tuple(expr(v) for v in value))
    if isinstance(value, slice):
        return Slice(expr(value.start), expr(value.stop), expr(value.step))
    if value is Ellipsis:
        return Code("...")
    if isinstance(value, np.generic):
        return Literal(value.item())
    if value is None or isinstance(value, bool | int | float | str):
        return Literal(value)
    raise TypeError(f"no expression for {type(value).__name__}")


def _call(func: Expr, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    named = tuple((k, expr(v)) for k, v in kwargs.items() if v is not None)
    return Call(func, tuple(expr(a) for a in args), named)


class Namespace:
    """`ops.relu(x)` in a handler is the code "ops.relu(x)"; `None` keywords vanish."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Callable[..., Call]:
        func = Code(f"{self._prefix}.{name}")
        return lambda *args, **kwargs: _call(func, args, kwargs)


ops = Namespace("ops")
ms = Namespace("ms")


class Functions:
    """`helper.onnx_dft(x)` in a handler calls a function that is written into the script."""

    def __getattr__(self, name: str) -> Callable[..., Call]:
        return lambda *args, **kwargs: _call(FunctionName(name), args, kwargs)


helper = Functions()


LEAVES = frozenset({Ref, Literal, Code, FunctionName, Constant})
"""What has no parts: most of all expressions, so that they are looked for first."""


def children(e: Expr) -> tuple[Expr, ...]:
    """The direct parts of an expression, left to right as printed."""
    if type(e) in LEAVES:
        return ()
    match e:
        case Tuple(items) | List(items):
            return items
        case Slice(start, stop, step):
            return (start, stop, step)
        case Call(func, args, kwargs):
            return (func, *args, *(v for _, v in kwargs))
        case Attribute(obj, _):
            return (obj,)
        case Index(obj, items):
            return (obj, *items)
        case Binary(_, left, right):
            return (left, right)
        case Unary(_, operand):
            return (operand,)
        case Size(value):
            return (value,)
        case IfElse(then, condition, other):
            return (then, condition, other)
        case CellCall(_, args):
            return args
        case ForEach(_, first, others):
            return (first, *others)
    return ()


def rebuild(e: Expr, parts: tuple[Expr, ...]) -> Expr:
    """`e` with its direct parts replaced: the inverse of `children`."""
    match e:
        case Tuple() | List():
            return type(e)(parts)
        case Slice():
            return Slice(*parts)
        case Call(_, args, kwargs):
            n = len(args) + 1
            named = tuple((k, v) for (k, _), v in zip(kwargs, parts[n:], strict=True))
            return Call(parts[0], parts[1:n], named)
        case Attribute(_, name):
            return Attribute(parts[0], name)
        case Index():
            return Index(parts[0], parts[1:])
        case Binary(op, _, _):
            return Binary(op, *parts)
        case Unary(op, _):
            return Unary(op, *parts)
        case Size():
            return Size(*parts)
        case IfElse():
            return IfElse(*parts)
        case CellCall():
            return replace(e, args=parts)
        case ForEach(members, _, _):
            return ForEach(members, parts[0], parts[1:])
    return e


def transform(e: Expr, leaf: Callable[[Expr], Expr]) -> Expr:
    """`e` with `leaf` applied bottom-up to every part, parents after their parts."""
    parts = children(e)
    if not parts:
        return leaf(e)
    new = tuple(transform(p, leaf) for p in parts)
    changed = any(a is not b for a, b in zip(parts, new, strict=True))
    return leaf(rebuild(e, new) if changed else e)


def walk(e: Expr) -> Iterator[Expr]:
    """Every part of `e`, itself included, in printed order (parents first)."""
    yield e
    for part in children(e):
        yield from walk(part)


def refs(e: Expr) -> list[str]:
    """The graph's tensors that `e` reads, one entry per use."""
    return [part.name for part in walk(e) if isinstance(part, Ref)]


def literal_text(value: Plain) -> str:
    """`value` as Python source; floats in their shortest exact form, infinities spelled out."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f'float("{value}")'
    return repr(value)


def render(e: Expr) -> str:
    """`e` as Python source. Every tensor, constant and layer must have become `Code` before."""
    return _text(e)[0]


def _text(e: Expr) -> tuple[str, int]:
    """Source and binding strength of `e`."""
    match e:
        case Literal(value):
            text = literal_text(value)
            return text, _BINDING["neg"] if text.startswith("-") else _ATOM
        case Code(text):
            return text, _ATOM
        case Tuple(items):
            inner = ", ".join(render(i) for i in items)
            return f"({inner},)" if len(items) == 1 else f"({inner})", _ATOM
        case List(items):
            return f"[{', '.join(render(i) for i in items)}]", _ATOM
        case Slice():
            return _slice_text(e), _ATOM
        case Call(func, args, kwargs):
            shown = [render(a) for a in args] + [f"{k}={render(v)}" for k, v in kwargs]
            return f"{_tight(func, _ATOM)}({', '.join(shown)})", _ATOM
        case Attribute(obj, name):
            return f"{_tight(obj, _ATOM)}.{name}", _ATOM
        case Index(obj, items):
            inner = ", ".join(render(i) for i in items)
            return f"{_tight(obj, _ATOM)}[{inner}]", _ATOM
        case IfElse(then, condition, other):
            return f"{_tight(then, 1)} if {_tight(condition, 1)} else {render(other)}", 0
        case Binary() | Unary():
            return _operator_text(e)
        case Size(value):
            return _text(value)
    raise TypeError(f"{type(e).__name__} cannot be printed before it has a name")


def _operator_text(e: Binary | Unary) -> tuple[str, int]:
    if isinstance(e, Unary):
        binding = _BINDING["neg" if e.op == "-" else e.op]
        return f"{e.op}{_tight(e.operand, binding)}", binding
    binding = _BINDING[e.op]
    right_to_left = e.op == "**"
    comparison = binding == _BINDING["<"]
    left = _tight(e.left, binding + (right_to_left or comparison))
    right = _tight(e.right, binding + (not right_to_left))
    return f"{left} {e.op} {right}", binding


def _slice_text(e: Slice) -> str:
    empty = Literal(None)
    start, stop, step = ("" if p == empty else render(p) for p in (e.start, e.stop, e.step))
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def _tight(e: Expr, binding: int) -> str:
    text, own = _text(e)
    number = isinstance(e, Literal) and binding == _ATOM
    return f"({text})" if own < binding or number else text
