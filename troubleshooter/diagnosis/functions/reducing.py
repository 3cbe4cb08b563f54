"""Sums, means, extremes and what is made of them along axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from ..layers.layer import Array
from .model import Axis, model

REDUCTIONS = {"sum": np.sum, "mean": np.mean, "prod": np.prod, "amax": np.max, "amin": np.min}


def reduction(function: Any) -> Any:
    def reduced(x: Array, /, axis: Axis = None, keepdims: bool = False) -> Any:
        return function(x, axis=axis if axis != () else None, keepdims=keepdims)

    return reduced


for _name, _function in REDUCTIONS.items():
    model(_name)(reduction(_function))
for _name, _function in (("max", np.max), ("min", np.min), ("any", np.any), ("all", np.all)):
    model(_name)(reduction(_function))
model("logsumexp")(reduction(special.logsumexp))


def spread(is_root: bool) -> Any:
    def of(x: Array, /, axis: Axis = None, correction: Any = 1, keepdims: bool = False) -> Any:
        ddof = int(correction)
        found = np.var(x, axis=axis, ddof=ddof, keepdims=keepdims)
        return np.sqrt(found) if is_root else found

    return of


model("std")(spread(True))
model("var")(spread(False))


@model("norm")
def norm(x: Array, /, ord: Any = 2, axis: Axis = None, keepdims: bool = False) -> Any:
    power = 2.0 if ord in (None, "fro") else float(ord)
    if np.isinf(power):
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    return (np.abs(x) ** power).sum(axis=axis, keepdims=keepdims) ** (1 / power)


@model("normalize")
def normalize(x: Array, /, p: float = 2.0, axis: int = 1, eps: float = 1e-12) -> Any:
    return x / np.maximum(norm(x, p, axis, keepdims=True), eps)


@model("argmax")
def argmax(x: Array, /, axis: int | None = None, keepdims: bool = False) -> Any:
    return np.argmax(x, axis, keepdims=keepdims)


@model("argmin")
def argmin(x: Array, /, axis: int | None = None, keepdims: bool = False) -> Any:
    return np.argmin(x, axis, keepdims=keepdims)


@model("cumsum")
def cumsum(x: Array, /, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    x = np.flip(x, axis) if reverse else x
    found = np.cumsum(x, axis) - (x if exclusive else 0)
    return np.flip(found, axis) if reverse else found


@model("cumprod")
def cumprod(x: Array, /, axis: int = 0) -> Any:
    return np.cumprod(x, axis)


@model("sort")
def sort(x: Array, /, axis: int = -1, descending: bool = False) -> Any:
    found = np.sort(x, axis)
    return np.flip(found, axis) if descending else found


@model("topk")
def topk(x: Array, /, k: int = 1, axis: int = -1, largest: bool = True) -> Any:
    found = np.sort(x, axis)
    found = np.flip(found, axis) if largest else found
    return np.take(found, np.arange(k), axis)


@model("softmax")
def softmax(x: Array, /, axis: int = -1) -> Any:
    return special.softmax(x, axis)


@model("log_softmax")
def log_softmax(x: Array, /, axis: int = -1) -> Any:
    return special.log_softmax(x, axis)


@model("matmul")
def matmul(x: Array, y: Array, /) -> Any:
    return np.matmul(x, y)


@model("linear")
def linear(x: Array, weight: Array, bias: Any = None, /) -> Any:
    found = x @ weight.T
    return found if bias is None else found + bias


@model("einsum")
def einsum(*operands: Array, equation: str) -> Any:
    return np.einsum(equation, *operands)


@model("outer")
def outer(x: Array, y: Array, /) -> Any:
    return np.outer(x, y)
