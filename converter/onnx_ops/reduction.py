"""Reductions along axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..code.expr import Expr, ops
from .registry import NodeView, dtype_code, onnx_op

VERSIONS = (1, 11, 13, 18)
Along = tuple[int, ...] | None
Reduction = Callable[[NodeView, Expr, Along, bool], Expr]


def reduction(op: str, *versions: int, empty: float) -> Callable[[Reduction], Reduction]:
    """Registers a handler that is told the axes (None: all, (): none) and whether they stay.

    `empty` is what ONNX gives for no elements at all, where MindSpore gives anything.
    """

    def register(function: Reduction) -> Reduction:
        @onnx_op(op, *versions)
        def handler(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
            out, along = node.out(), reduced(node)
            if 0 in (node.type().shape or ()) and out.is_static and along != ():
                return filled(node, empty)
            return function(node, x, along, node.attr("keepdims", 1) == 1)

        return function

    return register


def filled(node: NodeView, value: float) -> Expr:
    """The output with the same number everywhere; infinity is the least or most of integers."""
    out = node.out()
    dtype = np.dtype("float32") if out.dtype is None else out.dtype
    shape = tuple(d for d in out.shape or () if isinstance(d, int))
    if dtype.kind == "b":
        return ops.full(shape, value > 0, dtype=dtype_code(dtype))
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        value = int(min(max(value, limits.min), limits.max))
    return ops.full(shape, value, dtype=dtype_code(dtype))


def reduced(node: NodeView) -> Along:
    """The axes of a ReduceX; None: all, (): none, nothing is to do."""
    if not node.ints("axes", 1):
        return () if node.attr("noop_with_empty_axes", 0) == 1 else None
    axes = node.axes(1) or []
    rank = node.type().rank
    last = rank is not None and axes == [rank - 1]
    return (-1,) if last else tuple(sorted(axes))


def axis_of(axes: Along) -> int | tuple[int, ...] | None:
    """A single axis as a number."""
    return axes[0] if axes is not None and len(axes) == 1 else axes


@reduction("ReduceMean", *VERSIONS, empty=float("nan"))
def reduce_mean(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceMean(data, axes; keepdims=1) -> reduced."""
    return x if along == () else ops.mean(x, axis_of(along), keep_dims=keep or None)


@reduction("ReduceSum", 1, 11, 13, empty=0)
def reduce_sum(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceSum(data, axes; keepdims=1) -> reduced."""
    return x if along == () else total(node, x, along, keep)


def total(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """The sum of `x` along axes, in its own element type."""
    dtype = node.out().dtype
    narrow = dtype is not None and dtype.kind in "iu" and dtype.name != "int64"
    own = dtype_code(dtype) if narrow and dtype is not None else None
    if along is None and not keep:
        return ops.sum(x, dtype=own)
    return ops.sum(x, axis_of(along), keepdim=keep or None, dtype=own)


@reduction("ReduceMax", 1, 11, 12, 13, 18, 20, empty=float("-inf"))
def reduce_max(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceMax(data, axes; keepdims=1) -> reduced."""
    return x if along == () else extreme(node, (ops.amax, ops.any), (x, axis_of(along)), keep)


@reduction("ReduceMin", 1, 11, 12, 13, 18, 20, empty=float("inf"))
def reduce_min(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceMin(data, axes; keepdims=1) -> reduced."""
    return x if along == () else extreme(node, (ops.amin, ops.all), (x, axis_of(along)), keep)


def extreme(
    node: NodeView, functions: tuple[Callable[..., Expr], ...], operands: object, keep: bool
) -> Expr:
    """The first function of numbers, the second of booleans."""
    assert isinstance(operands, tuple)
    dtype, (numbers, booleans) = node.type().dtype, functions
    if dtype is not None and dtype.kind == "b":
        return booleans(*operands, keep_dims=keep or None)
    return numbers(*operands, keepdims=keep or None)


@reduction("ReduceProd", *VERSIONS, empty=1)
def reduce_prod(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceProd(data, axes; keepdims=1) -> reduced."""
    if along == ():
        return x
    axes = (tuple(range(node.rank())) if keep else ()) if along is None else along
    dtype = node.out().dtype
    narrow = dtype is not None and dtype.kind in "iu" and dtype.name != "int64"
    own = dtype_code(dtype) if narrow and dtype is not None else None
    if not axes:
        return ops.prod(x, dtype=own)
    for axis in sorted(axes, reverse=True):  # MindSpore's takes one axis at a time
        x = ops.prod(x, axis, keep_dims=keep or None, dtype=own)
    return x


@reduction("ReduceL1", *VERSIONS, empty=0)
def reduce_l1(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceL1(data, axes; keepdims=1) -> the sum of absolute values."""
    return ops.abs(x) if along == () else total(node, ops.abs(x), along, keep)


@reduction("ReduceL2", *VERSIONS, empty=0)
def reduce_l2(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceL2(data, axes; keepdims=1) -> the square root of the sum of squares."""
    return ops.abs(x) if along == () else ops.sqrt(total(node, x * x, along, keep))


@reduction("ReduceSumSquare", *VERSIONS, empty=0)
def reduce_sum_square(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceSumSquare(data, axes; keepdims=1) -> the sum of squares."""
    return x * x if along == () else total(node, x * x, along, keep)


@reduction("ReduceLogSum", *VERSIONS, 28, empty=float("-inf"))
def reduce_log_sum(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceLogSum(data, axes; keepdims=1) -> the logarithm of the sum."""
    return ops.log(x) if along == () else ops.log(total(node, x, along, keep))


@reduction("ReduceLogSumExp", *VERSIONS, 28, empty=float("-inf"))
def reduce_log_sum_exp(node: NodeView, x: Expr, along: Along, keep: bool) -> Expr:
    """ReduceLogSumExp(data, axes; keepdims=1) -> log(sum(exp(x))), safe against overflow."""
    every = tuple(range(node.rank())) if along is None else along
    return x if along == () else ops.logsumexp(x, axis_of(every), keepdim=keep)


@onnx_op("ArgMax", 1, 11, 12, 13)
def argmax(node: NodeView, x: Expr) -> Expr:
    """ArgMax(data; axis=0, keepdims=1, select_last_index=0) -> reduced, int64."""
    return position(node, x)


@onnx_op("ArgMin", 1, 11, 12, 13)
def argmin(node: NodeView, x: Expr) -> Expr:
    """ArgMin(data; axis=0, keepdims=1, select_last_index=0) -> reduced, int64."""
    dtype = node.type().dtype
    if dtype is None or dtype.kind not in "fi":
        raise node.refuse("the smallest of unsigned numbers", got=str(dtype))
    return position(node, -x)


def position(node: NodeView, x: Expr) -> Expr:
    """Where the maximum is, the first one, or the last with select_last_index."""
    axis, keep = node.axis(0), node.attr("keepdims", 1) == 1
    if not node.attr("select_last_index", 0):
        return ops.argmax(x, dim=axis, keepdim=keep)
    last = x.attribute("shape")[axis] - 1
    return last - ops.argmax(ops.flip(x, (axis,)), dim=axis, keepdim=keep)
