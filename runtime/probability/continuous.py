"""Distributions of real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.dtype import DType
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from .basis import Distribution, against, of_parameters, of_value
from .parameters import check_positive, log, softplus

LOG_2PI = float(np.log(2 * np.pi))


class LocationScale(Distribution):
    """Two parameters: where it lies, and how wide it is."""

    def __init__(self, seed: int | None, dtype: DType, name: str, **given: Any) -> None:
        super().__init__(seed, dtype, name, {"param_dict": given})
        *_, (label, _) = given.items()
        check_positive(type(self).__name__, label, self.default_parameters[-1])


class Normal(LocationScale):
    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None,
        dtype: DType = dtypes.float32, name: str = "Normal",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, mean=mean, sd=sd)
        self._mean_value, self._sd_value = self.default_parameters

    @of_parameters
    def _mean(self, mean: Tensor, sd: Tensor) -> Any:
        return mean

    _mode = _mean

    @of_parameters
    def _sd(self, mean: Tensor, sd: Tensor) -> Any:
        return sd

    @of_parameters
    def _entropy(self, mean: Tensor, sd: Tensor) -> Any:
        return 0.5 * (1 + LOG_2PI) + log(sd)

    @of_value
    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        return -0.5 * ops.square((value - mean) / sd) - 0.5 * LOG_2PI - log(sd)

    @of_value
    def _cdf(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        return 0.5 * (1.0 + ops.erf((value - mean) / (sd * float(np.sqrt(2)))))

    @against
    def _kl_loss(self, mean_b: Tensor, sd_b: Tensor, mean: Tensor, sd: Tensor) -> Any:
        wider = log(sd) - log(sd_b)
        return 0.5 * ops.square((mean - mean_b) / sd_b) + 0.5 * ops.expm1(2 * wider) - wider

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        mean, sd = self.settled(*args, **kwargs)
        whole = self.shape_of_draws(shape, mean, sd)
        found = ops.reshape(ops.standard_normal(whole or (1,), self.seed or None), whole)
        return convert(found * sd + mean, self.dtype)


class Uniform(Distribution):
    def __init__(
        self, low: Any = None, high: Any = None, seed: int | None = None,
        dtype: DType = dtypes.float32, name: str = "Uniform",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, {"param_dict": {"low": low, "high": high}})
        first, last = self.default_parameters
        if first is not None and last is not None and not (first.asnumpy() < last.asnumpy()).all():
            raise ShapeError("Uniform", "low must be less than high", got=f"{low}, {high}")
        self._low, self._high = first, last

    low = property(lambda self: self._low)
    high = property(lambda self: self._high)

    @of_parameters
    def _mean(self, low: Tensor, high: Tensor) -> Any:
        return (low + high) / 2.0

    @of_parameters
    def _var(self, low: Tensor, high: Tensor) -> Any:
        return ops.square(high - low) / 12.0

    @of_parameters
    def _entropy(self, low: Tensor, high: Tensor) -> Any:
        return log(high - low)

    @of_value
    def _prob(self, value: Tensor, low: Tensor, high: Tensor) -> Any:
        inside = ops.logical_and(value >= low, value <= high)
        return ops.where(inside, 1.0 / (high - low), 0.0 * value)

    @of_value
    def _cdf(self, value: Tensor, low: Tensor, high: Tensor) -> Any:
        share = (value - low) / (high - low)
        return ops.where(value >= high, share * 0 + 1, ops.where(value < low, share * 0, share))

    @against
    def _kl_loss(self, low_b: Tensor, high_b: Tensor, low: Tensor, high: Tensor) -> Any:
        found = log(high_b - low_b) - log(high - low)
        inside = ops.logical_and(low_b <= low, high <= high_b)
        return ops.where(inside, found, ops.full_like(found, float("inf")))

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        low, high = self.settled(*args, **kwargs)
        draws = self.drawn(self.shape_of_draws(shape, low, high))
        return convert((high - low) * draws + low, self.dtype)


class Exponential(LocationScale):
    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: DType = dtypes.float32,
        name: str = "Exponential",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, rate=rate)

    rate = property(lambda self: self.default_parameters[0])

    @of_parameters
    def _mean(self, rate: Tensor) -> Any:
        return 1.0 / rate

    _sd = _mean

    @of_parameters
    def _mode(self, rate: Tensor) -> Any:
        return convert(ops.zeros_like(rate), self.dtype)

    @of_parameters
    def _entropy(self, rate: Tensor) -> Any:
        return 1.0 - log(rate)

    @of_value
    def _log_prob(self, value: Tensor, rate: Tensor) -> Any:
        found = log(rate) - rate * value
        return ops.where(value < 0, ops.full_like(found, -float("inf")), found)

    @of_value
    def _cdf(self, value: Tensor, rate: Tensor) -> Any:
        found = 1.0 - ops.exp(-rate * value)
        return ops.where(value < 0, found * 0, found)

    @of_value
    def _log_survival(self, value: Tensor, rate: Tensor) -> Any:
        found = -1.0 * rate * value
        return ops.where(value < 0, found * 0, found)

    @against
    def _kl_loss(self, rate_b: Tensor, rate: Tensor) -> Any:
        return log(rate) - log(rate_b) + rate_b / rate - 1.0

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        (rate,) = self.settled(*args, **kwargs)
        return convert(-log(self.drawn(self.shape_of_draws(shape, rate))) / rate, self.dtype)


class Cauchy(LocationScale):
    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None,
        dtype: DType = dtypes.float32, name: str = "Cauchy",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    loc = property(lambda self: self.default_parameters[0])
    scale = property(lambda self: self.default_parameters[1])

    def _mean(self, *args: Any, **kwargs: Any) -> Any:
        raise ShapeError("Cauchy", "it has no mean, standard deviation or variance")

    _sd = _var = _mean

    @of_parameters
    def _mode(self, loc: Tensor, scale: Tensor) -> Any:
        return loc

    @of_parameters
    def _entropy(self, loc: Tensor, scale: Tensor) -> Any:
        return log(scale) + float(np.log(4 * np.pi))

    @of_value
    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return -log(1.0 + ops.square((value - loc) / scale)) - log(np.pi * scale)

    @of_value
    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return ops.atan((value - loc) / scale) / np.pi + 0.5

    @of_value
    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        share = 2.0 * ops.atan((value - loc) / scale) / np.pi
        return log(1.0 + share) - float(np.log(2))

    @against
    def _kl_loss(self, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Any:
        apart = ops.square(scale + scale_b) + ops.square(loc - loc_b)
        return log(apart) - float(np.log(4)) - log(scale) - log(scale_b)

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        loc, scale = self.settled(*args, **kwargs)
        draws = self.drawn(self.shape_of_draws(shape, loc, scale))
        return convert(loc + scale * ops.tan(np.pi * (draws - 0.5)), self.dtype)


class Logistic(LocationScale):
    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None,
        dtype: DType = dtypes.float32, name: str = "Logistic",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    loc = property(lambda self: self.default_parameters[0])
    scale = property(lambda self: self.default_parameters[1])

    @of_parameters
    def _mean(self, loc: Tensor, scale: Tensor) -> Any:
        return loc

    _mode = _mean

    @of_parameters
    def _sd(self, loc: Tensor, scale: Tensor) -> Any:
        return scale * float(np.pi / np.sqrt(3))

    @of_parameters
    def _entropy(self, loc: Tensor, scale: Tensor) -> Any:
        return log(scale) + 2.0

    @of_value
    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        z = (value - loc) / scale
        return -z - 2.0 * softplus(-z) - log(scale)

    @of_value
    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return ops.sigmoid((value - loc) / scale)

    @of_value
    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return -softplus(-(value - loc) / scale)

    @of_value
    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return ops.sigmoid(-(value - loc) / scale)

    @of_value
    def _log_survival(self, value: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return -softplus((value - loc) / scale)

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        loc, scale = self.settled(*args, **kwargs)
        draws = self.drawn(self.shape_of_draws(shape, loc, scale))
        return convert((log(draws) - ops.log1p(-draws)) * scale + loc, self.dtype)


class Laplace(LocationScale):
    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None,
        dtype: DType = dtypes.float32, name: str = "Laplace",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    @of_value
    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        return -ops.abs((value - mean) / sd) - log(2.0 * sd)


class HalfNormal(LocationScale):
    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None,
        dtype: DType = dtypes.float32, name: str = "HalfNormal",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    @of_value
    def _prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Any:
        found = float(np.sqrt(2 / np.pi)) / sd * ops.exp(-0.5 * ops.square((value - mean) / sd))
        return found * convert(value >= 0, self.dtype)


class StudentT(LocationScale):
    def __init__(
        self, df: Any = None, mean: Any = None, sd: Any = None, seed: int | None = None,
        dtype: DType = dtypes.float32, name: str = "StudentT",
    ) -> None:  # fmt: skip
        super().__init__(seed, dtype, name, df=df, mean=mean, sd=sd)
        check_positive("StudentT", "df", self.default_parameters[0])

    @of_value
    def _log_prob(self, value: Tensor, df: Tensor, mean: Tensor, sd: Tensor) -> Any:
        y = (value - mean) / sd
        whole = log(ops.abs(sd)) + 0.5 * log(df) + 0.5 * float(np.log(np.pi))
        whole = whole + ops.lgamma(0.5 * df) - ops.lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * ops.log1p(ops.square(y) / df) - whole
