"""Two chains of layers aligned: in order, one and one or one and several, with gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ..recorded import Run
from .owners import Owner, likeness, tensors_in_pairs
from .shares import Step, is_fused

EXPLAINED = 10.0
"""What a layer that gets a counterpart counts."""

ALWAYS = 1e6
"""What the user has said counts."""

SAME_INPUT, SAME_SHAPE = 6.0, 1.0
MOST_PARTS = 4

Score = Callable[[Owner, Owner], float]


class Chains:
    """The layers of both networks in an order, and what speaks for each pair."""

    def __init__(
        self,
        a: Run,
        b: Run,
        ours: Sequence[Owner],
        theirs: Sequence[Owner],
        known: Mapping[str, str],
    ) -> None:
        self.a, self.b = a, b
        self.known = known
        self.taken = set(known.values())
        self.ours, self.theirs = ours, theirs
        self.scores: dict[tuple[str, str], float] = {}

    def steps(self) -> tuple[Step, ...]:
        """Those in order with the greatest sum of scores, then what is left, the likest first."""
        found = list(self.in_order())
        done = {owner.path for step in found for owner in step.ours}
        taken = {owner.path for step in found for owner in step.theirs}
        left = [
            (-self.score(one, other), i, j)
            for i, one in enumerate(self.ours)
            for j, other in enumerate(self.theirs)
            if one.path not in done and other.path not in taken and self.score(one, other)
        ]
        for _, i, j in sorted(left):
            one, other = self.ours[i], self.theirs[j]
            if one.path not in done and other.path not in taken:
                done.add(one.path)
                taken.add(other.path)
                found.append(Step((one,), (other,)))
        return tuple(found)

    def score(self, one: Owner, other: Owner) -> float:
        """0 if the tensors do not fit."""
        if one.path in self.known or other.path in self.taken:
            return ALWAYS if self.known.get(one.path) == other.path else 0.0
        if one.sizes != other.sizes:
            return 0.0
        key = one.path, other.path
        if key not in self.scores:
            self.scores[key] = self.scored(one, other)
        return self.scores[key]

    def scored(self, one: Owner, other: Owner) -> float:
        if tensors_in_pairs(one, other) is None:
            return 0.0
        found = 2 * EXPLAINED + likeness(one, other)
        if one.calls and other.calls:
            taken = [{v.digest for v in x.calls[0].inputs} for x in (one, other)]
            found += SAME_INPUT if taken[0] & taken[1] else 0.0
            shapes = [[v.shape for v in x.calls[0].outputs[:1]] for x in (one, other)]
            found += SAME_SHAPE if shapes[0] == shapes[1] else 0.0
        return found

    def in_order(self) -> Iterator[Step]:
        """Source: Needleman and Wunsch, 1970, with steps of several elements"""
        m, n = len(self.ours), len(self.theirs)
        sums = np.zeros((m + 1, n + 1))
        came: dict[tuple[int, int], tuple[int, int]] = {}
        for i in range(m + 1):
            for j in range(n + 1):
                best = 0.0, (0, 0)
                for di, dj, value in self.moves(i, j):
                    best = max(best, (sums[i - di, j - dj] + value, (di, dj)), key=lambda x: x[0])
                sums[i, j], came[i, j] = best
        return reversed(list(self.traced(came, m, n)))

    def moves(self, i: int, j: int) -> Iterator[tuple[int, int, float]]:
        """How far back in both, and what that counts."""
        if i:
            yield 1, 0, 0.0
        if j:
            yield 0, 1, 0.0
        if not i or not j:
            return
        if value := self.score(self.ours[i - 1], self.theirs[j - 1]):
            yield 1, 1, value
        for count in range(2, MOST_PARTS + 1):
            if count <= j and is_fused(self.ours[i - 1], tuple(self.theirs[j - count : j])):
                yield 1, count, EXPLAINED * (count + 1)
            if count <= i and is_fused(self.theirs[j - 1], tuple(self.ours[i - count : i])):
                yield count, 1, EXPLAINED * (count + 1)

    def traced(
        self, came: dict[tuple[int, int], tuple[int, int]], i: int, j: int
    ) -> Iterator[Step]:
        while i or j:
            di, dj = came[i, j]
            if not di and not dj:
                return
            if di and dj:
                yield Step(tuple(self.ours[i - di : i]), tuple(self.theirs[j - dj : j]))
            i, j = i - di, j - dj
