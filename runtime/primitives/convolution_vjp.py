"""Gradients of Conv and ConvTranspose.

The gradient of the weights is one product of matrices for each element of the kernel: the best of
the variants that docs/design.md compares, but where the images are small beside the weights.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ..engine.promotion import constant
from ..engine.tensor import Tensor, wrap
from .layer import col2im, conv, conv_transpose
from .reduction import gemm, matmul, reduce_sum, turned
from .shaping import concat, pad, reshape, transpose
from .shaping import slice as sliced
from .window import Sizes, Window

FEW = 16
"""Input channels up to which the gradient of the weights is one Conv: the products are thin."""
SMALL = 49
"""Elements of an image up to which all images together are one product: else each reads the weights
anew."""
LARGE = 784
"""Elements of an image from which a depthwise convolution's patches are the output of another."""


def conv_input_vjp(
    g: Tensor, y: Tensor, x: Tensor, w: Tensor, *b: Tensor,
    auto_pad: str, dilations: Any, group: int, pads: Any, strides: Any,
) -> Tensor:  # fmt: skip
    attrs = {"auto_pad": auto_pad, "dilations": dilations, "pads": pads, "strides": strides}
    window = Window.of(x.shape[2:], w.shape[2:], g.shape[2:], attrs)
    return to_input(g, w, window, group, x.shape[2:])


def to_input(g: Tensor, w: Tensor, window: Window, group: int, sizes: Sizes) -> Tensor:
    """ConvTranspose of g to the `sizes` of the input; what no window saw gets zeros.

    Without strides it is a Conv with the weights turned around, which uses all threads.
    """
    flat = len(sizes) == 2 and math.prod(g.shape[2:]) <= SMALL and math.prod(window.kernel) > 1
    if group == 1 and flat and g.shape[0] > 1:
        return to_input_at_once(g, w, window, sizes)
    before, after = opposite(window, window.before), opposite(window, window.after)
    if {*window.strides} == {1} and min(before + after) >= 0 and turns_cheaply(g, w, group, sizes):
        turned_ = channels_first(w) if group == 1 else w
        pads = before + after
        dx: Tensor = conv(g, flipped(turned_), group=group, dilations=window.dilations, pads=pads)
        return dx
    left = window.left_over(sizes, g.shape[2:])
    extra = tuple(min(n, s - 1) for n, s in zip(left, window.strides, strict=True))
    y: Tensor = conv_transpose(g, w, group=group, output_padding=extra, **window.attrs)
    missing = [n - m for n, m in zip(sizes, y.shape[2:], strict=True)]
    if not any(missing):
        return y
    return pad(y, constant([0] * (len(sizes) + 4) + missing))


def opposite(window: Window, pads: Sizes) -> Sizes:
    """The padding of the convolution that goes back."""
    every = zip(window.kernel, window.dilations, pads, strict=True)
    return tuple((k - 1) * d - n for k, d, n in every)


def turns_cheaply(g: Tensor, w: Tensor, group: int, sizes: Sizes) -> bool:
    """Whether turning the weights around costs little, and looks at no more windows than g has."""
    if group > 1:
        return group == w.shape[0] == g.shape[1] and w.shape[1] == 1
    return g.shape[2:] == sizes and (math.prod(w.shape[2:]) == 1 or g.size >= 20 * w.shape[0] ** 2)


def flipped(w: Tensor) -> Tensor:
    """Each kernel of `w` back to front."""
    sizes = w.shape[2:]
    if {*sizes} == {1}:
        return w
    backwards = constant([-1] * len(sizes))
    ends = constant([-n - 1 for n in sizes])
    return sliced(w, backwards, ends, constant(range(2, w.ndim)), backwards)


def to_input_at_once(g: Tensor, w: Tensor, window: Window, sizes: Sizes) -> Tensor:
    """One product for all images, and its columns (c * kernel, n * h * w) put in their places."""
    weights, rows = (reshape(t, constant((w.shape[0], -1))) for t in (w, channels_first(g)))
    columns = gemm(weights, rows, transA=1)
    apart = reshape(columns, constant((columns.shape[0], g.shape[0], -1)))
    blocks = transpose(apart, perm=(1, 0, 2))
    attrs = {k: v for k, v in window.attrs.items() if k in ("dilations", "pads", "strides")}
    placed: Tensor = col2im(blocks, constant(sizes), constant(window.kernel), **attrs)
    return placed


