"""Activation functions, and dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_type
from ..engine.dtype import DType
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.parameter import assign
from ..engine.primitive import convert
from ..engine.promotion import constant, floating
from ..engine.tensor import Tensor
from ..primitives import activation as a
from .arithmetic import (
    Op,
    abs,
    add,
    clamp,
    div,
    exp,
    greater_equal,
    less,
    maximum,
    mul,
    named,
    neg,
    sub,
    where,
)
from .random import rand
from .registry import op
from .shaping import axis_of, reshape, split

FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16)
COMPLEX = (dtypes.complex64, dtypes.complex128)
SIGNED = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)

Number = int | float


def check_elements(where: str, x: Any, *known: DType) -> None:
    """Raises: TypeError (MS304) unless `x` is a Tensor of one of the element types `known`."""
    check_type(where, "the input", x, Tensor)
    if x.dtype not in known:
        expected = ", ".join(d.name for d in known)
        raise ElementTypeError(where, "does not take such elements", got=x.dtype.name,
                               expected=expected)  # fmt: skip


def elementwise(name: str, function: Callable[[Tensor], Tensor], *known: DType) -> Op:
    """The op `name` of one Tensor, whose element type is one of `known`."""

    def checked(input: Tensor) -> Tensor:
        check_elements(name, input, *known)
        return function(input)

    return named(checked, name)


def floored(primitive: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """As `primitive`; whole numbers are computed in float32, and lose their fraction."""
    return lambda x: convert(primitive(floating(x)), x.dtype)


sigmoid = elementwise("sigmoid", a.sigmoid, *FLOATS, *COMPLEX)
tanh = elementwise("tanh", a.tanh, *FLOATS, *COMPLEX)
hardswish = elementwise("hardswish", floored(a.hard_swish), *FLOATS, *SIGNED)


@op
def softsign(x: Tensor) -> Tensor:
    check_elements("softsign", x, *FLOATS)
    return a.softsign(x)


@op
def mish(x: Tensor) -> Tensor:
    check_elements("mish", x, *FLOATS)
    return a.mish(x)


@op
def selu(input_x: Tensor) -> Tensor:
    check_elements("selu", input_x, *FLOATS, dtypes.int8, dtypes.int32)
    return floored(a.selu)(input_x)


@op
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    check_elements("relu", input, *FLOATS, *dtypes.INTEGERS, dtypes.bool_)
    if input.dtype.numpy.kind in "bu":
        y = input
    else:
        y = maximum(input, 0) if input.dtype is dtypes.int64 else a.relu(input)
    return assign(input, y) if inplace else y


@op
def relu6(x: Tensor) -> Tensor:
    check_elements("relu6", x, *FLOATS)
    return clamp(a.relu(x), None, 6)  # with no gradient at 0, where clamp has one


@op
def softmax(input: Tensor, axis: int = -1, *, dtype: Any = None) -> Tensor:
    check_type("softmax", "axis", axis, int)
    x = input if dtype is None else convert(input, dtype)
    check_elements("softmax", x, *FLOATS)
    return a.softmax(x, axis=axis_of(axis, x.ndim, "softmax"))


@op
def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    check_type("log_softmax", "axis", axis, int)
    check_elements("log_softmax", logits, *FLOATS)
    return a.log_softmax(logits, axis=axis_of(axis, logits.ndim, "log_softmax"))


@op
def softmin(x: Tensor, axis: int = -1, *, dtype: Any = None) -> Tensor:
    return softmax(neg(x), axis, dtype=dtype)


@op
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    check_choice("gelu", "approximate", approximate, ("none", "tanh"))
    check_elements("gelu", input, *FLOATS)
    return a.gelu(input, approximate=approximate)


@op
def fast_gelu(x: Tensor) -> Tensor:
    """x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|))."""
    check_elements("fast_gelu", x, *FLOATS)
    size = abs(x)
    return mul(div(x, add(exp(mul(size, -1.702)), 1)), exp(mul(sub(x, size), 0.851)))


@op
def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    check_type("leaky_relu", "alpha", alpha, float, int)
    check_elements("leaky_relu", input, *FLOATS, *dtypes.INTEGERS, dtypes.bool_)
    return floored(lambda x: a.leaky_relu(x, alpha=float(alpha)))(input)


@op
def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    check_type("elu", "alpha", alpha, float)
    check_elements("elu", input_x, *FLOATS)
    return a.elu(input_x, alpha=alpha)


@op
def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    check_type("celu", "alpha", alpha, float)
    check_elements("celu", x, *FLOATS)
    if alpha == 0:
        raise ShapeError("celu", "alpha must not be 0")
    return a.celu(x, alpha=alpha)


@op
def silu(input: Tensor) -> Tensor:
    return mul(input, sigmoid(input))


@op
def hardsigmoid(input: Tensor) -> Tensor:
    check_elements("hardsigmoid", input, *FLOATS, *SIGNED)
    return convert(a.hard_sigmoid(floating(input), alpha=1 / 6, beta=0.5), input.dtype)


@op
def hardtanh(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0) -> Tensor:
    check_type("hardtanh", "min_val", min_val, int, float)
    check_type("hardtanh", "max_val", max_val, int, float)
    return convert(clamp(input, min_val, max_val), input.dtype)


@op
def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20) -> Tensor:
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x exceeds `threshold`."""
    check_elements("softplus", input, *FLOATS)
    if check_type("softplus", "beta", beta, int, float) == 0:
        raise ShapeError("softplus", "beta must not be 0")
    scaled = mul(input, beta)
    return where(less(threshold, scaled), input, div(a.softplus(scaled), beta))


