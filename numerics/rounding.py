"""What is rounding: how coarse element types are, and how much of it is usual."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

# networks beside each other, where the original's own rounding is measured

NOISE_FACTOR = 8.0
"""How much farther from PyTorch's numbers the others may be than PyTorch's float32 from its own.

Two orders of summation are at most a few times as far apart as each is from the true value; the
rest is for the largest of few numbers, of two runs, which is a rough measure.
"""

SURE_NOISE_FACTOR = 5.0
"""The same where many runs have told how far PyTorch's numbers are from its own."""

KERNEL_FACTOR = 3.0
"""How many times as far as MindSpore's own approximations of tanh and exp take PyTorch's numbers
the others may be: see `troubleshooter/sides/child/kernels.py`."""

OF_LARGEST = 2e-6
"""Always allowed, relative to the largest number of a tensor: about 16 steps of float32, since
kernels compute exp, erf and tanh by approximations of their own."""

OF_ALL = 1e-7
"""Always allowed of gradients, relative to the largest number of all that are judged together: some
are zero but for rounding."""


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
