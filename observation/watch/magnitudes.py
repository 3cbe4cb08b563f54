"""Where values became large that overflow some operators later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...runtime.engine.observation import Called

MOST = 256
"""Arrays that are kept: an evaluation has no loss, and so no end of a step."""


@dataclass(frozen=True, eq=False, slots=True)
class Large:
    """An array of large numbers, and the call that gave it."""

    array: np.ndarray
    call: Called
    most: float


@dataclass(eq=False)
class Magnitudes:
    """The large arrays of a step, by their identity."""

    large: dict[int, Large] = field(default_factory=dict)

    def saw(self, call: Called, outputs: Sequence[np.ndarray]) -> None:
        for y in outputs:
            most = largest(y)
            if most >= threshold(y) and len(self.large) < MOST:
                self.large[id(y)] = Large(y, call, most)

    def of(self, call: Called) -> Large | None:
        """The largest of what a call takes, if that is large."""
        given = [self.large[id(x)] for x in call.inputs if id(x) in self.large]
        return max(given, key=lambda one: one.most, default=None)

    def origin(self, call: Called) -> Large | None:
        """The first call, back from this one, that made numbers large of ordinary ones."""
        found = None
        while (before := self.of(call)) is not None and before is not found:
            found, call = before, before.call
        return found


def largest(array: np.ndarray) -> float:
    """Of the finite numbers of an array; 0 if it has none."""
    if array.dtype.kind != "f" or not array.size:
        return 0.0
    size = np.abs(array)
    most = float(size.max())
    return most if np.isfinite(most) else float(np.where(np.isfinite(size), size, 0).max())


def threshold(array: np.ndarray) -> float:
    """The root of what the element type holds: the square of a larger number overflows."""
    return float(np.sqrt(np.finfo(array.dtype).max)) if array.dtype.kind == "f" else np.inf
