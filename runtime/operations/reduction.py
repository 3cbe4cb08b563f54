"""Reductions, running sums, searches, sorting, segments."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_range, check_type
from ..engine.dtype import DType
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops import cumulative, search
from ..ops.reduction import axes_of
from ..ops.segment import sorted_segments
from .limits import limits as limited
from .operation import operation, same

for _name, _op in {
    "UnsortedSegmentSum": "unsorted_segment_sum",
    "UnsortedSegmentMax": "unsorted_segment_max",
    "UnsortedSegmentMin": "unsorted_segment_min",
    "UnsortedSegmentProd": "unsorted_segment_prod",
    "Unique": "unique",
    "UniqueWithPad": "unique_with_pad",
    "Trace": "trace",
    "NonZero": "nonzero",
}.items():
    same(_name, _op)

operation("SegmentSum")(lambda x, ids: sorted_segments(x, ids, "add"))
operation("SegmentProd")(lambda x, ids: sorted_segments(x, ids, "mul"))
operation("SegmentMax")(lambda x, ids: sorted_segments(x, ids, "max"))
operation("SegmentMin")(lambda x, ids: sorted_segments(x, ids, "min"))
operation("SegmentMean")(lambda x, ids: convert(sorted_segments(x, ids, "mean"), x.dtype))


def axes(axis: Any) -> Any:
    """`axis` given as a number, a sequence or a Tensor."""
    return axes_of(axis.asnumpy().tolist() if isinstance(axis, Tensor) else axis)


@operation("ReduceSum")
def reduce_sum(x: Any, axis: Any = (), *, keep_dims: bool = False, skip_mode: bool = False) -> Any:
    """The sum in the element type of `x`; with `skip_mode` no axes means none."""
    places = axes(axis)
    if skip_mode and not places:
        return x
    return ops.sum(x, places, keep_dims, dtype=x.dtype)


@operation("ReduceMean")
def reduce_mean(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    return ops.mean(x, axes(axis), keep_dims)


@operation("ReduceProd")
def reduce_prod(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    return ops.prod(x, axes(axis), keep_dims, x.dtype)


@operation("ReduceMax")
def reduce_max(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    return ops.amax(x, axes(axis), keep_dims)


@operation("ReduceMin")
def reduce_min(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    return ops.amin(x, axes(axis), keep_dims)


@operation("ReduceAll")
def reduce_all(input: Any, axis: Any = None, *, keep_dims: bool = False) -> Any:
    return ops.all(input, axes(axis), keep_dims)


@operation("ReduceAny")
def reduce_any(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    return ops.any(x, axes(axis), keep_dims)


@operation("ReduceStd")
def reduce_std(
    x: Any,
    *,
    axis: int | list[int] | tuple[int, ...] = (),
    unbiased: bool = True,
    keep_dims: bool = False,
) -> Any:
    """The standard deviation and the mean."""
    return ops.std_mean(x, axis, int(unbiased), keep_dims)


@operation("Argmax")
def argmax(input_x: Any, *, axis: int = -1, output_type: DType = dtypes.int32) -> Any:
    check_choice("Argmax", "output_type", output_type, (dtypes.int32, dtypes.int64))
    return convert(ops.argmax(input_x, axis), output_type)


@operation("Argmin")
def argmin(x: Any, *, axis: int = -1, output_type: DType = dtypes.int32) -> Any:
    check_choice("Argmin", "output_type", output_type, (dtypes.int32, dtypes.int64))
    return convert(ops.argmin(x, axis), output_type)


@operation("ArgMaxWithValue")
def arg_max_with_value(input: Any, *, axis: int = 0, keep_dims: bool = False) -> Any:
    """The place of the largest element as int64, and the element."""
    y, place = ops.max(input, axis, keep_dims)
    return place, y


@operation("ArgMinWithValue")
def arg_min_with_value(input: Any, *, axis: int = 0, keep_dims: bool = False) -> Any:
    y, place = ops.min(input, axis, keep_dims)
    return place, y


@operation("CumSum")
def cum_sum(input: Any, axis: Any, *, exclusive: bool = False, reverse: bool = False) -> Any:
    return cumulative.running_sum(input, axis, exclusive, reverse)


@operation("CumProd")
def cum_prod(x: Any, axis: Any, *, exclusive: bool = False, reverse: bool = False) -> Any:
    return cumulative.running_product(x, axis, exclusive, reverse)


@operation("Cummax")
def cummax(input: Any, *, axis: int) -> Any:
    return ops.cummax(input, axis)


@operation("Cummin")
def cummin(input: Any, *, axis: int) -> Any:
    return ops.cummin(input, axis)


@operation("CumulativeLogsumexp")
def cumulative_logsumexp(
    x: Any, axis: Any, *, exclusive: bool = False, reverse: bool = False
) -> Any:
    return cumulative.running_logsumexp(x, int(axis), exclusive, reverse)


@operation("Sort")
def sort(x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    return ops.sort(x, axis, descending)


@operation("TopK")
def top_k(input_x: Any, k: Any, *, sorted: bool = True) -> Any:
    return ops.topk(input_x, int(check_type("TopK", "k", k, int, Tensor)), sorted=sorted)


@operation("InTopK")
def in_top_k(x1: Any, x2: Any, *, k: int) -> Any:
    return ops.intopk(x1, x2, k)


@operation("Median")
def median(
    x: Any,
    *,
    global_median: bool = False,
    axis: int = 0,
    keep_dims: bool = False,
    ignore_nan: bool = False,
) -> Any:
    """The lower of the two middle elements, and its place."""
    if global_median:
        return search.middle(ops.reshape(x, (-1,)), 0, False, ignore_nan)[0], constant(0)
    return search.middle(x, axis, keep_dims, ignore_nan)


@operation("UniqueConsecutive")
def unique_consecutive(
    input: Any,
    *,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The elements, their places and the counts; what is not asked for is empty."""
    found = ops.unique_consecutive(input, True, True, dim)
    empty = ops.zeros((0,), dtypes.int64)
    asked = zip(found, (True, return_inverse, return_counts), strict=True)
    return tuple([part if wanted else empty for part, wanted in asked])


