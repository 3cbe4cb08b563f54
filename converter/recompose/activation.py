"""Activations."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from ..graph.graph import Node
from .pattern import Clipped, Number, Pattern, Value, either, op, product
from .rule import Match, Rule, rule

x = Value("x")
low, high = Number("low"), Number("high")


def clip(of: Pattern, minimum: float | None, maximum: float | None) -> Pattern:
    return Clipped(of, minimum, maximum)


@rule(either(op.Min(op.Max(x, low), high), op.Max(op.Min(x, high), low)))
def clip_of_min_max(m: Match) -> Node:
    """min(max(x, low), high): both orders agree while low <= high."""
    m.require(m.number("low") <= m.number("high"), "the limits cross")
    return limited(m, m.number("low"), m.number("high"))


@rule(either(op.Min(op.Relu(x), high), Clipped(op.Relu(x), None, 6.0)))
def relu6(m: Match) -> Node:
    """min(relu(x), high)."""
    maximum = m.found.numbers.get("high", 6.0)
    m.require(maximum >= 0, "the upper limit is negative")
    return limited(m, 0.0, maximum)


def limited(m: Match, minimum: float, maximum: float) -> Node:
    dtype = m.dtype(m["x"])
    limits = (("min", minimum), ("max", maximum))
    names = [m.constant(f"{m.out}_{end}", np.array(value, dtype)) for end, value in limits]
    return m.node("Clip", 13, [m["x"], *names])


@rule(either(clip(x, 0.0, None), op.Max(x, Number(value=0.0))))
def relu(m: Match) -> Node:
    """max(x, 0)."""
    m.require(m.dtype(m["x"]).kind in "fV", "it is not floating point")
    return m.node("Relu", 14, [m["x"]])


@rule(op.Max(x, product("alpha", x)))
def leaky_relu(m: Match) -> Node:
    """max(x, alpha * x)."""
    m.require(0 < m.number("alpha") < 1, "the slope is not between 0 and 1")
    return m.node("LeakyRelu", 16, [m["x"]], alpha=m.number("alpha"))


@rule(product(0.5, x, 1 + op.Erf(product(sqrt(0.5), x))))
def gelu_erf(m: Match) -> Node:
    """x / 2 (1 + erf(x / sqrt 2))."""
    return m.node("Gelu", 20, [m["x"]], approximate="none")


cube = either(product(0.044715, x, x, x), product(0.044715, x, x * x), product(0.044715, x**3))
even = either(product(0.044715, x, x), product(0.044715, x * x), product(0.044715, x**2))
SLOPE = sqrt(2 / pi)
inner = either(product(SLOPE, x + cube), product(SLOPE, x, 1 + even))


@rule(product(0.5, x, 1 + op.Tanh(inner)))
def gelu_tanh(m: Match) -> Node:
    """x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))."""
    return m.node("Gelu", 20, [m["x"]], approximate="tanh")


@rule(product(1.0, x, op.Sigmoid(product("alpha", x))))
def swish(m: Match) -> Node:
    """x sigmoid(alpha x): SiLU at alpha 1, quick GELU at 1.702."""
    return m.node("Swish", 24, [m["x"]], alpha=m.number("alpha"))


@rule(op.HardSigmoid(x).named("gate") * x)
def hard_swish_of_hard_sigmoid(m: Match) -> Node:
    """x HardSigmoid(x; 1/6, 1/2)."""
    gate = m.call("gate").attrs
    is_ours = np.isclose(gate.get("alpha", 0.2), 1 / 6, rtol=1e-5) and gate.get("beta", 0.5) == 0.5
    m.require(bool(is_ours), "the slope is not 1/6, or the offset not 1/2")
    return m.node("HardSwish", 14, [m["x"]])


@rule(product(1 / 6, x, clip(x + 3, 0.0, 6.0)))
def hard_swish(m: Match) -> Node:
    """x clip(x + 3, 0, 6) / 6."""
    return m.node("HardSwish", 14, [m["x"]])


@rule(either(product(1 / 6, clip(x + 3, 0.0, 6.0)), clip(product(1 / 6, x) + 0.5, 0.0, 1.0)))
def hard_sigmoid(m: Match) -> Node:
    """clip(x + 3, 0, 6) / 6."""
    return m.node("HardSigmoid", 6, [m["x"]], alpha=1 / 6, beta=0.5)


soft_plus = either(op.Softplus(x), op.Log(1 + op.Exp(x)))


@rule(product(1.0, x, op.Tanh(soft_plus)))
def mish(m: Match) -> Node:
    """x tanh(softplus(x))."""
    return m.node("Mish", 18, [m["x"]])


@rule(op.Log(1 + op.Exp(x)))
def softplus(m: Match) -> Node:
    """log(1 + exp(x))."""
    return m.node("Softplus", 1, [m["x"]])


@rule(op.Where(op.Greater(x, Number("threshold")), x, op.Softplus(x)))
def softplus_with_threshold(m: Match) -> Node:
    """x above the threshold, softplus(x) below: the same while exp(-threshold) is rounded away."""
    is_exact = m.dtype(m["x"]) == np.float32 and m.number("threshold") >= 17
    m.require(is_exact, "the threshold is low enough to be seen")
    return m.node("Softplus", 1, [m["x"]])


@rule(x / (1 + op.Abs(x)))
def softsign(m: Match) -> Node:
    """x / (1 + |x|)."""
    return m.node("Softsign", 1, [m["x"]])


SIMPLE: tuple[Rule, ...] = (clip_of_min_max, relu6, relu)
RULES: tuple[Rule, ...] = (
    gelu_erf,
    gelu_tanh,
    hard_swish,
    hard_swish_of_hard_sigmoid,
    hard_sigmoid,
    mish,
    swish,
    leaky_relu,
    softplus,
    softplus_with_threshold,
    softsign,
)
