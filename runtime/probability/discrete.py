"""Distributions of whole numbers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.dtype import DType
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from .basis import Distribution, against, of_parameters, of_value
from .parameters import FLOATS, check_chance, check_value, log

WHOLE = (
    *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
)


class OfChance(Distribution):
    """One parameter: a probability, or one for each class."""

    KINDS: ClassVar[tuple[DType, ...]] = (*WHOLE, *FLOATS)

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: DType = dtypes.int32,
        name: str = "OfChance",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, {"param_dict": {"probs": probs}})
        check_chance(type(self).__name__, self.probs)

    probs = property(lambda self: self.default_parameters[0])

    def as_value(self, value: Any) -> Any:
        return convert(check_value(type(self).__name__, "value", value), self.parameter_type)


class Bernoulli(OfChance):
    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: DType = dtypes.int32,
        name: str = "Bernoulli",
    ) -> None:  # fmt: skip
        super().__init__(probs, seed, dtype, name)

    @of_parameters
    def _mean(self, p: Tensor) -> Any:
        return p

    @of_parameters
    def _mode(self, p: Tensor) -> Any:
        return convert(p > 0.5, self.dtype)

    @of_parameters
    def _var(self, p: Tensor) -> Any:
        return p * (1.0 - p)

    @of_parameters
    def _entropy(self, p: Tensor) -> Any:
        return -(1.0 - p) * log(1.0 - p) - p * log(p)

    @of_value
    def _log_prob(self, value: Tensor, p: Tensor) -> Any:
        return log(p) * value + log(1.0 - p) * (1.0 - value)

    @of_value
    def _cdf(self, value: Tensor, p: Tensor) -> Any:
        value = ops.floor(value)
        rest = (1.0 - p) + 0.0 * value
        return ops.where(value < 0, rest * 0, ops.where(value < 1, rest, rest * 0 + 1))

    @against
    def _kl_loss(self, q: Tensor, p: Tensor) -> Any:
        return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        (p,) = self.settled(*args, **kwargs)
        return convert(self.drawn(self.shape_of_draws(shape, p)) < p, self.dtype)


class Geometric(OfChance):
    """How often it fails before it succeeds."""

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: DType = dtypes.int32,
        name: str = "Geometric",
    ) -> None:  # fmt: skip
        super().__init__(probs, seed, dtype, name)

    @of_parameters
    def _mean(self, p: Tensor) -> Any:
        return (1.0 - p) / p

    @of_parameters
    def _mode(self, p: Tensor) -> Any:
        return convert(ops.zeros_like(p), self.dtype)

    @of_parameters
    def _var(self, p: Tensor) -> Any:
        return (1.0 - p) / ops.square(p)

    @of_parameters
    def _entropy(self, p: Tensor) -> Any:
        return (-(1.0 - p) * log(1.0 - p) - p * log(p)) / p

    @of_value
    def _prob(self, value: Tensor, p: Tensor) -> Any:
        value = ops.floor(value)
        found = ops.exp(log(1.0 - p) * value + log(p))
        return ops.where(value < 0, found * 0, found)

    @of_value
    def _cdf(self, value: Tensor, p: Tensor) -> Any:
        value = ops.floor(value)
        found = 1.0 - ops.pow(1.0 - p, value + 1.0)
        return ops.where(value < 0, found * 0, found)

    @against
    def _kl_loss(self, q: Tensor, p: Tensor) -> Any:
        return log(p / q) + (1.0 - p) / p * log((1.0 - p) / (1.0 - q))

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        (p,) = self.settled(*args, **kwargs)
        draws = self.drawn(self.shape_of_draws(shape, p))
        return convert(ops.floor(log(draws) / log(1.0 - p)), self.dtype)


class Categorical(OfChance):
    """One of several classes; the last axis of `probs` is theirs."""

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: DType = dtypes.int32,
        name: str = "Categorical",
    ) -> None:  # fmt: skip
        super().__init__(probs, seed, dtype, name)
        if probs is None:
            return
        array = self.probs.asnumpy()
        if array.ndim == 0:
            raise ShapeError("Categorical", "probs must have an axis of classes", got="()")
        if not np.allclose(array.sum(-1), 1, rtol=2e-6):
            raise ShapeError("Categorical", "probs must sum to one", got=str(array.sum(-1)))
        self._is_scalar_batch = array.ndim == 1
        self._broadcast_shape = tuple(array.shape[:-1])

    @of_parameters
    def _mean(self, p: Tensor) -> Any:
        return ops.sum(self.classes(p) * p, -1, True)

    @of_parameters
    def _mode(self, p: Tensor) -> Any:
        return convert(ops.argmax(p, -1), self.dtype)

    @of_parameters
    def _var(self, p: Tensor) -> Any:
        k = self.classes(p)
        mean = ops.sum(k * p, -1, True)
        return ops.sum(ops.square(k) * p, -1, True) - ops.square(mean)

    def classes(self, p: Tensor) -> Any:
        return Tensor(np.arange(p.shape[-1], dtype=np.float32))

    @of_parameters
    def _entropy(self, p: Tensor) -> Any:
        return ops.squeeze(-ops.sum(log(p) * p, -1, True))

    @against
    def _kl_loss(self, q: Tensor, p: Tensor) -> Any:
        first, second = ops.log_softmax(log(p), -1), ops.log_softmax(log(q), -1)
        return ops.squeeze(ops.sum(ops.softmax(log(p), -1) * (first - second), -1, True))

    @of_value
    def _log_prob(self, value: Tensor, p: Tensor) -> Any:
        value = truncated(value)
        outside = ops.logical_or(value < 0, value > p.shape[-1] - 1)
        found = picked(log(p), value)
        return ops.where(outside, ops.full_like(found, float("nan")), found)

    @of_value
    def _cdf(self, value: Tensor, p: Tensor) -> Any:
        value = truncated(value)
        found = picked(ops.cumsum(p, -1), value)
        return ops.where(value < 0, found * 0, found)

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        (p,) = self.settled(*args, **kwargs)
        whole = self.shape_of_draws(shape, p[..., 0])
        draws = ops.expand_dims(self.drawn(whole), -1)
        passed = convert(draws > ops.cumsum(p, -1)[..., :-1], dtypes.float32)
        return convert(ops.reduce_sum(passed, -1), self.dtype)


def truncated(value: Tensor) -> Any:
    """The class of a number: what lies between -1 and 0 is 0, as MindSpore has it."""
    between = ops.logical_and(value < 0, value > -1)
    return ops.where(between, value * 0, ops.floor(value))


def picked(of_classes: Tensor, value: Tensor) -> Any:
    """The entry of each class `value`, along the last axis."""
    last = of_classes.shape[-1] - 1
    at = ops.expand_dims(convert(ops.clamp(value, 0, last), dtypes.int32), -1)
    shape = (ops.expand_dims(value, -1) * of_classes).shape
    whole = ops.broadcast_to(of_classes, shape)
    at = ops.broadcast_to(at, (*shape[:-1], 1))
    return ops.squeeze(ops.gather_elements(whole, len(shape) - 1, at), -1)
