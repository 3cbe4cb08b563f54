"""What is rounding: how coarse element types are, and how much of it is usual."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from .limits import NOISE_FACTOR, OF_ALL, OF_LARGEST, SURE_NOISE_FACTOR

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


@dataclass(frozen=True)
class Allowance:
    """How far a network's value may be from the original's: as far as the largest of these.

    `rtol` of the tensor's largest number; `of_all` of the largest of all tensors that are judged
    together; so many times the original's own rounding; `atol` of the tensor's root mean square,
    as in a `Tolerance`.
    """

    rtol: float = OF_LARGEST
    atol: float = 0.0
    of_all: float = OF_ALL
    noise_factor: float = NOISE_FACTOR
    sure_noise_factor: float = SURE_NOISE_FACTOR

    @property
    def when_sure(self) -> Allowance:
        """For a noise that was measured in many runs."""
        return replace(self, noise_factor=self.sure_noise_factor)
