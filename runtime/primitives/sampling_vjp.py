"""Gradients of what samples: written once more in gathers and products, which have gradients."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.failure import NoGradientError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .elementwise import abs, add, cast, clip, floor, greater_or_equal, less_or_equal, logical_and
from .elementwise import mod as remainder
from .elementwise import pow as power
from .elementwise import round as rounded
from .layer import average_pool, deform_conv, global_lp_pool, grid_sample, lp_pool
from .linalg import inverse
from .reduction import det, matmul, reduce_sum
from .shaping import (
    compress,
    expand,
    gather,
    gather_elements,
    non_zero,
    reshape,
    split,
    squeeze,
    transpose,
    unsqueeze,
)

Sizes = tuple[int, ...]
Taps = list[tuple[Tensor, Tensor]]
"""Where to look along one axis, and with which weights."""

CUBIC = -0.75
"""What shapes the cubic weights, as in ONNX and PyTorch."""


def shaped(x: Tensor, *sizes: int) -> Tensor:
    return reshape(x, constant(sizes))


@dataclass(frozen=True)
class Axis:
    """One axis of an image: its size, and what is seen beside it.

    `padding`: "zeros", "border" or "reflection", the latter about the outermost pixels' centres
    if `align_corners`, else about their outer edges.
    """

    size: int
    mode: str = "linear"
    padding: str = "zeros"
    align_corners: bool = True

    def place(self, at: Tensor) -> Tensor:
        """Pixels of coordinates in [-1, 1]."""
        if self.align_corners:
            return (at + 1.0) * ((self.size - 1) / 2)
        return (at + 1.0) * (self.size / 2) - 0.5

    def folded(self, at: Tensor) -> Tensor:
        """Inside of the image, by its padding; as it is for zeros."""
        if self.padding == "zeros":
            return at
        if self.padding == "reflection":
            low = 0.0 if self.align_corners else -0.5
            span = float(max(self.size - 1 if self.align_corners else self.size, 1))
            turned = remainder(abs(at - low), constant(2 * span, at.dtype), fmod=1)
            at = span - abs(turned - span) + low
        return clip(at, constant(0, at.dtype), constant(self.size - 1, at.dtype))

    def taps(self, at: Tensor) -> Taps:
        if self.mode == "nearest":
            return [self.tap(rounded(self.folded(at)), None)]
        if self.mode == "linear":
            at = self.folded(at)
            low = floor(at)
            right = at - low
            return [self.tap(low, 1.0 - right), self.tap(low + 1.0, right)]
        low = floor(at)
        weights = cubic_weights(at - low)
        return [self.tap(self.folded(low + float(k - 1)), w) for k, w in enumerate(weights)]

    def tap(self, at: Tensor, weight: Tensor | None) -> tuple[Tensor, Tensor]:
        """Pixels beside the image count nothing."""
        last = constant(self.size - 1, at.dtype)
        zero = constant(0, at.dtype)
        inside = cast(
            logical_and(greater_or_equal(at, zero), less_or_equal(at, last)), to=at.dtype.onnx
        )
        index = cast(clip(at, zero, last), to=dtypes.int64.onnx)
        return index, inside if weight is None else inside * weight


def cubic_weights(t: Tensor) -> list[Tensor]:
    """Of the four pixels around a place, t behind the second."""

    def near(d: Tensor) -> Tensor:
        return ((CUBIC + 2) * d - (CUBIC + 3)) * d * d + 1.0

    def far(d: Tensor) -> Tensor:
        return ((d - 5.0) * d + 8.0) * d * CUBIC - 4 * CUBIC

    return [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]


def sampled(x: Tensor, places: list[Taps]) -> Tensor:
    """x (n, c, *sizes) at places (n, m) of each axis -> (n, c, m)."""
    n, c, *sizes = x.shape
    flat = shaped(x, n, c, math.prod(sizes))
    steps = [math.prod(sizes[k + 1 :]) for k in range(len(sizes))]
    total: Any = None
    for chosen in itertools.product(*places):
        index: Any = sum(at * step for (at, _), step in zip(chosen, steps, strict=True))
        weight: Any = math.prod(w for _, w in chosen)
        m = index.shape[-1]
        at = expand(shaped(index, n, 1, m), constant((n, c, m)))
        part = gather_elements(flat, at, axis=2) * shaped(weight, n, 1, m)
        total = part if total is None else add(total, part)
    result: Tensor = total
    return result


@grid_sample.composed
def grid_sample_composed(
    x: Tensor, grid: Tensor, *, align_corners: int, mode: str, padding_mode: str, outputs: int
) -> Tensor:
    n, *out, count = grid.shape
    flat = shaped(grid, n, math.prod(out), count)
    parts = split(flat, constant((1,) * count), axis=2, outputs=count)
    axes = [Axis(size, mode, padding_mode, bool(align_corners)) for size in x.shape[2:]]
    ats = [squeeze(part, constant((2,))) for part in reversed(parts)]
    places = [axis.taps(axis.place(at)) for axis, at in zip(axes, ats, strict=True)]
    return shaped(sampled(x, places), n, x.shape[1], *out)


@deform_conv.composed
def deform_conv_composed(
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    *,
    offset_group: int,
    group: int,
    outputs: int,
    **attrs: Any,
) -> Tensor:
    """The kernel's pixels, moved by `offset`, as columns; then one product for each group."""
    n, o, kernel, out = x.shape[0], w.shape[0], w.shape[2:], offset.shape[2:]
    columns = moved_columns(x, offset, kernel, offset_group, attrs)
    if mask is not None:
        columns = columns * shaped(mask, n * offset_group, 1, -1)
    height = w.shape[1] * math.prod(kernel)
    columns = shaped(columns, n, group, height, math.prod(out))
    y = shaped(matmul(shaped(w, 1, group, o // group, height), columns), n, o, *out)
    return y if b is None else y + shaped(b, 1, o, 1, 1)


def moved_columns(
    x: Tensor, offset: Tensor, kernel: Sizes, groups: int, attrs: dict[str, Any]
) -> Tensor:
    """(n * groups, c / groups, kernel elements * places): what each element of the kernel sees."""
    images, out = x.shape[0] * groups, offset.shape[2:]
    count = math.prod(kernel)
    moves = shaped(offset, images, count, 2, math.prod(out))
    steps = split(moves, constant((1, 1)), axis=2, outputs=2)
    places = [
        Axis(size).taps(shaped(step, images, -1) + constant(base.reshape(1, -1), x.dtype))
        for size, step, base in zip(x.shape[2:], steps, bases(kernel, out, attrs), strict=True)
    ]
    return sampled(shaped(x, images, x.shape[1] // groups, *x.shape[2:]), places)


def bases(kernel: Sizes, out: Sizes, attrs: dict[str, Any]) -> list[np.ndarray[Any, Any]]:
    """Where each of the kernel's elements looks before it is moved, for each axis."""
    given = {k: v for k, v in attrs.items() if v is not None}
    strides, dilations = (given.get(name, (1, 1)) for name in ("strides", "dilations"))
    before = given.get("pads", (0, 0, 0, 0))[:2]
    rows = [
        np.arange(k)[:, None] * d + np.arange(m)[None] * s - p
        for k, m, s, d, p in zip(kernel, out, strides, dilations, before, strict=True)
    ]
    shape = (kernel[0], kernel[1], out[0], out[1])
    ys, xs = rows[0][:, None, :, None], rows[1][None, :, None, :]
    return [np.broadcast_to(part, shape) for part in (ys, xs)]


@global_lp_pool.composed
def global_lp_pool_composed(x: Tensor, *, p: int, outputs: int) -> Tensor:
    powers = power(abs(x), constant(p, x.dtype))
    return power(reduce_sum(powers, constant(range(2, x.ndim))), constant(1 / p, x.dtype))


@lp_pool.composed
def lp_pool_composed(
    x: Tensor, *, kernel_shape: Sizes, p: int, ceil_mode: int, outputs: int, **attrs: Any
) -> Tensor:
    """Raises: MS307 with ceil_mode, where windows reach over the padding."""
    if ceil_mode:
        raise NoGradientError("LpPool", "its gradient with ceil_mode is not known")
    powers = power(abs(x), constant(p, x.dtype))
    means = average_pool(powers, kernel_shape=kernel_shape, count_include_pad=1, **attrs)
    return power(means * float(math.prod(kernel_shape)), constant(1 / p, x.dtype))


@compress.composed
def compress_composed(x: Tensor, condition: Tensor, *, axis: int | None, outputs: int) -> Tensor:
    places = squeeze(non_zero(condition), constant((0,)))
    if axis is None:
        return gather(shaped(x, -1), places, axis=0)
    return gather(x, places, axis=axis)


@det.vjp
def det_vjp(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    order = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    return unsqueeze(g * y, constant((-2, -1))) * transpose(inverse(x), perm=order)
