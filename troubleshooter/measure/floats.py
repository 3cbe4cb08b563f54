"""Floating-point and complex arrays against each other."""

from __future__ import annotations

import math

import numpy as np

from ...numerics.tolerance import Tolerance
from .counting import squared
from .elements import Array, Elements
from .passes import Block, Pass, at_most, zeros_in
from .ulp import UlpCount, unit_of

NATIVE = "fd"
"""Types that NumPy compares as quickly as it reads them."""


LONG = 8
"""Bytes of the integers that float64 does not hold exactly."""


def rounded_off(exact: Array, wide: Array) -> Array:
    """What float64 has lost of integers beyond 2^53, which it holds as `wide`."""
    most = np.iinfo(exact.dtype).max
    beyond = wide > most - 1023  # that is the first power of two that the type has not
    inside = np.where(beyond, 0.0, wide).astype(exact.dtype)
    lost = (exact - inside).astype(np.int64).astype(np.float64)
    return np.where(beyond, -1.0 - (most - exact).astype(np.float64), lost)


class FloatPass(Pass):
    """Two arrays, at least one of which is floating-point or complex."""

    def __init__(
        self,
        a: Elements,
        b: Elements,
        tolerance: Tolerance,
        record: bool,
        scale: float = 1.0,
    ) -> None:
        is_complex = "c" in (a.dtype.kind, b.dtype.kind)
        self.wide = np.complex128 if is_complex else np.float64
        super().__init__(a, b, tolerance, record, scale)
        size = self.buffers[0].size
        self.real = [np.empty(size) for _ in range(3)] if is_complex else self.buffers
        unit = unit_of(a.dtype, b.dtype)
        self.ulps = None if unit is None else UlpCount(unit)

    def block(self, start: int, a: Array, b: Array) -> Block:
        """The block without what is not finite on both sides: that is counted."""
        x, y = self.widened(a, 0), self.widened(b, 1)
        self.count_b.add(y)
        self.count_b.zero += zeros_in(b if b.dtype.char in NATIVE else y)
        difference = np.subtract(x, y, out=self.buffers[2][: x.size])
        for side, wide, sign in ((a, x, 1.0), (b, y, -1.0)):
            if side.dtype.kind in "iu" and side.dtype.itemsize == LONG:
                difference += sign * self.scale * rounded_off(side, wide.real / self.scale)
        squares, places = squared(difference), None
        if not math.isfinite(squares):
            finite = np.isfinite(x) & np.isfinite(y)
            self.count_odd(start, a, b, ~finite)
            a, b, x, difference = (part[finite] for part in (a, b, x, difference))
            squares, places = squared(difference), np.flatnonzero(finite)
        size, free, away = (buffer[: x.size] for buffer in self.real)
        np.abs(x, out=size)
        np.abs(difference, out=away)
        return Block(start, a, b, size, away, free, squares, None, places)

    def count_odd(self, start: int, a: Array, b: Array, is_odd: Array) -> None:
        """Counts the elements of a block that are NaN or infinite on one side or on both."""
        places = np.flatnonzero(is_odd)
        x: Array = a[places].astype(self.wide)
        y: Array = b[places].astype(self.wide)
        for part in (x, y):
            self.alone += squared(part[np.isfinite(part)])
        self.count_a.zero += zeros_in(x)
        both, same = np.isnan(x) & np.isnan(y), x == y
        self.nan_both += int(np.count_nonzero(both))
        equal = int(np.count_nonzero(same))
        self.inf_same += equal
        self.equal += equal
        self.close += equal
        apart = places[~(both | same)]
        if self.odd is None and apart.size:
            self.odd = self.worst_at(start + int(apart[0]), a[apart[0]], b[apart[0]])

    def count_steps(self, block: Block, same_signs: bool) -> int:
        """How many elements are equal; counts units in the last place of the coarser type."""
        if self.ulps is None:
            return super().count_steps(block, same_signs)
        equal = self.ulps.add(block.a, block.b, same_signs)
        same_type = block.a.dtype == block.b.dtype
        return equal if same_type else super().count_steps(block, same_signs)

    def changed_signs(self, block: Block) -> int:
        """How many elements are positive in one array and negative in the other; 0 if complex."""
        if self.wide is np.complex128:
            return 0
        if self.ulps is None or block.a.dtype != block.b.dtype:
            return super().changed_signs(block)
        return self.ulps.changed_signs(block.a, block.b)

    def count_close(self, block: Block, error: Array) -> None:
        """Counts what is at most rtol * |a| + atol * rms(a) away."""
        rtol, atol = self.tolerance.rtol, self.tolerance.atol
        if self.error <= min(rtol, atol):
            self.close += error.size
        elif rtol == atol:
            self.close += at_most(error, rtol)
        else:
            allowed = np.multiply(block.size, rtol, out=error)
            allowed += atol * self.rms
            self.close += int(np.count_nonzero(block.away <= allowed))
