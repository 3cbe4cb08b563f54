"""Expressions of the emitted script: what handlers return, blocks compare and the writer prints."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

Plain = int | float | bool | str | None
"""What a literal may hold; tuples are `Tuple`s, so that each element can differ between blocks."""


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

    @property
    def tensors(self) -> tuple[Expr, ...]:
        """The parts that the graph gives: values, constants and calls of layers, as printed."""
        return ()

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of the values among them."""
        return ()


if TYPE_CHECKING:
    from functools import cached_property as Once
else:

    class Once:
        """As cached_property, without the lock of Python 3.11: a graph has millions of parts."""

        def __init__(self, find: Callable[[Any], Any]) -> None:
            self._find, self._name = find, find.__name__

        def __get__(self, of: Any, kind: type) -> Any:
            if of is None:
                return self
            found = of.__dict__[self._name] = self._find(of)
            return found


@dataclass(frozen=True)
class Whole(Expr):
    """What has parts. It finds once what stands in it, as every step of a conversion asks."""

    @Once
    def tensors(self) -> tuple[Expr, ...]:
        return tuple([found for part in children(self) for found in part.tensors])

    @Once
    def reads(self) -> tuple[str, ...]:
        return tuple([part.name for part in self.tensors if type(part) is Ref])


@dataclass(frozen=True)
class Ref(Expr):
    """A tensor of the graph, by its ONNX name: the writer chooses the variable."""

    name: str

    @property
    def tensors(self) -> tuple[Expr, ...]:
        return (self,)

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True, eq=False)
class Literal(Expr):
    """A value written out; equal to another if the text is: 1 is neither 1.0 nor True."""

    value: Plain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(repr(self.value))


_PLAIN = re.compile(
    r"[A-Za-z_]\w*(\.[A-Za-z_]\w*|\[\d+\])*( is None)?|super\(\)\.construct|\.\.\.|\?", re.ASCII
)


@lru_cache(maxsize=4096)
def _is_plain(text: str) -> bool:
    """Remembered, as a script says the same few names at each node."""
    return _PLAIN.fullmatch(text) is not None


@dataclass(frozen=True)
class Code(Expr):
    """Text that msconvert itself wrote (`ms.float32`); never text from a model.

    Raises: ValueError for more than names, dots, numbers in brackets, `is None`, super().construct
    """

    text: str

    def __post_init__(self) -> None:
        if not _is_plain(self.text):
            raise ValueError(f"{self.text[:80]!r} is no plain name")


@dataclass(frozen=True)
class FunctionName(Code):
    """The name of a function that the script itself gets (see written.py)."""


@dataclass(frozen=True)
class Tuple(Whole):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class List(Whole):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Slice(Whole):
    """`start:stop:step` inside an index; a `Literal(None)` part is left out."""

    start: Expr
    stop: Expr
    step: Expr


@dataclass(frozen=True)
class Call(Whole):
    func: Expr
    args: tuple[Expr, ...]
    kwargs: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True)
class Attribute(Whole):
    obj: Expr
    name: str


@dataclass(frozen=True)
class Index(Whole):
    obj: Expr
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Binary(Whole):
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Unary(Whole):
    op: str
    operand: Expr


@dataclass(frozen=True)
class IfElse(Whole):
    """`then if condition else other`."""

    then: Expr
    condition: Expr
    other: Expr


@dataclass(frozen=True)
class Size(Whole):
    """A statement's value that is one of Python's integers: `x.shape[0]`, or several with names."""

    value: Expr
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class ForEach(Whole):
    """What `for cell in members: x = cell(x, *others)` makes of `first`, from `start` on."""

    members: str
    first: Expr
    others: tuple[Expr, ...]
    start: int = 0


@dataclass(frozen=True, eq=False)
class Weight:
    """A converted weight: its array, the ONNX tensors it comes from, and what was done to them."""

    array: np.ndarray[Any, Any]
    sources: tuple[str, ...]
    transformation: str = "none"

    @cached_property
    def content(self) -> Content:
        """The same for equal numbers of one element type and shape, and for no others."""
        return Content(self.array)


SAMPLES = 16


class Content:
    """What an array holds, bit for bit, as a key: a few numbers part most arrays, and only those
    that have the same are read whole.
    """

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        places = np.linspace(0, max(array.size - 1, 0), SAMPLES, dtype=np.int64)
        sample = array.flat[places].tobytes() if array.size else b""
        self._kind = array.dtype.str, array.shape, sample

    def __hash__(self) -> int:
        return hash(self._kind)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Content) or self._kind != other._kind:
            return NotImplemented if not isinstance(other, Content) else False
        mine, theirs = self._array, other._array
        if mine is theirs:
            return True
        if mine.flags.c_contiguous and theirs.flags.c_contiguous and mine.size:
            return np.array_equal(
                mine.reshape(-1).view(np.uint8), theirs.reshape(-1).view(np.uint8)
            )
        return mine.tobytes() == theirs.tobytes()


