"""`mindspore.nn.probability.bijector`: functions with an inverse, and logarithms of slopes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..cells.cell import Cell
from ..engine.argument import check_type
from ..engine.dtype import DType, as_dtype
from ..engine.failure import ElementTypeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from .basis import Distribution
from .parameters import (
    FLOATS,
    broadcast_shape,
    check_positive,
    check_value,
    is_scalar,
    log,
    softplus,
)

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]


class Bijector(Cell):
    """A function with an inverse: a class defines `_forward`, `_inverse`, and their logarithms."""

    def __init__(
        self,
        is_constant_jacobian: bool = False,
        is_injective: bool = True,
        name: Any = None,
        dtype: DType | None = None,
        param: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        kind, given = type(self).__name__, (param or {}).get("param_dict", {})
        self._name = check_type(kind, "name", name, str)
        self._is_constant_jacobian = check_type(kind, "jacobian", is_constant_jacobian, bool)
        self._is_injective = check_type(kind, "is_injective", is_injective, bool)
        self._dtype, self._parameters = dtype, dict(param or {})
        self._batch_shape = broadcast_shape(given) if given else None
        self._is_scalar_batch = bool(given) and is_scalar(given)
        self.default_parameters: list[Any] = []
        self.parameter_names: list[str] = []
        self.common_dtype: DType | None = None

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    parameters = property(lambda self: self._parameters)
    is_constant_jacobian = property(lambda self: self._is_constant_jacobian)
    is_injective = property(lambda self: self._is_injective)
    batch_shape = property(lambda self: self._batch_shape)
    is_scalar_batch = property(lambda self: self._is_scalar_batch)

    def _add_parameter(self, value: Any, name: str) -> Any:
        """A parameter in the floating type that all have. Raises: TypeError"""
        if isinstance(value, bool) or value is None:
            raise ElementTypeError(self.name, f"{name} is no number", got=type(value).__name__)
        made = Tensor(value)
        kind = as_dtype(made.dtype)
        if kind not in FLOATS or self.common_dtype not in (None, kind):
            raise ElementTypeError(self.name, f"{name} has another element type", got=str(kind))
        self.common_dtype = kind
        self.default_parameters.append(value)
        self.parameter_names.append(name)
        return made

    def checked(self, value: Any) -> Any:
        """Raises: TypeError for what is no floating Tensor."""
        x: Tensor = check_value(self.name, "value", value)
        if as_dtype(x.dtype) not in FLOATS:
            raise ElementTypeError(self.name, "its value must be floating", got=str(x.dtype))
        return x

    def forward(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._forward(self.checked(value), *args, **kwargs)

    def inverse(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._inverse(self.checked(value), *args, **kwargs)

    def forward_log_jacobian(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._forward_log_jacobian(self.checked(value), *args, **kwargs)

    def inverse_log_jacobian(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._inverse_log_jacobian(self.checked(value), *args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if isinstance(args[0], Distribution):
            from .transformed import TransformedDistribution

            return TransformedDistribution(self, args[0])
        return super().__call__(*args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        known = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")
        if name not in known:
            raise Exception("Invalid name")  # the class that MindSpore raises
        return getattr(self, name)(*args, **kwargs)


class PowerTransform(Bijector):
    """(1 + c x) ** (1 / c); exp(x) for c = 0."""

    def __init__(self, power: Any = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name=name, param={"param_dict": {"power": power}})
        self._power = self._add_parameter(power, "power")
        check_positive(name, "power", self._power, least=True)

    power = property(lambda self: self._power)

    def at(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Both broadcast, and the power without its zeros."""
        c = convert(self._power, x.dtype)
        x, c = x + 0 * c, c + 0 * x
        return x, c, ops.where(ops.equal(c, 0), ops.ones_like(c), c)

    def _forward(self, x: Tensor) -> Any:
        x, c, safe = self.at(x)
        return ops.where(ops.equal(c, 0), ops.exp(x), ops.exp(ops.log1p(x * safe) / safe))

    def _inverse(self, y: Tensor) -> Any:
        y, c, safe = self.at(y)
        return ops.where(ops.equal(c, 0), log(y), ops.expm1(log(y) * safe) / safe)

    def _forward_log_jacobian(self, x: Tensor) -> Any:
        x, c, safe = self.at(x)
        return ops.where(ops.equal(c, 0), x, (1.0 / safe - 1) * ops.log1p(x * safe))

    def _inverse_log_jacobian(self, y: Tensor) -> Any:
        return (convert(self._power, y.dtype) - 1) * log(y)


