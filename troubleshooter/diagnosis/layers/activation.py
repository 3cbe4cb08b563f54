"""Activations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from .layer import Array, Layer, Outputs, along


def sigmoid(x: Array) -> Array:
    return np.asarray(special.expit(x))


def softplus(x: Array) -> Array:
    return np.logaddexp(0.0, x)


def hard_sigmoid(x: Array) -> Array:
    return np.clip(x / 6 + 0.5, 0.0, 1.0)


def selu(x: Array) -> Array:
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    return np.asarray(scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0.0))))


def gelu(x: Array) -> Array:
    return np.asarray(x * special.ndtr(x))


def gelu_by_tanh(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "ReLU": lambda x: np.maximum(x, 0.0),
    "ReLU6": lambda x: np.clip(x, 0.0, 6.0),
    "GELU": gelu,
    "GELU by tanh": gelu_by_tanh,
    "x * sigmoid(1.702 * x)": lambda x: x * sigmoid(1.702 * x),
    "SiLU": lambda x: x * sigmoid(x),
    "Sigmoid": sigmoid,
    "Tanh": np.tanh,
    "Hardswish": lambda x: x * hard_sigmoid(x),
    "Hardsigmoid": hard_sigmoid,
    "Hardsigmoid of slope 0.2": lambda x: np.clip(0.2 * x + 0.5, 0.0, 1.0),
    "Hardtanh": lambda x: np.clip(x, -1.0, 1.0),
    "Mish": lambda x: x * np.tanh(softplus(x)),
    "Softplus": softplus,
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "LogSigmoid": lambda x: -softplus(-x),
    "Tanhshrink": lambda x: x - np.tanh(x),
    "SELU": selu,
    "ELU": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0.0))),
    "Erf": lambda x: np.asarray(special.erf(x)),
    "Exp": np.exp,
    "Abs": np.abs,
    "Neg": np.negative,
    "Identity": lambda x: x,
}
"""Those without settings, by the names that are told."""


@dataclass(frozen=True, eq=False)
class Activation(Layer):
    """One of `FUNCTIONS`, element by element."""

    function: str

    def outputs(self, *inputs: Array) -> Outputs:
        return (FUNCTIONS[self.function](inputs[0]),)


@dataclass(frozen=True, eq=False)
class LeakyReLU(Layer):
    """x, times `slope` where negative."""

    slope: float

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        return (np.where(x >= 0, x, self.slope * x),)


@dataclass(frozen=True, eq=False)
class PReLU(Layer):
    """x, times `weight` where negative; one weight, or one for each channel (axis 1)."""

    weight: Array

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        alone = self.weight.ndim != 1 or self.weight.size == 1 or x.ndim < 2
        slope = self.weight if alone else along(1, x.ndim, self.weight)
        return (np.where(x >= 0, x, slope * x),)


@dataclass(frozen=True, eq=False)
class Elu(Layer):
    """x, or alpha * (exp(x / spread) - 1) where negative; CELU has spread = alpha."""

    alpha: float
    spread: float = 1.0

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        return (np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0.0) / self.spread)),)


@dataclass(frozen=True, eq=False)
class Softplus(Layer):
    """log(1 + exp(beta * x)) / beta, x itself where beta * x exceeds `threshold`."""

    beta: float = 1.0
    threshold: float = 20.0

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        return (np.where(x * self.beta > self.threshold, x, softplus(x * self.beta) / self.beta),)


@dataclass(frozen=True, eq=False)
class Clip(Layer):
    """x between two bounds: Hardtanh, ReLU6."""

    low: float
    high: float

    def outputs(self, *inputs: Array) -> Outputs:
        return (np.clip(inputs[0], self.low, self.high),)


@dataclass(frozen=True, eq=False)
class HardSigmoid(Layer):
    """slope * x + offset between 0 and 1."""

    slope: float
    offset: float

    def outputs(self, *inputs: Array) -> Outputs:
        return (np.clip(self.slope * inputs[0] + self.offset, 0.0, 1.0),)


@dataclass(frozen=True, eq=False)
class Threshold(Layer):
    """x where it exceeds `threshold`, else `value`."""

    threshold: float
    value: float

    def outputs(self, *inputs: Array) -> Outputs:
        return (np.where(inputs[0] > self.threshold, inputs[0], self.value),)


@dataclass(frozen=True, eq=False)
class Shrink(Layer):
    """0 within `bound` of 0; elsewhere x, moved towards 0 by `bias`: Hardshrink, Softshrink."""

    bound: float
    bias: float

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        return (np.where(np.abs(x) > self.bound, x - np.sign(x) * self.bias, 0.0),)


@dataclass(frozen=True, eq=False)
class Softmax(Layer):
    """exp(x) / sum(exp(x)) along `axis`, or its logarithm; of -x if `negative`."""

    axis: int
    log: bool = False
    negative: bool = False

    def outputs(self, *inputs: Array) -> Outputs:
        x = -inputs[0] if self.negative else inputs[0]
        scores = np.asarray(special.log_softmax(x, axis=self.axis))
        return (scores if self.log else np.exp(scores),)


@dataclass(frozen=True, eq=False)
class Glu(Layer):
    """The first half along `axis` times the sigmoid of the second."""

    axis: int

    def outputs(self, *inputs: Array) -> Outputs:
        first, second = np.split(inputs[0], 2, self.axis)
        return (first * sigmoid(second),)
