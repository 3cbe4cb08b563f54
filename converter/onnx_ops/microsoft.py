"""Operators of com.microsoft, which ONNX Runtime's optimiser writes, and of ai.onnx.ml."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..code.expr import Expr, helper, ops
from . import convolution, linear
from .registry import NodeView, onnx_op, shortest, tensor

microsoft = partial(onnx_op, domain="com.microsoft")
machine_learning = partial(onnx_op, domain="ai.onnx.ml")


@microsoft("Gelu", 1)
def gelu(node: NodeView, x: Expr) -> Expr:
    """Gelu(X) -> Y, exact."""
    return ops.gelu(x, approximate="none")


@microsoft("BiasGelu", 1)
def bias_gelu(node: NodeView, x: Expr, bias: Expr) -> Expr:
    """BiasGelu(A, B) -> gelu(A + B)."""
    return ops.gelu(x + bias, approximate="none")


@microsoft("FastGelu", 1)
def fast_gelu(node: NodeView, x: Expr, bias: Expr | None = None) -> Expr:
    """FastGelu(X, bias) -> gelu(X + bias), by tanh."""
    return ops.gelu(x if bias is None else x + bias, approximate="tanh")


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


@microsoft("FusedGemm", 1)
def fused_gemm(node: NodeView, a: Expr, b: Expr, c: Expr | None = None) -> Expr:
    """FusedGemm(A, B, C; activation) -> activation(alpha A B + beta C)."""
    settings = [node.attr(name) for name in ("activation_alpha", "activation_beta")]
    return activated(node, linear.gemm(node, a, b, c), [s for s in settings if s is not None])


@microsoft("FusedConv", 1)
def fused_conv(
    node: NodeView, x: Expr, w: Expr, b: Expr | None = None, z: Expr | None = None
) -> Expr:
    """FusedConv(X, W, B, Z; activation, activation_params) -> activation(conv + Z)."""
    y = convolution.conv(node, x, w, b)
    return activated(node, y if z is None else y + z, list(node.attr("activation_params", [])))


def called(name: str, x: Expr) -> Expr:
    """`ops.NAME(x)`."""
    function: Callable[..., Expr] = getattr(ops, name)
    return function(x)


def activated(node: NodeView, x: Expr, settings: list[float]) -> Expr:
    """`x` through the activation that the node names."""
    name = node.attr("activation", "")
    match name:
        case "":
            return x
        case "Relu" | "Sigmoid" | "Tanh":
            return called(name.lower(), x)
        case "LeakyRelu":
            return ops.leaky_relu(x, alpha=settings[0] if settings else 0.01)
        case "Clip" if len(settings) == 2:
            return ops.clamp(x, *settings)
        case "HardSigmoid":
            alpha, beta = settings if len(settings) == 2 else (0.2, 0.5)
            return ops.clamp(alpha * x + beta, 0.0, 1.0)
    raise node.refuse("this activation", got=str(name))


@microsoft("SkipLayerNormalization", 1)
def skip_layer_norm(
    node: NodeView, x: Expr, skip: Expr, gamma: Expr, beta: Expr | None = None, *bias: Expr
) -> tuple[Expr, ...]:
    """SkipLayerNormalization(input, skip, gamma, beta, bias) -> output, mean, inverse, sum."""
    total = x + skip if not bias else x + skip + bias[0]
    eps = node.attr("epsilon", 1e-12)
    found = helper.onnx_layer_norm(total, gamma, beta, node.rank() - 1, eps)
    return found[0], found[1], found[2], total


@onnx_op("SimplifiedLayerNormalization", *range(1, 29))  # no schema: its version is the opset
def simplified_layer_norm(node: NodeView, x: Expr, scale: Expr) -> Expr:
    """SimplifiedLayerNormalization(X, scale; axis=-1, epsilon) -> RMS normalisation."""
    return helper.onnx_rms_norm(x, scale, node.axis(-1), node.attr("epsilon", 1e-5))


@microsoft("SkipSimplifiedLayerNormalization", 1)
def skip_simplified_layer_norm(
    node: NodeView, x: Expr, skip: Expr, gamma: Expr, *bias: Expr
) -> tuple[Expr, ...]:
    """SkipSimplifiedLayerNormalization(input, skip, gamma, bias) -> output, _, _, sum."""
    total = x + skip if not bias else x + skip + bias[0]
    y = helper.onnx_rms_norm(total, gamma, node.rank() - 1, node.attr("epsilon", 1e-12))
    if node.wants(1) or node.wants(2):
        raise node.refuse("the mean or the inverse deviation", advice="cut the graph before them")
    return y, y, y, total


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
