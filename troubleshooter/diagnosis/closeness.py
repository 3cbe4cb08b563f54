"""How far results are apart, and what is rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence

import ml_dtypes
import numpy as np

from .layers.layer import Array, Layer, Outputs

STEP = float(np.finfo(np.float32).eps)
"""The step of float32 at 1."""

ROUNDING_FACTOR = 10.0
"""How many times the rounding that is measured a result may be off: kernels sum in other orders
and approximate exp, erf and tanh."""


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


def step_of(array: Array) -> float:
    """The step of an array's element type at 1, of float32 for what is held as such."""
    if array.dtype == ml_dtypes.bfloat16:
        return float(ml_dtypes.finfo(ml_dtypes.bfloat16).eps)  # type: ignore[no-untyped-call]
    return float(np.finfo(array.dtype).eps) if array.dtype.kind == "f" else 0.0


def rounding_of(layer: Layer, inputs: Outputs, found: Outputs) -> float:
    """How far a layer's result moves where its inputs are off by half a step of float32."""
    numbers = np.random.default_rng(0)
    nudged = [
        x * (1 + STEP / 2 * numbers.choice([-1.0, 1.0], x.shape)) if x.dtype.kind == "f" else x
        for x in inputs
    ]
    moved = distance(layer.outputs(*nudged), found)
    return moved if math.isfinite(moved) else 0.0
