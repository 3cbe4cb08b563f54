"""Quantised tensors, as plain arithmetic on integers and scales."""

from __future__ import annotations

import numpy as np

from ..code.expr import Cell, Constant, Expr, Weight, helper, ops
from ..code.layers import nn
from .convolution import sliding
from .registry import NodeView, dtype_code, onnx_op, same, shortest

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32")
EXACT = 2**24
"""Integers up to this are exact in float32."""


@onnx_op("QuantizeLinear", 10, 13, 19, 21, 23, 24, 25, 28)
def quantize(node: NodeView, x: Expr, scale: Expr, zero: Expr | None = None) -> Expr:
    """QuantizeLinear(x, y_scale, y_zero_point; axis=1) -> round(x / scale) + zero, saturated."""
    if node.type().dtype != np.dtype("float32"):
        x = x.method("astype", dtype_code(np.dtype("float32")))
    return quantized(node, x / along(node, scale, 1, "float32"), shift(node, zero, 2))


def quantized(node: NodeView, x: Expr, zero: Expr | int) -> Expr:
    """`x`, in units of the scale, as the integers of the output's type."""
    dtype = node.out().dtype
    if dtype is None or dtype.name not in INTEGERS:
        raise node.refuse(f"numbers of type {dtype}", expected=", ".join(INTEGERS))
    limits = np.iinfo(dtype)
    y = ops.round(x) if zero == 0 else ops.round(x) + zero
    return ops.clamp(y, float(limits.min), float(limits.max)).method("astype", dtype_code(dtype))


@onnx_op("DequantizeLinear", 10, 13, 19, 21, 23, 24, 25, 28)
def dequantize(node: NodeView, x: Expr, scale: Expr, zero: Expr | None = None) -> Expr:
    """DequantizeLinear(x, x_scale, x_zero_point; axis=1) -> (x - zero) scale."""
    dtype = node.type().dtype
    if dtype is None or dtype.name not in INTEGERS:
        raise node.refuse(f"numbers of type {dtype}", expected=", ".join(INTEGERS))
    target = node.out().dtype or np.dtype("float32")
    offset = shift(node, zero, 2)
    y: Expr = x.method("astype", dtype_code(np.dtype("float32")))
    y = (y if offset == 0 else y - offset) * along(node, scale, 1, "float32")
    return y if target == np.dtype("float32") else y.method("astype", dtype_code(target))


def shift(node: NodeView, zero: Expr | None, index: int) -> Expr | int:
    """A zero point ready for float arithmetic: a number where it is one, 0 if absent."""
    array = node.array(index)
    if array is not None and len(set(array.reshape(-1).tolist())) == 1:
        return int(array.reshape(-1)[0])
    return 0 if zero is None else along(node, zero, index, "float32")


def along(node: NodeView, value: Expr, index: int, dtype: str | None = None) -> Expr:
    """Input `index`, one number per slice or per block of `axis`, ready to broadcast to x."""
    shape, rank = node.shape(index), node.rank()
    known = node.type(index).dtype
    if dtype is not None and known is not None and known.name != dtype:
        value = value.method("astype", dtype_code(np.dtype(dtype)))
    block = node.attr("block_size", 0)
    if not block and (len(shape) != 1 or shape == (1,)):
        return value  # one number for all: `axis` says nothing, and a scalar has none
    axis = node.axis(1)
    if len(shape) == rank and block:
        return ops.repeat_interleave(value, block, axis)[
            (slice(None),) * axis + (slice(None, node.static_size(axis)),)
        ]
    if len(shape) != 1 or shape == (1,) or axis == rank - 1:
        return value
    return value.method("reshape", (-1,) + (1,) * (rank - 1 - axis))


@onnx_op("FakeQuantize", 1, domain="msconvert")
def fake_quantize(node: NodeView, x: Expr, scale: Constant, zero: Constant) -> Expr:
    """FakeQuantize(x, scale, zero; low, high) -> x rounded to what integers stand for."""
    array = node.constant(1, "the scale").reshape(())
    held = {"scale": node.weight(scale, array, "of shape ()"), "zero_point": node.weight(zero)}
    return nn.FakeQuantize(node.attr("low"), node.attr("high"), weights=held)(x)


@onnx_op("DynamicQuantizeLinear", 11)
def dynamic_quantize(node: NodeView, x: Expr) -> tuple[Expr, ...]:
    """DynamicQuantizeLinear(x) -> y, y_scale, y_zero_point; uint8."""
    found = helper.onnx_dynamic_quantize(x)
    return found[0], found[1], found[2]


def shifted(node: NodeView, x: Expr, zero: Expr | None, index: int, dtype: str) -> Expr:
    """`x` less its zero point (input `index`), in the type in which it is computed."""
    y: Expr = x.method("astype", dtype_code(np.dtype(dtype)))
    array = node.array(index)
    if zero is None or (array is not None and not array.any()):
        return y
    if array is not None and array.size == 1:
        return y - shortest(array.reshape(-1)[0])
    return y - zero.method("astype", dtype_code(np.dtype(dtype)))