@operation("SearchSorted")
def search_sorted(
    sorted_sequence: Any,
    values: Any,
    sorter: Any = None,
    *,
    dtype: DType = dtypes.int64,
    right: bool = False,
) -> Any:
    found = ops.searchsorted(sorted_sequence, values, right=right, sorter=sorter)
    return convert(found, dtype)


@operation("LowerBound")
def lower_bound(sorted_x: Any, values: Any, *, out_type: DType = dtypes.int32) -> Any:
    return convert(ops.searchsorted(sorted_x, values), out_type)


@operation("UpperBound")
def upper_bound(sorted_x: Any, values: Any, *, out_type: DType = dtypes.int32) -> Any:
    return convert(ops.searchsorted(sorted_x, values, right=True), out_type)


@operation("Bucketize")
def bucketize(input: Any, *, boundaries: list[float]) -> Any:
    return ops.bucketize(input, boundaries, right=True)


def check_histogram(bins: int, min: float, max: float) -> None:
    check_int("Histogram", "bins", bins, 1)
    check_range("Histogram", "min", min, high=max)


@operation("Histogram", check=check_histogram)
def histogram(x: Any, *, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Any:
    return ops.histc(x, bins, min, max)


@operation("Bincount")
def bincount(array: Any, size: Any, weights: Any) -> Any:
    """The sums of `weights` (1 if there are none) for 0 ... size - 1."""
    return search.counted(array, int(size), weights)


@operation("ListDiff")
def list_diff(x: Any, y: Any, *, out_idx: DType = dtypes.int32) -> Any:
    return search.list_difference(x, y, out_idx)


@operation("NthElement")
def nth_element(input: Any, n: Any, *, reverse: bool = False) -> Any:
    """The n-th smallest (largest) of the last axis."""
    place = int(n)
    return ops.sort(input, -1, reverse)[0][..., place]


@operation("Renorm", check=limited("Renorm", p=1))
def renorm(input: Any, *, p: int, dim: int, maxnorm: float) -> Any:
    return ops.renorm(input, p, dim, maxnorm)


@operation("RaggedRange")
def ragged_range(starts: Any, limits: Any, deltas: Any, *, Tsplits: DType) -> Any:
    """The numbers from each start to its limit, one range after the other, and their bounds."""
    return search.ragged(starts, limits, deltas, Tsplits)
