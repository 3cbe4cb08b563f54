"""What is rounding of a layer."""

from __future__ import annotations

import math

import numpy as np

from ...numerics.distance import distance
from ...numerics.rounding import STEP
from .layers.layer import Layer, Outputs


def rounding_of(layer: Layer, inputs: Outputs, found: Outputs) -> float:
    """How far a layer's result moves where its inputs are off by half a step of float32."""
    numbers = np.random.default_rng(0)
    nudged = [
        x * (1 + STEP / 2 * numbers.choice([-1.0, 1.0], x.shape)) if x.dtype.kind == "f" else x
        for x in inputs
    ]
    moved = distance(layer.outputs(*nudged), found)
    return moved if math.isfinite(moved) else 0.0
