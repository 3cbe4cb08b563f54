"""Picking and writing elements by their indices."""

from __future__ import annotations

import numpy as np

from ..code.expr import Code, Constant, Expr, helper, ops
from ..code.layers import nn
from .registry import NodeView, dtype_code, onnx_op


@onnx_op("Gather", 1, 11, 13)
def gather(node: NodeView, x: Expr, indices: Expr) -> Expr:
    """Gather(data, indices; axis=0) -> output, rank q + r - 1; a constant table: an Embedding."""
    axis, index = node.axis(0), node.array(1)
    if index is not None and index.ndim == 0:
        return x[(slice(None),) * axis + (int(index),)]
    table = node.array(0)
    if (
        isinstance(x, Constant)
        and table is not None
        and table.ndim == 2
        and axis == 0
        and index is None
        and table.dtype.kind == "f"
    ):
        return nn.Embedding(*table.shape, weights={"embedding_table": node.weight(x)})(indices)
    return ops.gather(x, indices, axis)


@onnx_op("GatherElements", 11, 13)
def gather_elements(node: NodeView, x: Expr, indices: Expr) -> Expr:
    """GatherElements(data, indices; axis=0) -> output."""
    return ops.gather_elements(x, node.axis(0), indices)


@onnx_op("GatherND", 11, 12, 13)
def gather_nd(node: NodeView, x: Expr, indices: Expr) -> Expr:
    """GatherND(data, indices; batch_dims=0) -> output."""
    batch, index = node.attr("batch_dims", 0), node.array(1)
    if index is None or (index < 0).any():
        indices = helper.onnx_positive(indices, x.attribute("shape")[slice(batch or None, None)])
    return helper.onnx_gather_nd(x, indices, batch) if batch else ops.gather_nd(x, indices)


SCATTERS = {
    "none": "tensor_scatter_update",
    "add": "tensor_scatter_add",
    "mul": "tensor_scatter_mul",
    "max": "tensor_scatter_max",
    "min": "tensor_scatter_min",
}
"""ONNX's reductions -> MindSpore's functions."""


@onnx_op("ScatterElements", 11, 13, 16, 18)
def scatter_elements(node: NodeView, x: Expr, indices: Expr, updates: Expr) -> Expr:
    """ScatterElements(data, indices, updates; axis=0, reduction="none") -> output."""
    axis, scatter = node.axis(0), node.choice("reduction", "none", SCATTERS)
    if scatter == "tensor_scatter_update":
        return ops.tensor_scatter_elements(x, indices, updates, axis=axis)
    return helper.onnx_scatter_elements(x, indices, updates, axis, Code(f"ops.{scatter}"))


@onnx_op("Scatter", 9, 11)
def scatter(node: NodeView, x: Expr, indices: Expr, updates: Expr) -> Expr:
    """Scatter(data, indices, updates; axis=0) -> output: ScatterElements' old name."""
    return ops.tensor_scatter_elements(x, indices, updates, axis=node.axis(0))


@onnx_op("ScatterND", 11, 13, 16, 18)
def scatter_nd(node: NodeView, x: Expr, indices: Expr, updates: Expr) -> Expr:
    """ScatterND(data, indices, updates; reduction="none") -> output."""
    index = node.array(1)
    if index is None or (index < 0).any():
        indices = helper.onnx_positive(indices, x.attribute("shape"))
    function = getattr(ops, node.choice("reduction", "none", SCATTERS))
    written: Expr = function(x, indices, updates)
    return written


@onnx_op("Compress", 9, 11, 28)
def compress(node: NodeView, x: Expr, condition: Expr) -> Expr:
    """Compress(input, condition; axis) -> the slices where the condition holds."""
    if node.attr("axis") is None:
        x, axis = x.method("reshape", -1), 0
    else:
        axis = node.axis(0)
    return ops.gather(x, ops.nonzero(condition).method("reshape", -1), axis)


@onnx_op("NonZero", 9, 13)
def non_zero(node: NodeView, x: Expr) -> Expr:
    """NonZero(X) -> indices (rank, n), int64."""
    return ops.nonzero(x).method("swapaxes", 0, 1)


@onnx_op("OneHot", 9, 11, 28)
def one_hot(node: NodeView, indices: Expr, depth: Expr, values: Expr) -> Expr:
    """OneHot(indices, depth, values; axis=-1) -> output; values are off and on."""
    count = int(np.asarray(node.constant(1, "the depth")).reshape(-1)[0])
    axis = int(node.attr("axis", -1))
    axis = axis + node.rank() + 1 if axis < 0 else axis
    return helper.onnx_one_hot(indices, count, values[0], values[1], axis)


@onnx_op("Unique", 11, 28)
def unique(node: NodeView, x: Expr) -> tuple[Expr, ...]:
    """Unique(X; axis, sorted=1) -> Y, indices, inverse_indices, counts."""
    if node.attr("axis") is not None or node.attr("sorted", 1) == 0:
        raise node.refuse("unique slices, or unsorted", expected="sorted=1 and no axis")
    found = helper.onnx_unique(x)
    return tuple(found[i] for i in range(4))


@onnx_op("ReverseSequence", 10, 28)
def reverse_sequence(node: NodeView, x: Expr, lengths: Expr) -> Expr:
    """ReverseSequence(input, sequence_lens; batch_axis=1, time_axis=0) -> Y."""
    time, batch = node.attr("time_axis", 0), node.attr("batch_axis", 1)
    return ops.reverse_sequence(x, lengths, time, batch)


@onnx_op("TopK", 1, 10, 11, 24)
def top_k(node: NodeView, x: Expr, k: Expr | None = None) -> tuple[Expr, ...]:
    """TopK(X, K; axis=-1, largest=1, sorted=1) -> Values, Indices (int64)."""
    count = node.bounds("k", 1)[0]
    y = ops.topk(x, count, dim=node.axis(-1), largest=node.attr("largest", 1) == 1)
    return y[0], y[1].method("astype", dtype_code(np.dtype("int64")))
