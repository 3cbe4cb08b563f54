"""What is counted of one array: NaN, infinities, zeros, and the sum of squares."""

from __future__ import annotations

import math

import numpy as np

from .elements import Array
from .metrics import Side

HUGE = 2.0**600
"""By so much float64 is scaled whose squares are beyond it, or vanish."""


class OutOfRange(ArithmeticError):
    """Squares of finite elements overflow, or those of all of them vanish."""

    def __init__(self, scale: float) -> None:
        super().__init__(scale)
        self.scale = scale
        """What the elements are to be multiplied with."""


class Count:
    """The figures of one array, block by block."""

    def __init__(self) -> None:
        self.size = self.nan = self.inf = self.zero = 0
        self.squares = 0.0

    def add(self, wide: Array) -> None:
        """Counts a block, in float64 or complex128, but for zeros. Raises: OutOfRange"""
        squares = squared(wide)
        if not math.isfinite(squares):
            finite = np.isfinite(wide)
            nan = int(np.count_nonzero(np.isnan(wide)))
            self.nan += nan
            self.inf += wide.size - int(np.count_nonzero(finite)) - nan
            squares = squared(wide[finite])
            if not math.isfinite(squares):
                raise OutOfRange(1 / HUGE)
        self.size += wide.size
        self.squares += squares

    def refuse_vanishing(self) -> None:
        """Raises: OutOfRange if there are numbers, and none of them can be squared"""
        if self.squares == 0.0 and self.finite > self.zero:
            raise OutOfRange(HUGE)

    def copy(self) -> Count:
        """The same figures, to be continued with other blocks."""
        twin = Count()
        twin.__dict__.update(self.__dict__)
        return twin

    @property
    def finite(self) -> int:
        """How many elements are numbers."""
        return self.size - self.nan - self.inf

    @property
    def rms(self) -> float:
        """The root mean square of the finite elements."""
        return math.sqrt(self.squares / self.finite) if self.finite else 0.0

    def side(self, scale: float = 1.0) -> Side:
        """The figures of an array whose elements were multiplied by `scale`."""
        return Side(self.nan, self.inf, self.zero, self.rms / scale)


def squared(wide: Array) -> float:
    """The sum of the squared magnitudes."""
    return float(np.vdot(wide, wide).real)
