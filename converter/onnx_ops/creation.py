"""New tensors."""

from __future__ import annotations

import numpy as np

from ..expr import Expr, Tuple, ops
from .registry import NodeView, dtype_code, onnx_op, shortest


@onnx_op("ConstantOfShape", 9, 20, 21, 23, 24, 25)
def constant_of_shape(node: NodeView, shape: Expr) -> Expr:
    """ConstantOfShape(input; value=0) -> output."""
    value = np.asarray(node.attr("value", np.zeros(1, np.float32))).reshape(-1)[0]
    return ops.full(Tuple(tuple(node.sizes(0))), shortest(value), dtype=dtype_code(value.dtype))


@onnx_op("Range", 11, 27)
def range_(node: NodeView, start: Expr, limit: Expr, delta: Expr) -> Expr:
    """Range(start, limit, delta) -> output."""
    bounds = [node.sizes(i)[0] for i in range(3)]
    dtype = node.out().dtype or np.dtype("int64")
    return ops.arange(*bounds, dtype=dtype_code(dtype))


@onnx_op("EyeLike", 9, 22)
def eye_like(node: NodeView, x: Expr) -> Expr:
    """EyeLike(input; dtype, k=0) -> ones on the k-th diagonal."""
    rows, columns = (x.attribute("shape")[i] for i in range(2))
    dtype = node.out().dtype or np.dtype("float32")
    k = node.attr("k", 0)
    if k == 0:
        return ops.eye(rows, columns, dtype_code(dtype))
    below = ops.expand_dims(ops.arange(rows), 1) + k
    return ops.equal(ops.arange(columns), below).method("astype", dtype_code(dtype))


@onnx_op("CenterCropPad", 18)
def center_crop_pad(node: NodeView, x: Expr, shape: Expr) -> Expr:
    """CenterCropPad(input_data, shape; axes) -> output, each axis cut or filled at both ends."""
    sizes = [int(v) for v in node.constant(1, "the shape").reshape(-1)]
    axes = node.axes() or list(range(node.rank()))
    parts, sides = [slice(None)] * node.rank(), [(0, 0)] * node.rank()
    for axis, size in zip(axes, sizes, strict=True):
        extra = size - node.static_shape()[axis]
        if extra > 0:
            sides[axis] = (extra // 2, extra - extra // 2)
        elif extra < 0:
            parts[axis] = slice(-extra // 2, -extra // 2 + size)
    y = x if parts == [slice(None)] * node.rank() else x[tuple(parts)]
    flat = tuple(side for pair in reversed(sides) for side in pair)
    return ops.pad(y, flat, mode="constant", value=0.0) if any(flat) else y
