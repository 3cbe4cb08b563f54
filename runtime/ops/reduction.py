"""Reductions over axes, sorting, and products of matrices."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine import trace as tracing
from ..engine.argument import check_type
from ..engine.element_types import MULTIPLIED, check_element_types, check_ranks
from ..engine.failure import RefusedError, ShapeError
from ..engine.primitive import Primitive, convert
from ..engine.promotion import as_tensor, constant, rank_of
from ..engine.tensor import Tensor
from ..primitives import reduction as p
from ..primitives.layer import global_average_pool
from .arithmetic import (
    add,
    check_floating,
    div,
    maximum,
    minimum,
    mul,
    not_equal,
    sqrt,
    square,
    sub,
    where,
)
from .registry import op
from .shaping import broadcast_to, expand_dims, movedim, reshape, squeeze, swapaxes

Axes = int | Sequence[int] | None


def axes_of(axis: Axes) -> tuple[int, ...]:
    """`axis` as a tuple; None and () both mean every axis."""
    return () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)


def reduced(primitive: Primitive, x: Tensor, axis: Axes, keep: bool) -> Tensor:
    """`x` reduced over `axis` (all axes if None or empty)."""
    axes = axes_of(axis)
    for a in axes:
        check_axis(primitive.name, a, x.ndim)
    if not x.ndim:
        axes = ()
    if 0 in x.shape:  # ONNX Runtime leaves a negative axis of an empty array as it is
        axes = tuple(a % x.ndim for a in axes)
    chosen = None if not axes else constant(axes)
    return primitive(x, chosen, keepdims=int(keep))


def check_axis(op: str, axis: int, rank: int) -> None:
    """Raises: MS304 if there is no such axis."""
    count = rank or 1
    if not -count <= axis < count:
        raise ShapeError(op, "there is no such axis", got=str(axis), expected=f"{rank} axes")


@op
def mean(x: Tensor, axis: Axes = None, keep_dims: bool = False) -> Tensor:
    """The mean over `axis`. Over all axes behind the second it is ONNX's GlobalAveragePool,
    which ONNX Runtime keeps in the blocked layout of the convolution before it."""
    x = as_tensor(x, "mean")
    spatial = tuple(range(2, x.ndim))
    if x.ndim > 2 and x.dtype is dtypes.float32 and spatial == axes_of(axis) and 0 not in x.shape:
        y = global_average_pool(x)
        return y if keep_dims else squeeze(y, spatial)
    if 0 in x.shape and x.content.dtype.kind == "f":  # ONNX Runtime has 0 for it
        return mul(reduced(p.reduce_sum, x, axis, keep_dims), constant(np.nan, x.dtype))
    return reduced(p.reduce_mean, x, axis, keep_dims)


@op
def sum(
    input: Tensor, dim: Axes = None, keepdim: bool = False, *, dtype: dtypes.DType | None = None
) -> Tensor:
    """The sum; of integers and booleans as int64, or as `dtype`."""
    x = as_tensor(input, "sum")
    target = dtype or (dtypes.int64 if rank_of(x.dtype) < 2 else x.dtype)
    return reduced(p.reduce_sum, convert(x, target), dim, keepdim)


@op
def prod(input: Tensor, axis: Axes = None, keep_dims: bool = False, dtype: Any = None) -> Tensor:
    """The product; of integers as int64, or as `dtype`."""
    x = as_tensor(input, "prod")
    target = dtype or (dtypes.int64 if rank_of(x.dtype) < 2 else x.dtype)
    return reduced(p.reduce_prod, convert(x, target), axis, keep_dims)


@op
def amax(
    input: Tensor,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """The largest; at least `initial`, which also stands for what `where` leaves out."""
    x = beginning(maximum, as_tensor(input, "amax"), initial, where)
    return reduced(p.reduce_max, x, axis, keepdims)


@op
def amin(
    input: Tensor,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> Tensor:
    """The smallest; at most `initial`, which also stands for what `where` leaves out."""
    x = beginning(minimum, as_tensor(input, "amin"), initial, where)
    return reduced(p.reduce_min, x, axis, keepdims)


def beginning(bound: Callable[..., Tensor], x: Tensor, initial: Any, chosen: Any) -> Tensor:
    """What is reduced: bounded by `initial`, with `initial` where nothing is chosen.

    Raises: ValueError if there is a choice and no `initial`
    """
    if chosen is not None and initial is None:
        raise ShapeError("amax", "initial value must be provided for where masks")
    bounded = x if initial is None else bound(x, initial)
    return bounded if chosen is None else where(chosen, bounded, initial)


@op
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the largest element is (the first of equals), as int64; of all if `dim` is None."""
    return position(p.arg_max, as_tensor(input, "argmax"), dim, keepdim)


