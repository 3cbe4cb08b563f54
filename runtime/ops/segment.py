"""Sums, products and extremes of the elements that belong to the same segment."""

from __future__ import annotations

from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_tensors
from ..engine.dtype import DType
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import shaping as p
from .arithmetic import div, greater_equal, less, logical_and, maximum, where
from .reduction import amax
from .registry import alias, op
from .shaping import broadcast_to, expand_dims, gather, reshape

STARTS: dict[str, Any] = {
    "add": lambda kind: 0,
    "mul": lambda kind: 1,
    "min": lambda kind: extreme_of(kind, True),
    "max": lambda kind: extreme_of(kind, False),
}
"""What an empty segment holds, by reduction and element type."""


def extreme_of(kind: DType, largest: bool) -> Any:
    """The largest or smallest number of an element type."""
    return kind.limits.max if largest else kind.limits.min


def segments(
    x: Tensor, segment_ids: Tensor, count: int, reduction: str, empty: Any = None
) -> Tensor:
    """The segments of the first axes of `x` combined; those with a negative id are left out."""
    check_tensors("unsorted_segment", x=x, segment_ids=segment_ids)
    rank = segment_ids.ndim
    if segment_ids.dtype not in (dtypes.int32, dtypes.int64):
        raise ElementTypeError("segments", "ids are int32 or int64", got=segment_ids.dtype.name)
    if x.shape[:rank] != segment_ids.shape or count < 1:
        raise ShapeError("segments", "the ids do not match", got=f"{segment_ids.shape}, {x.shape}")
    start = STARTS[reduction](x.dtype) if empty is None else empty
    rest = x.shape[rank:]
    ids = reshape(convert(segment_ids, dtypes.int64), (-1,))
    inside = logical_and(greater_equal(ids, 0), less(ids, count))
    target = where(inside, ids, constant(count))
    filled = broadcast_to(constant(start, x.dtype), (count + 1, *rest))
    rows = reshape(x, (ids.size, *rest))
    made = p.scatter_nd(filled, expand_dims(target, 1), rows, reduction=reduction)
    return gather(made, constant(range(count)), 0)


def number_of(num_segments: Any) -> int:
    """Raises: TypeError (MS304) if it is no whole number."""
    if isinstance(num_segments, Tensor):
        return int(num_segments.asnumpy())
    if isinstance(num_segments, bool) or not isinstance(num_segments, int):
        raise ElementTypeError("segments", "num_segments is an int", got=repr(num_segments))
    return num_segments


@op
def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The sum of the elements of each segment."""
    return segments(input_x, segment_ids, number_of(num_segments), "add")


def combining(name: str, reduction: str) -> None:
    def function(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
        return segments(x, segment_ids, number_of(num_segments), reduction)

    function.__doc__ = f"The elements of each segment combined by {reduction}."
    alias(f"unsorted_segment_{name}", function)


for _name, _reduction in {"max": "max", "min": "min", "prod": "mul"}.items():
    combining(_name, _reduction)


def sorted_segments(x: Tensor, segment_ids: Tensor, reduction: str) -> Tensor:
    """As `segments`, with as many as the last id says; empty ones are 0, products 1."""
    count = int(segment_ids.asnumpy()[-1]) + 1
    if reduction != "mean":
        empty = 1 if reduction == "mul" else 0
        if reduction in ("add", "mul"):
            return segments(x, segment_ids, count, reduction, empty)
        made = segments(x, segment_ids, count, reduction)
        return where(filled_rows(x, segment_ids, count), made, constant(0, x.dtype))
    total = segments(x, segment_ids, count, "add")
    ones = broadcast_to(constant(1, x.dtype), segment_ids.shape)
    sizes = maximum(segments(ones, segment_ids, count, "add"), constant(1, x.dtype))
    return div(total, reshape(sizes, (count, *[1] * (x.ndim - 1))))


def filled_rows(x: Tensor, segment_ids: Tensor, count: int) -> Tensor:
    ones = broadcast_to(constant(1, dtypes.int32), segment_ids.shape)
    sizes = segments(ones, segment_ids, count, "add")
    return reshape(sizes > 0, (count, *[1] * (x.ndim - 1)))


@op
def sparse_segment_mean(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
    """The means of the rows of `x` at `indices`, by segment."""
    return sorted_segments(gather(x, indices, 0), segment_ids, "mean")


@op
def sequence_mask(lengths: Tensor, maxlen: int | None = None) -> Tensor:
    """(*lengths.shape, maxlen): true for the first `lengths` places."""
    if lengths.dtype not in (dtypes.int32, dtypes.int64):
        raise ElementTypeError("sequence_mask", "takes integers", got=lengths.dtype.name)
    longest = int(amax(lengths).asnumpy()) if maxlen is None else maxlen
    if maxlen is not None and (isinstance(maxlen, bool) or maxlen < 1):
        raise ShapeError("sequence_mask", "maxlen must be positive", got=repr(maxlen))
    steps = constant(range(longest), lengths.dtype)
    return less(steps, expand_dims(lengths, -1))
