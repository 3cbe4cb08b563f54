"""Distinct elements, places in sorted sequences, counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_tensors, check_type
from ..engine.dtype import Array, DType
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.host import host
from ..engine.primitive import convert
from ..engine.promotion import constant, rank_of
from ..engine.tensor import Tensor
from ..primitives import reduction as r
from .arithmetic import equal, floor_divide, greater_equal, isnan, less, maximum, sub, where
from .reduction import any as any_of
from .reduction import sort, sum, topk
from .registry import op
from .segment import segments
from .shaping import (
    axis_of,
    broadcast_to,
    expand_dims,
    gather,
    gather_elements,
    nonzero,
    reshape,
    squeeze,
)


@host("UniqueInOrder", outputs=2, dynamic=(0,))
def unique_in_order(x: Array) -> Any:
    """The distinct elements in the order of their first places, and where each element is."""
    _, first, inverse = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return x.reshape(-1)[first[order]], rank[inverse.reshape(-1)]


@host("UniqueRuns", outputs=3, dynamic=(0, 1, 2, 3, 4, 5, 6, 7))
def unique_runs(x: Array, *, axis: int) -> Any:
    """Equal neighbours along `axis` made one: what is left, where each is, and the counts."""
    rows = np.moveaxis(x, axis, 0)
    if not len(rows):
        return x, np.zeros(0, np.int64), np.zeros(0, np.int64)
    differs = (rows[1:] != rows[:-1]).reshape(len(rows) - 1, -1).any(1)
    starts = np.concatenate([[True], differs])
    counts = np.diff(np.append(np.flatnonzero(starts), len(rows)))
    return np.moveaxis(rows[starts], 0, axis), np.cumsum(starts) - 1, counts


@host("SearchSorted")
def search_sorted(sequence: Array, values: Array, *, right: bool) -> Any:
    side: Any = "right" if right else "left"
    if sequence.ndim == 1:
        return np.searchsorted(sequence, values, side)
    rows = sequence.reshape(-1, sequence.shape[-1])
    wanted = values.reshape(-1, values.shape[-1])
    found = [np.searchsorted(a, v, side) for a, v in zip(rows, wanted, strict=True)]
    return np.array(found, np.int64).reshape(values.shape)


@host("Histogram")
def histogram(x: Array, *, bins: int, low: float, high: float) -> Any:
    if low == high and x.size:
        low, high = float(x.min()), float(x.max())
    if low == high:
        low, high = low - 1, high + 1
    return np.histogram(x, bins, (low, high))[0].astype(np.int32)


@host("BinCount", dynamic=(0,))
def bin_count(x: Array, weights: Array | None, *, least: int) -> Any:
    return np.bincount(x.reshape(-1), weights, least).astype(np.float32)


@op
def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct elements in the order in which they come, and the place of each element."""
    x = check_type("unique", "input", input, Tensor)
    y, places = unique_in_order(reshape(x, (-1,)))
    target = dtypes.int64 if x.dtype is dtypes.int64 else dtypes.int32
    return y, reshape(convert(places, target), x.shape)


@op
def unique_with_pad(x: Tensor, pad_num: Any) -> tuple[Tensor, Tensor]:
    """The distinct elements, filled up with `pad_num` to the length of `x`."""
    y, places = unique_padded(
        check_type("unique_with_pad", "x", x, Tensor), convert_number(pad_num, x)
    )
    return y, convert(places, dtypes.int64 if x.dtype is dtypes.int64 else dtypes.int32)


@host("UniqueWithPad", outputs=2)
def unique_padded(x: Array, padding: Array) -> Any:
    found, inverse = unique_in_order.signature(x)
    y = np.full(x.shape, padding, x.dtype)
    y[: found.size] = found
    return y, inverse


def convert_number(number: Any, x: Tensor) -> Tensor:
    """A number or Tensor in the element type of `x`."""
    return convert(number, x.dtype) if isinstance(number, Tensor) else constant(number, x.dtype)


