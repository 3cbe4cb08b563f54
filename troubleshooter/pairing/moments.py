"""What the elements of a tensor are like, in whatever order they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from ...errors import MsconvertError
from ...formats.stored import StoredTensor

Array: TypeAlias = np.ndarray[Any, Any]

BLOCK = 1 << 17
"""Elements that are looked at at once."""

COUNT = 5


def moments(tensor: StoredTensor) -> Array:
    """Mean, standard deviation, least and greatest element, mean cube.

    NaN if one is no number, or the tensor cannot be read.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            found = measured(tensor.blocks(BLOCK))
    except MsconvertError:
        return np.full(COUNT, np.nan)
    return found if np.isfinite(found).all() else np.full(COUNT, np.nan)


def measured(blocks: Iterable[Array]) -> Array:
    sums, count, least, most = np.zeros(3), 0, np.inf, -np.inf
    for part in blocks:
        wide = np.abs(part).astype(np.float64) if part.dtype.kind == "c" else part.astype(float)
        sums += [wide.sum(), np.vdot(wide, wide), np.vdot(wide, wide * wide)]
        count += len(wide)
        least, most = min(least, float(wide.min())), max(most, float(wide.max()))
    mean, square, cube = sums / max(1, count)
    spread = np.sqrt(np.maximum(square - mean * mean, 0))
    return np.array([mean, spread, least, most, np.cbrt(cube)])
