"""How far arrays are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .limits import OF_COPIES, OF_RELATIONS

Array: TypeAlias = np.ndarray[Any, Any]


def distance(got: Sequence[Array], wanted: Sequence[Array]) -> float:
    """||got - wanted|| / ||wanted||, the largest of all outputs; infinite where shapes differ.

    What is NaN or infinite must be so on both sides. Outputs that only one side has, as the
    places of a pool's maxima, are not compared.
    """
    return max((apart(a, b) for a, b in zip(got, wanted, strict=False)), default=math.inf)


def finite_of(a: Array, b: Array) -> tuple[Array, Array] | None:
    """What is finite of two arrays of one shape, in float64 or complex128, flat.

    None if they are never the same: NaN and infinity must be on both sides, in the same places,
    infinity of the same sign.
    """
    wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    x, y = (side.astype(wide, copy=False).ravel() for side in (a, b))
    finite = np.isfinite(y)
    if not np.array_equal(x[~finite], y[~finite], equal_nan=True):
        return None
    return (x[finite], y[finite]) if np.isfinite(x[finite]).all() else None


def rms_of(array: Array) -> float:
    """The root mean square of the finite elements, of whatever size they are; 0 of none."""
    sizes = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    sizes = sizes[np.isfinite(sizes)]
    largest = float(sizes.max(initial=0.0))
    if largest == 0:
        return 0.0
    sizes /= largest  # no square overflows, or vanishes
    return largest * math.sqrt(float(sizes @ sizes) / sizes.size)


def apart(a: Array, b: Array) -> float:
    if a.shape != b.shape:
        return math.inf
    both = finite_of(a, b)
    if both is None:
        return math.inf
    away, size = np.linalg.norm(both[0] - both[1]), np.linalg.norm(both[1])
    return float(away / size) if size else (math.inf if away else 0.0)


def peak(array: Array) -> float:
    return float(np.abs(array).max(initial=0.0))


def same(a: Array, b: Array) -> bool:
    """Whether one is a copy of the other, but for the last digit of float32."""
    rtol, of_largest = OF_COPIES
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=rtol, atol=of_largest * peak(b)))


def near(a: Array, b: Array) -> bool:
    """Whether one could be made of the other: `OF_RELATIONS` of the largest element apart."""
    return a.shape == b.shape and peak(a - b) <= OF_RELATIONS * peak(b)
