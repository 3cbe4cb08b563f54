"""Which values of two blocks are the same, but for rounding."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from ....numerics.limits import OF_OPERATORS, OF_SKETCHES
from ...sides.child.messages import Value, unmarked
from ..records import Array
from .graph import Graph
from .kinds import are_related

LARGE = 9e3
"""What masks make of scores, or add to them: which of these numbers makes no difference."""

USUAL = 1e3
"""So large are other numbers beside a mask's at most."""

SHARE = 0.05
"""So small a part of what the block is off by is no difference of its own."""

ROUGH = 0.05
"""Sketches that are farther apart than this are of different values."""


@dataclass(frozen=True)
class Equality:
    """The values of two graphs; `away`: how far off the block's result is, of its size."""

    ours: Graph
    theirs: Graph
    away: float

    @property
    def limit(self) -> float:
        return min(max(SHARE * self.away, OF_OPERATORS), OF_SKETCHES)

    @cached_property
    def partners(self) -> dict[str, list[str]]:
        """B's values that are equal to each of A's, by digests; only those that have one."""
        by_size: defaultdict[int, list[Value]] = defaultdict(list)
        for value in self.theirs.values.values():
            by_size[prod(value.shape)].append(value)
        found = {}
        for digest, value in self.ours.values.items():
            equal = [y.digest for y in by_size[prod(value.shape)] if self.is_equal(value, y)]
            if equal:
                found[digest] = equal
        return found

    @cached_property
    def partners_of_theirs(self) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for digest, others in self.partners.items():
            for other in others:
                found[other].append(digest)
        return dict(found)

    def same(self, side: int, digest: str) -> set[str]:
        """The values of a side that are equal to one of its own, that one among them."""
        there, back = (self.partners, self.partners_of_theirs)[:: 1 if side == 0 else -1]
        found = {x for other in there.get(digest, ()) for x in back.get(other, ())}
        return found | {digest}

    def is_equal(self, x: Value, y: Value) -> bool:
        """Whether the elements are the same in their order, whatever the shapes are."""
        if (x.is_plain or y.is_plain) and not self.is_alike(x, y):
            return False
        if unmarked(x) == unmarked(y):
            return True
        a, b = self.ours.array(x), self.theirs.array(y)
        if self.ours.is_masked(x) and self.theirs.is_masked(y) and a is not None and b is not None:
            return close(a.reshape(-1), b.reshape(-1), self.limit)
        one, other = self.ours.projections(x), self.theirs.projections(y)
        size = max(float(np.sqrt((one**2).sum())), float(np.sqrt((other**2).sum())))
        away = float(np.sqrt(((one - other) ** 2).sum())) / (size or 1.0)
        if away > ROUGH:
            return False
        if a is None or b is None:
            return away <= self.limit
        return close(a.reshape(-1), b.reshape(-1), self.limit)

    def is_alike(self, x: Value, y: Value) -> bool:
        """Whether what is the same number all over comes from the same kind of operator; a file's
        constant may come from any that takes nothing that is given."""
        if x.digest in self.ours.constants and self.theirs.is_made(y):
            return True
        if y.digest in self.theirs.constants and self.ours.is_made(x):
            return True
        one, other = self.ours.root(x), self.theirs.root(y)
        return one == other or are_related(one, other)


@np.errstate(invalid="ignore", over="ignore")
def close(a: Array, b: Array, limit: float) -> bool:
    """Equal whole numbers; floats that are off by `limit` of the largest."""
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        return bool(np.array_equal(a.astype(np.int64), b.astype(np.int64)))
    if {a.dtype.kind, b.dtype.kind} & {"U", "S", "O"}:
        return bool(np.array_equal(a, b))
    wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    x, y = a.astype(wide), b.astype(wide)
    if not np.array_equal(np.isnan(x), np.isnan(y)):
        return False
    is_masked = masked(x, y)
    x, y = x[~is_masked], y[~is_masked]
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    sizes = np.abs(x)
    usual = float(sizes[np.isfinite(sizes)].max(initial=0.0))
    return bool((same | (np.abs(x - y) <= limit * usual)).all())


def masked(x: Array, y: Array) -> Array:
    """Where both are what a mask makes of scores: far below all others."""
    if x.dtype.kind == "c":
        return np.zeros(x.shape, bool)
    both = (x <= -LARGE) & (y <= -LARGE)
    rest = np.abs(x[~both])
    return both if float(rest.max(initial=0.0)) < USUAL else np.zeros(x.shape, bool)
