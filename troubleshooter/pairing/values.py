"""Pairs by what tensors hold, and further names of the same tensor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ...errors import MsconvertError
from .change import change_of
from .matching import Matching
from .moments import BLOCK, moments
from .pair import Pair, Tensors
from .sketch import (
    SMALLEST,
    Rows,
    Sketch,
    alone,
    equal_rows,
    matches,
    similar_rows,
    sketched,
)

Array: TypeAlias = np.ndarray[Any, Any]

BY_TIE, BY_MOMENTS = 0.97, 0.85
MOMENTS_RTOL = 1e-5
LEAST_OF_MOMENTS = 16


def by_value(so_far: Matching) -> None:
    """Tensors with the same elements, in the same order or transposed."""
    add_matches(so_far, equal_rows)


def by_likeness(so_far: Matching) -> None:
    """Tensors with similar elements; then those with the same, in any order."""
    add_matches(so_far, similar_rows)
    for ours, theirs in groups(so_far):
        for name, other in list(by_moments(ours, theirs)):
            change = change_of(*so_far.shapes(name, other)) or ""
            so_far.add(Pair(name, other, "value", BY_MOMENTS, change))


def add_matches(so_far: Matching, rule: Rows) -> None:
    for ours, theirs in groups(so_far):
        for match in matches(ours, theirs, rule):
            so_far.add(Pair(match.a, match.b, "value", match.confidence, match.change))


def groups(so_far: Matching) -> Iterator[tuple[list[Sketch], list[Sketch]]]:
    """What is left in both files, by the number of elements."""
    ours, theirs = by_size(so_far.a, so_far.left_a), by_size(so_far.b, so_far.left_b)
    for size in ours:
        if size in theirs and size >= SMALLEST:
            found = sketched(so_far.a, ours[size]), sketched(so_far.b, theirs[size])
            if all(found):
                yield found


def by_size(tensors: Tensors, left: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for name in left:
        found[tensors[name].size].append(name)
    return found


def by_moments(ours: Sequence[Sketch], theirs: Sequence[Sketch]) -> Iterator[tuple[str, str]]:
    """The tensors whose elements have the same mean, spread and extremes as just one other's."""
    if ours[0].tensor.size < LEAST_OF_MOMENTS:
        return
    x, y = (np.stack([moments(it.tensor) for it in side]) for side in (ours, theirs))
    spread = np.where(x[:, 1] > 0, x[:, 1], np.nan)  # a constant is near to nothing
    near = np.stack(
        [
            np.all(np.abs(row - y) <= MOMENTS_RTOL * width, axis=1)
            for row, width in zip(x, spread, strict=True)
        ]
    )
    for i, j in alone(near, near):
        yield ours[i].tensor.name, theirs[j].tensor.name


# further names


def by_tie(so_far: Matching) -> None:
    """Names that are left of tensors which have another name, and a pair by that."""
    for name, other in ties(so_far.a, so_far.left_a):
        if other in so_far.of_a and so_far.of_a[other].is_whole:
            so_far.add(replace(so_far.of_a[other], a=name, confidence=BY_TIE, tied=other))
    for name, other in ties(so_far.b, so_far.left_b):
        if other in so_far.of_b and so_far.of_b[other].is_whole:
            so_far.add_name(replace(so_far.of_b[other], b=name, confidence=BY_TIE, tied=other))


def ties(tensors: Tensors, left: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each of these names with another of the file that holds the very same, if there is one."""
    waiting = set(left)
    shapes = {tensors[name].shape for name in waiting if tensors[name].shape}
    alike: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for name, tensor in tensors.items():
        if tensor.shape in shapes:
            alike[tensor.shape, tensor.dtype].append(name)
    for names in (names for names in alike.values() if not waiting.issuperset(names)):
        yield from ties_in(sketched(tensors, names), waiting)


def ties_in(sketches: Iterable[Sketch], waiting: Set[str]) -> Iterator[tuple[str, str]]:
    """The same of tensors of one shape and type."""
    groups: dict[bytes, list[Sketch]] = defaultdict(list)
    for it in sketches:
        if is_varied(it.values):
            groups[it.values.tobytes()].append(it)
    for group in groups.values():
        known = [it for it in group if it.tensor.name not in waiting]
        for it in (it for it in group if it.tensor.name in waiting):
            other = next((other for other in known if equal(it, other)), None)
            if other is not None:
                yield it.tensor.name, other.tensor.name


def equal(a: Sketch, b: Sketch) -> bool:
    """Whether two tensors of one shape and type have the same bits, as far as they are readable."""
    with suppress(MsconvertError):
        blocks = zip(a.tensor.blocks(BLOCK), b.tensor.blocks(BLOCK), strict=True)
        return all(x.tobytes() == y.tobytes() for x, y in blocks)
    return False


def is_varied(values: Array) -> bool:
    """Whether equal tensors with these elements are so for a reason."""
    return len(values) > SMALLEST and len(np.unique(values)) > SMALLEST
