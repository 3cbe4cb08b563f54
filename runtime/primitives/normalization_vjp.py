"""Gradients of normalisations."""

from __future__ import annotations

from typing import Any

from ..engine.promotion import constant, in_types_of
from ..engine.tape import is_watched, one_step
from ..engine.tensor import Tensor
from .convolution_vjp import over_channels
from .elementwise import pow, sqrt
from .layer import (
    batch_normalization,
    instance_normalization,
    layer_normalization,
    lrn,
    mean_variance_normalization,
)
from .reduction import lp_normalization, reduce_l1, reduce_l2, reduce_mean
from .shaping import expand, pad, reshape, slice


@layer_normalization.vjp_saving(3)
def layer_normalization_vjp(
    g: Tensor, ys: tuple[Tensor, ...], x: Tensor, w: Tensor, *b: Tensor, axis: int, epsilon: float
) -> list[Tensor]:
    """The saved mean and deviation are not used: they would not be seen at second order."""
    axes = constant(range(axis % x.ndim, x.ndim))
    centred = x - reduce_mean(x, axes)
    inverse = 1 / sqrt(reduce_mean(centred * centred, axes) + epsilon)
    z, d = centred * inverse, g * w
    dx = inverse * (d - reduce_mean(d, axes) - z * reduce_mean(d * z, axes))
    return [dx, g * z, g][: 2 + len(b)]


def per_channel(v: Tensor, x: Tensor) -> Tensor:
    """(c) as (c, 1, ...), to go with x (n, c, ...)."""
    return reshape(v, constant((-1,) + (1,) * (x.ndim - 2)))


@batch_normalization.vjp_all
def batch_normalization_vjp(
    g: Tensor, y: Tensor, x: Tensor, w: Tensor, b: Tensor, mean: Tensor, var: Tensor, *,
    epsilon: float,
) -> list[Tensor]:  # fmt: skip
    """With the statistics as inputs of their own."""
    inverse = 1 / sqrt(var + epsilon)
    dw = over_channels(g * (x - per_channel(mean, x))) * inverse
    db = over_channels(g)
    dx = g * per_channel(w * inverse, x)
    found = (dx, dw, db, -db * w * inverse, dw * w * inverse * inverse * -0.5)
    return in_types_of((x, w, b, mean, var), found)


def affine(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """x * w + b for each channel, in one pass."""
    zeros, ones = (expand(constant(v, x.dtype), constant((x.shape[1],))) for v in (0, 1))
    y: Tensor = batch_normalization(x, w, b, zeros, ones, epsilon=0.0)
    return y


def batch_normalised(x: Tensor, w: Tensor, b: Tensor, epsilon: float) -> tuple[Tensor, ...]:
    """(y, mean, biased variance): BatchNorm in training, its gradient in as few passes as it can.

    dx is an affine function of g and of x: nothing is centred, which would be a pass more.
    """

    def back(g: Tensor, ys: Any, x: Tensor, w: Tensor, b: Tensor) -> list[Tensor]:
        _, mean, var = ys
        inverse, share = 1 / sqrt(var + epsilon), x.shape[1] / x.size
        db = over_channels(g)
        dw, slope = (over_channels(g * x) - mean * db) * inverse, w * inverse
        pull = slope * inverse * dw * share
        dx = affine(g, slope, pull * mean - slope * db * share) + affine(x, -pull, db * 0.0)
        return in_types_of((x, w, b), (dx, dw, db))

    def forward(x: Tensor, w: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        by_primitives = is_watched((x, w, b)) or not x.size
        return (composed_normalisation if by_primitives else normalised_at_once)(x, w, b, epsilon)

    return one_step((x, w, b), forward, back)


def composed_normalisation(x: Tensor, w: Tensor, b: Tensor, epsilon: float) -> tuple[Tensor, ...]:
    """In primitives that have gradients themselves."""
    axes = constant((0, *range(2, x.ndim)))
    mean = reduce_mean(x, axes, keepdims=0)
    centred = affine(x, expand(constant(1, x.dtype), constant(mean.shape)), -mean)
    var = reduce_mean(centred * centred, axes, keepdims=0)
    return batch_normalization(x, w, b, mean, var, epsilon=epsilon), mean, var


def normalised_at_once(x: Tensor, w: Tensor, b: Tensor, epsilon: float) -> tuple[Tensor, ...]:
    """By ONNX's training mode, in which the running statistics become the batch's own.

    ONNX Runtime 1.31 writes them into the arrays that it was given: these are nobody else's.
    """
    axes = [0, *range(2, x.ndim)]
    corner = slice(x, constant([0] * len(axes)), constant([1] * len(axes)), constant(axes))
    spare = reshape(corner, constant((-1,)))
    attrs: dict[str, Any] = {"epsilon": epsilon, "training_mode": 1, "momentum": 0.0}
    found: tuple[Tensor, ...] = batch_normalization(
        x, w, b, spare + 1, spare + 2, outputs=3, **attrs
    )
    return found


@instance_normalization.composed
def instance_normalization_composed(
    x: Tensor, w: Tensor, b: Tensor, *, epsilon: float, outputs: int
) -> Tensor:
    axes = constant(range(2, x.ndim))
    centred = x - reduce_mean(x, axes)
    inverse = 1 / sqrt(reduce_mean(centred * centred, axes) + epsilon)
    return centred * inverse * per_channel(w, x) + per_channel(b, x)


@mean_variance_normalization.composed
def mean_variance_normalization_composed(
    x: Tensor, *, axes: tuple[int, ...], outputs: int
) -> Tensor:
    centred = x - reduce_mean(x, constant(axes))
    return centred / (sqrt(reduce_mean(centred * centred, constant(axes))) + 1e-9)


@lp_normalization.composed
def lp_normalization_composed(x: Tensor, *, axis: int, p: int, outputs: int) -> Tensor:
    return x / (reduce_l1 if p == 1 else reduce_l2)(x, constant((axis,)))


@lrn.composed
def lrn_composed(
    x: Tensor, *, size: int, alpha: float, beta: float, bias: float, outputs: int
) -> Tensor:
    """The window of channels as a sum of slices."""
    before, c = (size - 1) // 2, x.shape[1]
    pads = [0] * 2 * x.ndim
    pads[1], pads[x.ndim + 1] = before, size - 1 - before
    wide: Any = pad(x * x, constant(pads))
    total: Any = 0
    for k in range(size):
        total = slice(wide, constant((k,)), constant((k + c,)), constant((1,))) + total
    return x / pow(total * (alpha / size) + bias, constant(beta, x.dtype))
