"""Activation functions. Where the source had a module, the writer turns them into layers."""

from __future__ import annotations

from collections.abc import Callable

from ..code.expr import Constant, Expr, helper, ops
from ..code.layers import nn
from .registry import NodeView, dtype_code, onnx_op, shortest


@onnx_op("Relu", 1, 6, 13, 14)
def relu(node: NodeView, x: Expr) -> Expr:
    """Relu(X) -> Y."""
    return ops.relu(x)


@onnx_op("Sigmoid", 1, 6, 13)
def sigmoid(node: NodeView, x: Expr) -> Expr:
    """Sigmoid(X) -> Y."""
    return ops.sigmoid(x)


@onnx_op("Tanh", 1, 6, 13)
def tanh(node: NodeView, x: Expr) -> Expr:
    """Tanh(X) -> Y."""
    return ops.tanh(x)


@onnx_op("LeakyRelu", 1, 6, 16)
def leaky_relu(node: NodeView, x: Expr) -> Expr:
    """LeakyRelu(X; alpha=0.01) -> Y."""
    return ops.leaky_relu(x, alpha=node.attr("alpha", 0.01))


@onnx_op("Elu", 1, 6, 22)
def elu(node: NodeView, x: Expr) -> Expr:
    """Elu(X; alpha=1) -> Y; MindSpore's kernel knows alpha = 1 only."""
    alpha = node.attr("alpha", 1.0)
    return ops.elu(x) if alpha == 1.0 else ops.where(x > 0, x, alpha * (ops.exp(x) - 1))


@onnx_op("Celu", 12, 28)
def celu(node: NodeView, x: Expr) -> Expr:
    """Celu(X; alpha=1) -> Y."""
    return ops.celu(x, alpha=node.attr("alpha", 1.0))


GELUS = {"none": "none", "tanh": "tanh"}


@onnx_op("Gelu", 20)
def gelu(node: NodeView, x: Expr) -> Expr:
    """Gelu(X; approximate) -> Y."""
    return ops.gelu(x, approximate=node.choice("approximate", "none", GELUS))


@onnx_op("Swish", 24)
def swish(node: NodeView, x: Expr) -> Expr:
    """Swish(X; alpha=1) -> x sigmoid(alpha x)."""
    alpha = node.attr("alpha", 1.0)
    return ops.silu(x) if alpha == 1.0 else x * ops.sigmoid(alpha * x)


@onnx_op("Mish", 18, 22)
def mish(node: NodeView, x: Expr) -> Expr:
    """Mish(X) -> x tanh(softplus(x)); on the CPU MindSpore gives NaN above 44."""
    return ops.mish(x)


@onnx_op("HardSwish", 14, 22)
def hard_swish(node: NodeView, x: Expr) -> Expr:
    """HardSwish(X) -> x clip(x / 6 + 0.5, 0, 1)."""
    return ops.hardswish(x)


@onnx_op("HardSigmoid", 1, 6, 22)
def hard_sigmoid(node: NodeView, x: Expr) -> Expr:
    """HardSigmoid(X; alpha=0.2, beta=0.5) -> clip(alpha x + beta, 0, 1)."""
    alpha, beta = node.attr("alpha", 0.2), node.attr("beta", 0.5)
    usual = abs(alpha - 1 / 6) < 1e-7 and beta == 0.5
    return ops.hardsigmoid(x) if usual else ops.clamp(alpha * x + beta, 0.0, 1.0)


@onnx_op("Softmax", 1, 11, 13)
def softmax(node: NodeView, x: Expr) -> Expr:
    """Softmax(input; axis) -> output; before version 13 over all axes from `axis` on."""
    return _softmax(node, x, "softmax")


@onnx_op("MaskedSoftmax", 1, domain="msconvert")
def masked_softmax(node: NodeView, x: Expr) -> Expr:
    """MaskedSoftmax(input; axis=-1) -> softmax, 0 in rows that are minus infinity throughout."""
    axis = node.axis(-1)
    return helper.masked_softmax(x, axis=-1 if axis == node.rank() - 1 else axis)


@onnx_op("LogSoftmax", 1, 11, 13)
def log_softmax(node: NodeView, x: Expr) -> Expr:
    """LogSoftmax(input; axis) -> output; before version 13 over all axes from `axis` on."""
    return _softmax(node, x, "log_softmax")


