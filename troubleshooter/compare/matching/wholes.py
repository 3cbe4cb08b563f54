"""Layers whose weights several layers hold on the other side: the whole stands against the whole.

As PyTorch's attention against one that is written out: its projections are three layers of weights
there, and none of the three does what it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from ...sides.child.messages import Call
from ..recorded import Run

Paths = frozenset[str]


@dataclass(frozen=True)
class SameWeights:
    """B's layers by A's where one holds what the other does; `divided`: one against several."""

    single: Mapping[str, str]
    divided: tuple[tuple[Paths, Paths], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.single or self.divided)

    @cached_property
    def steps(self) -> tuple[tuple[Paths, Paths], ...]:
        single = ((frozenset((x,)), frozenset((y,))) for x, y in self.single.items())
        return (*single, *self.divided)

    @cached_property
    def parts(self) -> tuple[Paths, Paths]:
        """A's layers and B's that answer to no single layer."""
        sides = (frozenset[str]().union(*(step[i] for step in self.divided)) for i in (0, 1))
        return next(sides), next(sides)


def wholes(
    a: Run, b: Run, same: SameWeights, pairs: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """A layer with all that is in it, and the outermost of the other side that holds just that."""
    held = [
        {call.path: within(call.path, same, i) for call in run.calls}
        for i, run in enumerate((a, b))
    ]
    free = [call for call in b.calls if call.number not in pairs.values()]
    for one in a.calls:
        wanted = held[0][one.path]
        if one.number in pairs or not wanted or not is_divided(wanted, same):
            continue
        fits = [x for x in free if x.index == one.index and held[1][x.path] == wanted]
        if fits and (is_leaf(a, one) or is_leaf(b, fits[0])):
            free.remove(fits[0])
            yield one.number, fits[0].number


def is_leaf(run: Run, call: Call) -> bool:
    return call.number not in run.children


def is_divided(steps: Set[int], same: SameWeights) -> bool:
    return any(step >= len(same.single) for step in steps)


def within(path: str, same: SameWeights, side: int) -> frozenset[int]:
    """The steps whose layers of this side are the layer or in it; nothing if one is so in part."""
    inside = path and f"{path}."
    found: set[int] = set()
    for number, step in enumerate(same.steps):
        here = {x for x in step[side] if x == path or x.startswith(inside)}
        if here and here != step[side]:
            return frozenset()
        found |= {number} if here else set()
    return frozenset(found)
