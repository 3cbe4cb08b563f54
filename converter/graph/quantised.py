"""What the quantised operators of com.microsoft are made of: arithmetic on integers and scales."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper

from .expansion import Body, expansion

FLOAT = 1
"""ONNX's number of float32."""


def real(body: Body, start: int) -> str:
    """The numbers that the quantised tensor at input `start` stands for: x, scale, zero point."""
    return body.op("DequantizeLinear", *body.inputs(start + 3)[start:])


def whole(body: Body, x: str, start: int) -> str:
    """`x` as the output's integers: scale and zero point are the inputs from `start`."""
    return body.op("QuantizeLinear", x, *body.inputs(start + 2)[start:])


@expansion("QLinearAdd")
@expansion("QLinearMul")
def qlinear_binary(body: Body) -> str:
    """QLinearAdd(A, its scale, zero, B, scale, zero, scale of C, zero of C) -> C."""
    op = body.node.op.removeprefix("QLinear")
    exact = by_ratios(body, op)
    return whole(body, body.op(op, real(body, 0), real(body, 3)), 6) if exact is None else exact


def by_ratios(body: Body, op: str) -> str | None:
    """As ONNX Runtime computes it, so that the same sums are rounded; None if a scale is computed.

    A + B is A (a / c) + (B (b / c) + shift), and A B is (A - a_zero) (B - b_zero) (a b / c) + zero.
    """
    read = [body.array(index) for index in (1, 2, 4, 5, 6, 7)]
    numbers = [x.reshape(-1) for x in read if x is not None and x.size == 1]
    if len(numbers) < len(read):
        return None
    dtype = numbers[-1].dtype
    a, a_zero, b, b_zero, c, c_zero = (x.astype(np.float32) for x in numbers)
    x, y = (body.op("Cast", body.input(index), to=FLOAT) for index in (0, 3))
    if op == "Add":
        shift = c_zero - (a / c * a_zero + b / c * b_zero)
        x = body.op("Mul", x, body.constant((a / c)[0], np.float32))
        y = body.op("Mul", y, body.constant((b / c)[0], np.float32))
        total = body.op("Add", x, body.op("Add", y, body.constant(shift[0], np.float32)))
    else:
        x = body.op("Sub", x, body.constant(a_zero[0], np.float32))
        y = body.op("Sub", y, body.constant(b_zero[0], np.float32))
        scaled = body.op("Mul", body.op("Mul", x, y), body.constant((a * b / c)[0], np.float32))
        total = body.op("Add", scaled, body.constant(c_zero[0], np.float32))
    limits = (
        body.constant(float(n), np.float32) for n in (np.iinfo(dtype).min, np.iinfo(dtype).max)
    )
    rounded = body.op("Clip", body.op("Round", total), *limits)
    result = body.op("Cast", rounded, to=int(helper.np_dtype_to_tensor_dtype(dtype)))
    body.stay_together()
    return result


@expansion("QLinearSigmoid")
@expansion("QLinearLeakyRelu")
def qlinear_activation(body: Body) -> str:
    """QLinearSigmoid(X, scale, zero, scale of Y, zero of Y) -> Y."""
    op = {"QLinearSigmoid": "Sigmoid", "QLinearLeakyRelu": "LeakyRelu"}[body.node.op]
    return whole(body, body.op(op, real(body, 0), alpha=body.attr("alpha")), 3)


@expansion("QLinearSoftmax")
def qlinear_softmax(body: Body) -> str | None:
    """QLinearSoftmax(X, scale, zero, scale of Y, zero of Y; axis, opset) -> Y."""
    axis = body.attr("axis", -1)
    if body.attr("opset", 13) < 13 and axis not in (-1, (body.type(0).rank or 0) - 1):
        return None
    return whole(body, body.op("Softmax", real(body, 0), axis=axis), 3)


@expansion("QLinearGlobalAveragePool")
def qlinear_global_average_pool(body: Body) -> str | None:
    """QLinearGlobalAveragePool(X, scale, zero, scale of Y, zero of Y) -> Y."""
    if body.attr("channels_last", 0):
        return None
    return whole(body, body.op("GlobalAveragePool", real(body, 0)), 3)


@expansion("QLinearAveragePool")
def qlinear_average_pool(body: Body) -> str | None:
    """QLinearAveragePool(X, scale, zero, scale of Y, zero of Y) -> Y."""
    if body.attr("channels_last", 0):
        return None
    known = ("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides")
    options = {name: body.attr(name) for name in known}
    return whole(body, body.op("AveragePool", real(body, 0), **options), 3)


@expansion("QLinearReduceMean")
def qlinear_reduce_mean(body: Body) -> str | None:
    """QLinearReduceMean(data, scale, zero, scale of Y, zero of Y; axes, keepdims) -> Y."""
    axes, kept = body.attr("axes"), body.attr("keepdims", 1)
    x = real(body, 0)
    if axes is None or body.graph.opsets.get("", 1) < 18:
        return whole(body, body.op("ReduceMean", x, axes=axes, keepdims=kept), 3)
    return whole(body, body.op("ReduceMean", x, body.constant(axes, np.int64), keepdims=kept), 3)


@expansion("QLinearConcat")
def qlinear_concat(body: Body) -> str:
    """QLinearConcat(scale of Y, zero of Y, then X, scale, zero of each; axis) -> Y."""
    parts = [real(body, start) for start in range(2, len(body.node.inputs), 3)]
    return whole(body, body.op("Concat", *parts, axis=body.attr("axis")), 0)


