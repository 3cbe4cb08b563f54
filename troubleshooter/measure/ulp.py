"""Distances in representable numbers (units in the last place), counted in buckets."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .elements import Array
from .metrics import Ulps

LIMITS = (0, 1, 2, 4, 16, *(1 << n for n in range(8, 28, 4)), *(1 << n for n in range(32, 72, 8)))
"""The upper ends of the buckets; the last is beyond every distance of 64-bit types."""

WORDS = {size: (np.dtype(f"i{size}"), np.dtype(f"u{size}")) for size in (1, 2, 4, 8)}
"""Of as many bytes as an element, a type for its bits and one for distances."""
SHARES = 0.5, 0.9, 0.99
"""Of the quantiles."""
BYTE = 255
"""Distances of at most this are compared faster as bytes."""
TYPES = ("float64", "float32", "float16", "bfloat16")
FLOAT8 = ("float8_e4m3", "float8_e5m2", "float8_e3m4")
"""How the names of types begin whose bits are a sign and a magnitude."""


class UlpCount:
    """Counts distances in numbers of the type `dtype`."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.word, self.distance = WORDS[dtype.itemsize]
        self.magnitude = (1 << 8 * dtype.itemsize - 1) - 1
        self.total = 0
        self.max = 0
        self.at_most = [0] * len(LIMITS)
        self.from_here = [0] * len(LIMITS)

    def add(self, a: Array, b: Array, same_signs: bool) -> int:
        """Counts a block of finite elements, and says how many are equal.

        `same_signs`: it is known that none has another sign than its counterpart, nor is zero.
        """
        a, b = (part.astype(self.dtype, copy=False).view(self.word) for part in (a, b))
        away = self.distances(a, b, same_signs)
        largest = int(np.maximum.reduce(away))
        equal = away.size - int(np.count_nonzero(away))
        self.total += away.size
        self.max = max(self.max, largest)
        if 1 < largest <= BYTE:
            away = away.astype(np.uint8)
        place = 0
        while LIMITS[place] < largest:
            found = int(np.count_nonzero(away <= LIMITS[place])) if place else equal
            self.at_most[place] += found
            place += 1
        self.from_here[place] += away.size
        return equal

    def add_equal(self, count: int) -> None:
        """Counts elements that are equal."""
        self.total += count
        self.from_here[0] += count

    def distances(self, a: Array, b: Array, same_signs: bool) -> Array:
        """How many numbers lie between, as unsigned integers; of -0 and 0 none."""
        away = np.abs(np.subtract(a, b)).view(self.distance)
        if not same_signs:
            apart = np.flatnonzero((a ^ b) < 0)
            x, y = (part[apart] & self.magnitude for part in (a, b))
            away[apart] = x.view(self.distance) + y.view(self.distance)
        return away

    def changed_signs(self, a: Array, b: Array) -> int:
        """How many elements have another sign than their counterpart, and neither is zero."""
        x, y = a.view(self.word), b.view(self.word)
        places = np.flatnonzero((x ^ y) < 0)
        x, y = x[places] & self.magnitude, y[places] & self.magnitude
        return int(np.count_nonzero((x != 0) & (y != 0)))

    def quantiles(self) -> Ulps:
        """The quantiles of all that was counted: the upper ends of the first buckets by which so
        many are.
        """
        found: list[int] = []
        below = 0
        for limit, here, from_here in zip(LIMITS, self.at_most, self.from_here, strict=True):
            below += from_here
            while len(found) < len(SHARES) and here + below >= SHARES[len(found)] * self.total:
                found.append(min(limit, self.max))
            if limit >= self.max:
                break
        found += [self.max] * (len(SHARES) - len(found))
        p50, p90, p99 = found
        return Ulps(p50, p90, p99, self.max)


@cache
def unit_of(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any] | None:
    """The coarser of two types, in whose numbers distances are told; None if one has none."""
    known = [dtype for dtype in (a, b) if dtype.name in TYPES or dtype.name.startswith(FLOAT8)]
    return max(known, key=coarseness) if len(known) == 2 else None


def coarseness(dtype: np.dtype[Any]) -> int:
    """The higher, the fewer digits a floating-point type has."""
    return TYPES.index(dtype.name) if dtype.name in TYPES else len(TYPES)
