"""Pairs by what tensors hold, and further names of the same tensor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ...errors import MsconvertError
from .blocks import equal, moments
from .change import change_of
from .matching import Matching
from .pair import Pair, Tensors
from .sketch import SMALLEST, Match, alone, matches, sample

Array: TypeAlias = np.ndarray[Any, Any]
Arrays = dict[str, Array]

BY_TIE, BY_MOMENTS = 0.97, 0.85
MOMENTS_RTOL = 1e-5
LEAST_OF_MOMENTS = 16


def by_value(so_far: Matching) -> None:
    """Tensors with the same elements, in the same order or transposed; then in any order."""
    for ours, theirs in groups(so_far):
        for match in matches(list(ours.values()), list(theirs.values())):
            so_far.add(pair_of(match, list(ours), list(theirs)))
    for ours, theirs in groups(so_far):
        for name, other in by_moments(ours, theirs):
            change = change_of(ours[name].shape, theirs[other].shape) or ""
            so_far.add(Pair(name, other, "value", BY_MOMENTS, change))


def pair_of(match: Match, a: list[str], b: list[str]) -> Pair:
    return Pair(a[match.a], b[match.b], "value", match.confidence, match.change)


def groups(so_far: Matching) -> Iterator[tuple[Arrays, Arrays]]:
    """What is left in both files, by the number of elements."""
    ours, theirs = by_size(so_far.a, so_far.left_a), by_size(so_far.b, so_far.left_b)
    for size in ours:
        if size in theirs and size >= SMALLEST:
            found = readable(so_far.a, ours[size]), readable(so_far.b, theirs[size])
            if all(found):
                yield found


def by_size(tensors: Tensors, left: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for name in left:
        tensor = tensors[name]
        found[tensor.nbytes // tensor.dtype.itemsize].append(name)
    return found


def readable(tensors: Tensors, names: Iterable[str]) -> Arrays:
    """The arrays; not those that their file is too damaged for, which stay without a pair."""
    found = {}
    for name in names:
        try:
            found[name] = tensors[name].array()
        except MsconvertError:
            continue
    return found


def by_moments(ours: Arrays, theirs: Arrays) -> Iterator[tuple[str, str]]:
    """The tensors whose elements have the same mean, spread and extremes as just one other's."""
    if next(iter(ours.values())).size < LEAST_OF_MOMENTS:
        return
    a, b = list(ours), list(theirs)
    x, y = (np.stack([moments(array) for array in side.values()]) for side in (ours, theirs))
    spread = np.where(x[:, 1] > 0, x[:, 1], np.nan)  # a constant is near to nothing
    near = np.stack(
        [
            np.all(np.abs(row - y) <= MOMENTS_RTOL * width, axis=1)
            for row, width in zip(x, spread, strict=True)
        ]
    )
    for i, j in alone(near, near):
        yield a[i], b[j]


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
        yield from ties_in(readable(tensors, names), waiting)


def ties_in(arrays: Arrays, waiting: Set[str]) -> Iterator[tuple[str, str]]:
    """The same of arrays of one shape and type."""
    sketches: dict[bytes, list[str]] = defaultdict(list)
    for name, array in arrays.items():
        values = sample(array)
        if is_varied(values):
            sketches[values.tobytes()].append(name)
    for names in sketches.values():
        known = [name for name in names if name not in waiting]
        for name in (name for name in names if name in waiting):
            same = (other for other in known if equal(arrays[name], arrays[other]))
            other = next(same, None)
            if other is not None:
                yield name, other


def is_varied(values: Array) -> bool:
    """Whether equal tensors with these elements are so for a reason."""
    return len(values) > SMALLEST and len(np.unique(values)) > SMALLEST