class Exp(PowerTransform):
    def __init__(self, name: str = "Exp") -> None:
        super().__init__(name=name)


class ScalarAffine(Bijector):
    """scale * x + shift."""

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0, name: str = "ScalarAffine") -> None:
        super().__init__(True, name=name, param={"param_dict": {"scale": scale, "shift": shift}})
        self._scale = self._add_parameter(scale, "scale")
        self._shift = self._add_parameter(shift, "shift")

    scale = property(lambda self: self._scale)
    shift = property(lambda self: self._shift)

    def _forward(self, x: Tensor) -> Any:
        return convert(self._scale, x.dtype) * x + convert(self._shift, x.dtype)

    def _inverse(self, y: Tensor) -> Any:
        return (y - convert(self._shift, y.dtype)) / convert(self._scale, y.dtype)

    def _forward_log_jacobian(self, x: Tensor) -> Any:
        return log(ops.abs(convert(self._scale, x.dtype)))

    def _inverse_log_jacobian(self, y: Tensor) -> Any:
        return -log(ops.abs(convert(self._scale, y.dtype)))


class GumbelCDF(Bijector):
    """exp(-exp(-(x - loc) / scale))."""

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, name: str = "GumbelCDF") -> None:
        super().__init__(name=name, param={"param_dict": {"loc": loc, "scale": scale}})
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        check_positive(name, "scale", self._scale)

    loc = property(lambda self: self._loc)
    scale = property(lambda self: self._scale)

    def at(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return convert(self._loc, x.dtype), convert(self._scale, x.dtype)

    def _forward(self, x: Tensor) -> Any:
        loc, scale = self.at(x)
        return ops.exp(-ops.exp(-(x - loc) / scale))

    def _inverse(self, y: Tensor) -> Any:
        loc, scale = self.at(y)
        return loc - scale * log(-log(y))

    def _forward_log_jacobian(self, x: Tensor) -> Any:
        loc, scale = self.at(x)
        z = (x - loc) / scale
        return -z - ops.exp(-z) - log(scale)

    def _inverse_log_jacobian(self, y: Tensor) -> Any:
        return log(self.at(y)[1] / (-y * log(y)))


class Softplus(Bijector):
    """log(1 + exp(sharpness * x)) / sharpness."""

    def __init__(self, sharpness: Any = 1.0, name: str = "Softplus") -> None:
        super().__init__(name=name, param={"param_dict": {"sharpness": sharpness}})
        self._sharpness = self._add_parameter(sharpness, "sharpness")

    sharpness = property(lambda self: self._sharpness)

    def _forward(self, x: Tensor) -> Any:
        s = convert(self._sharpness, x.dtype)
        return softplus(s * x) / s

    def _inverse(self, y: Tensor) -> Any:
        s = convert(self._sharpness, y.dtype)
        return softplus_inverse(s * y) / s

    def _forward_log_jacobian(self, x: Tensor) -> Any:
        return ops.logsigmoid(convert(self._sharpness, x.dtype) * x)

    def _inverse_log_jacobian(self, y: Tensor) -> Any:
        scaled = convert(self._sharpness, y.dtype) * y
        return scaled - softplus_inverse(scaled)


def softplus_inverse(x: Tensor) -> Any:
    edge = float(np.log(np.finfo(np.float32).eps) + 1)
    small, large = x < float(np.exp(edge)), x > -edge
    safe = ops.where(ops.logical_or(small, large), ops.ones_like(x), x)
    middle = safe + ops.log(ops.abs(ops.expm1(-safe)))
    return ops.where(small, ops.log(x), ops.where(large, x, middle))


class Invert(Bijector):
    """The other way round."""

    def __init__(self, bijector: Bijector, name: str = "") -> None:
        check_type("Invert", "bijector", bijector, Bijector)
        super().__init__(
            bijector.is_constant_jacobian, bijector.is_injective,
            name or "Invert" + bijector.name, bijector.dtype, {"bijector": bijector},
        )  # fmt: skip
        self._bijector = bijector
        self._batch_shape, self._is_scalar_batch = bijector.batch_shape, bijector.is_scalar_batch

    bijector = property(lambda self: self._bijector)

    def forward(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._bijector.inverse(value, *args, **kwargs)

    def inverse(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._bijector.forward(value, *args, **kwargs)

    def forward_log_jacobian(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._bijector.inverse_log_jacobian(value, *args, **kwargs)

    def inverse_log_jacobian(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._bijector.forward_log_jacobian(value, *args, **kwargs)
