"""Quantiles, of all elements or along an axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_range, check_type
from ..engine.element_types import SINGLE_DOUBLE, check_element_types, check_ranks
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .arithmetic import add, cast, ceil, floor, isnan, logical_not, maximum, mul, sub, where
from .reduction import all as every
from .reduction import any as some
from .reduction import sort, sum
from .registry import op
from .shaping import axis_of, expand_dims, gather_elements, reshape, squeeze, stack


def quantiles(
    where_: str, input: Tensor, q: Any, axis: int | None, keepdims: bool, ignores_nan: bool
) -> Tensor:
    """Between the two nearest elements; for several `q` along a new first axis."""
    check_element_types(where_, SINGLE_DOUBLE, input)
    check_type(where_, "q", q, float, Tensor)
    check_type(where_, "keepdims", keepdims, bool)
    levels = q if isinstance(q, Tensor) else constant(q, input.dtype)
    check_element_types(where_, SINGLE_DOUBLE, levels)
    check_ranks(where_, 0, 1, levels)
    for level in levels.asnumpy().ravel().tolist():
        check_range(where_, "q", level, 0.0, 1.0)
    along = (
        0 if axis is None else axis_of(check_type(where_, "axis", axis, int), input.ndim, where_)
    )
    x = reshape(input, (-1,)) if axis is None else input
    rows, last = ordered(x, along, ignores_nan)
    found = [at(rows, mul(last, float(level)), along) for level in levels.asnumpy().ravel()]
    spoilt = expand_dims((every if ignores_nan else some)(isnan(x), along), along)
    found = [where(spoilt, constant(math.nan, x.dtype), y) for y in found]
    shape = [1 if axis is None or k == along else n for k, n in enumerate(input.shape)]
    found = [reshape(y, shape) if keepdims else squeeze(y, along) for y in found]
    return stack(found, 0) if levels.ndim else found[0]


def ordered(x: Tensor, axis: int, ignores_nan: bool) -> tuple[Tensor, Tensor]:
    """`x` sorted, NaN last, and the place of the last number along `axis`, which is kept."""
    rows = sort(where(isnan(x), constant(math.inf, x.dtype), x), axis)[0]
    counted = cast(logical_not(isnan(x)), x.dtype)
    whole = constant(np.full([1], x.shape[axis]), x.dtype)
    count = expand_dims(sum(counted, axis), axis) if ignores_nan else whole
    shape = [1 if k == axis else n for k, n in enumerate(x.shape)]
    return rows, maximum(sub(count, 1), constant(np.zeros(shape), x.dtype))


def at(rows: Tensor, place: Tensor, axis: int) -> Tensor:
    """The elements at a fractional place, one for each row."""
    low = floor(place)
    below, above = (gather_elements(rows, axis, cast(k, dtypes.int64)) for k in (low, ceil(place)))
    share = sub(place, low)
    return where(share > 0, add(below, mul(share, sub(above, below))), below)


@op
def quantile(input: Tensor, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """What a share `q` of the elements is below; NaN where there is one."""
    return quantiles("quantile", input, q, axis, keepdims, False)


@op
def nanquantile(input: Tensor, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """As `quantile`, of the elements that are numbers."""
    return quantiles("nanquantile", input, q, axis, keepdims, True)
