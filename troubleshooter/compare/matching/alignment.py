"""Which call and which tensor of one network answers to which of the other's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...sides.child.messages import Call, Value
from ..recorded import Run

Role = Literal["inputs", "outputs"]


@dataclass(frozen=True)
class Spot:
    """A tensor of a run: of which call, and the how manieth of what it takes or gives."""

    path: str
    index: int
    role: Role
    position: int

    def of(self, run: Run) -> Value | None:
        """What is there; None if this run has not come so far, or has fewer tensors there."""
        call = run.by_place.get((self.path, self.index))
        if call is None:
            return None
        values: tuple[Value, ...] = getattr(call, self.role)
        return values[self.position] if self.position < len(values) else None


@dataclass(frozen=True)
class Link:
    """A tensor of A's and the one of B's that should be equal."""

    ours: Spot
    theirs: Spot


@dataclass(frozen=True)
class Pairing:
    """A call of the network that is walked through, with the other's, and their tensors.

    `one` is A's call, `other` B's; of an ONNX file it is the node that gives the result, None if
    that is not known.
    """

    one: Call | None
    other: Call | None
    inputs: tuple[Link, ...]
    outputs: tuple[Link, ...]

    def links(self, role: Role) -> tuple[Link, ...]:
        return self.inputs if role == "inputs" else self.outputs


@dataclass(frozen=True)
class Alignment:
    """The pairs in the order of the walked calls; calls of either network without a counterpart.

    `relaid`: the pairs that take the same numbers with axes in another order; none is judged alone.
    `walked`: whose layers the pairs go through: 0 for A's, 1 for B's where A is an ONNX file.
    """

    pairs: tuple[Pairing, ...]
    missing: tuple[Call, ...] = ()
    extra: tuple[Call, ...] = ()
    walked: int = 0
    relaid: tuple[Pairing, ...] = ()


def spots(call: Call, role: Role) -> list[Spot]:
    values = getattr(call, role)
    return [Spot(call.path, call.index, role, i) for i in range(len(values))]


def linked(one: Call, other: Call, role: Role) -> tuple[Link, ...]:
    """The tensors of two calls in pairs: of the same place, then in order, if they are alike.

    Of one kind they must be: a mask of booleans is not one that is added.
    """
    ours, theirs = list(zip(spots(one, role), getattr(one, role), strict=True)), []
    found: dict[int, Link] = {}
    for y, value in zip(spots(other, role), getattr(other, role), strict=True):
        same = [(x, v) for x, v in ours if v.place == value.place and same_kind(v, value)]
        if same:
            found[y.position] = Link(same[0][0], y)
            ours.remove(same[0])
        else:
            theirs.append((y, value))
    for y, value in theirs:
        fits = [(x, v) for x, v in ours if v.shape == value.shape and same_kind(v, value)]
        if fits:
            found[y.position] = Link(fits[0][0], y)
            del ours[: ours.index(fits[0]) + 1]
    return tuple(link for _, link in sorted(found.items()))


def same_kind(one: Value, other: Value) -> bool:
    """Whether both hold floating-point numbers, integers, booleans or complex numbers."""
    return kind(one.dtype) == kind(other.dtype)


def kind(dtype: str) -> str:
    return dtype.removeprefix("u").removeprefix("b").rstrip("0123456789")
