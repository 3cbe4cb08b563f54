"""Gradients of normalisations."""

from __future__ import annotations

from typing import Any

from ..promotion import constant
from ..tensor import Tensor
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
from .shaping import pad, reshape, slice


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
    return [dx, dw, db, -db * w * inverse, dw * w * inverse * inverse * -0.5]


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