@op
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Equal neighbours made one; with the places and the counts if they are asked for."""
    x = check_type("unique_consecutive", "input", input, Tensor)
    check_type("unique_consecutive", "return_inverse", return_inverse, bool)
    check_type("unique_consecutive", "return_counts", return_counts, bool)
    flat = reshape(x, (-1,)) if dim is None else x
    axis = 0 if dim is None else axis_of(dim, x.ndim, "unique_consecutive")
    y, places, counts = unique_runs(flat, axis=axis)
    if dim is None:
        places = reshape(places, x.shape)
    asked = [part for part, wanted in ((places, return_inverse), (counts, return_counts)) if wanted]
    return (y, *asked) if asked else y


@op
def searchsorted(
    sorted_sequence: Tensor,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where `values` would be put into `sorted_sequence`: before equal ones, or behind them."""
    check_type("searchsorted", "out_int32", out_int32, bool)
    check_type("searchsorted", "right", right, bool)
    if side not in (None, "left", "right") or (side == "left" and right):
        raise ShapeError("searchsorted", "no such side", got=f"side {side!r}, right {right}")
    check_tensors("searchsorted", sorted_sequence=sorted_sequence, values=values)
    wanted: Tensor = values
    if sorted_sequence.ndim > 1 and sorted_sequence.shape[:-1] != wanted.shape[:-1]:
        raise ShapeError("searchsorted", "the sequences do not match the values",
                         got=f"{sorted_sequence.shape}, {wanted.shape}")  # fmt: skip
    sequence = sorted_sequence
    if sorter is not None:
        sequence = gather_elements(sequence, -1, sorter)
    found = search_sorted(sequence, wanted, right=right or side == "right")
    return convert(found, dtypes.int32 if out_int32 else dtypes.int64)


BUCKETED = (
    dtypes.int16, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64,
)  # fmt: skip


@op
def bucketize(input: Tensor, boundaries: Any, *, right: bool = False) -> Tensor:
    """The number of the interval between `boundaries` in which each element lies, as int32."""
    x = check_type("bucketize", "input", input, Tensor)
    if x.dtype not in BUCKETED:
        raise ElementTypeError("bucketize", "takes no such element type", got=x.dtype.name)
    target = dtypes.float64 if x.dtype is dtypes.float64 else dtypes.float32
    limits = constant(check_type("bucketize", "boundaries", boundaries, list, tuple), target)
    return searchsorted(limits, convert(x, target), out_int32=True, right=right)


@op
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often 0, 1, ... is in `input`, or the sums of `weights`, as float32."""
    x = check_type("bincount", "input", input, Tensor)
    check_tensors("bincount", weights=weights)
    if check_type("bincount", "minlength", minlength, int) < 0:
        raise ShapeError("bincount", "minlength must not be negative", got=str(minlength))
    if x.ndim != 1:
        raise ShapeError("bincount", "takes a vector", got=str(x.shape))
    if weights is not None and weights.shape != x.shape:
        raise ShapeError("bincount", "weights of another shape", got=str(weights.shape))
    if not x.size:
        return Tensor([])
    if weights is None or x.is_traced:
        return bin_count(x, weights, least=minlength)
    length = max(int(x.asnumpy().max()) + 1, minlength)
    return convert(segments(weights, convert(x, dtypes.int64), length, "add"), dtypes.float32)


@op
def histc(input: Tensor, bins: int = 100, min: Any = 0.0, max: Any = 0.0) -> Tensor:
    """How many elements lie in each of `bins` equal intervals from `min` to `max`."""
    x = check_type("histc", "input", input, Tensor)
    check_type("histc", "bins", bins, int)
    low, high = (
        check_type("histc", name, v, int, float) for name, v in (("min", min), ("max", max))
    )
    if bins < 1 or low > high:
        raise ShapeError("histc", "no such intervals", got=f"{bins} from {min} to {max}")
    found = histogram(x, bins=bins, low=float(low), high=float(high))
    return found if x.dtype is dtypes.int32 else convert(found, dtypes.float32)


@op
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero."""
    found: Tensor = nonzero(check_type("argwhere", "input", input, Tensor))
    return found


@op
def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """The `k` largest of the last axis, and their places."""
    return topk(input_x, k, sorted=sorted)


