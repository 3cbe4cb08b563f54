"""Functions of each element, operators, comparisons, choices."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from ..layers import activation
from ..layers.layer import Array
from .model import every, model


def unary(function: Any) -> Any:
    return lambda x, /: function(np.asarray(x))


def binary(function: Any) -> Any:
    return lambda x, y, /: function(np.asarray(x), np.asarray(y))


every(
    {
        name: unary(function)
        for name, function in {
            **{name: getattr(np, name) for name in ("abs", "sqrt", "square", "exp", "log", "sin")},
            **{name: getattr(np, name) for name in ("cos", "tan", "floor", "ceil", "trunc")},
            **{name: getattr(np, name) for name in ("log2", "log1p", "expm1", "reciprocal")},
            **{name: getattr(np, name) for name in ("sinh", "cosh", "isinf", "isfinite")},
            **{name: getattr(np, f"arc{name[1:]}") for name in ("asin", "acos", "asinh", "acosh")},
            "atanh": np.arctanh,
            "erfc": special.erfc,
            "sinc": np.sinc,
            "round": np.round,
            "sign": np.sign,
            "neg": np.negative,
            "rsqrt": lambda x: 1 / np.sqrt(x),
            "erf": special.erf,
            "tanh": np.tanh,
            "atan": np.arctan,
            "sigmoid": activation.sigmoid,
            "log_sigmoid": lambda x: -activation.softplus(-x),
            "relu": lambda x: np.maximum(x, 0),
            "relu6": lambda x: np.clip(x, 0, 6),
            "silu": lambda x: x * activation.sigmoid(x),
            "mish": lambda x: x * np.tanh(activation.softplus(x)),
            "selu": activation.selu,
            "softsign": lambda x: x / (1 + np.abs(x)),
            "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
            "hard_sigmoid": activation.hard_sigmoid,
            "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
            "hardtanh": lambda x: np.clip(x, -1, 1),
            "identity": lambda x: x,
            "detach": lambda x: x,
            "isnan": np.isnan,
            "invert": lambda x: np.logical_not(x) if x.dtype.kind == "b" else ~x,
        }.items()
    }
)

every(
    {
        name: binary(function)
        for name, function in {
            "mul": np.multiply,
            "floordiv": np.floor_divide,
            "mod": np.mod,
            "pow": np.power,
            "maximum": np.maximum,
            "minimum": np.minimum,
            "atan2": np.arctan2,
            "logaddexp": np.logaddexp,
            "eq": np.equal,
            "ne": np.not_equal,
            "lt": np.less,
            "le": np.less_equal,
            "gt": np.greater,
            "ge": np.greater_equal,
            "and": np.logical_and,
            "or": np.logical_or,
            "xor": np.logical_xor,
        }.items()
    }
)


@model("add")
def add(x: Any, y: Any, /, alpha: float = 1) -> Any:
    return np.asarray(x) + alpha * np.asarray(y)


@model("sub")
def sub(x: Any, y: Any, /, alpha: float = 1) -> Any:
    return np.asarray(x) - alpha * np.asarray(y)


@model("div")
def div(x: Any, y: Any, /, rounding_mode: str | None = None) -> Any:
    found = np.divide(x, y)
    return {None: found, "floor": np.floor(found), "trunc": np.trunc(found)}[rounding_mode]


@model("lerp")
def lerp(x: Any, y: Any, weight: Any, /) -> Any:
    return x + weight * (y - x)


@model("gelu")
def gelu(x: Array, /, approximate: str = "none") -> Array:
    return activation.gelu_by_tanh(x) if approximate == "tanh" else activation.gelu(x)


@model("leaky_relu")
def leaky_relu(x: Array, /, negative_slope: float = 0.01) -> Any:
    return np.where(x >= 0, x, negative_slope * x)


@model("prelu")
def prelu(x: Array, weight: Array, /) -> Any:
    own = weight if weight.size == 1 else weight.reshape(-1, *[1] * (x.ndim - 2))
    return np.where(x >= 0, x, own * x)


@model("elu")
def elu(x: Array, /, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


@model("celu")
def celu(x: Array, /, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


@model("softplus")
def softplus(x: Array, /, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return np.where(x * beta > threshold, x, activation.softplus(x * beta) / beta)


@model("clamp")
def clamp(x: Array, /, min: Any = None, max: Any = None) -> Any:  # the frameworks'
    return x if min is None and max is None else np.clip(x, min, max)


@model("where")
def where(condition: Array, x: Any, y: Any, /) -> Any:
    return np.where(condition, x, y)


@model("masked_fill")
def masked_fill(x: Array, mask: Array, value: Any, /) -> Any:
    return np.where(mask.astype(bool), value, x)


@model("cast")
def cast(x: Array, /, dtype: str = "") -> Any:
    wide = {"float": np.float64, "int": np.int64, "bool": bool}
    for name, kind in wide.items():
        if name in dtype.lower():
            return (np.trunc(x) if name == "int" else x).astype(kind)
    return x
