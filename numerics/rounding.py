"""How coarse element types are."""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

NARROW_FLOATS = ("bfloat", "float8")
"""How the names of floating-point types begin that NumPy itself has not."""


def is_real(dtype: np.dtype[Any]) -> bool:
    """Whether it is a floating-point type, bfloat16 and the like among them."""
    return dtype.kind == "f" or dtype.name.startswith(NARROW_FLOATS)


@cache
def step_of(dtype: np.dtype[Any] | str) -> float:
    """The step at 1 of a floating-point type, of a complex one's parts; 0 for all others."""
    known = np.dtype(dtype)
    if not is_real(known) and known.kind != "c":
        return 0.0
    return float(ml_dtypes.finfo(known).eps)  # type: ignore[no-untyped-call]  # NumPy's finfo


STEP = step_of("float32")
"""Most of what is compared was computed in steps of this size."""