@op
def intopk(x1: Tensor, x2: Tensor, k: int) -> Tensor:
    """Whether the score at the label `x2` is among the `k` largest of its row of `x1`."""
    check_tensors("intopk", x1=x1, x2=x2)
    least = topk(x1, check_type("intopk", "k", k, int))[0][:, -1]
    scores = squeeze(gather_elements(x1, 1, convert(expand_dims(x2, 1), dtypes.int64)), 1)
    return greater_equal(scores, least)


def middle(input: Tensor, axis: int | None, keepdims: bool, ignore_nan: bool) -> Any:
    """The lower of the two middle elements along `axis`, and its place."""
    x = check_type("median", "input", input, Tensor)
    place = axis_of(check_type("median", "axis", axis, int), x.ndim, "median")
    if not x.ndim:
        return x, constant(0)
    values, order = sort(x, place)
    length = x.shape[place]
    at: Any = (length - 1) // 2
    chosen = [gather(t, constant([at]), place) for t in (values, order)]
    if rank_of(x.dtype) == 2:
        chosen = middle_of_floats(x, place, ignore_nan)
    places = convert(chosen[1], dtypes.int64)
    return (chosen[0], places) if keepdims else (squeeze(chosen[0], place), squeeze(places, place))


def middle_of_floats(x: Tensor, axis: int, ignore_nan: bool) -> list[Tensor]:
    """As `middle`: with NaN the result is NaN, or they are left out."""
    missing = isnan(x)
    far = where(missing, constant(float("inf"), x.dtype), x)
    values, order = sort(far, axis)
    count = sum(where(missing, 0, 1), axis, True)
    if not ignore_nan:
        count = broadcast_to(constant(x.shape[axis]), count.shape)
    at = maximum(floor_divide(sub(convert(count, dtypes.int64), 1), 2), 0)
    y, place = gather_elements(values, axis, at), gather_elements(order, axis, at)
    lost = any_of(missing, axis, True)
    if ignore_nan:
        lost = equal(count, 0)
    first = r.arg_max(convert(missing, dtypes.int32), axis=axis)
    y = where(lost, constant(float("nan"), x.dtype), y)
    return [y, where(lost, first, convert(place, dtypes.int64))]


@op
def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    found: tuple[Tensor, Tensor] = middle(input, axis, keepdims, False)
    return found


@op
def nanmedian(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """As `median`, NaN left out."""
    found: tuple[Tensor, Tensor] = middle(input, axis, keepdims, True)
    return found


def list_difference(x: Tensor, y: Tensor, target: DType) -> tuple[Tensor, Tensor]:
    """What is in `x` and not in `y`, and its places."""
    kept, places = difference_of_lists(x, y)
    return kept, convert(places, target)


@host("ListDifference", outputs=2, dynamic=(0,))
def difference_of_lists(x: Array, y: Array) -> Any:
    places = np.flatnonzero(~np.isin(x, y))
    return x[places], places


def counted(x: Tensor, size: int, weights: Tensor) -> Tensor:
    """The sums of `weights` (1 if there are none) for 0 ... size - 1; larger ones are left out."""
    given = weights if weights.size else broadcast_to(constant(1, weights.dtype), x.shape)
    inside = where(less(x, size), x, -1)
    return segments(reshape(given, (-1,)), reshape(inside, (-1,)), size, "add")


@host("RaggedRange", outputs=2, dynamic=(0,))
def ragged_ranges(starts: Array, limits: Array, deltas: Array) -> Any:
    given = np.broadcast_arrays(starts, limits, deltas)
    rows = [np.arange(a, b, d) for a, b, d in zip(*map(np.atleast_1d, given), strict=True)]
    bounds = np.cumsum([0, *map(len, rows)])
    return bounds, np.concatenate(rows).astype(starts.dtype)


def ragged(starts: Tensor, limits: Tensor, deltas: Tensor, target: DType) -> tuple[Tensor, Tensor]:
    """The bounds of the ranges, and their numbers one after the other."""
    bounds, values = ragged_ranges(starts, limits, deltas)
    return convert(bounds, target), values
