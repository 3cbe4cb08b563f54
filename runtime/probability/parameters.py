"""Parameters of distributions and bijections, checked; logarithms of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.dtype import DType, as_dtype
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.parameter import Parameter
from ..engine.primitive import convert
from ..engine.tensor import Tensor

FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)


def as_parameter(value: Any, kind: DType) -> Any:
    """A number, list, array or Tensor in the element type `kind`. Raises: TypeError"""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool) or not isinstance(value, (Tensor, np.ndarray, list, int, float)):
        raise ElementTypeError("probability", "this is no parameter", got=type(value).__name__)
    return convert(value, kind) if isinstance(value, Tensor) else Tensor(value, kind)


def element_type(where: str, given: Mapping[str, Any], default: DType) -> DType:
    """The one floating type of all parameters. Raises: TypeError if there are several."""
    default = default if default in FLOATS else dtypes.float32
    kinds = [as_dtype(value.dtype) for value in given.values() if hasattr(value, "dtype")]
    if len(set(kinds)) > 1:
        raise ElementTypeError(where, "its parameters have several element types", got=str(kinds))
    if not kinds:
        return default
    return kinds[0] if kinds[0] in (dtypes.float16, dtypes.float32) else dtypes.float32


def broadcast_shape(given: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The shape of all parameters together; None if one of them is not known yet."""
    if any(value is None for value in given.values()):
        return None
    return tuple(np.broadcast_shapes(*[np.shape(as_array(value)) for value in given.values()]))


def is_scalar(given: Mapping[str, Any]) -> bool:
    return all(value is None or isinstance(value, (int, float)) for value in given.values())


def as_array(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def check_positive(where: str, name: str, value: Tensor | None, least: bool = False) -> None:
    """Raises: ValueError where it is not greater than zero; with `least`, where it is less."""
    if value is None:
        return
    array = value.asnumpy()
    if not ((array >= 0) if least else (array > 0)).all():
        bound = "at least zero" if least else "greater than zero"
        raise ShapeError(where, f"{name} must be {bound}", got=str(array))


def check_chance(where: str, value: Tensor | None) -> None:
    """Raises: ValueError for what is not between 0 and 1, both left out."""
    if value is not None and not ((value.asnumpy() > 0) & (value.asnumpy() < 1)).all():
        raise ShapeError(where, "a probability must be in (0, 1)", got=str(value.asnumpy()))


def check_value(where: str, name: str, value: Any) -> Any:
    """Raises: TypeError for anything but a Tensor."""
    if not isinstance(value, Tensor):
        kind = type(value).__name__
        raise ElementTypeError(where, f"{name} must be a Tensor", got=kind)
    return value


def log(x: Any) -> Any:
    """The logarithm: -inf of 0, and not a number of what is less; neither has a gradient."""
    positive = x > 0
    outside = ops.where(x < 0, x * 0 + float("nan"), ops.full_like(x, -float("inf")))
    return ops.where(positive, ops.log(ops.where(positive, x, ops.ones_like(x))), outside)


def softplus(x: Tensor) -> Any:
    """log(1 + exp(x)), which is exp(x) far below zero and x far above."""
    edge = float(np.log(np.finfo(np.float32).eps) + 1)
    middle = ops.log(ops.exp(ops.clamp(x, edge, -edge)) + 1.0)
    return ops.where(x < edge, ops.exp(ops.clamp(x, max=edge)), ops.where(x > -edge, x, middle))
