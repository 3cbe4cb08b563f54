"""Tables that hold each number many times, as grids of coordinates do: the few that they hold.

An exporter computes what `meshgrid`, `repeat`, `expand` and `stack` make of a few numbers,
and writes down all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

FEWEST = 1024
"""Elements of a table that is looked at."""

MOST = 1 << 22
LEAST_SAVED = 4
"""A table shall hold each number so often, on average: halves are as well repeated as joined."""

SAMPLES = 5
"""So many numbers are looked for first."""

MOST_WAYS = 64
"""So many ways to halve the axes are tried."""

MOST_PLANES = 4
"""So many tables may be stacked."""


@dataclass(frozen=True)
class Spread:
    """Planes, stacked along `axis` of their common shape `sizes`, each of a part with sizes of 1
    where it does not change. The table has the sizes `shape`.
    """

    parts: tuple[Array, ...]
    sizes: tuple[int, ...]
    axis: int
    shape: tuple[int, ...]


def spread(array: Array) -> Spread | None:
    """How a table is made of fewer numbers, the fewest that are found; None if it needs its own."""
    if not FEWEST <= array.size <= MOST or not _may_be_spread(array):
        return None
    if not np.isfinite(array).all() or bool((array == array.flat[0]).all()):
        return None
    found = [s for axis in _stacked(array) if (s := _planes(array, axis)) is not None]
    best = min(found, key=_stored, default=None)
    if best is None or _is_batch(best):
        return best
    return None if LEAST_SAVED * _stored(best) > array.size else best


def _is_batch(found: Spread) -> bool:
    """Whether it is one part as often as the batch is large."""
    (part, *others), sizes = found.parts, found.sizes
    once = len(sizes) == len(found.shape) + 1 and sizes[0] * sizes[1] == found.shape[0]
    return once and not others and part.shape == (1, *sizes[1:])


def _may_be_spread(array: Array) -> bool:
    """Whether a few numbers of it stand there again: of the weights of a layer hardly one does."""
    places = np.linspace(0, array.size - 1, SAMPLES, dtype=np.int64)
    return all(np.count_nonzero(array == array.flat[place]) > 1 for place in places)


def _stored(found: Spread) -> int:
    return sum(part.size for part in found.parts)


def _stacked(array: Array) -> Iterator[int | None]:
    """The axes along which planes may be stacked; None for one plane."""
    yield None
    yield from (axis for axis, size in enumerate(array.shape) if 1 < size <= MOST_PLANES)


def _planes(array: Array, axis: int | None) -> Spread | None:
    planes = [array] if axis is None else np.split(array, array.shape[axis], axis)
    halves = [_halves(planes, place) for place in range(array.ndim)]
    if prod(map(len, halves)) > MOST_WAYS:
        return None
    choices = []
    for split in product(*halves):
        sizes = tuple(size for pair in split for size in pair)
        parts = tuple(_part(plane.reshape(sizes)) for plane in planes)
        at = 0 if axis is None else sum(len(pair) for pair in split[:axis])
        choices.append(Spread(parts, sizes, at, array.shape))
    return min(choices, key=lambda s: (_stored(s), len(s.sizes)))


def _halves(planes: list[Array], axis: int) -> list[tuple[int, ...]]:
    """The axis whole, and as two where what stands along it comes again or stays for a while."""
    size = planes[0].shape[axis]
    found: dict[tuple[int, ...], None] = {(size,): None}
    for plane in planes:
        rows = np.moveaxis(plane, axis, 0).reshape(size, -1)
        for inner in (n for n in range(2, size // 2 + 1) if size % n == 0):
            pairs = rows.reshape(size // inner, inner, -1)
            if (pairs == pairs[:1]).all() or (pairs == pairs[:, :1]).all():
                found[size // inner, inner] = None
    return list(found)


def _part(plane: Array) -> Array:
    """The plane without what is the same along whole axes."""
    for axis in range(plane.ndim):
        first = plane.take([0], axis)
        if (plane == first).all():
            plane = first
    return np.ascontiguousarray(plane)
