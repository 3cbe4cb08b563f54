"""Gradients of activations, of functions of one number, and of losses."""

from __future__ import annotations

from typing import Any, Literal

from .. import ops
from ..engine.tensor import Tensor
from ..primitives import activation as a
from .grad_class import gradient, pulled
from .operation import CLASSES

Reduction = Literal["none", "mean", "sum"]


def of_input(name: str, op: str, *, g_first: bool) -> None:
    """The gradient of an op of one Tensor, from its input; g comes before it or behind."""
    function = getattr(ops, op)

    @gradient(name)
    def made(first: Tensor, second: Tensor) -> Any:
        g, x = (first, second) if g_first else (second, first)
        return pulled(function, (x,), g)


for _name, _op in {
    "ReluGrad": "relu",
    "FastGeLUGrad": "fast_gelu",
    "HSwishGrad": "hardswish",
    "HSigmoidGrad": "hardsigmoid",
    "SiLUGrad": "silu",
    "SoftplusGrad": "softplus",
}.items():
    of_input(_name, _op, g_first=True)
for _name, _op in {
    "AbsGrad": "abs",
    "ACosGrad": "acos",
    "AsinGrad": "asin",
    "AtanGrad": "atan",
}.items():
    of_input(_name, _op, g_first=False)


@gradient("ReLU6Grad")
def relu6_grad(y_backprop: Tensor, x: Tensor) -> Any:
    return ops.where(ops.logical_and(ops.less(0, x), ops.less(x, 6)), y_backprop, 0.0)


@gradient("EluGrad")
def elu_grad(dout: Tensor, out: Tensor) -> Any:
    return ops.where(ops.less(0, out), dout, ops.mul(dout, ops.add(out, 1.0)))


@gradient("SeluGrad")
def selu_grad(gradient: Tensor, result: Tensor) -> Any:
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    slope = ops.where(ops.less(0, result), scale, ops.add(result, scale * alpha))
    return ops.mul(gradient, slope)


@gradient("SigmoidGrad")
def sigmoid_grad(y: Tensor, dy: Tensor) -> Any:
    return ops.mul(dy, ops.mul(y, ops.sub(1.0, y)))


@gradient("TanhGrad")
def tanh_grad(y: Tensor, dy: Tensor) -> Any:
    return ops.mul(dy, ops.sub(1.0, ops.mul(y, y)))


@gradient("SqrtGrad")
def sqrt_grad(dy: Tensor, y: Tensor) -> Any:
    """Here the first is the output, whatever the names say."""
    return ops.div(ops.mul(y, 0.5), dy)


@gradient("RsqrtGrad")
def rsqrt_grad(y_backprop: Tensor, x: Tensor) -> Any:
    """Here the first is the output, whatever the names say."""
    cube = ops.mul(ops.mul(y_backprop, y_backprop), y_backprop)
    return ops.mul(ops.mul(x, cube), -0.5)


def inverse_grad(y: Tensor, dy: Tensor) -> Any:
    return ops.neg(ops.mul(dy, ops.mul(y, y)))


gradient("ReciprocalGrad")(inverse_grad)
gradient("InvGrad")(inverse_grad)


@gradient("AcoshGrad")
def acosh_grad(out: Tensor, dout: Tensor) -> Any:
    return ops.div(dout, ops.sinh(out))


@gradient("AsinhGrad")
def asinh_grad(out: Tensor, dout: Tensor) -> Any:
    return ops.div(dout, ops.cosh(out))


@gradient("SoftmaxGrad")
def softmax_grad(y: Tensor, dy: Tensor) -> Any:
    return ops.mul(y, ops.sub(dy, ops.sum(ops.mul(dy, y), -1, True)))


@gradient("LogSoftmaxGrad")
def log_softmax_grad(logits: Tensor, grad: Tensor, *, axis: Any = -1) -> Any:
    return ops.sub(grad, ops.mul(ops.exp(logits), ops.sum(grad, axis, True)))


