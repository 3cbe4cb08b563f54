"""What the elements of a tensor are like, in whatever order they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]


@np.errstate(over="ignore", invalid="ignore")
def moments(blocks: Iterable[Array]) -> Array:
    """Mean, standard deviation, least and greatest element, mean cube; NaN if one is no number."""
    sums, count, least, most = np.zeros(3), 0, np.inf, -np.inf
    for part in blocks:
        wide = np.abs(part).astype(np.float64) if part.dtype.kind == "c" else part.astype(float)
        sums += [wide.sum(), np.vdot(wide, wide), np.vdot(wide, wide * wide)]
        count += len(wide)
        least, most = min(least, float(wide.min())), max(most, float(wide.max()))
    mean, square, cube = sums / max(1, count)
    spread = np.sqrt(np.maximum(square - mean * mean, 0))
    found = np.array([mean, spread, least, most, np.cbrt(cube)])
    return found if np.isfinite(found).all() else np.full_like(found, np.nan)