def conv_weight_vjp(
    g: Tensor, y: Tensor, x: Tensor, w: Tensor, *b: Tensor,
    auto_pad: str, dilations: Any, group: int, pads: Any, strides: Any,
) -> Tensor:  # fmt: skip
    attrs = {"auto_pad": auto_pad, "dilations": dilations, "pads": pads, "strides": strides}
    window = Window.of(x.shape[2:], w.shape[2:], g.shape[2:], attrs)
    return to_weight(g, x, window, group, w.shape)


def to_weight(g: Tensor, x: Tensor, window: Window, group: int, shape: Sizes) -> Tensor:
    """The gradient of the weights, in their `shape` (o, c/group, *kernel)."""
    plain = {*window.strides, *window.kernel} == {1} and not any(window.before + window.after)
    if plain and group == 1:
        rows = [reshape(t, constant((*t.shape[:2], -1))) for t in (g, x)]
        product = matmul(rows[0], turned(rows[1]))
        return reshape(reduce_sum(product, constant((0,)), keepdims=0), constant(shape))
    if group == 1 and x.shape[1] <= FEW:
        return as_convolution(g, x, window, shape)
    depthwise = group == g.shape[1] == x.shape[1]
    if depthwise and (math.prod(g.shape[2:]) >= LARGE or max(window.strides) > 1):
        return by_kernels_of_one(g, x, window, shape)
    patches = patches_of(x if depthwise else channels_first(x), window, g.shape[2:])
    if depthwise:
        axes = constant((0, *range(2, x.ndim)))
        parts = [reduce_sum(g * patch, axes, keepdims=0) for patch in patches]
    elif group == 1 and g.shape[0] * math.prod(g.shape[2:]) <= g.shape[1]:
        return as_one_product(channels_first(g), patches, shape)
    else:
        parts = products(channels_first(g), patches, group)
    columns = [reshape(part, constant((*shape[:2], 1))) for part in parts]
    joined = concat(*columns, axis=2) if len(columns) > 1 else columns[0]
    return reshape(joined, constant(shape))


def by_kernels_of_one(g: Tensor, x: Tensor, window: Window, shape: Sizes) -> Tensor:
    """Depthwise: all patches at once, multiplied with g."""
    (n, c), count = g.shape[:2], math.prod(window.kernel)
    patches = reshape(convolved_patches(x, window), constant((n, c, count, -1)))
    found = matmul(reshape(g, constant((n, c, 1, -1))), turned(patches))
    return reshape(reduce_sum(found, constant((0,)), keepdims=0), constant(shape))


def convolved_patches(x: Tensor, window: Window) -> Tensor:
    """(n, c * kernel, ...): a Conv whose kernels have a single one."""
    c, count = x.shape[1], math.prod(window.kernel)
    one = np.eye(count, dtype=x.dtype.numpy).reshape(count, 1, *window.kernel)
    kernels = wrap(np.tile(one, (c, *[1] * (one.ndim - 1))))
    patches: Tensor = conv(x, kernels, group=c, **window.attrs)
    return patches


def as_one_product(g: Tensor, patches: list[Tensor], shape: Sizes) -> Tensor:
    """g (o, n, ...) times all patches (c, n, ...), which give the weights in their order."""
    every = concat(*[reshape(p, constant((p.shape[0], 1, -1))) for p in patches], axis=1)
    columns = reshape(every, constant((shape[1] * len(patches), -1)))
    product = gemm(reshape(g, constant((g.shape[0], -1))), columns, transB=1)
    return reshape(product, constant(shape))


def as_convolution(g: Tensor, x: Tensor, window: Window, shape: Sizes) -> Tensor:
    """One Conv over transposed operands: strides and dilations change places."""
    pads = window.before + window.after
    y = conv(
        channels_first(x), channels_first(g),
        strides=window.dilations, dilations=window.strides, pads=pads,
    )  # fmt: skip
    return channels_first(cropped(y, shape[2:]))


