"""A layer as mathematics: its hyper-parameters and weights in one value that can be varied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Outputs = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Layer:
    """What one layer computes. Abstract: subclasses have its settings as fields.

    Units: floating-point arrays are float64
    """

    def outputs(self, *inputs: Array) -> Outputs:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Identity(Layer):
    """x."""

    def outputs(self, *inputs: Array) -> Outputs:
        return inputs


@dataclass(frozen=True, eq=False)
class Chain(Layer):
    """Layers of one input, one after another."""

    layers: Sequence[Layer]

    def outputs(self, *inputs: Array) -> Outputs:
        for layer in self.layers:
            inputs = layer.outputs(*inputs)
        return inputs


def at(x: Array, *last: Any) -> Array:
    """The view `x[..., *last]`."""
    return np.asarray(x[(..., *last)])


def along(axis: int, rank: int, vector: Array) -> Array:
    """A vector as an array of `rank` axes that broadcasts along `axis`."""
    shape = [1] * rank
    shape[axis] = -1
    return vector.reshape(shape)
