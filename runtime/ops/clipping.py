"""Gradient clipping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_type
from ..engine.failure import RefusedError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .arithmetic import abs, add, clamp, div, isfinite, maximum, mul, pow, sqrt, square
from .reduction import amax, sum
from .registry import op
from .shaping import stack


@op
def clip_by_global_norm(x: Sequence[Tensor], clip_norm: Any = 1.0, use_norm: Any = None) -> Any:
    """Every tensor times clip_norm / max(the norm of all together, clip_norm)."""
    if isinstance(x, Tensor):
        return clip_by_global_norm([x], clip_norm, use_norm)[0]
    if not x:
        raise ShapeError("clip_by_global_norm", "there is nothing to clip", got=repr(x))
    if not isinstance(clip_norm, Tensor) and not clip_norm > 0:
        raise ShapeError("clip_by_global_norm", "clip_norm must be positive", got=repr(clip_norm))
    for one in x:
        check_type("clip_by_global_norm", "x", one, Tensor)
    total: Any = use_norm
    if total is None:
        squares = [sum(square(convert(t, dtypes.float32))) for t in x]
        total = squares[0]
        for one in squares[1:]:
            total = add(total, one)
        total = sqrt(total)
    factor = div(clip_norm, maximum(total, constant(float(clip_norm), dtypes.float32)))
    return tuple(mul(t, convert(factor, t.dtype)) for t in x)


@op
def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """Kept within the two bounds; a list or tuple element by element."""
    if isinstance(x, (tuple, list)):
        return type(x)(clip_by_value(t, clip_value_min, clip_value_max) for t in x)
    return convert(clamp(x, clip_value_min, clip_value_max), x.dtype)


@op
def clip_by_norm(
    x: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Any:
    """Scaled down so that the norm of all elements, of a list's tensors together, is `max_norm`.

    An odd `norm_type` sums the elements with their signs, as MindSpore does.
    Raises: RuntimeError if the norm is not finite and `error_if_nonfinite` (PyNative)
    """
    every = [x] if isinstance(x, Tensor) else list(x)
    length = power_norm(stack([power_norm(t, norm_type) for t in every]), norm_type)
    if error_if_nonfinite and not isfinite(length):
        raise RefusedError("clip_by_norm", f"the total norm of order {norm_type} is not finite")
    scale = clamp(div(max_norm, add(length, 1e-6)), None, 1.0)
    clipped = [mul(t, scale) for t in every]
    return clipped[0] if isinstance(x, Tensor) else tuple(clipped)


def power_norm(x: Tensor, order: float) -> Tensor:
    """(sum of x^order)^(1 / order); the largest absolute element if `order` is infinite."""
    if order == float("inf"):
        return amax(abs(x))
    return convert(pow(sum(pow(x, order)), 1.0 / order), x.dtype)
