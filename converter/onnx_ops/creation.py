"""New tensors."""

from __future__ import annotations

import numpy as np

from ..code.expr import Expr, Tuple, ops
from ..code.layers import nn
from .registry import NodeView, dtype_code, onnx_op, shortest


@onnx_op("ConstantOfShape", 9, 20, 21, 23, 24, 25)
def constant_of_shape(node: NodeView, shape: Expr) -> Expr:
    """ConstantOfShape(input; value=0) -> output."""
    value = np.asarray(node.attr("value", np.zeros(1, np.float32))).reshape(-1)[0]
    return filled(Tuple(tuple(node.sizes(0))), value)


def filled(sizes: Expr, value: np.generic) -> Expr:
    """A tensor of one number again and again."""
    for number, maker in ((0, ops.zeros), (1, ops.ones)):
        if value == number and not np.signbit(value) and value.dtype.kind in "fiu":
            return maker(sizes, dtype_code(value.dtype))
    return ops.full(sizes, shortest(value), dtype=dtype_code(value.dtype))


@onnx_op("Range", 11, 27)
def range_(node: NodeView, start: Expr, limit: Expr, delta: Expr) -> Expr:
    """Range(start, limit, delta) -> output."""
    dtype = node.out().dtype or np.dtype("int64")
    known = [a for a in map(node.array, range(3)) if a is not None]
    if len(known) == 3:
        numbers = (shortest(a.reshape(-1)[0]) for a in known)
        return ops.arange(*numbers, dtype=dtype_code(dtype))
    bounds = [node.sizes(i)[0] for i in range(3)]
    return ops.arange(*bounds, dtype=dtype_code(dtype))


@onnx_op("Dropout", 1, 6, 7, 10, 12, 13, 22)
def dropout(node: NodeView, x: Expr, *_: Expr) -> tuple[Expr, ...]:
    """Dropout(data, ratio, training_mode) -> output, mask; a layer where it is for training."""
    training, ratio = node.array(2), node.array(1)
    if not node.has(2) or (training is not None and not training.any()):
        return x, ops.ones_like(x).method("astype", dtype_code(np.dtype("bool")))
    if training is None or (node.has(1) and ratio is None) or node.wants(1):
        raise node.refuse(
            "dropout whose mask is read, or which is computed whether to drop",
            expected="dropout for training, or for inference",
            advice="export in evaluation mode, and put nn.Dropout into the script to train",
        )
    return (nn.Dropout(p=0.5 if ratio is None else shortest(ratio.reshape(-1)[0]))(x),)


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
        extra = size - node.static_size(axis)
        if extra > 0:
            sides[axis] = (extra // 2, extra - extra // 2)
        elif extra < 0:
            parts[axis] = slice(-extra // 2, -extra // 2 + size)
    y = x if parts == [slice(None)] * node.rank() else x[tuple(parts)]
    flat = tuple(side for pair in reversed(sides) for side in pair)
    return ops.pad(y, flat, mode="constant", value=0.0) if any(flat) else y