@onnx_op("MatMulInteger", 10)
def matmul_integer(
    node: NodeView, a: Expr, b: Expr, a_zero: Expr | None = None, b_zero: Expr | None = None
) -> Expr:
    """MatMulInteger(A, B, a_zero_point, b_zero_point) -> (A - a_zero) (B - b_zero), int32."""
    if node.has(2) and node.shape(2) not in ((), (1,)) and a_zero is not None:
        a_zero = ops.expand_dims(a_zero, -1)
    left = shifted(node, a, a_zero, 2, "int32")
    return ops.matmul(left, shifted(node, b, b_zero, 3, "int32"))


def integer_conv(node: NodeView, x: Expr, x_zero: Expr | None, w_at: int) -> Expr:
    """The convolution of integers less their zero points, in float32; w is input `w_at`."""
    w, x_at = node.constant(w_at, "the kernel"), 2 if w_at == 1 else w_at - 1
    zero_at = 3 if w_at == 1 else w_at + 2
    zero = node.array(zero_at)
    if node.has(zero_at) and zero is None:
        raise node.refuse("the zero point of the kernel is computed", expected="a constant")
    offset = np.zeros(1, np.float32) if zero is None else zero.astype(np.float32).reshape(-1)
    array = w.astype(np.float32) - offset.reshape((-1,) + (1,) * (w.ndim - 1))
    weight = Weight(array, (node.node.inputs[w_at],), "less its zero point, as float32")
    bias = node.array(8) if w_at == 3 else None
    held: dict[str, Weight | None] = {"weight": weight, "bias": None}
    if bias is not None:
        held["bias"] = Weight(bias.astype(np.float32), (node.node.inputs[8],), "as float32")
    y = shifted(node, x, x_zero, x_at, "float32")
    return layer(node, array.shape, held)(y)


def layer(node: NodeView, shape: tuple[int, ...], held: dict[str, Weight | None]) -> Cell:
    """The convolution layer for a 2-D kernel of `shape`."""
    out_channels, per_group, *kernel = shape
    if len(kernel) != 2:
        raise node.refuse("a quantised convolution that is not 2-D", got=f"{len(kernel)}-D")
    group = node.attr("group", 1)
    options = {**sliding(node, kernel), "group": group, "has_bias": held["bias"] is not None}
    return nn.Conv2d(per_group * group, out_channels, same(kernel), **options, weights=held)


@onnx_op("ConvInteger", 10)
def conv_integer(
    node: NodeView, x: Expr, w: Expr, x_zero: Expr | None = None, w_zero: Expr | None = None
) -> Expr:
    """ConvInteger(x, w, x_zero_point, w_zero_point) -> y, int32; exact below 2**24."""
    kernel = node.constant(1, "the kernel").astype(np.int64)
    sums = np.abs(kernel).sum(axis=tuple(range(1, kernel.ndim))).max(initial=0)
    zeros = 0 if not node.has(3) else np.abs(node.constant(3, "w_zero_point").astype(int)).max()
    if (sums + int(zeros) * kernel[0].size) * 255 >= EXACT:
        raise node.refuse("sums that float32 cannot hold exactly", expected="a smaller kernel")
    y = integer_conv(node, x, x_zero, 1)
    return y.method("astype", dtype_code(np.dtype("int32")))


@onnx_op("QLinearConv", 10)
def qlinear_conv(node: NodeView, x: Expr, *rest: Expr | None) -> Expr:
    """QLinearConv(x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, B) -> y."""
    x_scale, w_scale, y_scale = (node.constant(i, "a scale").reshape(-1) for i in (1, 4, 6))
    factor = (x_scale * w_scale / y_scale).astype(np.float32)
    y = integer_conv(node, x, rest[1], 3)
    if factor.size > 1:
        change = "x_scale w_scale / y_scale"
        held = Weight(factor.reshape(-1, 1, 1), (node.node.inputs[4],), change)
        return quantized(node, y * Constant(f"{node.node.outputs[0]}/scale", held), zero_of(node))
    return quantized(node, y * shortest(factor[0]), zero_of(node))


def zero_of(node: NodeView) -> int:
    """The one zero point of the output, input 7."""
    return int(node.constant(7, "y_zero_point").reshape(-1)[0])


@onnx_op("QLinearMatMul", 10, 21)
def qlinear_matmul(node: NodeView, a: Expr, *rest: Expr | None) -> Expr:
    """QLinearMatMul(a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero) -> y."""
    a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = rest
    if any(node.shape(i) not in ((), (1,)) for i in (1, 4, 6)) or b is None:
        raise node.refuse("a scale for each row or column", expected="one scale for each tensor")
    if a_scale is None or b_scale is None or y_scale is None or y_zero is None:
        raise node.refuse("a scale or zero point is missing")
    left = shifted(node, a, a_zero, 2, "int32")
    product = ops.matmul(left, shifted(node, b, b_zero, 5, "int32"))
    scale = (a_scale * b_scale / y_scale).method("astype", dtype_code(np.dtype("float32")))
    y = product.method("astype", dtype_code(np.dtype("float32"))) * scale
    return quantized(node, y, y_zero.method("astype", dtype_code(np.dtype("float32"))))