def _softmax(node: NodeView, x: Expr, name: str) -> Expr:
    old = node.version < 13
    axis, rank = node.axis(1 if old else -1), node.rank()
    written = -1 if axis == rank - 1 else axis
    function: Callable[..., Expr] = getattr(helper if name == "onnx_hardmax" else ops, name)
    tail = node.shape()[axis + 1 :]
    if not old or all(size == 1 for size in tail):
        return function(x, axis=written)
    return function(x.method("flatten", start_dim=axis), axis=-1).method(
        "reshape", x.attribute("shape")
    )


@onnx_op("Hardmax", 1, 11, 13)
def hardmax(node: NodeView, x: Expr) -> Expr:
    """Hardmax(input; axis) -> 1 at the first maximum, else 0."""
    return _softmax(node, x, "onnx_hardmax")


@onnx_op("Shrink", 9)
def shrink(node: NodeView, x: Expr) -> Expr:
    """Shrink(input; bias=0, lambd=0.5) -> x + bias below -lambd, x - bias above lambd, else 0."""
    bias, lambd = node.attr("bias", 0.0), node.attr("lambd", 0.5)
    low, high = (x, x) if bias == 0 else (x + bias, x - bias)
    return ops.where(x < -lambd, low, ops.where(x > lambd, high, ops.zeros_like(x)))


@onnx_op("PRelu", 1, 6, 7, 9, 16)
def prelu(node: NodeView, x: Expr, slope: Expr) -> Expr:
    """PRelu(X, slope) -> Y, slope broadcast to X."""
    if isinstance(slope, Constant):
        array, rank = slope.weight.array, node.rank()
        per_channel = (
            array.shape[-rank:] if array.ndim == rank else (1,) * (rank - array.ndim) + array.shape
        )
        if rank > 1 and all(size == 1 for i, size in enumerate(per_channel) if i != 1):
            weight = node.weight(slope, array.reshape(-1), "reshape(-1)")
            return nn.PReLU(array.size, weights={"w": weight})(x)
    return ops.where(x > 0, x, slope * x)


@onnx_op("Clip", 1, 6, 11, 12, 13)
def clip(node: NodeView, x: Expr, low: Expr | None = None, high: Expr | None = None) -> Expr:
    """Clip(input, min, max) -> output; attributes before version 11."""
    bounds = [_bound(node, "min", 1, low), _bound(node, "max", 2, high)]
    if bounds == [None, None]:
        return x
    if bounds == [0.0, 6.0]:
        return ops.relu6(x)
    if bounds == [0.0, None]:
        return ops.relu(x)
    return ops.clamp(x, *bounds)


def _bound(node: NodeView, name: str, index: int, given: Expr | None) -> object:
    array = node.array(index)
    if array is not None:
        return shortest(array.reshape(-1)[0])
    limit = node.attr(name)
    return given if limit is None or abs(limit) > 3.4e38 else limit


@onnx_op("Softplus", 1, 22)
def softplus(node: NodeView, x: Expr) -> Expr:
    """Softplus(X) -> log(exp(x) + 1)."""
    return ops.softplus(x)


@onnx_op("Softsign", 1, 22)
def softsign(node: NodeView, x: Expr) -> Expr:
    """Softsign(X) -> x / (1 + |x|)."""
    return ops.softsign(x)


@onnx_op("Selu", 1, 6, 22)
def selu(node: NodeView, x: Expr) -> Expr:
    """Selu(X; alpha, gamma) -> Y; on the CPU the gradient of MindSpore's own is wrong."""
    alpha, gamma = node.attr("alpha", 1.67326319), node.attr("gamma", 1.05070102)
    return ops.where(x > 0, x, alpha * ops.expm1(ops.minimum(x, 0))) * float(gamma)


@onnx_op("ThresholdedRelu", 10, 22)
def thresholded_relu(node: NodeView, x: Expr) -> Expr:
    """ThresholdedRelu(X; alpha=1) -> x where x > alpha, else 0."""
    return ops.where(x > node.attr("alpha", 1.0), x, ops.zeros_like(x))


@onnx_op("Cast", 1, 6, 9, 13, 19, 21, 23, 24, 25, 28)
def cast(node: NodeView, x: Expr) -> Expr:
    """Cast(input; to) -> output."""
    return converted(node, x)


@onnx_op("CastLike", 15, 19, 21, 23, 24, 25)
def cast_like(node: NodeView, x: Expr, like: Expr) -> Expr:
    """CastLike(input, target_type) -> input in the element type of target_type."""
    return converted(node, x)


def converted(node: NodeView, x: Expr) -> Expr:
    """`x` in the element type of the node's output."""
    dtype = node.out().dtype
    if dtype is None:
        raise node.refuse("the element type of the result is unknown")
    return x.method("astype", dtype_code(dtype))