@gradient("GeLUGrad")
def gelu_grad(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return pulled(lambda v: ops.gelu(v, "tanh"), (x,), dy)


@gradient("HShrinkGrad")
def hard_shrink_grad(gradients: Tensor, features: Tensor, *, lambd: float | int = 0.5) -> Any:
    return pulled(lambda v: ops.hardshrink(v, lambd), (features,), gradients)


@gradient("SoftShrinkGrad")
def soft_shrink_grad(input_grad: Tensor, input_x: Tensor, *, lambd: float | int = 0.5) -> Any:
    return pulled(lambda v: ops.softshrink(v, lambd), (input_x,), input_grad)


@gradient("LogitGrad")
def logit_grad(grad: Tensor, input: Tensor, *, eps: Any = -1.0) -> Any:
    limit = None if eps < 0 else eps
    return pulled(lambda v: ops.logit(v, limit), (input,), grad)


@gradient("PReLUGrad")
def prelu_grad(dy: Tensor, x: Tensor, weight: Tensor) -> Any:
    return pulled(ops.prelu, (x, weight), dy)


@gradient("GluGrad")
def glu_grad(grads: Tensor, x: Tensor, *, axis: Any) -> Any:
    return pulled(lambda v: ops.glu(v, axis), (x,), grads)


@gradient("BiasAddGrad")
def bias_add_grad(dout: Tensor, *, data_format: Literal["NCHW", "NHWC", "NCDHW"] = "NCHW") -> Any:
    channel = dout.ndim - 1 if data_format == "NHWC" else 1
    return ops.sum(dout, tuple(k for k in range(dout.ndim) if k != channel))


@gradient("DropoutGrad")
def dropout_grad(dy: Tensor, mask: Tensor, *, keep_prob: float = 0.5) -> Any:
    return ops.mul(ops.mul(dy, mask), 1 / keep_prob)


def of_two(name: str) -> None:
    """The gradients of the larger or smaller of two; those that are equal go to the first."""
    chosen = {"MaximumGrad": ops.greater_equal, "MinimumGrad": ops.less_equal}[name]

    @gradient(name)
    def made(
        x1: Tensor, x2: Tensor, grads: Tensor, *, grad_x: Any = True, grad_y: Any = True
    ) -> Any:
        first = chosen(x1, x2)
        return pulled(lambda a, b: ops.where(first, a, b), (x1, x2), grads)


of_two("MaximumGrad")
of_two("MinimumGrad")


# losses


@gradient("SmoothL1LossGrad")
def smooth_l1_loss_grad(
    prediction: Tensor, target: Tensor, dout: Tensor, *, beta: float | int = 1.0,
    reduction: Reduction = "none",
) -> Any:  # fmt: skip
    loss_ = CLASSES["SmoothL1Loss"](beta, reduction)
    return pulled(lambda v: loss_(v, target), (prediction,), dout)


@gradient("SigmoidCrossEntropyWithLogitsGrad")
def sigmoid_cross_entropy_grad(x: Tensor, y: Tensor, dout: Tensor) -> Any:
    return ops.mul(ops.sub(a.sigmoid(x), y), dout)


@gradient("KLDivLossGrad")
def kl_div_grad(
    grad: Tensor, x: Tensor, target: Tensor, *,
    reduction: Literal["none", "mean", "batchmean", "sum"] = "mean",
) -> Any:  # fmt: skip
    return pulled(lambda v: ops.kl_div(v, target, reduction), (x,), grad)


@gradient("BinaryCrossEntropyGrad")
def binary_cross_entropy_grad(
    input: Tensor, target: Tensor, grad_output: Tensor, weight: Tensor | None = None, *,
    reduction: Reduction = "mean",
) -> Any:  # fmt: skip
    entropy = ops.binary_cross_entropy
    return pulled(lambda v: entropy(v, target, weight, reduction), (input,), grad_output)


@gradient("NLLLossGrad")
def nll_loss_grad(
    logits: Tensor, loss_grad: Tensor, labels: Tensor, weight: Tensor, total_weight: Tensor, *,
    reduction: Reduction = "mean", ignore_index: Any = -100,
) -> Any:  # fmt: skip
    nll = ops.nll_loss
    return pulled(lambda v: nll(v, labels, weight, ignore_index, reduction), (logits,), loss_grad)


@gradient("MultiMarginLossGrad")
def multi_margin_grad(
    y_grad: Tensor, x: Tensor, target: Tensor, weight: Tensor | None = None, *, p: int = 1,
    margin: float = 1.0, reduction: Reduction = "mean",
) -> Any:  # fmt: skip
    loss_ = CLASSES["MultiMarginLoss"](p, margin, reduction)
    return pulled(lambda v: loss_(v, target, weight), (x,), y_grad)


@gradient("SoftMarginLossGrad")
def soft_margin_grad(
    predict: Tensor, label: Tensor, dout: Tensor, *, reduction: Reduction = "mean"
) -> Any:
    return pulled(lambda v: ops.soft_margin_loss(v, label, reduction), (predict,), dout)
