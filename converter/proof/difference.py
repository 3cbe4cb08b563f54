"""How far one array is from another, and whether that is close enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...numerics.distance import finite_of
from ...numerics.limits import OF_HALF
from ...numerics.rounding import is_real as is_real  # others take it from here
from ...numerics.rounding import step_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Difference:
    """What an output of the script is, against the original's.

    `absolute`, `relative`: the largest of any element; `error`: the largest, relative to the
    original's maximum; `cosine` of the two as vectors. NaN and infinity count as equal where
    both have them, as infinitely far elsewhere. `tolerance` is what `error` was held against:
    0 for integers, booleans and text, which must be equal. `remark` says what is wrong or odd.
    """

    output: str
    mode: str
    shape: tuple[int, ...]
    dtype: str
    absolute: float
    relative: float
    error: float
    cosine: float
    tolerance: float
    remark: str = ""

    @property
    def passed(self) -> bool:
        return self.error <= self.tolerance


def difference(output: str, mode: str, got: Array, expected: Array, tolerance: float) -> Difference:
    """`got` against `expected`: shape and element type first, then the numbers."""
    remark = ""
    if got.shape != expected.shape:
        remark = f"shape {got.shape}, expected {expected.shape}"
    elif got.dtype != expected.dtype:
        remark = f"element type {got.dtype}, expected {expected.dtype}"
    figures = (np.inf, np.inf, np.inf, 0.0)
    if not remark:
        tolerance = tolerance_of(expected.dtype, tolerance)
        figures = _figures(got, expected) if tolerance else _exact(got, expected)
        remark = "" if tolerance else _remark_on_exact(got, expected)
    dtype = str(expected.dtype)
    return Difference(output, mode, expected.shape, dtype, *figures, tolerance, remark)


def tolerance_of(dtype: np.dtype[Any], wanted: float = 0.0) -> float:
    """What rounding may do to numbers of this type, `wanted` at least; 0 for what must be equal."""
    if not is_real(dtype) and dtype.kind != "c":
        return 0.0
    if dtype.itemsize >= 4:
        return wanted
    return max(wanted, OF_HALF * step_of(dtype))


def _figures(got: Array, expected: Array) -> tuple[float, float, float, float]:
    """Largest absolute, relative and relative-to-maximum difference, and the cosine."""
    both = finite_of(got, expected)
    if both is None:
        return np.inf, np.inf, np.inf, 0.0
    a, b = both
    if a.size == 0:
        return 0.0, 0.0, 0.0, 1.0
    away = np.abs(a - b)
    size = np.abs(b)
    nonzero = size > 0
    relative = float(np.max(away[nonzero] / size[nonzero], initial=0.0))
    absolute, largest = float(away.max()), float(size.max())
    return absolute, relative, absolute / largest if largest > 0 else absolute, _cosine(a, b)


def _cosine(a: Array, b: Array) -> float:
    norms = float(np.linalg.norm(a) * np.linalg.norm(b))
    if norms == 0:
        return float(np.array_equal(a, b))
    return float(np.abs(np.vdot(a, b)) / norms) if a.dtype.kind == "c" else float(a @ b / norms)


def _exact(got: Array, expected: Array) -> tuple[float, float, float, float]:
    if np.array_equal(got, expected):
        return 0.0, 0.0, 0.0, 1.0
    if expected.dtype.kind not in "biu":
        return np.inf, np.inf, np.inf, 0.0
    absolute, relative, error, cosine = _figures(got, expected)
    return absolute, relative, max(error, np.finfo(float).tiny), cosine


def _remark_on_exact(got: Array, expected: Array) -> str:
    wrong = int(np.count_nonzero(got != expected))
    if wrong == 0:
        return ""
    reason = "a rounding before it, or equal values among which another was chosen, may be why"
    return f"{wrong} of {expected.size} elements are not equal: {reason}"
