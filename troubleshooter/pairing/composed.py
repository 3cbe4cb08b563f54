"""Pairs of which one tensor is computed of several, known by its values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from ...errors import MsconvertError
from ...formats.names.reparametrized import Fold
from .change import RESHAPE, SAME
from .compositions import Composition, compositions
from .matching import Matching
from .pair import Pair, Tensors
from .sketch import BY_VALUE, SAME_DISTANCE, SMALLEST, Sketch, sketched

Array: TypeAlias = np.ndarray[Any, Any]

MOST_TARGETS = 64
"""Tensors of one size that are compared with a computed one."""


def by_composition(so_far: Matching) -> None:
    """Tensors that an exporter has made of several of the other file."""
    search = Search(so_far.a, so_far.b, so_far.of_a, so_far.left_b)
    for fold, target in search.found(compositions(so_far.a, so_far.left_a)):
        so_far.fold(pair_of(fold, target, so_far.b, "a"))
    search = Search(so_far.b, so_far.a, so_far.of_b, so_far.left_a)
    for fold, target in search.found(compositions(so_far.b, so_far.left_b)):
        so_far.fold(pair_of(fold, target, so_far.a, "b"))


def pair_of(fold: Fold, target: str, others: Tensors, side: Literal["a", "b"]) -> Pair:
    change = SAME if others[target].shape == fold.shape else RESHAPE
    a, b = (fold.sources[0], target) if side == "a" else (target, fold.sources[0])
    return Pair(a, b, "value", BY_VALUE, change, fold, side)


class Search:
    """Compares what can be computed of one file with what the other has left."""

    def __init__(
        self, tensors: Tensors, others: Tensors, paired: Mapping[str, Pair], left: Iterable[str]
    ) -> None:
        self.tensors, self.others, self.paired = tensors, others, paired
        self.names: dict[int, list[str]] = {}
        for name in left:
            self.names.setdefault(others[name].size, []).append(name)
        self.sketches: dict[int, list[Sketch]] = {}

    @np.errstate(all="ignore")
    def found(self, candidates: Iterable[Composition]) -> list[tuple[Fold, str]]:
        """The nearest computed tensor for each that is near to one."""
        best: dict[str, tuple[float, Fold]] = {}
        for candidate in candidates:
            for target, distance in self.near(candidate):
                if distance < best.get(target, (math.inf,))[0]:
                    best[target] = distance, candidate.fold
        return [(fold, target) for target, (_, fold) in best.items()]

    def near(self, candidate: Composition) -> Iterator[tuple[str, float]]:
        """The tensors that a computed one is near to, and how near."""
        targets = self.targets(candidate.fold)
        try:
            values = candidate.sample(self.tensors) if targets else np.empty(0)
        except MsconvertError:  # a damaged source: nothing is computed of it
            return
        for it in targets:
            distance = apart(values, it.values)
            if distance < SAME_DISTANCE:
                yield it.tensor.name, distance

    def targets(self, fold: Fold) -> list[Sketch]:
        """What is left of the computed size, and what has a pair by its name, and differs."""
        size = math.prod(fold.shape)
        names = self.names.get(size, [])[:MOST_TARGETS] if size >= SMALLEST else []
        if size not in self.sketches:
            self.sketches[size] = sketched(self.others, names)
        return [*self.sketches[size], *self.partners(fold)]

    def partners(self, fold: Fold) -> list[Sketch]:
        """The tensor that the first source is paired with by its name, if it is another one."""
        source = fold.sources[0]
        pair = self.paired.get(source)
        if pair is None or pair.how not in ("name", "rule") or not pair.is_whole or pair.fold:
            return []
        other = pair.b if pair.a == source else pair.a
        assert other is not None
        if self.others[other].size != math.prod(fold.shape):
            return []
        sketches = [*sketched(self.tensors, [source]), *sketched(self.others, [other])]
        is_other = len(sketches) == 2 and apart(*(it.values for it in sketches)) > SAME_DISTANCE
        return sketches[1:] if is_other else []


def apart(x: Array, y: Array) -> float:
    """How far samples are apart, in standard deviations of the second."""
    if x.shape != y.shape or not len(y) or not np.std(y) > 0:
        return math.inf
    return float(np.sqrt(np.mean((x - y) ** 2)) / np.std(y))
