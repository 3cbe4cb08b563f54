"""Activation functions, and dropout."""

from __future__ import annotations

from typing import Any

from ..parameter import assign
from ..primitive import convert
from ..primitives import activation as a
from ..tensor import Tensor
from .arithmetic import clamp, div, greater_equal, less, mul, neg, sub, unary, where
from .creation import rand
from .registry import op
from .shaping import reshape, split

Number = int | float

sigmoid = unary(a.sigmoid, "sigmoid")
tanh = unary(a.tanh, "tanh")
softsign = unary(a.softsign, "softsign")
mish = unary(a.mish, "mish")
selu = unary(a.selu, "selu")
hardswish = unary(a.hard_swish, "hardswish")


@op
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    y = a.relu(input)
    return assign(input, y) if inplace else y


@op
def relu6(x: Tensor) -> Tensor:
    return clamp(x, 0, 6)


@op
def softmax(input: Tensor, axis: int = -1, *, dtype: Any = None) -> Tensor:
    return a.softmax(input if dtype is None else convert(input, dtype), axis=axis)


@op
def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    return a.log_softmax(logits, axis=axis)


@op
def softmin(x: Tensor, axis: int = -1, *, dtype: Any = None) -> Tensor:
    return softmax(neg(x), axis, dtype=dtype)


@op
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    return a.gelu(input, approximate=approximate)


@op
def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    return a.leaky_relu(input, alpha=float(alpha))


@op
def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    return a.elu(input_x, alpha=float(alpha))


@op
def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    return a.celu(x, alpha=float(alpha))


@op
def silu(input: Tensor) -> Tensor:
    return mul(input, sigmoid(input))


@op
def hardsigmoid(input: Tensor) -> Tensor:
    return a.hard_sigmoid(input, alpha=1 / 6, beta=0.5)


@op
def hardtanh(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0) -> Tensor:
    return clamp(input, min_val, max_val)


@op
def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20) -> Tensor:
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x exceeds `threshold`."""
    scaled = mul(input, beta)
    return where(less(threshold, scaled), input, div(a.softplus(scaled), beta))


@op
def softshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    return a.shrink(input, lambd=float(lambd), bias=float(lambd))


@op
def hardshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    return a.shrink(input, lambd=float(lambd), bias=0.0)


@op
def tanhshrink(input: Tensor) -> Tensor:
    return sub(input, tanh(input))


@op
def logsigmoid(x: Tensor) -> Tensor:
    return neg(a.softplus(neg(x)))


@op
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, else weight * x; weight has one element, or one per channel (axis 1)."""
    if weight.size > 1 and input.ndim > 2:
        weight = reshape(weight, (weight.size,) + (1,) * (input.ndim - 2))
    return a.prelu(input, weight)


@op
def threshold(input: Tensor, thr: Number, value: Number) -> Tensor:
    return where(less(thr, input), input, value)


@op
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """The first half along `axis` times the sigmoid of the second."""
    first, second = split(x, x.shape[axis] // 2, axis)
    return mul(first, sigmoid(second))


@op
def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None
) -> Tensor:
    """In training each element is zero with probability `p`, and the others grow by 1/(1-p)."""
    if not training or p == 0:
        return input
    kept = greater_equal(rand(*input.shape, seed=seed), p)
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return mul(input, mul(convert(kept, input.dtype), scale))