@expansion("QLinearWhere")
def qlinear_where(body: Body) -> str:
    """QLinearWhere(condition, X, scale, zero, Y, scale, zero, scale of Z, zero of Z) -> Z."""
    return whole(body, body.op("Where", body.input(0), real(body, 1), real(body, 4)), 7)


@expansion("QuantizeLinear")
@expansion("DequantizeLinear")
def linear(body: Body) -> str:
    """QuantizeLinear(x, scale, zero; axis=1), as ONNX has it."""
    return body.op(body.node.op, *body.inputs(3), axis=body.attr("axis"))


@expansion("QGemm")
def qgemm(body: Body) -> str | None:
    """QGemm(A, scale, zero, B, scale, zero, C, scale of Y, zero of Y) -> alpha A B + C.

    C has the scale of the product. The sums are made of integers, so that they are exact.
    """
    a_scale, b, b_scale, zero = (body.array(index) for index in (1, 3, 4, 5))
    c, y_scale = body.array(6), body.array(7)
    if a_scale is None or b is None or b_scale is None or a_scale.size != 1:
        return None
    if (body.input(6) and c is None) or (body.input(7) and y_scale is None):
        return None
    columns = b.T if body.attr("transB", 0) else b
    kernel = columns.astype(np.int64) - (0 if zero is None else zero.astype(np.int64))
    sums = body.op("Cast", body.input(0), to=FLOAT)
    if body.input(2):
        sums = body.op("Sub", sums, body.op("Cast", body.input(2), to=FLOAT))
    if body.attr("transA", 0):
        sums = body.op("Transpose", sums, perm=[1, 0])
    sums = body.op("MatMul", sums, body.constant(kernel, np.float32, source=(3,)))
    if c is not None:
        sums = body.op("Add", sums, body.constant(c, np.float32, source=(6,)))
    scale = float(body.attr("alpha", 1.0)) * a_scale.astype(np.float64) * b_scale
    if y_scale is None:
        return body.op("Mul", sums, body.constant(scale, np.float32, source=(4,)))
    factor = body.constant(scale / y_scale, np.float32, source=(4,))
    unit = body.constant(1.0, np.float32)
    return body.op("QuantizeLinear", body.op("Mul", sums, factor), unit, body.input(8))


@expansion("MatMulIntegerToFloat")
def matmul_integer_to_float(body: Body) -> str:
    """MatMulIntegerToFloat(A, B, scale, scale, zero, zero, bias) -> A B in float32."""
    a, b, a_scale, b_scale, a_zero, b_zero, bias = body.inputs(7)
    sums = body.op("Cast", body.op("MatMulInteger", a, b, a_zero, b_zero), to=FLOAT)
    y = body.op("Mul", sums, body.op("Mul", a_scale, b_scale))
    return body.op("Add", y, bias) if bias else y


@expansion("DynamicQuantizeMatMul")
def dynamic_quantize_matmul(body: Body) -> str:
    """DynamicQuantizeMatMul(A, B, scale of B, zero of B, bias) -> A B in float32."""
    a, b, b_scale, b_zero, bias = body.inputs(5)
    x, scale, zero = body.ops("DynamicQuantizeLinear", a, outputs=3)
    sums = body.op("Cast", body.op("MatMulInteger", x, b, zero, b_zero), to=FLOAT)
    y = body.op("Mul", sums, body.op("Mul", scale, b_scale))
    return body.op("Add", y, bias) if bias else y


@expansion("MatMulNBits")
def matmul_nbits(body: Body) -> str | None:
    """MatMulNBits(A, B, scales, zero_points, g_idx, bias; K, N, bits, block_size) -> A B."""
    weight = unpacked(body)
    if weight is None:
        return None
    y = body.op("MatMul", body.input(0), body.constant(weight, source=(1, 2, 3)))
    return body.op("Add", y, body.input(5)) if body.input(5) else y


def unpacked(body: Body) -> np.ndarray[Any, Any] | None:
    """The float weights (K, N) of packed ones (N, blocks, bytes); None if they are not constant."""
    packed, scales, zeros = body.array(1), body.array(2), body.array(3)
    bits, size = int(body.attr("bits", 4)), int(body.attr("block_size", 32))
    rows, columns = int(body.attr("K")), int(body.attr("N"))
    if packed is None or scales is None or bits not in (4, 8) or size < 1:
        return None
    if body.input(4) or (body.input(3) and zeros is None):
        return None
    blocks = -(-rows // size)
    values = nibbles(packed, bits).reshape(columns, blocks, size).astype(np.float32)
    if zeros is None:
        offset: Any = np.float32(1 << (bits - 1))
    elif zeros.dtype == np.uint8:
        offset = nibbles(zeros.reshape(columns, -1), bits)[:, :blocks, None].astype(np.float32)
    else:
        offset = zeros.reshape(columns, blocks, 1).astype(np.float32)
    full = (values - offset) * scales.reshape(columns, blocks, 1).astype(np.float32)
    whole: np.ndarray[Any, Any] = full.reshape(columns, -1)[:, :rows].T.astype(scales.dtype)
    return whole


def nibbles(packed: np.ndarray[Any, Any], bits: int) -> np.ndarray[Any, Any]:
    """The numbers of 4 or 8 bits in the last axis, the lower half of each byte first."""
    if bits == 8:
        return packed
    halves = np.stack([packed & 15, packed >> 4], -1)
    return halves.reshape(*packed.shape[:-1], -1)
