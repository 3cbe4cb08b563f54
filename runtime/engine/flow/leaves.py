"""Values at one place on two ways, or before and after a turn: what stands for both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dtype import from_numpy
from ..failure import LoopError
from ..primitive import convert
from ..tensor import Tensor, wrap
from .number import KINDS, Number, held, kind_of, number_of
from .state import Content, Slot, Unset


@dataclass(frozen=True)
class Blank:
    """A value that nobody reads, of the type of `like`."""

    like: Any


@dataclass(frozen=True)
class Target:
    """What a leaf is in the graph: an element type, a shape, and what Python sees of it.

    `kind`: a number's; Content for a Tensor that is changed in place; None for a Tensor.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    kind: Any = None

    def tensor(self, leaf: Any) -> Tensor:
        """The leaf as a Tensor of this type. Raises: LoopError if it is another one."""
        if isinstance(leaf, Blank):
            return wrap(np.zeros(self.shape, self.dtype))
        if isinstance(leaf, (Number, bool, int, float)):
            number = held(leaf, kind_of(leaf))
            if self.kind is None and self.dtype.kind in "iuf":
                return convert(number, from_numpy(self.dtype))
            return number
        found: Tensor = wrap(leaf.content) if isinstance(leaf, Content) else leaf
        if (found.content.dtype, found.shape) != (self.dtype, self.shape):
            raise differing(self, target_of(leaf))
        return found

    def leaf(self, x: Tensor) -> Any:
        """What Python sees of `x`."""
        if self.kind is Content:
            return Content(x.content)
        return x if self.kind is None else number_of(x, self.kind)


def target_of(leaf: Any) -> Target:
    if isinstance(leaf, Blank):
        return target_of(leaf.like)
    if isinstance(leaf, (Number, bool, int, float)):
        return Target(KINDS[kind_of(leaf)].numpy, (), kind_of(leaf))
    array = leaf.content
    if -1 in array.shape:
        raise LoopError("a value", "its size is known only when the graph runs")
    return Target(array.dtype, tuple(array.shape), Content if isinstance(leaf, Content) else None)


def differing(a: Target, b: Target) -> LoopError:
    got = " and ".join(
        f"{one.kind.__name__}" if isinstance(one.kind, type) else f"{one.dtype}{list(one.shape)}"
        for one in (a, b)
    )
    return LoopError("a value", "two ways give it other types or shapes", got=got)


def is_same(a: Any, b: Any) -> bool:
    """Whether two leaves are one value; one that nobody reads is what the other is."""
    if isinstance(a, Blank) or isinstance(b, Blank):
        other = b if isinstance(a, Blank) else a
        return isinstance(plain(other), (bool, int, float, Unset))
    if isinstance(a, (bool, int, float)) or isinstance(b, (bool, int, float)):
        return type(a) is type(b) and (repr(a) == repr(b))
    if isinstance(a, Unset) or isinstance(b, Unset):
        return a is b
    inner = [x.tensor if isinstance(x, Number) else x for x in (a, b)]
    first, second = inner[0].content, inner[1].content
    return first is second and type(a) is type(b)


def plain(leaf: Any) -> Any:
    """The leaf, or what one that nobody reads is like."""
    return plain(leaf.like) if isinstance(leaf, Blank) else leaf


def common(a: Any, b: Any) -> Target | None:
    """What both leaves can be; None if they are one value. Raises: LoopError if nothing can."""
    if is_same(a, b):
        return None
    if isinstance(a, Unset) or isinstance(b, Unset):
        raise LoopError("a name", "it is set on one of two ways only")
    first, second = target_of(a), target_of(b)
    if first == second:
        return first
    for one, other in ((first, second), (second, first)):
        if fits(one, other):
            return replace(other)
    raise differing(first, second)


def fits(number: Target, tensor: Target) -> bool:
    """Whether a number may stand where the other way has a Tensor without axes."""
    if number.kind not in KINDS or tensor.kind is not None or tensor.shape:
        return False
    ranks = {"b": 0, "i": 1, "u": 1, "f": 2}
    wanted = {bool: 0, int: 1, float: 2}[number.kind]
    have = ranks.get(tensor.dtype.kind, -1)
    return have >= wanted if wanted else have == 0


def blank(slot: Slot) -> Slot:
    """The layout of `slot`, with values that nobody reads."""
    return Slot(slot.layout, [Blank(leaf) for leaf in slot.leaves])


def aligned(first: list[Slot], second: list[Slot], free: list[bool]) -> None:
    """Gives slots that are not set, and need not be (`free`), the layout of the other way.

    Raises: LoopError (MS306) if two layouts differ.
    """
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        if k < len(free) and free[k] and a.is_unset != b.is_unset:
            if a.is_unset:
                first[k] = blank(b)
            else:
                second[k] = blank(a)
        elif a.layout != b.layout:
            raise LoopError("a region", "two ways leave other lists or objects behind")


def leaves_of(slots: list[Slot]) -> list[Any]:
    return [leaf for slot in slots for leaf in slot.leaves]


def with_leaves(slots: list[Slot], leaves: list[Any]) -> list[Slot]:
    rest = iter(leaves)
    return [Slot(slot.layout, [next(rest) for _ in slot.leaves]) for slot in slots]