def channels_first(x: Tensor) -> Tensor:
    return transpose(x, perm=(1, 0, *range(2, x.ndim)))


def patches_of(x: Tensor, window: Window, out: Sizes) -> list[Tensor]:
    """For each element of the kernel, what of x (padded) it is multiplied with."""
    count = len(out)
    if any(window.before + window.after):
        x = pad(x, constant((0, 0, *window.before, 0, 0, *window.after)))
    axes, steps = constant(range(2, 2 + count)), constant(window.strides)
    found = []
    for place in itertools.product(*map(range, window.kernel)):
        starts = [k * d for k, d in zip(place, window.dilations, strict=True)]
        every = zip(starts, out, window.strides, strict=True)
        ends = [b + (n - 1) * s + 1 for b, n, s in every]
        found.append(sliced(x, constant(starts), constant(ends), axes, steps))
    return found


def products(g: Tensor, patches: list[Tensor], group: int) -> list[Tensor]:
    """g (o, n, ...) times each patch (c, n, ...) transposed, group by group."""
    if group == 1:
        rows = reshape(g, constant((g.shape[0], -1)))
        return [gemm(rows, reshape(p, constant((p.shape[0], -1))), transB=1) for p in patches]
    rows = reshape(g, constant((group, g.shape[0] // group, -1)))
    split_ = [reshape(p, constant((group, p.shape[0] // group, -1))) for p in patches]
    return [matmul(rows, turned(p)) for p in split_]


def over_channels(g: Tensor) -> Tensor:
    """The gradient of a bias: the sum over all but the channels."""
    return reduce_sum(g, constant((0, *range(2, g.ndim))), keepdims=0)


conv.vjp(conv_input_vjp, conv_weight_vjp, lambda g, y, x, w, b: over_channels(g))


@col2im.vjp
def col2im_vjp(
    g: Tensor, y: Tensor, x: Tensor, image: Tensor, block: Tensor, *,
    dilations: Any, pads: Any, strides: Any,
) -> Tensor:  # fmt: skip
    attrs = {"dilations": dilations, "pads": pads, "strides": strides}
    window = Window.of(g.shape[2:], tuple(block.asnumpy().tolist()), (), attrs)
    return reshape(convolved_patches(g, window), constant(x.shape))


def transposed_window(x: Tensor, y: Tensor, w: Tensor, attrs: dict[str, Any]) -> Window:
    """The window of the convolution whose transpose this is: it goes from y to x."""
    window = Window.of(y.shape[2:], w.shape[2:], x.shape[2:], attrs | {"auto_pad": "NOTSET"})
    if attrs["auto_pad"] == "NOTSET" and attrs["output_shape"] is None:
        return window
    every = zip(window.reach(x.shape[2:]), y.shape[2:], strict=True)
    total = [max(r - n, 0) for r, n in every]
    less, more = tuple(t // 2 for t in total), tuple(t - t // 2 for t in total)
    lower = attrs["auto_pad"] == "SAME_LOWER"
    before, after = (more, less) if lower else (less, more)
    return Window(window.kernel, window.strides, window.dilations, before, after)


@conv_transpose.vjp_all
def conv_transpose_vjp(
    g: Tensor, y: Tensor, x: Tensor, w: Tensor, *b: Tensor,
    auto_pad: str, dilations: Any, group: int, output_shape: Any, pads: Any, strides: Any,
) -> list[Tensor]:  # fmt: skip
    attrs = {"auto_pad": auto_pad, "dilations": dilations, "output_shape": output_shape}
    window = transposed_window(x, y, w, attrs | {"pads": pads, "strides": strides})
    dx = cropped(conv(g, w, group=group, **window.attrs), x.shape[2:])
    found = [dx, to_weight(x, g, window, group, w.shape)]
    return [*found, over_channels(g)] if b else found


def cropped(x: Tensor, sizes: Sizes) -> Tensor:
    """`x` without what output_padding has added."""
    if x.shape[2:] == sizes:
        return x
    count = len(sizes)
    return sliced(x, constant([0] * count), constant(sizes), constant(range(2, 2 + count)))
