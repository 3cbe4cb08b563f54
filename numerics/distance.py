"""How far arrays are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]


def distance(got: Sequence[Array], wanted: Sequence[Array]) -> float:
    """||got - wanted|| / ||wanted||, the largest of all outputs; infinite where shapes differ.

    What is NaN or infinite must be so on both sides. Outputs that only one side has, as the
    places of a pool's maxima, are not compared.
    """
    return max((apart(a, b) for a, b in zip(got, wanted, strict=False)), default=math.inf)


def apart(a: Array, b: Array) -> float:
    if a.shape != b.shape:
        return math.inf
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return math.inf
    if not np.isfinite(a[finite]).all():
        return math.inf
    away, size = np.linalg.norm(a[finite] - b[finite]), np.linalg.norm(b[finite])
    return float(away / size) if size else (math.inf if away else 0.0)


def peak(array: Array) -> float:
    return float(np.abs(array).max(initial=0.0))


def same(a: Array, b: Array) -> bool:
    """But for the last digit of float32."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-6, atol=1e-7 * peak(b)))
