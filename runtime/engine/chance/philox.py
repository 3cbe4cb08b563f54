"""The random numbers of MindSpore's initial weights: Philox 4x32 of ten rounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtype import Array


class Philox:
    """A row of random numbers; each call begins it anew.

    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011). The seed is the key, and
    the upper half of the counter.
    """

    def __init__(self, seed: int) -> None:
        self.low, self.high = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)

    def words(self, count: int) -> Array:
        """The first whole numbers below 2**32."""
        starts = range(0, -(-count // 4), BLOCKS)
        found = [self.block(np.arange(start, start + BLOCKS, dtype=np.uint64)) for start in starts]
        return np.concatenate(found)[:count] if found else np.zeros(0, np.uint64)

    def block(self, c: Array) -> Array:
        """Four words for each of the counters."""
        x, y = c & LOW, c >> SHIFT
        z, w = np.full_like(c, self.low), np.full_like(c, self.high)
        low, high = self.low, self.high
        for _ in range(10):
            first, second = x * MULTIPLIERS[0], z * MULTIPLIERS[1]
            x, y = (second >> SHIFT) ^ y ^ low, second & LOW
            z, w = (first >> SHIFT) ^ w ^ high, first & LOW
            low, high = (low + STEPS[0]) & LOW, (high + STEPS[1]) & LOW
        return np.stack([x, y, z, w], axis=1).ravel()

    def uniform(self, shape: tuple[int, ...], low: float, high: float) -> Any:
        """U(low, high) in float32."""
        return as_single(self.words(math.prod(shape)) * 2.0**-32 * (high - low) + low, shape)

    def normal(self, shape: tuple[int, ...], sigma: float = 1.0, mean: float = 0.0) -> Any:
        """N(mean, sigma**2) in float32, by Box and Muller; MindSpore's differ by some 1e-6."""
        count = math.prod(shape)
        pairs = (self.words(count + count % 2) & MANTISSA).reshape(-1, 2) * 2.0**-23
        radius = np.sqrt(-2 * np.log(np.maximum(pairs[:, 0], 1e-7)))
        angle = 2 * np.pi * pairs[:, 1]
        drawn = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        return as_single(drawn.ravel()[:count] * sigma + mean, shape)

    def truncated(
        self, shape: tuple[int, ...], sigma: float, mean: float, low: float, high: float
    ) -> Any:
        """N(mean, sigma**2) kept within [low, high], by the inverse of its distribution."""
        from scipy.special import ndtr, ndtri  # slow to import

        first, last = (ndtr((bound - mean) / sigma) for bound in (low, high))
        drawn = ndtri(self.words(math.prod(shape)) * 2.0**-32 * (last - first) + first)
        return as_single(drawn * sigma + mean, shape)


BLOCKS = 1 << 14
"""How many counters are computed with at a time: what fits the caches."""
LOW, SHIFT, MANTISSA = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(0x7FFFFF)
MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
STEPS = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
NO_NUMBERS = Philox(0)
"""For initialisers that draw none."""


def as_single(drawn: Any, shape: tuple[int, ...]) -> Any:
    return drawn.astype(np.float32).reshape(shape)
