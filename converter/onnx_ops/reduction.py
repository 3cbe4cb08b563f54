"""Reductions along axes."""

from __future__ import annotations

from ..expr import Expr, ops
from .registry import NodeView, onnx_op

VERSIONS = (1, 11, 13, 18, 28)


def reduced(node: NodeView) -> tuple[tuple[int, ...] | None, bool]:
    """The axes of a ReduceX (None: all, (): none, nothing is to do) and whether they stay."""
    axes = node.axes(1)
    keep = node.attr("keepdims", 1) == 1
    if not axes:
        idle = node.attr("noop_with_empty_axes", 0) == 1
        return (() if idle else None), keep
    rank = node.rank()
    last = len(axes) == 1 and axes[0] == rank - 1
    return ((-1,) if last else tuple(sorted(axes))), keep


def axis_of(axes: tuple[int, ...] | None) -> int | tuple[int, ...] | None:
    """A single axis as a number."""
    return axes[0] if axes is not None and len(axes) == 1 else axes


@onnx_op("ReduceMean", *VERSIONS)
def reduce_mean(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceMean(data, axes; keepdims=1) -> reduced."""
    along, keep = reduced(node)
    return x if along == () else ops.mean(x, axis_of(along), keep_dims=keep or None)


@onnx_op("ReduceSum", 1, 11, 13)
def reduce_sum(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceSum(data, axes; keepdims=1) -> reduced."""
    along, keep = reduced(node)
    return x if along == () else total(x, along, keep)


def total(x: Expr, along: tuple[int, ...] | None, keep: bool) -> Expr:
    """The sum of `x` along axes."""
    if along is None and keep:
        return ops.sum(x, None, keepdim=True)
    return ops.sum(x) if along is None else ops.sum(x, axis_of(along), keepdim=keep or None)


@onnx_op("ReduceMax", 1, 11, 12, 13, 18, 20)
def reduce_max(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceMax(data, axes; keepdims=1) -> reduced."""
    along, keep = reduced(node)
    return x if along == () else ops.amax(x, axis_of(along), keepdims=keep or None)


@onnx_op("ReduceMin", 1, 11, 12, 13, 18, 20)
def reduce_min(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceMin(data, axes; keepdims=1) -> reduced."""
    along, keep = reduced(node)
    return x if along == () else ops.amin(x, axis_of(along), keepdims=keep or None)


@onnx_op("ReduceProd", *VERSIONS)
def reduce_prod(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceProd(data, axes; keepdims=1) -> reduced."""
    along, keep = reduced(node)
    return x if along == () else ops.prod(x, axis_of(along), keep_dims=keep or None)


@onnx_op("ReduceL1", *VERSIONS)
def reduce_l1(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceL1(data, axes; keepdims=1) -> the sum of absolute values."""
    along, keep = reduced(node)
    return ops.abs(x) if along == () else total(ops.abs(x), along, keep)


@onnx_op("ReduceL2", *VERSIONS)
def reduce_l2(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceL2(data, axes; keepdims=1) -> the square root of the sum of squares."""
    along, keep = reduced(node)
    return ops.abs(x) if along == () else ops.sqrt(total(x * x, along, keep))


@onnx_op("ReduceSumSquare", *VERSIONS)
def reduce_sum_square(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceSumSquare(data, axes; keepdims=1) -> the sum of squares."""
    along, keep = reduced(node)
    return x * x if along == () else total(x * x, along, keep)


@onnx_op("ReduceLogSum", *VERSIONS)
def reduce_log_sum(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceLogSum(data, axes; keepdims=1) -> the logarithm of the sum."""
    along, keep = reduced(node)
    return ops.log(x) if along == () else ops.log(total(x, along, keep))


@onnx_op("ReduceLogSumExp", *VERSIONS)
def reduce_log_sum_exp(node: NodeView, x: Expr, axes: Expr | None = None) -> Expr:
    """ReduceLogSumExp(data, axes; keepdims=1) -> log(sum(exp(x))), safe against overflow."""
    along, keep = reduced(node)
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
