"""Running extremes, sums of exponentials, differences, integrals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_tensors, check_type
from ..engine.dtype import Array
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.host import host
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import reduction as r
from .arithmetic import add, div, equal, exp, log, maximum, mul, not_equal, sub, where
from .reduction import amax, cumprod, sum
from .registry import op
from .shaping import (
    axis_of,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    gather_elements,
    movedim,
    narrow,
    reshape,
)


@host("RunningExtreme")
def running_extreme(x: Array, *, axis: int, largest: bool) -> Any:
    """Where the largest (smallest) element so far is; of equal ones the last, and NaN wins."""
    rows = np.moveaxis(x, axis, 0)
    found = (np.maximum if largest else np.minimum).accumulate(rows, axis=0)
    hit = (rows == found) | (rows != rows)
    steps = np.arange(len(rows)).reshape(-1, *[1] * (rows.ndim - 1))
    places = np.maximum.accumulate(np.where(hit, steps, 0), axis=0)
    return np.moveaxis(places, 0, axis)


def running(op: str, x: Tensor, axis: int, largest: bool) -> tuple[Tensor, Tensor]:
    check_type(op, "input", x, Tensor)
    place = axis_of(check_type(op, "axis", axis, int), x.ndim, op)
    places = running_extreme(x, axis=place, largest=largest)
    return gather_elements(x, place, places), convert(
        places, dtypes.int64 if largest else dtypes.int32
    )


@op
def cummax(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The largest elements so far along `axis`, and their places as int64."""
    return running("cummax", input, axis, True)


@op
def cummin(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The smallest elements so far along `axis`, and their places as int32."""
    return running("cummin", input, axis, False)


@op
def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """The logarithm of the running sum of exponentials along `axis`."""
    check_type("logcumsumexp", "axis", axis, int)
    return running_logsumexp(input, axis, False, False)


def running_logsumexp(x: Tensor, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    """As `logcumsumexp`; backwards, or without each place itself: then it starts low."""
    check_type("logcumsumexp", "input", x, Tensor)
    if x.dtype not in dtypes.FLOATS:
        raise ElementTypeError("logcumsumexp", "takes floats", got=x.dtype.name)
    rows = movedim(x, axis_of(axis, x.ndim, "logcumsumexp"), -1)
    size = rows.shape[-1]
    kept = np.tril(np.ones((size, size), bool), -1 if exclusive else 0)
    mask = constant(kept.T if reverse else kept, dtypes.bool_)
    table = broadcast_to(expand_dims(rows, -2), (*rows.shape[:-1], size, size))
    table = where(mask, table, constant(float("-inf"), x.dtype))
    high = amax(table, -1, True)
    high = where(equal(high, float("-inf")), constant(0, x.dtype), high)
    y = add(log(sum(exp(sub(table, high)), -1)), reshape(high, rows.shape))
    y = maximum(y, float(x.dtype.limits.min)) if exclusive else y
    return movedim(y, -1, axis)


def running_product(x: Tensor, axis: Any, exclusive: bool, reverse: bool) -> Tensor:
    """The running product; backwards, or without each place itself: then it starts with 1."""
    place = axis_of(int(check_type("CumProd", "axis", axis, int, Tensor)), x.ndim, "CumProd")
    y = cumprod(flip(x, place) if reverse else x, place, x.dtype)
    if exclusive:
        one = broadcast_to(
            constant(1, x.dtype), [1 if a == place else n for a, n in enumerate(x.shape)]
        )
        y = narrow(concat((one, y), place), place, 0, x.shape[place])
    return flip(y, place) if reverse else y


@op
def diff(
    x: Tensor,
    n: int = 1,
    axis: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Each element's difference to the one before it along `axis`."""
    check_type("diff", "x", x, Tensor)
    if not x.ndim or x.dtype in (dtypes.uint16, dtypes.uint32, dtypes.uint64):
        raise ElementTypeError("diff", "takes no such Tensor", got=f"{x.dtype.name}{x.shape}")
    if 0 in x.shape:
        raise ShapeError("diff", "takes no empty Tensor", got=str(x.shape))
    if check_type("diff", "n", n, int) != 1:
        raise RefusedError("diff", "only n=1 is known in MindSpore", got=str(n))
    return differences(x, 1, axis, prepend, append)


@op
def diff_ext(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """As `diff`, `n` times."""
    return differences(input, n, dim, prepend, append)


def differences(
    x: Tensor, n: int, axis: int, prepend: Tensor | None, append: Tensor | None
) -> Tensor:
    check_tensors("diff", prepend=prepend, append=append)
    place = axis_of(axis, x.ndim, "diff")
    parts = [part for part in (prepend, x, append) if part is not None]
    y = concat(parts, place) if len(parts) > 1 else x
    for _ in range(n):
        count = y.shape[place] - 1
        later, before = narrow(y, place, 1, count), narrow(y, place, 0, count)
        y = not_equal(later, before) if y.dtype is dtypes.bool_ else sub(later, before)
    return y


@op
def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along `dim` by trapezoids, at the places `x` or `dx` apart."""
    check_type("trapz", "y", y, Tensor)
    check_type("trapz", "dx", dx, float)
    place = axis_of(check_type("trapz", "dim", dim, int), y.ndim, "trapz")
    check_tensors("trapz", x=x)
    heights = y if y.dtype is dtypes.float16 else convert(y, dtypes.float32)
    count = heights.shape[place] - 1
    both = add(narrow(heights, place, 1, count), narrow(heights, place, 0, count))
    if x is None:
        return mul(div(sum(both, place), 2.0), dx)
    places = convert(x, dtypes.float32)
    if places.ndim == 1:
        widths = differences(places, 1, 0, None, None)
        widths = reshape(widths, [-1 if a == place else 1 for a in range(y.ndim)])
    else:
        widths = differences(places, 1, place - y.ndim, None, None)
    return div(sum(mul(both, widths), place), 2.0)


def running_sum(x: Tensor, axis: Any, exclusive: bool, reverse: bool) -> Tensor:
    """The running sum; backwards, or without each place itself: then it starts with 0."""
    check_type("CumSum", "input", x, Tensor)
    place = axis_of(int(check_type("CumSum", "axis", axis, int, Tensor)), x.ndim, "CumSum")
    return r.cum_sum(x, constant(place), exclusive=int(exclusive), reverse=int(reverse))