@op
def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the smallest element is; as int32, unlike `argmax`."""
    found = position(p.arg_min, as_tensor(input, "argmin"), axis, keepdims)
    return convert(found, dtypes.int32)


def position(primitive: Primitive, x: Tensor, axis: int | None, keep: bool) -> Tensor:
    if 0 in x.shape:
        raise RefusedError(primitive.name, "there are no elements", got=str(x.shape))
    if axis is None:
        x, axis, keep = reshape(x, (-1,)), 0, False
    check_axis(primitive.name, axis, x.ndim)
    if not x.ndim:
        x, keep = reshape(x, (1,)), False
    return primitive(x, axis=axis, keepdims=int(keep))


@op
def max(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """(values, indices) along `axis`; of all elements (the value, index 0) if it is None."""
    x = beginning(maximum, as_tensor(input, "max"), initial, where)
    return extreme(p.reduce_max, p.arg_max, x, axis, keepdims)


@op
def min(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> Any:
    x = beginning(minimum, as_tensor(input, "min"), initial, where)
    return extreme(p.reduce_min, p.arg_min, x, axis, keepdims)


def extreme(
    primitive: Primitive, where: Primitive, x: Tensor, axis: int | None, keep: bool
) -> tuple[Tensor, Tensor]:
    if 0 in x.shape:
        raise ShapeError(primitive.name, "there are no elements", got=str(x.shape))
    if axis is None:
        return reduced(primitive, x, None, False), constant(0)
    return reduced(primitive, x, axis, keep), position(where, x, axis, keep)


@op
def any(input: Tensor, axis: Axes = None, keep_dims: bool = False) -> Tensor:
    x = convert(as_tensor(input, "any"), dtypes.bool_)
    counts = reduced(p.reduce_max, convert(x, dtypes.int32), axis, keep_dims)
    return convert(counts, dtypes.uint8 if is_uint8(input) else dtypes.bool_)


def is_uint8(x: Any) -> bool:
    """Whether MindSpore answers with uint8 whether any element is true."""
    return isinstance(x, Tensor) and x.dtype is dtypes.uint8


@op
def all(input: Tensor, axis: Axes = None, keep_dims: bool = False) -> Tensor:
    x = convert(as_tensor(input, "all"), dtypes.bool_)
    counts = reduced(p.reduce_min, convert(x, dtypes.int32), axis, keep_dims)
    return convert(counts, dtypes.bool_)


@op
def var(input: Tensor, axis: Axes = None, ddof: int | bool = 0, keepdims: bool = False) -> Tensor:
    """The variance; the divisor is n - ddof (ddof is 0 in MindSpore)."""
    x = check_floating("var", as_tensor(input, "var"))
    check_type("var", "ddof", ddof, int, bool)
    axes = axes_of(axis) or tuple(range(x.ndim))
    count = 1
    for a in axes:
        count *= x.shape[a]
    squares = square(sub(x, mean(x, axes, True)))
    if int(ddof) == 0:
        return mean(squares, axes, keepdims)
    return div(sum(squares, axes, keepdims), count - int(ddof))


@op
def std(input: Tensor, axis: Axes = None, ddof: int | bool = 0, keepdims: bool = False) -> Tensor:
    return sqrt(var(input, axis, ddof, keepdims))


@op
def logsumexp(input: Tensor, dim: Axes, keepdim: bool = False) -> Tensor:
    return reduced(p.reduce_log_sum_exp, check_floating("logsumexp", input), dim, keepdim)


@op
def cumsum(x: Tensor, axis: int, dtype: Any = None) -> Tensor:
    """The running sum along `axis`."""
    return p.cum_sum(x if dtype is None else convert(x, dtype), constant(int(axis)))


@op
def cumprod(input: Tensor, dim: int, dtype: dtypes.DType | None = None) -> Tensor:
    """The running product along `dim`, one product for each place; of integers as int64."""
    target = dtype or (dtypes.int64 if rank_of(input.dtype) < 2 else input.dtype)
    x = convert(input, target)
    if not x.ndim:
        raise ShapeError("cumprod", "needs an axis", got="()")
    check_axis("cumprod", dim, x.ndim)
    axis = dim % x.ndim
    size = x.shape[axis]
    if not x.size:
        return x
    rows = movedim(x, axis, -1)
    square_ = broadcast_to(expand_dims(rows, -2), (*rows.shape[:-1], size, size))
    kept = constant(np.tril(np.ones((size, size))), dtypes.bool_)
    y = p.reduce_prod(where(kept, square_, constant(1, x.dtype)), constant([-1]), keepdims=0)
    return movedim(y, -1, axis)


@op
def count_nonzero(
    x: Tensor, axis: Axes = (), keep_dims: bool = False, dtype: dtypes.DType = dtypes.int32
) -> Tensor:
    return convert(sum(not_equal(x, 0), axis, keep_dims), dtype)


@op
def topk(
    input: Tensor, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """The `k` largest along `dim` (the last), and their indices as int32."""
    axis = -1 if dim is None else dim
    if k < 1:
        raise ShapeError("topk", "k must be positive", got=str(k))
    values, places = p.topk(
        input, constant([k]), axis=axis, largest=int(largest), sorted=int(sorted), outputs=2
    )
    return values, convert(places, dtypes.int32)


@op
def sort(input_x: Tensor, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """Sorted along `axis`, and the indices as int32."""
    check_axis("sort", axis, input_x.ndim)
    if not input_x.ndim:
        raise ShapeError("sort", "needs an axis", got="()")
    return topk(input_x, input_x.shape[axis], axis, descending)


@op
def argsort(input: Tensor, axis: int = -1, descending: bool = False) -> Tensor:
    return sort(input, axis, descending)[1]


@op
def matmul(input: Any, other: Any) -> Tensor:
    """The matrix product, with NumPy's rules for one axis and for more than two.

    Raises: TypeError for unequal element types, RuntimeError for sizes that do not fit, but
    ValueError for those of a vector, as MindSpore (all MS304)
    """
    check_ranks("matmul", 1, None, input, other)
    a, b = input.shape, other.shape
    inner = (a[-1], b[-2 if len(b) > 1 else -1])
    if not (inner[0] == inner[1] or -1 in inner) or not broadcast_together(a[:-2], b[:-2]):
        refused = ShapeError if len(b) == 1 else RefusedError
        raise refused("matmul", "the sizes do not fit", got=f"{a}, {b}")
    check_element_types("matmul", MULTIPLIED, input, other)
    return p.matmul(input, other)


def broadcast_together(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether shapes can be broadcast to one; a size that only the data decide always can."""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return builtins.all(n == m or {1, -1} & {n, m} for n, m in pairs)


LARGE = 1 << 20
"""Bytes of a weight that take longer to turn around than to multiply by."""


@op
def dense(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input (..., c) by weight (o, c) transposed, plus bias (o)."""
    if input.ndim == 2 and input.dtype in dtypes.FLOATS:
        return p.gemm(input, weight, bias, transB=1)
    if _is_quicker_in_rows(input, weight, bias):
        rows = reshape(input, (math.prod(input.shape[:-1]), input.shape[-1]))
        y = p.gemm(rows, weight, bias, transB=1)
        return reshape(y, (*input.shape[:-1], weight.shape[0]))
    y = matmul(input, swapaxes(weight, 0, 1))
    return y if bias is None else add(y, bias)


def _is_quicker_in_rows(input: Tensor, weight: Tensor, bias: Tensor | None) -> bool:
    """Whether one product of all rows saves the weight transposed; a graph has it once."""
    return (
        tracing.active() is None
        and weight.nbytes >= LARGE
        and input.dtype in dtypes.FLOATS
        and input.ndim > 2 == weight.ndim
        and input.shape[-1] == weight.shape[1]
        and builtins.all(x.dtype is input.dtype for x in (weight, bias) if x is not None)
    )
