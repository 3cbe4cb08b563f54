"""Integers and booleans against each other: exact, whatever their size."""

from __future__ import annotations

import numpy as np

from .counting import squared
from .elements import Array
from .passes import Block, Pass, zeros_in

MOST = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


class WholePass(Pass):
    """Two arrays of integers or booleans."""

    def block(self, start: int, a: Array, b: Array) -> Block:
        """The block, with exact distances."""
        x, y = self.widened(a, 0), self.widened(b, 1)
        self.count_b.add(y)
        self.count_b.zero += zeros_in(b)
        exact = distances(widest(a), widest(b))
        away = self.buffers[2][: x.size]
        away[...] = exact
        return Block(start, a, b, np.abs(x, out=x), away, y, squared(away), exact)

    def count_close(self, block: Block, error: Array) -> None:
        """Counts what is at most so many steps away."""
        assert block.exact is not None
        self.close += int(np.count_nonzero(block.exact <= np.uint64(self.tolerance.steps)))


def widest(block: Array) -> Array:
    """Integers as uint64 if that is their type, else as int64."""
    return block.astype(np.uint64 if block.dtype == np.uint64 else np.int64, copy=False)


def distances(a: Array, b: Array) -> Array:
    """|a - b| as uint64; what is beyond its range is its largest number."""
    if a.dtype == b.dtype:
        return (np.maximum(a, b) - np.minimum(a, b)).view(np.uint64)
    signed, large = (b, a) if a.dtype == np.uint64 else (a, b)
    bits = signed.view(np.uint64)
    apart = large - bits  # of a negative number, the sum modulo 2**64
    below_zero = np.where(apart < large, MOST, apart)
    above_zero = np.maximum(large, bits) - np.minimum(large, bits)
    return np.where(signed < 0, below_zero, above_zero)
