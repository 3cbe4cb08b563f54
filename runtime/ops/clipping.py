"""Gradient clipping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import dtype as dtypes
from ..primitive import convert
from ..promotion import constant
from ..tensor import Tensor
from .arithmetic import add, clamp, div, maximum, mul, sqrt, square
from .reduction import norm, sum
from .registry import op


@op
def clip_by_global_norm(x: Sequence[Tensor], clip_norm: Any = 1.0, use_norm: Any = None) -> Any:
    """Every tensor times clip_norm / max(the norm of all together, clip_norm)."""
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
        return type(x)(clamp(t, clip_value_min, clip_value_max) for t in x)
    return clamp(x, clip_value_min, clip_value_max)


@op
def clip_by_norm(x: Any, max_norm: float, norm_type: float = 2.0) -> Any:
    """Each tensor by its own norm, unlike PyTorch's clip_grad_norm_."""
    if isinstance(x, (tuple, list)):
        return type(x)(clip_by_norm(t, max_norm, norm_type) for t in x)
    length = norm(x, norm_type)
    return mul(x, clamp(div(max_norm, add(length, 1e-6)), None, 1.0))
