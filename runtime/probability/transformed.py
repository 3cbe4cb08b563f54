"""Distributions that another one becomes by a bijection."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_type
from ..engine.dtype import DType
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from .basis import Distribution, against, of_parameters
from .bijector import Bijector, Exp, GumbelCDF, Invert
from .continuous import LOG_2PI, Normal, Uniform
from .parameters import log


class TransformedDistribution(Distribution):
    def __init__(
        self,
        bijector: Bijector,
        distribution: Distribution,
        seed: int | None = None,
        name: str = "transformed_distribution",
    ) -> None:
        kind = type(self).__name__
        check_type(kind, "bijector", bijector, Bijector)
        check_type(kind, "distribution", distribution, Distribution)
        super().__init__(seed, distribution.dtype, name, {"distribution": distribution})
        self._bijector, self._distribution = bijector, distribution
        self.default_parameters = distribution.default_parameters
        self.parameter_names = distribution.parameter_names
        self.parameter_type = distribution.parameter_type
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape
        shapes = (distribution.batch_shape, bijector.batch_shape)
        known = None if None in shapes else tuple(np.broadcast_shapes(*shapes))
        self._broadcast_shape = known

    bijector = property(lambda self: self._bijector)
    distribution = property(lambda self: self._distribution)
    is_linear_transformation = property(lambda self: self._bijector.is_constant_jacobian)

    def _cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._distribution.cdf(self._bijector.inverse(value), *args, **kwargs)

    def _log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        before = self._distribution.log_prob(self._bijector.inverse(value), *args, **kwargs)
        return before + self._bijector.inverse_log_jacobian(value)

    def _sample(self, *args: Any, **kwargs: Any) -> Any:
        return self._bijector.forward(self._distribution.sample(*args, **kwargs))

    def _mean(self, *args: Any, **kwargs: Any) -> Any:
        if not self.is_linear_transformation:
            raise ShapeError(self.name, "mean is known of linear transformations only")
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))


class LogNormal(TransformedDistribution):
    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int = 0, dtype: DType = dtypes.float32,
        name: str = "LogNormal",
    ) -> None:  # fmt: skip
        super().__init__(Exp(), Normal(loc, scale, dtype=dtype), seed, name)
        self.parameter_names = ["loc", "scale"]

    loc = property(lambda self: self.default_parameters[0])
    scale = property(lambda self: self.default_parameters[1])

    @of_parameters
    def _mean(self, loc: Tensor, scale: Tensor) -> Any:
        return ops.exp(loc + 0.5 * ops.square(scale))

    @of_parameters
    def _mode(self, loc: Tensor, scale: Tensor) -> Any:
        return ops.exp(loc - ops.square(scale))

    @of_parameters
    def _var(self, loc: Tensor, scale: Tensor) -> Any:
        var = ops.square(scale)
        return ops.expm1(var) * ops.exp(2.0 * loc + var)

    @of_parameters
    def _entropy(self, loc: Tensor, scale: Tensor) -> Any:
        return loc + 0.5 + log(scale) + 0.5 * LOG_2PI

    def _cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        found = super()._cdf(value, *self.settled(*args, **kwargs))
        return ops.where(value > 0, found, found * 0)

    def _log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return super()._log_prob(value, *self.settled(*args, **kwargs))

    @against
    def _kl_loss(self, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Any:
        return self._distribution.kl_loss("Normal", loc_b, scale_b, loc, scale)

    def _sample(self, shape: Any = (), *args: Any, **kwargs: Any) -> Any:
        return super()._sample(shape, *self.settled(*args, **kwargs))


class Gumbel(TransformedDistribution):
    def __init__(
        self, loc: Any, scale: Any, seed: int = 0, dtype: DType = dtypes.float32,
        name: str = "Gumbel",
    ) -> None:  # fmt: skip
        cdf = GumbelCDF(loc, scale)
        super().__init__(Invert(cdf), Uniform(0.0, 1.0, dtype=dtype), seed, name)
        self._gumbel_bijector = cdf
        self.parameter_names, self.default_parameters = ["loc", "scale"], [cdf.loc, cdf.scale]

    loc = property(lambda self: self.default_parameters[0])
    scale = property(lambda self: self.default_parameters[1])

    @of_parameters
    def _mean(self, loc: Tensor, scale: Tensor) -> Any:
        return loc + scale * float(np.euler_gamma)

    @of_parameters
    def _mode(self, loc: Tensor, scale: Tensor) -> Any:
        return loc

    @of_parameters
    def _sd(self, loc: Tensor, scale: Tensor) -> Any:
        return scale * float(np.pi / np.sqrt(6))

    @of_parameters
    def _entropy(self, loc: Tensor, scale: Tensor) -> Any:
        return 1.0 + log(scale) + float(np.euler_gamma)

    def _log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        loc, scale = self.settled(*args, **kwargs)
        z = (self.as_value(value) - loc) / scale
        return -(z + ops.exp(-z)) - log(scale)

    def _cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._gumbel_bijector.forward(self.as_value(value))

    @against
    def _kl_loss(self, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Any:
        share, apart = scale / scale_b, (loc_b - loc) / scale_b
        euler = float(np.euler_gamma)
        rest = euler * (share - 1.0) - apart + ops.expm1(apart + ops.lgamma(share + 1.0))
        return log(scale_b / scale) + rest

    def _sample(self, shape: Any = ()) -> Any:
        draws = self._distribution.sample(self.shape_of_draws(shape, self.loc, self.scale))
        return convert(self._bijector.forward(draws), self.dtype)
