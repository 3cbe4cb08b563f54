"""How coarse element types are."""

from __future__ import annotations

from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

STEP = float(np.finfo(np.float32).eps)
"""The step of float32 at 1."""


def step_of(array: Array) -> float:
    """The step of an array's element type at 1, of float32 for what is held as such."""
    if array.dtype == ml_dtypes.bfloat16:
        return float(ml_dtypes.finfo(ml_dtypes.bfloat16).eps)  # type: ignore[no-untyped-call]
    return float(np.finfo(array.dtype).eps) if array.dtype.kind == "f" else 0.0
