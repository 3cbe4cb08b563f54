"""Operators of com.microsoft, which ONNX Runtime's optimiser writes, and of ai.onnx.ml."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..code.expr import Expr, helper, ops
from .registry import NodeView, onnx_op, shortest, tensor

microsoft = partial(onnx_op, domain="com.microsoft")
machine_learning = partial(onnx_op, domain="ai.onnx.ml")


@microsoft("QuickGelu", 1)
def quick_gelu(node: NodeView, x: Expr) -> Expr:
    """QuickGelu(X; alpha=1.702) -> x sigmoid(alpha x)."""
    return x * ops.sigmoid(node.attr("alpha", 1.702) * x)


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


@machine_learning("Scaler", 1)
def scaler(node: NodeView, x: Expr) -> Expr:
    """Scaler(X; offset, scale) -> (x - offset) scale."""
    offset, scale = (np.array(node.attr(n), np.float32) for n in ("offset", "scale"))
    moved = x - (tensor(offset) if offset.size > 1 else shortest(offset.reshape(-1)[0]))
    return moved * (tensor(scale) if scale.size > 1 else shortest(scale.reshape(-1)[0]))


@machine_learning("LinearRegressor", 1)
def linear_regressor(node: NodeView, x: Expr) -> Expr:
    """LinearRegressor(X; coefficients, intercepts, targets=1) -> x coefficients^T + intercepts."""
    if node.attr("post_transform", "NONE") != "NONE":
        raise node.refuse("a transformation of the result", got=str(node.attr("post_transform")))
    targets = node.attr("targets", 1)
    weight = np.array(node.attr("coefficients"), np.float32).reshape(targets, -1).T
    y: Expr = ops.matmul(x, tensor(weight))
    bias = node.attr("intercepts")
    return y if bias is None else y + tensor(np.array(bias, np.float32))


@machine_learning("Normalizer", 1)
def normalizer(node: NodeView, x: Expr) -> Expr:
    """Normalizer(X; norm="MAX") -> x divided by the norm of its row."""
    norm = node.attr("norm", "MAX")
    if norm == "MAX":
        return x / ops.amax(x, 1, keepdims=True)
    return helper.onnx_lp_normalize(x, 1, 1 if norm == "L1" else 2)


@machine_learning("Binarizer", 1)
def binarizer(node: NodeView, x: Expr) -> Expr:
    """Binarizer(X; threshold=0) -> 1 where x > threshold, else 0."""
    return (x > float(node.attr("threshold", 0.0))).method("astype", x.attribute("dtype"))
