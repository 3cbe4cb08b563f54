"""Loss scaling: `mindspore.amp`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .ops.arithmetic import add, equal, isfinite, logical_and, maximum, mul, where
from .ops.reduction import all as every
from .parameter import Parameter, assign
from .primitive import convert
from .tensor import Tensor


def all_finite(inputs: Any) -> Tensor:
    """Whether no element of any of the tensors is infinite or NaN."""
    found: Any = None
    for x in inputs if isinstance(inputs, (tuple, list)) else (inputs,):
        one = every(isfinite(x))
        found = one if found is None else logical_and(found, one)
    return Tensor(True) if found is None else found


def scaled(inputs: Any, factor: Any) -> Any:
    """Each tensor of a nested structure times `factor`."""
    if isinstance(inputs, Sequence):
        return tuple(scaled(x, factor) for x in inputs)
    return mul(inputs, convert(factor, inputs.dtype))


class LossScaler:
    """Abstract: scales a loss, and its gradients back."""

    scale_value: Parameter

    def scale(self, inputs: Any) -> Any:
        return scaled(inputs, self.scale_value)

    def unscale(self, inputs: Any) -> Any:
        return scaled(inputs, 1 / self.scale_value)

    def adjust(self, grads_finite: Any) -> Any:
        """Moves the scale after a step whose gradients were finite, or not."""
        raise NotImplementedError


class StaticLossScaler(LossScaler):
    """The scale stays as it is."""

    def __init__(self, scale_value: Any) -> None:
        self.scale_value = Parameter(Tensor(np.float32(scale_value)), name="scale_value")

    def adjust(self, grads_finite: Any) -> Any:
        return False


class DynamicLossScaler(LossScaler):
    """Divided by `scale_factor` (not below 1) after an overflow; multiplied after
    `scale_window` steps without one."""

    def __init__(self, scale_value: Any, scale_factor: int, scale_window: int) -> None:
        if scale_value < 1 or scale_factor < 1 or scale_window < 1:
            raise ValueError("scale_value, scale_factor and scale_window must be at least 1")
        self.scale_value = Parameter(Tensor(np.float32(scale_value)), name="scale_value")
        self.counter = Parameter(Tensor(np.int32(0)), name="counter")
        self.scale_factor, self.scale_window = scale_factor, scale_window

    def adjust(self, grads_finite: Any) -> Any:
        finite = grads_finite if isinstance(grads_finite, Tensor) else Tensor(grads_finite)
        factor = float(self.scale_factor)
        counted = add(self.counter, 1)
        full = equal(counted, self.scale_window)
        grown = where(full, mul(self.scale_value, factor), self.scale_value)
        shrunk = maximum(mul(self.scale_value, 1 / factor), 1.0)
        assign(self.scale_value, where(finite, grown, shrunk))
        stays = logical_and(finite, equal(full, Tensor(False)))
        assign(self.counter, where(stays, counted, mul(counted, 0)))
        return Tensor(True)