@op
def softshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    check_elements("softshrink", input, *FLOATS)
    if check_type("softshrink", "lambd", lambd, bool, int, float) < 0:
        raise RuntimeError(f"softshrink: lambd must not be negative, got {lambd}")
    return a.shrink(input, lambd=float(lambd), bias=float(lambd))


@op
def hardshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    check_elements("hardshrink", input, *FLOATS)
    check_type("hardshrink", "lambd", lambd, bool, int, float)
    return a.shrink(input, lambd=float(lambd), bias=0.0)


@op
def tanhshrink(input: Tensor) -> Tensor:
    check_elements("tanhshrink", input, *FLOATS, *dtypes.INTEGERS, *COMPLEX)
    x = floating(input)
    return sub(x, tanh(x))


@op
def logsigmoid(x: Tensor) -> Tensor:
    check_elements("logsigmoid", x, *FLOATS)
    return neg(a.softplus(neg(x)))


@op
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, else weight * x; weight has one element, or one per channel (axis 1)."""
    check_elements("prelu", input, *FLOATS)
    check_type("prelu", "weight", weight, Tensor)
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.ndim > 1 or weight.size not in (1, channels):
        raise ShapeError("prelu", "weight must have one number, or one for each channel",
                         got=str(weight.shape), expected=str(channels))  # fmt: skip
    if weight.size > 1 and input.ndim > 2:
        weight = reshape(weight, (weight.size,) + (1,) * (input.ndim - 2))
    return a.prelu(input, weight)


@op
def rrelu(input: Tensor, lower: Number = 1.0 / 8, upper: Number = 1.0 / 3) -> Tensor:
    """x where positive, else x times a random number from `lower` to `upper`."""
    check_elements("rrelu", input, *FLOATS, dtypes.int32, dtypes.int64)
    for name, bound in (("lower", lower), ("upper", upper)):
        check_type("rrelu", name, bound, int, float)
    if lower > upper:
        raise ShapeError("rrelu", "upper must not be below lower", got=f"{lower}, {upper}")
    slope = add(mul(rand(input.shape), upper - lower), lower)
    return mul(where(less(input, 0), convert(slope, input.dtype), 1), input)


@op
def threshold(input: Tensor, thr: Number, value: Number) -> Tensor:
    check_type("threshold", "input", input, Tensor)
    for name, number in (("thr", thr), ("value", value)):
        check_type("threshold", name, number, int, float)
    filling = constant(value, input.dtype)
    return where(less(thr, input), input, filling)


@op
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """The first half along `axis` times the sigmoid of the second."""
    check_type("glu", "x", x, Tensor)
    check_type("glu", "axis", axis, int)
    size = x.shape[axis_of(axis, x.ndim, "glu")]
    if size % 2:
        raise ShapeError("glu", "there are no two halves", got=str(size))
    first, second = split(x, size // 2, axis)
    return mul(first, sigmoid(second))


@op
def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None
) -> Tensor:
    """In training each element is zero with probability `p`, and the others grow by 1/(1-p)."""
    check_type("dropout", "training", training, bool)
    check_seed(seed)
    if not training or p == 0:
        return input
    check_elements("dropout", input, *FLOATS)
    check_type("dropout", "p", p, float)
    if not 0 <= p < 1:
        raise RuntimeError(f"dropout: p must be in [0, 1), got {p}")
    return mul(input, keeping(input.shape, 1 - p, input.dtype, seed)[1])


def check_seed(seed: int | None) -> None:
    if seed is not None:
        check_int("dropout", "seed", seed)


def keeping(
    shape: tuple[int, ...], keep_prob: float, dtype: DType, seed: int | None = None
) -> tuple[Tensor, Tensor]:
    """What is kept with probability `keep_prob`: a mask, and what to multiply with."""
    kept = greater_equal(rand(tuple(shape), seed=seed), 1 - keep_prob)
    scale = 1 / keep_prob if keep_prob else 0.0
    return kept, mul(convert(kept, dtype), scale)


def dropped_channels(where: str, x: Tensor, p: float, rank: int) -> tuple[Tensor, Tensor]:
    """(n, c, *sizes) without some channels, each with probability `p`, and what is left of them."""
    if not 0 <= p <= 1:
        raise ShapeError(where, "a probability must be in [0, 1]", got=str(p))
    if x.ndim != rank:
        raise ShapeError(where, "wrong number of axes", got=str(x.shape), expected=str(rank))
    kept, scale = keeping((*x.shape[:2], *(1,) * (rank - 2)), 1 - p, dtypes.float32)
    return convert(mul(x, scale), x.dtype), kept


@op
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole rows of (c, l) or (n, c, l) are dropped, the others grow."""
    check_type("dropout1d", "p", p, float)
    check_type("dropout1d", "input", input, Tensor)
    check_type("dropout1d", "training", training, bool)
    if not training:
        return input
    if input.ndim == 2:
        rows = reshape(input, (1, *input.shape))
        return reshape(dropped_channels("dropout1d", rows, p, 3)[0], input.shape)
    return dropped_channels("dropout1d", input, p, 3)[0]


@op
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole channels of (n, c, h, w) are dropped, the others grow."""
    check_type("dropout2d", "training", training, bool)
    check_type("dropout2d", "p", p, float, int)
    return dropped_channels("dropout2d", input, p, 4)[0] if training else input


@op
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole channels of (n, c, d, h, w) are dropped, the others grow."""
    check_type("dropout3d", "training", training, bool)
    check_type("dropout3d", "p", p, float, int)
    return dropped_channels("dropout3d", input, p, 5)[0] if training else input
