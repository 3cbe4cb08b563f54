"""Activation functions.

Each function is one ONNX operator; see `primitive.py`.
"""

from __future__ import annotations

import math
from typing import Any

from ..engine.primitive import primitive
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .elementwise import abs, erf, exp, where, zero
from .reduction import reduce_sum


def along(x: Tensor, axis: int) -> Tensor:
    """The sum along `axis`, which stays with size 1."""
    return reduce_sum(x, constant((axis,)))


def gelu_slope(x: Tensor) -> Tensor:
    """The normal distribution's Phi(x) + x * phi(x)."""
    return (erf(x * math.sqrt(0.5)) + 1) * 0.5 + x * exp(x * x * -0.5) / math.sqrt(2 * math.pi)


def tanh_gelu_slope(x: Tensor) -> Tensor:
    factor = math.sqrt(2 / math.pi)
    t = tanh((x * x * x * 0.044715 + x) * factor)
    return (t + 1) * 0.5 + x * (1 - t * t) * (x * x * (3 * 0.044715) + 1) * (factor / 2)


GELU_SLOPES = {"none": gelu_slope, "tanh": tanh_gelu_slope}
"""Derivatives of Gelu, by its attribute `approximate`."""


def mish_slope(x: Tensor, t: Tensor) -> Tensor:
    """t is tanh(softplus(x))."""
    return t + x * (1 - t * t) * sigmoid(x)


@primitive("Celu")
def celu(x: Tensor, *, alpha: float = 1.0) -> Any: ...


@primitive("Elu")
def elu(x: Tensor, *, alpha: float = 1.0) -> Any: ...


@primitive("Gelu")
def gelu(x: Tensor, *, approximate: str = "none") -> Any: ...


@primitive("HardSigmoid")
def hard_sigmoid(x: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Any: ...


@primitive("HardSwish")
def hard_swish(x: Tensor) -> Any: ...


@primitive("Hardmax")
def hardmax(input: Tensor, *, axis: int = -1) -> Any: ...


@primitive("LeakyRelu")
def leaky_relu(x: Tensor, *, alpha: float = 0.01) -> Any: ...


@primitive("LogSoftmax")
def log_softmax(input: Tensor, *, axis: int = -1) -> Any: ...


@primitive("Mish")
def mish(x: Tensor) -> Any: ...


@primitive("PRelu")
def prelu(x: Tensor, slope: Tensor) -> Any: ...


@primitive("Relu")
def relu(x: Tensor) -> Any: ...


@primitive("Selu")
def selu(x: Tensor, *, alpha: float = 1.673263, gamma: float = 1.050701) -> Any: ...


@primitive("Shrink")
def shrink(input: Tensor, *, bias: float = 0.0, lambd: float = 0.5) -> Any: ...


@primitive("Sigmoid")
def sigmoid(x: Tensor) -> Any: ...


@primitive("Softmax")
def softmax(input: Tensor, *, axis: int = -1) -> Any: ...


@primitive("Softplus")
def softplus(x: Tensor) -> Any: ...


@primitive("Softsign")
def softsign(input: Tensor) -> Any: ...


@primitive("Tanh")
def tanh(input: Tensor) -> Any: ...


@primitive("ThresholdedRelu")
def thresholded_relu(x: Tensor, *, alpha: float = 1.0) -> Any: ...


# gradients

celu.vjp(lambda g, y, x, *, alpha: where(x > 0, g, g * (y / alpha + 1)))
elu.vjp(lambda g, y, x, *, alpha: where(x > 0, g, g * (y + alpha)))
gelu.vjp(lambda g, y, x, *, approximate: g * GELU_SLOPES[approximate](x))
hard_sigmoid.vjp(lambda g, y, x, *, alpha: where(y * (1 - y) > 0, g * alpha, zero(g)))
hard_swish.vjp(lambda g, y, x: where(abs(x) < 3, g * (x / 3 + 0.5), where(x > 0, g, zero(g))))
hardmax.vjp(None)
leaky_relu.vjp(lambda g, y, x, *, alpha: where(x > 0, g, g * alpha))
log_softmax.vjp(lambda g, y, x, *, axis: g - exp(y) * along(g, axis))
mish.vjp(lambda g, y, x: g * mish_slope(x, tanh(softplus(x))))
prelu.vjp(
    lambda g, y, x, w: where(x > 0, g, g * w), lambda g, y, x, w: where(x > 0, zero(g), g * x)
)
relu.vjp(lambda g, y, x: where(y > 0, g, zero(g)))
selu.vjp(lambda g, y, x, *, alpha, gamma: where(x > 0, g * gamma, g * (y + gamma * alpha)))
shrink.vjp(lambda g, y, x, *, lambd: where(abs(x) > lambd, g, zero(g)))
sigmoid.vjp(lambda g, y, x: g * y * (1 - y))
softmax.vjp(lambda g, y, x, *, axis: y * (g - along(g * y, axis)))
softplus.vjp(lambda g, y, x: g * sigmoid(x))
softsign.vjp(lambda g, y, x: g / ((abs(x) + 1) * (abs(x) + 1)))
tanh.vjp(lambda g, y, x: g * (1 - y * y))
thresholded_relu.vjp(lambda g, y, x, *, alpha: where(x > alpha, g, zero(g)))
