"""How far apart two elements may be, by what the tensors are and by their element types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from .rounding import step_of

Array: TypeAlias = np.ndarray[Any, Any]

MOST = 0.25
"""No relative tolerance of a profile is larger: with one half, zeros could pass for a constant."""

NARROW = (
    *("float16", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz"),
    *("float8_e5m2", "float8_e5m2fnuz"),
)
"""The types narrower than float32 that tensors are held in; of others MOST is allowed."""
EXACT = ("bool", "int", "uint", "str")
"""How the names of types begin whose elements must be equal."""


@dataclass(frozen=True)
class Tolerance:
    """|a - b| may be rtol * |a| + atol * rms(a); of whole numbers, `steps`.

    `atol` is relative to the root mean square of the reference, so that it means the same for
    gradients of 1e-6 and for activations of 100.
    """

    rtol: float = 0.0
    atol: float = 0.0
    steps: int = 0

    def within(self, size: Array, rms: float) -> Array:
        """How far from elements of this size those of another tensor may be.

        `rms`: the root mean square of the tensor that they are elements of.
        """
        return self.rtol * size + self.atol * rms


@dataclass(frozen=True)
class Profile:
    """The tolerances of a kind of tensor, each for both rtol and atol.

    Units: `epsilons` are steps at 1 of a type that is narrower than float32
    """

    double: float
    single: float
    epsilons: float
    steps: int = 0


PROFILES = {
    "weights": Profile(1e-14, 1e-6, 1),
    "activations": Profile(1e-12, 1e-5, 4),
    "gradients": Profile(1e-11, 1e-4, 8),
    "quantised": Profile(5e-2, 5e-2, 8, steps=1),
}
"""Weights are copied, or folded by a handful of operations that each round. Activations are sums of
thousands of products, taken in another order: about 1e-6 of a tensor's size in float32. Gradients
pass twice as many layers, and cancel. Quantised numbers land on the neighbouring step."""


@cache
def tolerance_of(profile: str, a: str, b: str) -> Tolerance:
    """What a profile allows for a pair of element types, by their names: what the coarser needs."""
    chosen = PROFILES[profile]
    both = max(allowed(chosen, a), allowed(chosen, b))
    return Tolerance(both, both, chosen.steps)


def allowed(profile: Profile, dtype: str) -> float:
    """The relative tolerance for one element type; 0 for whole numbers and text."""
    if dtype in ("float64", "complex128"):
        return profile.double
    if dtype in ("float32", "complex64"):
        return profile.single
    if dtype.startswith(EXACT):
        return 0.0
    step = step_of(dtype) if dtype in NARROW else MOST
    return min(MOST, max(profile.single, profile.epsilons * step))


def is_whole(dtype: np.dtype[Any]) -> bool:
    """Whether the elements are booleans or integers, those of ml_dtypes (int4) among them."""
    return dtype.kind in "biu" or (dtype.kind == "V" and dtype.name.startswith(EXACT))
