"""Whether a relation holds: on a sample, beyond what chance would do, then on all elements."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..sampling import places
from ..tolerance import Tolerance
from .relation import Array, Candidate, Factor

SAMPLES = 256
BLOCK = 1 << 15
"""Elements per block: what stays in a core's cache as float64."""
CHANCE = 1e-6
"""How probable it may be that arrays without any relation pass."""


def taken(array: Array, at: Array) -> Array:
    """The elements at these flat places, as numbers to compute with."""
    found = array[np.unravel_index(at, array.shape)] if array.ndim else array.reshape(1)[at]
    return found.astype(working_type(array))


def working_type(*arrays: Array) -> np.dtype[Any]:
    """The type in which elements are compared: exact for integers, wide for the rest."""
    kinds = {array.dtype.kind for array in arrays}
    if kinds <= {"i", "u", "b"}:
        common = np.result_type(*(array.dtype for array in arrays))
        return common if common.kind in "iu" else np.dtype(np.int8 if kinds == {"b"} else float)
    return np.dtype(np.complex128 if "c" in kinds else np.float64)


@dataclass(frozen=True)
class Judge:
    """Tries candidates against a tolerance; `rms` is that of the reference."""

    tolerance: Tolerance
    rms: float

    def holds(self, candidate: Candidate) -> bool:
        """Whether a candidate is true of all elements, and not by chance."""
        if candidate.a.shape != candidate.b.shape or candidate.b.size == 0:
            return False
        return self.is_likely(candidate) and self.is_proved(candidate)

    def is_likely(self, candidate: Candidate) -> bool:
        """Whether it is true of a sample, and would be of few other arrays of this kind."""
        at = places(candidate.b.size, SAMPLES)
        x, y = computed(candidate, at), taken(candidate.b, at)
        within = None if candidate.within is None else spread(candidate.within, candidate, at)
        if not self.close(x, y, within).all():
            return False
        free = candidate.b.size - candidate.fitted
        alike = self.share_alike(x, y, candidate)
        return free * math.log(alike) + math.log(candidate.ways) < math.log(CHANCE)

    def share_alike(self, x: Array, y: Array, candidate: Candidate) -> float:
        """How often an element would pass as another one, at least one pair of all."""
        width = None if candidate.within is None else float(np.max(candidate.within))
        count = matched = 0
        for shift in range(1, min(len(x), 33)):
            matched += int(self.close(np.roll(x, shift), y, width).sum())
            count += len(x)
        return min(1.0, (matched + 1) / (count + 1))

    def is_proved(self, candidate: Candidate) -> bool:
        return all(self.close(x, y, within).all() for x, y, within in blocks(candidate))

    def close(self, x: Array, y: Array, within: Factor | None = None) -> Array:
        """Where elements are the same but for the tolerance, or both are no number."""
        with np.errstate(invalid="ignore", over="ignore"):
            if x.dtype.kind in "iu" and y.dtype.kind in "iu" and within is None:
                return np.asarray(x == y)
            if within is None:
                within = self.tolerance.within(np.abs(x), self.rms)
            near = np.abs(x - y) <= within
            return np.asarray(near | (x == y) | ((x != x) & (y != y)))


def computed(candidate: Candidate, at: Array) -> Array:
    """What the candidate makes of a's elements at these places."""
    x = taken(candidate.a, at)
    scale = spread(candidate.scale, candidate, at)
    offset = spread(candidate.offset, candidate, at)
    return made(candidate, x, scale, offset)


def made(candidate: Candidate, x: Array, scale: Factor, offset: Factor) -> Array:
    if not is_plain(candidate):
        x = x * scale + offset
    return x if candidate.rounded is None else candidate.rounded(x)


def is_plain(candidate: Candidate) -> bool:
    """Whether elements only change their places."""
    return (
        isinstance(candidate.scale, float)
        and isinstance(candidate.offset, float)
        and (candidate.scale, candidate.offset) == (1.0, 0.0)
    )


def spread(value: Factor, candidate: Candidate, at: Array) -> Factor:
    """A factor that broadcasts, at the sampled places."""
    if isinstance(value, float):
        return value
    return taken(np.broadcast_to(value, candidate.b.shape), at)


def blocks(candidate: Candidate) -> Iterator[tuple[Array, Array, Factor | None]]:
    """What is made of a, b, and how far apart they may be: block after block of the whole."""
    extra = {"scale": candidate.scale, "offset": candidate.offset, "within": candidate.within}
    arrays = {name: value for name, value in extra.items() if isinstance(value, np.ndarray)}
    shape = candidate.b.shape
    kind = working_type(candidate.a, candidate.b)
    walk = np.nditer(
        [candidate.a, candidate.b, *(np.broadcast_to(part, shape) for part in arrays.values())],
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_dtypes=[kind, kind, *(np.dtype(float) for _ in arrays)],
        casting="unsafe",
        order="C",
        buffersize=BLOCK,
    )
    for x, y, *rest in walk:
        found: dict[str, Any] = extra | dict(zip(arrays, rest, strict=True))
        yield made(candidate, x, found["scale"], found["offset"]), y, found["within"]
