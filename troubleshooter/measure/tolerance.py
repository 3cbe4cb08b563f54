"""How far apart two elements may be, by what the tensors are and by their element types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

MOST = 0.25
"""No relative tolerance of a profile is larger: with one half, zeros could pass for a constant."""

HALF_EPSILONS = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
"""The step at 1 of the types for which no module needs to be imported to ask for it."""


@dataclass(frozen=True)
class Tolerance:
    """|a - b| may be rtol * |a| + atol * rms(a); of whole numbers, `steps`.

    `atol` is relative to the root mean square of the reference, so that it means the same for
    gradients of 1e-6 and for activations of 100.
    """

    rtol: float = 0.0
    atol: float = 0.0
    steps: int = 0


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


def tolerance_of(profile: str, a: np.dtype[Any], b: np.dtype[Any]) -> Tolerance:
    """What a profile allows for a pair of element types: what the coarser of them needs."""
    chosen = PROFILES[profile]
    both = max(allowed(chosen, a), allowed(chosen, b))
    return Tolerance(both, both, chosen.steps)


def allowed(profile: Profile, dtype: np.dtype[Any]) -> float:
    """The relative tolerance for one element type; 0 for whole numbers and text."""
    if dtype.kind in "fc":
        size = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
        if size >= 4:
            return profile.double if size >= 8 else profile.single
    elif dtype.kind in "biuSU" or is_whole(dtype):
        return 0.0
    return min(MOST, max(profile.single, profile.epsilons * epsilon(dtype)))


def is_whole(dtype: np.dtype[Any]) -> bool:
    """Whether the elements are booleans or integers, those of ml_dtypes (int4) among them."""
    return dtype.kind in "biu" or dtype.name.startswith(("int", "uint"))


def epsilon(dtype: np.dtype[Any]) -> float:
    """The step at 1 of a floating-point type."""
    if dtype.name in HALF_EPSILONS:
        return HALF_EPSILONS[dtype.name]
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]
