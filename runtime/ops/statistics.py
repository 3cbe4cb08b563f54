"""Means, variances and extremes with their companions, and sums without NaN."""

from __future__ import annotations

from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_type
from ..engine.dtype import DType
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant, floating, rank_of
from ..engine.tensor import Tensor
from .arithmetic import abs, div, greater, isnan, logical_not, maximum, mul, pow, sub, where
from .reduction import Axes, amax, amin, axes_of, matmul, mean, std, sum, var
from .registry import alias, op
from .shaping import axis_of, broadcast_to, expand_dims, reshape, squeeze, swapaxes


def check_axes(where: str, axis: Axes, rank: int) -> None:
    """Raises: ValueError (MS304) for an axis that is not there, RuntimeError for one twice."""
    places = [axis_of(a, rank, where) for a in axes_of(axis)]
    if len(set(places)) < len(places):
        raise RefusedError(where, "an axis twice", got=str(axis))


@op
def nansum(
    input: Tensor, axis: Axes = None, keepdims: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum, with NaN as 0."""
    x = check_type("nansum", "input", input, Tensor)
    check_axes("nansum", axis, x.ndim)
    if 3 in (rank_of(x.dtype), 0 if dtype is None else rank_of(dtype)):
        raise ElementTypeError("nansum", "takes no complex numbers", got=x.dtype.name)
    if rank_of(x.dtype) == 2:
        x = where(isnan(x), constant(0, x.dtype), x)
    own = dtypes.int64 if x.dtype is dtypes.bool_ else x.dtype
    y = sum(x, axis, keepdims, dtype=own)
    return y if dtype is None else convert(y, dtype)


@op
def nanmean(
    input: Tensor, axis: Axes = None, keepdims: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The mean of what is not NaN."""
    x = check_type("nanmean", "input", input, Tensor)
    if rank_of(x.dtype) != 2:
        raise ElementTypeError("nanmean", "takes floats", got=x.dtype.name)
    count = sum(logical_not(isnan(x)), axis, keepdims)
    y = div(nansum(x, axis, keepdims), convert(count, x.dtype))
    return y if dtype is None else convert(y, dtype)


def check_moments(where: str, x: Any, axis: Any, ddof: Any, keepdims: Any) -> None:
    check_type(where, "input", x, Tensor)
    check_type(where, "ddof", ddof, int, bool)
    check_type(where, "keepdims", keepdims, bool)
    if axis is not None:
        check_type(where, "axis", axis, int, tuple, list)
        check_axes(where, axis, x.ndim)


@op
def std_mean(
    input: Tensor, axis: Axes = None, ddof: int | bool = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean."""
    check_moments("std_mean", input, axis, ddof, keepdims)
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


@op
def var_mean(
    input: Tensor, axis: Axes = None, ddof: int | bool = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """The variance and the mean."""
    check_moments("var_mean", input, axis, ddof, keepdims)
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


@op
def aminmax(
    input: Tensor, *, axis: int | None = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """The smallest and the largest elements."""
    check_type("aminmax", "input", input, Tensor)
    return amin(input, axis, keepdims), amax(input, axis, keepdims)


alias("reduce_mean", lambda x, axis=(): mean(x, axis))
alias("reduce_sum", lambda x, axis=(): sum(x, axis, dtype=x.dtype))
alias("reduce_max", lambda x, axis=(): amax(x, axis))
alias("reduce_min", lambda x, axis=(): amin(x, axis))


@op
def renorm(input: Tensor, p: float, axis: int, maxnorm: float) -> Tensor:
    """Each slice along `axis` scaled down to the norm `maxnorm` if it is longer."""
    check_type("renorm", "input", input, Tensor)
    if p <= 0 or maxnorm < 0:
        raise ShapeError(
            "renorm", "p must be positive, maxnorm not negative", got=f"{p}, {maxnorm}"
        )
    place = axis_of(axis, input.ndim, "renorm")
    others = tuple(a for a in range(input.ndim) if a != place)
    length = pow(sum(pow(abs(input), p), others, True), 1 / p)
    return where(
        greater(length, maxnorm), mul(input, div(maxnorm, maximum(length, maxnorm))), input
    )


@op
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariances of the rows; weights count columns several times, or in part."""
    if input.ndim > 2:
        raise ShapeError("cov", "takes a matrix", got=str(input.shape))
    if input.dtype is dtypes.bool_:
        raise ElementTypeError("cov", "takes numbers", got="bool")
    x = floating(input if input.ndim == 2 else reshape(input, (1, -1)))
    given = [convert(w, x.dtype) for w in (fweights, aweights) if w is not None]
    w = broadcast_to(constant(1, x.dtype), (x.shape[1],))
    for part in given:
        w = mul(w, part)
    total = sum(w)
    rows = sub(x, expand_dims(div(sum(mul(x, w), 1), total), 1))
    lost = constant(correction, x.dtype)
    if aweights is not None:
        lost = div(mul(lost, sum(mul(w, convert(aweights, x.dtype)))), total)
    divisor = maximum(sub(total, lost), constant(0, x.dtype))
    return squeeze(div(matmul(mul(rows, w), swapaxes(rows, 0, 1)), divisor))
