"""Matrix products and the layers made of them."""

from __future__ import annotations

from ..code.expr import Constant, Expr, ops
from ..code.layers import nn
from .registry import NodeView, onnx_op


@onnx_op("Dense", 1, domain="msconvert")
def dense(node: NodeView, x: Expr, w: Constant, b: Constant | None = None) -> Expr:
    """Dense(X, W, B; transB) -> X W + B on the last axis; W (in, out), with transB (out, in)."""
    array = node.constant(1, "the weight")
    turned = node.attr("transB", 0) == 1
    weight = node.weight(w) if turned else node.weight(w, array.T, "transpose(1, 0)")
    out_channels, in_channels = weight.array.shape
    weights = {"weight": weight, "bias": None if b is None else node.weight(b)}
    return nn.Dense(in_channels, out_channels, has_bias=b is not None, weights=weights)(x)


@onnx_op("MatMul", 1, 9, 13)
def matmul(node: NodeView, a: Expr, b: Expr) -> Expr:
    """MatMul(A, B) -> Y as numpy.matmul."""
    return ops.matmul(a, b)


@onnx_op("Gemm", 1, 6, 7, 9, 11, 13)
def gemm(node: NodeView, a: Expr, b: Expr, c: Expr | None = None) -> Expr:
    """Gemm(A, B, C; alpha, beta, transA, transB) -> alpha A B + beta C."""
    left = a.method("swapaxes", 0, 1) if node.attr("transA", 0) else a
    right = b.method("swapaxes", 0, 1) if node.attr("transB", 0) else b
    y: Expr = ops.matmul(left, right)
    alpha, beta = node.attr("alpha", 1.0), node.attr("beta", 1.0)
    y = y if alpha == 1.0 else alpha * y
    return y if c is None else y + (c if beta == 1.0 else beta * c)
