"""Whole tensors, a block at a time: whether two are equal, what their elements are like."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ...formats.blocks import byte_blocks

Array: TypeAlias = np.ndarray[Any, Any]

BLOCK = 1 << 17
"""Elements per block: a megabyte of float64."""


def equal(a: Array, b: Array) -> bool:
    """Whether two arrays of one shape and type have the same bits."""
    return all(x == y for x, y in zip(byte_blocks(a), byte_blocks(b), strict=True))


@np.errstate(over="ignore", invalid="ignore")
def moments(array: Array) -> Array:
    """Mean, standard deviation, least and greatest element, mean cube; NaN if one is no number."""
    flat = array.reshape(-1)
    sums, least, most = np.zeros(3), np.inf, -np.inf
    for start in range(0, flat.size, BLOCK):
        part = flat[start : start + BLOCK]
        wide = np.abs(part).astype(np.float64) if part.dtype.kind == "c" else part.astype(float)
        sums += [wide.sum(), np.vdot(wide, wide), np.vdot(wide, wide * wide)]
        least, most = min(least, float(wide.min())), max(most, float(wide.max()))
    mean, square, cube = sums / max(1, flat.size)
    spread = np.sqrt(np.maximum(square - mean * mean, 0))
    found = np.array([mean, spread, least, most, np.cbrt(cube)])
    return found if np.isfinite(found).all() else np.full_like(found, np.nan)
