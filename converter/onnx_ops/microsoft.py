"""Operators of com.microsoft, which ONNX Runtime's optimiser writes."""

from __future__ import annotations

from functools import partial

from ..code.expr import Expr, ops
from .registry import NodeView, onnx_op

microsoft = partial(onnx_op, domain="com.microsoft")


@microsoft("QuickGelu", 1)
def quick_gelu(node: NodeView, x: Expr) -> Expr:
    """QuickGelu(X; alpha=1.702) -> x sigmoid(alpha x)."""
    alpha = node.attr("alpha", 1.702)
    return ops.silu(x) if alpha == 1.0 else x * ops.sigmoid(alpha * x)


@microsoft("FusedMatMul", 1)
def fused_matmul(node: NodeView, a: Expr, b: Expr) -> Expr:
    """FusedMatMul(A, B; alpha=1, transA, transB) -> alpha A B."""
    if node.attr("transBatchA", 0) or node.attr("transBatchB", 0):
        raise node.refuse("a moved batch axis", expected="transBatchA=0 and transBatchB=0")
    left = a.method("swapaxes", -1, -2) if node.attr("transA", 0) else a
    right = b.method("swapaxes", -1, -2) if node.attr("transB", 0) else b
    alpha = node.attr("alpha", 1.0)
    y: Expr = ops.matmul(left, right)
    return y if alpha == 1.0 else y * alpha