@dataclass(frozen=True, eq=False)
class Constant(Expr):
    """A constant tensor that is no layer's weight: a Parameter of a module, or written out."""

    name: str
    weight: Weight

    @property
    def tensors(self) -> tuple[Expr, ...]:
        return (self,)


@dataclass(frozen=True, eq=False)
class Cell:
    """A layer to construct: `nn.KIND(arguments)`, with its weights by parameter name.

    `arguments` holds every argument of the signature in order, defaults included, so that two
    layers of one kind always compare argument by argument.
    """

    kind: str
    arguments: tuple[tuple[str, Expr], ...]
    weights: tuple[tuple[str, Weight], ...] = ()
    control: Any = None
    """What a cell of the script's own is written from (`control.Control`)."""

    def __call__(self, *inputs: Any) -> CellCall:
        return CellCall(self, tuple(expr(i) for i in inputs))

    def argument(self, name: str) -> Expr:
        return dict(self.arguments)[name]


@dataclass(frozen=True, eq=False)
class CellCall(Whole):
    cell: Cell
    args: tuple[Expr, ...]

    @Once
    def tensors(self) -> tuple[Expr, ...]:
        return (self, *super().tensors)


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

        def call(*args: Any, **kwargs: Any) -> Call:
            return _call(func, args, kwargs)

        self.__dict__[name] = call  # thousands of nodes ask for the same few
        return call


INT = Code("int")
"""Of a tensor, it asks for a value: what is computed so runs in PyNative mode."""

ops, ms = Namespace("ops"), Namespace("ms")


class Functions:
    """`helper.onnx_dft(x)` in a handler calls a function that is written into the script."""

    def __getattr__(self, name: str) -> Callable[..., Call]:
        return lambda *args, **kwargs: _call(FunctionName(name), args, kwargs)


helper = Functions()


_PARTS: dict[type[Expr], Callable[[Any], tuple[Expr, ...]]] = {
    Tuple: lambda e: e.items,
    List: lambda e: e.items,
    Slice: lambda e: (e.start, e.stop, e.step),
    Call: lambda e: (e.func, *e.args, *(v for _, v in e.kwargs)) if e.kwargs else (e.func, *e.args),
    Attribute: lambda e: (e.obj,),
    Index: lambda e: (e.obj, *e.items),
    Binary: lambda e: (e.left, e.right),
    Unary: lambda e: (e.operand,),
    Size: lambda e: (e.value,),
    IfElse: lambda e: (e.then, e.condition, e.other),
    CellCall: lambda e: e.args,
    ForEach: lambda e: (e.first, *e.others),
}
"""What has parts -> its parts; found by type, as every step of a conversion asks for them."""


def children(e: Expr) -> tuple[Expr, ...]:
    """The direct parts of an expression, left to right as printed."""
    parts = _PARTS.get(type(e))
    return () if parts is None else parts(e)


def rebuild(e: Expr, parts: tuple[Expr, ...]) -> Expr:
    """`e` with its direct parts replaced: the inverse of `children`."""
    made = _REBUILT.get(type(e))
    return e if made is None else made(e, parts)


def _call_of(e: Call, parts: tuple[Expr, ...]) -> Call:
    n = len(e.args) + 1
    named = tuple((k, v) for (k, _), v in zip(e.kwargs, parts[n:], strict=True))
    return Call(parts[0], parts[1:n], named)


_REBUILT: dict[type[Expr], Callable[[Any, tuple[Expr, ...]], Expr]] = {
    Tuple: lambda e, parts: Tuple(parts),
    List: lambda e, parts: List(parts),
    Slice: lambda e, parts: Slice(*parts),
    Call: _call_of,
    Attribute: lambda e, parts: Attribute(parts[0], e.name),
    Index: lambda e, parts: Index(parts[0], parts[1:]),
    Binary: lambda e, parts: Binary(e.op, *parts),
    Unary: lambda e, parts: Unary(e.op, *parts),
    Size: lambda e, parts: Size(parts[0], e.names),
    IfElse: lambda e, parts: IfElse(*parts),
    CellCall: lambda e, parts: CellCall(e.cell, parts),
    ForEach: lambda e, parts: ForEach(e.members, parts[0], parts[1:], e.start),
}
"""What has parts -> the same with others."""


def transform(e: Expr, leaf: Callable[[Expr], Expr]) -> Expr:
    """`e` with `leaf` applied bottom-up to every part, parents after their parts."""
    parts = children(e)
    if not parts:
        return leaf(e)
    new = tuple([transform(p, leaf) for p in parts])
    same = all(map(operator.is_, parts, new))
    return leaf(e if same else rebuild(e, new))


def walk(e: Expr) -> Iterator[Expr]:
    """Every part of `e`, itself included, in printed order (parents first)."""
    waiting = [e]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(children(part)[::-1])


def refs(e: Expr) -> tuple[str, ...]:
    """The graph's tensors that `e` reads, one entry per use."""
    return e.reads
