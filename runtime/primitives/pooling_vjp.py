"""Gradients of pools."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.promotion import constant
from ..engine.tensor import Tensor, wrap
from .convolution_vjp import to_input
from .elementwise import cast, equal, zero
from .layer import (
    average_pool,
    conv,
    global_average_pool,
    global_max_pool,
    max_pool,
    max_unpool,
)
from .reduction import reduce_sum
from .shaping import expand, gather, reshape, scatter_nd
from .window import Sizes, Window

global_average_pool.vjp(lambda g, y, x: expand(g * (g.size / x.size), constant(x.shape)))


@global_max_pool.vjp
def global_max_pool_vjp(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    chosen = cast(equal(x, y), to=x.dtype.onnx)
    count = reduce_sum(chosen, constant(range(2, x.ndim)))
    return g / count * chosen


@average_pool.vjp
def average_pool_vjp(
    g: Tensor, y: Tensor, x: Tensor, *, kernel_shape: Sizes, count_include_pad: int,
    auto_pad: str, ceil_mode: int, dilations: Any, pads: Any, strides: Any,
) -> Tensor:  # fmt: skip
    """Each window's gradient shared by the elements that it counted."""
    attrs = {"auto_pad": auto_pad, "dilations": dilations, "pads": pads, "strides": strides}
    window = Window.of(x.shape[2:], kernel_shape, g.shape[2:], attrs)
    if is_tiling(window, x.shape[2:]):
        return repeated(g * (1 / math.prod(kernel_shape)), x.shape)
    options = attrs | {"ceil_mode": ceil_mode, "count_include_pad": count_include_pad}
    shares = g * average_weights(x, window, options)
    one = wrap(np.ones((x.shape[1], 1, *kernel_shape), x.content.dtype))
    return to_input(shares, one, fitted(window, x.shape[2:], g.shape[2:]), x.shape[1], x.shape[2:])


def is_tiling(window: Window, sizes: Sizes) -> bool:
    """Whether the windows lie side by side and cover everything."""
    exact = all(n % k == 0 for n, k in zip(sizes, window.kernel, strict=True))
    apart = window.kernel == window.strides and set(window.dilations) == {1}
    return exact and apart and not any(window.before + window.after)


def repeated(g: Tensor, shape: Sizes) -> Tensor:
    """Each element of g repeated over its window."""
    pairs = [(m, n // m) for m, n in zip(g.shape[2:], shape[2:], strict=True)]
    thin = (*g.shape[:2], *[n for m, _ in pairs for n in (m, 1)])
    wide = (*g.shape[:2], *[n for pair in pairs for n in pair])
    return reshape(expand(reshape(g, constant(thin)), constant(wide)), constant(shape))


def average_weights(x: Tensor, window: Window, options: dict[str, Any]) -> Tensor:
    """What each window multiplied its sum with: its mean over ones, and those it counted."""
    whole = math.prod(window.kernel)
    if options["count_include_pad"] and not options["ceil_mode"]:
        return constant(1 / whole, x.dtype)
    ones = wrap(np.ones((1, 1, *x.shape[2:]), x.content.dtype))
    kernel = wrap(np.ones((1, 1, *window.kernel), x.content.dtype))
    means = average_pool(ones, kernel_shape=window.kernel, **options)
    sums = counted(ones, kernel, fitted(window, x.shape[2:], means.shape[2:]))
    weights: Tensor = means / sums
    return weights


def counted(ones: Tensor, kernel: Tensor, window: Window) -> Tensor:
    """How many elements each window sees, without padding."""
    counts: Tensor = conv(ones, kernel, **window.attrs)
    return counts


def fitted(window: Window, sizes: Sizes, out: Sizes) -> Window:
    """`window` with as much padding behind as ceil_mode let it look at."""
    left = window.left_over(sizes, out)
    after = tuple(a - min(n, 0) for a, n in zip(window.after, left, strict=True))
    return Window(window.kernel, window.strides, window.dilations, window.before, after)


@max_unpool.vjp
def max_unpool_vjp(g: Tensor, y: Tensor, x: Tensor, places: Tensor, *shape: Tensor) -> Tensor:
    return gather(reshape(g, constant((-1,))), places)


@max_pool.vjp_saving(2)
def max_pool_vjp(
    g: Tensor, ys: tuple[Tensor, Tensor], x: Tensor, *,
    kernel_shape: Sizes, strides: Sizes | None, dilations: Sizes | None, storage_order: int,
    auto_pad: str, pads: Any,
) -> tuple[Tensor]:  # fmt: skip
    """g at the places of the largest elements; added where windows overlap."""
    attrs = {"auto_pad": auto_pad, "dilations": dilations, "pads": pads, "strides": strides}
    if is_tiling(Window.of(x.shape[2:], kernel_shape, g.shape[2:], attrs), x.shape[2:]):
        return (max_unpool(g, ys[1], kernel_shape=kernel_shape, strides=strides),)
    places = reshape(ys[1], constant((-1, 1)))
    nothing = expand(zero(x), constant((x.size,)))
    added = scatter_nd(nothing, places, reshape(g, constant((-1,))), reduction="add")
    return (reshape(added, constant(x.shape)),)
