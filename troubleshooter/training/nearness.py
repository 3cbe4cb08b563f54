"""Whether two trainings agree in something, by how far rounding takes the reference from itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...numerics.limits import NOISE_FACTOR
from ..compare.records import Array
from .courses import Course, Tensors

OF_ONE = 2e-5
"""Always allowed, relative to the norm of a parameter's tensor."""
OF_ALL = 1e-6
"""Always allowed, relative to the norm of all of them: some are zero but for rounding."""


@dataclass(frozen=True)
class Gap:
    """Where two sides are apart: in the tensors of these parameters, the farthest first, which the
    numbers are of."""

    parameters: tuple[str, ...]
    a: float
    b: float
    off: float
    allowed: float


@dataclass(frozen=True, eq=False)
class Noise:
    """The reference again, with numbers that are off in their last digits."""

    plain: Course
    nudged: tuple[Course, ...]

    def gain(self, theirs: Course, batch: int) -> float:
        """How many times as far as the nudged weights B's are from the reference's by then."""
        own = weights_before(self.plain, batch)
        away = distance(own, weights_before(theirs, batch))
        least = [distance(own, weights_before(one, batch)) for one in self.reaching(batch)]
        nearest = max(least, default=0.0)
        return max(1.0, away / nearest) if nearest > 0 else 1.0

    def reaching(self, batch: int) -> list[Course]:
        return [one for one in self.nudged if len(one.batches) >= batch]

    def of(self, value: Callable[[Course], Tensors | None]) -> list[Tensors]:
        """What the nudged runs have in the place of something."""
        found = [value(one) for one in self.nudged]
        return [one for one in found if one is not None]


def weights_before(course: Course, batch: int) -> Tensors:
    return course.start if batch == 0 else course.batches[batch - 1].weights


def distance(a: Tensors, b: Tensors) -> float:
    parts = [np.linalg.norm(a.values[k] - b.values[k]) for k in a.values if k in b.values]
    return float(np.linalg.norm(parts)) if parts else 0.0


def zeros_for(a: Tensors, b: Tensors, name: str) -> tuple[Array, Array]:
    """Both tensors of a parameter; what is not there is zeros."""
    ours, theirs = a.values.get(name), b.values.get(name)
    if ours is None:
        assert theirs is not None
        return np.zeros(theirs.shape), theirs
    return ours, np.zeros(ours.shape) if theirs is None else theirs


def gap_of(a: Tensors, b: Tensors, noises: Sequence[Tensors] = (), gain: float = 1.0) -> Gap | None:
    """Where B's tensors are farther off than rounding explains; None if nowhere."""
    sizes = [float(np.linalg.norm(x)) for x in a.values.values()]
    whole = float(np.linalg.norm(sizes)) if sizes else 0.0
    found = []
    for name in dict.fromkeys([*a.values, *b.values]):
        ours, theirs = zeros_for(a, b, name)
        size, away = float(np.linalg.norm(ours)), float(np.linalg.norm(theirs - ours))
        known = [n for n in noises if name in n.values]
        moved = [np.linalg.norm(zeros_for(a, n, name)[1] - ours) for n in known]
        noise = float(max(moved, default=0.0))
        allowed = NOISE_FACTOR * noise * gain + OF_ONE * size + OF_ALL * whole
        if not away <= allowed and not (np.isnan(ours) & np.isnan(theirs)).any():
            found.append((name, size, float(np.linalg.norm(theirs)), away, allowed))
    if not found:
        return None
    worst, size, other, away, allowed = max(found, key=lambda row: row[3])
    scale = size or 1.0
    names = dict.fromkeys([worst, *(row[0] for row in found)])
    return Gap(tuple(names), size, other, away / scale, allowed / scale)


def numbers_apart(a: float, b: float, noises: Sequence[float], gain: float) -> Gap | None:
    """The same of two numbers."""
    if a == b or (np.isnan(a) and np.isnan(b)):
        return None
    noise = max((abs(n - a) for n in noises), default=0.0)
    allowed = NOISE_FACTOR * noise * gain + OF_ONE * abs(a) + 1e-7
    away = abs(b - a)
    scale = abs(a) or 1.0
    return None if away <= allowed else Gap((), a, b, away / scale, allowed / scale)


def arrays_apart(a: Array, b: Array, noises: Sequence[Array], gain: float) -> Gap | None:
    """The same of two arrays of one shape."""
    ours, theirs = Tensors({"": a}, {}), Tensors({"": b}, {})
    return gap_of(ours, theirs, [Tensors({"": n}, {}) for n in noises if n.shape == a.shape], gain)
