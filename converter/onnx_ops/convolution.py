"""Convolutions and pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..code.expr import Cell, Code, Constant, Expr, Weight, helper, ops
from ..code.layers import nn
from .registry import NodeView, dtype_code, onnx_op, same

AUTO_PADS = {name: name for name in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")}


def sides(node: NodeView, kernel: list[int], index: int = 0) -> list[tuple[int, int]]:
    """Padding (before, after) per spatial axis, `auto_pad` resolved against the static shape."""
    n = len(kernel)
    mode = node.choice("auto_pad", "NOTSET", AUTO_PADS)
    if mode == "VALID":
        return [(0, 0)] * n
    if mode == "NOTSET":
        pads = node.attr("pads", [0] * 2 * n)
        return list(zip(pads[:n], pads[n:], strict=True))
    strides, dilations = node.attr("strides", [1] * n), node.attr("dilations", [1] * n)
    sizes = [d for d in node.shape(index)[2:] if isinstance(d, int)]
    if len(sizes) < n:
        raise node.refuse(f"auto_pad={mode} of unknown sizes", advice="give --shape")
    pairs = []
    for size, k, s, d in zip(sizes, kernel, strides, dilations, strict=True):
        total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
        low = total // 2 if mode == "SAME_UPPER" else total - total // 2
        pairs.append((low, total - low))
    return pairs


def padding(pairs: list[tuple[int, int]]) -> dict[str, Any]:
    """The keywords pad_mode and padding of a convolution for (before, after) per axis."""
    flat = [side for pair in pairs for side in pair]
    if not any(flat):
        return {"pad_mode": "valid"}
    return {"pad_mode": "pad", "padding": same(flat)}


def sliding(node: NodeView, kernel: list[int]) -> dict[str, Any]:
    """The keywords of a convolution that say how its kernel moves."""
    ones = [1] * len(kernel)
    stride, dilation = node.attr("strides", ones), node.attr("dilations", ones)
    return {"stride": same(stride), **padding(sides(node, kernel)), "dilation": same(dilation)}


def slid(node: NodeView, x: Expr, kernel: list[int]) -> tuple[Expr, dict[str, Any]]:
    """`x` and how a kernel moves over it: padded before where the layer takes one number only."""
    moves, pairs = sliding(node, kernel), sides(node, kernel)
    flat = {side for pair in pairs for side in pair}
    as_layer = len(kernel) > 1 and node.array(1) is not None
    if len(flat) == 1 or as_layer:
        return x, moves
    moves.pop("padding", None)
    return padded(x, node, kernel, 0.0), {**moves, "pad_mode": "valid"}


def weights_of(node: NodeView, w: Constant, b: Expr | None) -> dict[str, Weight | None]:
    """Weight and bias of a convolution; a 1-D kernel gets the axis that MindSpore's layer has."""
    if b is not None and not isinstance(b, Constant):
        raise node.refuse("the bias is computed by the graph", expected="a constant bias")
    array = w.weight.array
    flat = (
        node.weight(w, array[:, :, None], "expand_dims(2)") if array.ndim == 3 else node.weight(w)
    )
    return {"weight": flat, "bias": None if b is None else node.weight(b)}


@onnx_op("Conv", 1, 11, 22)
def conv(node: NodeView, x: Expr, w: Expr, b: Expr | None = None) -> Expr:
    """Conv(X, W, B) -> Y: (n, c, *) with W (o, c / group, *kernel)."""
    if not isinstance(w, Constant):
        return computed_conv(node, x, w, b)
    out_channels, per_group, *kernel = w.weight.array.shape
    group = node.attr("group", 1)
    x, moves = slid(node, x, kernel)
    options = {**moves, "group": group, "has_bias": b is not None}
    layer = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[len(kernel) - 1]
    weights = weights_of(node, w, b)
    return layer(per_group * group, out_channels, same(kernel), **options, weights=weights)(x)


def computed_conv(node: NodeView, x: Expr, w: Expr, b: Expr | None) -> Expr:
    """A convolution whose kernel is itself computed by the graph."""
    kernel = list(node.attr("kernel_shape") or node.static_shape(1, 2))
    function = (ops.conv1d, ops.conv2d, ops.conv3d)[len(kernel) - 1]
    x, moves = slid(node, x, kernel)
    return function(x, w, b, **moves, groups=node.attr("group", 1))


@onnx_op("ConvTranspose", 1, 11, 22)
def conv_transpose(node: NodeView, x: Expr, w: Expr, b: Expr | None = None) -> Expr:
    """ConvTranspose(X, W, B) -> Y: W (c, o / group, *kernel)."""
    if not isinstance(w, Constant):
        return computed_conv_transpose(node, x, w, b)
    in_channels, per_group, *kernel = w.weight.array.shape
    flat, held = len(kernel) == 1, weights_of(node, w, b)
    pads, extra = less_cut(*transposed_sides(node, kernel))
    if any(extra) and b is not None:
        raise node.refuse("output_padding beyond the kernel's reach, with a bias")
    stride, dilation = (node.attr(n, [1] * len(kernel)) for n in ("strides", "dilations"))
    if flat and (any(extra) or pads[0][0] != pads[0][1]):  # the 1-D layer cannot say these
        kernel, stride, dilation, extra = [1, *kernel], [1, *stride], [1, *dilation], [0, *extra]
        y = transposed(node, (in_channels, per_group, kernel), (stride, dilation), held)
        return y([(0, 0), *pads], extra)(ops.expand_dims(x, 2)).method("squeeze", 2)
    y = transposed(node, (in_channels, per_group, kernel), (stride, dilation), held)
    return y(pads, extra)(x)


Pairs = list[tuple[int, int]]


def computed_conv_transpose(node: NodeView, x: Expr, w: Expr, b: Expr | None) -> Expr:
    """The same with a kernel that the graph computes: a convolution between zeros."""
    kernel = list(node.attr("kernel_shape") or node.static_shape(1, 2))
    n = len(kernel)
    stride, dilation = (node.attr(name, [1] * n) for name in ("strides", "dilations"))
    pairs, extra = transposed_sides(node, kernel)
    reach = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    sides = [
        (r - low, r - high + more) for r, (low, high), more in zip(reach, pairs, extra, strict=True)
    ]
    pads = tuple(max(side, 0) for pair in reversed(sides) for side in pair)
    cuts = tuple((max(-low, 0), max(-high, 0)) for low, high in sides)
    moves = (tuple(stride), same(dilation), pads, cuts, node.attr("group", 1))
    return helper.onnx_conv_transpose(x, w, b, Code(f"ops.conv{n}d"), *moves)


def transposed(
    node: NodeView,
    sizes: tuple[int, int, list[int]],
    moves: tuple[list[int], list[int]],
    held: dict[str, Weight | None],
) -> Callable[[Pairs, list[int]], Cell]:
    """The layer, once its padding is known."""
    in_channels, per_group, kernel = sizes
    group, layers = node.attr("group", 1), (nn.Conv1dTranspose, nn.Conv2dTranspose)

    def build(pads: Pairs, extra: list[int]) -> Cell:
        options = padding(pads)
        if any(extra):
            options = {"pad_mode": "pad", "padding": options.get("padding", 0)}
            options["output_padding"] = same(extra)
        options |= {"stride": same(moves[0]), "dilation": same(moves[1]), "group": group}
        layer = (*layers, nn.Conv3dTranspose)[len(kernel) - 1]
        options["has_bias"] = held["bias"] is not None
        return layer(in_channels, per_group * group, same(kernel), **options, weights=held)

    return build


def less_cut(pads: Pairs, extra: list[int]) -> tuple[Pairs, list[int]]:
    """ONNX's output_padding as less cut from the end: MindSpore's only appends zeros."""
    kept = [min(high, more) for (_, high), more in zip(pads, extra, strict=True)]
    pairs = [(low, high - n) for (low, high), n in zip(pads, kept, strict=True)]
    return pairs, [more - n for more, n in zip(extra, kept, strict=True)]


def transposed_sides(node: NodeView, kernel: list[int]) -> tuple[Pairs, list[int]]:
    """(before, after) cut from each axis of the result, and what is added at its end."""
    n, mode = len(kernel), node.attr("auto_pad", "NOTSET")
    extra = list(node.attr("output_padding", [0] * n))
    wanted = node.attr("output_shape")
    if wanted is None and mode not in ("SAME_UPPER", "SAME_LOWER"):
        return sides(node, kernel), extra
    strides, dilations = (node.attr(name, [1] * n) for name in ("strides", "dilations"))
    pairs = []
    for i, size in enumerate(node.static_shape(start=2)):
        out = size * strides[i] if wanted is None else wanted[-n:][i]
        full = strides[i] * (size - 1) + extra[i] + (kernel[i] - 1) * dilations[i] + 1
        total = max(full - out, 0)
        extra[i] += max(out - full, 0)
        low = total // 2 if mode == "SAME_UPPER" else total - total // 2
        pairs.append((low, total - low))
    return pairs, extra


def pool_padding(node: NodeView, kernel: list[int]) -> dict[str, Any] | None:
    """pad_mode, padding and ceil_mode of a pooling layer; None if only an explicit pad says it."""
    pairs, n = sides(node, kernel), len(kernel)
    ceil = bool(node.attr("ceil_mode", 0))
    if not any(side for pair in pairs for side in pair):
        return {"pad_mode": "pad", "ceil_mode": True} if ceil else {"pad_mode": "valid"}
    if all(low == high for low, high in pairs):
        return {"pad_mode": "pad", "padding": same([p for p, _ in pairs]), "ceil_mode": ceil}
    shape, strides = node.shape()[2:], node.attr("strides", [1] * n)
    if ceil or not all(isinstance(size, int) for size in shape):
        return None
    total = [
        max((-(-int(size or 0) // s) - 1) * s + k - int(size or 0), 0)
        for size, k, s in zip(shape, kernel, strides, strict=True)
    ]
    upper = all(
        (low, high) == (t // 2, t - t // 2) for (low, high), t in zip(pairs, total, strict=True)
    )
    return {"pad_mode": "same"} if upper else None


def padded(x: Expr, node: NodeView, kernel: list[int], value: float) -> Expr:
    """`x` padded explicitly on its spatial axes, as no pooling layer can say it."""
    flat = tuple(side for pair in reversed(sides(node, kernel)) for side in pair)
    return ops.pad(x, flat, mode="constant", value=value)


@onnx_op("MaxPool", 1, 8, 10, 11, 12, 22)
def max_pool(node: NodeView, x: Expr) -> Expr | tuple[Expr, ...]:
    """MaxPool(X) -> Y[, Indices]; the kernel slides over the axes after (n, c)."""
    kernel = list(node.attr("kernel_shape"))
    if node.wants(1):
        return indexed_max_pool(node, x, kernel)
    dtype = node.type().dtype
    if dtype is not None and dtype.kind in "iu":  # MindSpore pads integers as if they were floats
        pooled = max_pool_layer(node, x.method("astype", Code("ms.float32")), kernel)
        return pooled.method("astype", dtype_code(dtype))
    return max_pool_layer(node, x, kernel)


def max_pool_layer(node: NodeView, x: Expr, kernel: list[int]) -> Expr:
    """The layer that pools, and the padding before it where a layer has none such."""
    options, dilations = pool_padding(node, kernel), node.attr("dilations", [1] * len(kernel))
    if options is None:
        x, options = padded(x, node, kernel, lowest(node)), {}
    if any(size != 1 for size in dilations) and options.get("pad_mode") != "pad":
        options = {"pad_mode": "pad"}
    layer = (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d)[len(kernel) - 1]
    strides = same(node.attr("strides", [1] * len(kernel)))
    return layer(same(kernel), strides, **options, dilation=same(dilations))(x)


def indexed_max_pool(node: NodeView, x: Expr, kernel: list[int]) -> tuple[Expr, ...]:
    """The maxima and where they stand in the whole tensor."""
    if node.attr("storage_order", 0):
        raise node.refuse("indices by columns", got="storage_order=1", expected="0")
    n, out = len(kernel), node.out().shape or ()
    strides, dilations = (node.attr(name, [1] * n) for name in ("strides", "dilations"))
    sizes = tuple(d for d in out[2:] if isinstance(d, int))
    if len(sizes) != n:
        raise node.refuse("a dynamic output size", advice="give --shape")
    start = tuple(low for low, _ in sides(node, kernel))
    moves = (tuple(kernel), tuple(strides), tuple(dilations), start, sizes)
    found = helper.onnx_indexed_max_pool(x, *moves)
    return found[0], found[1]


@onnx_op("MaxUnpool", 9, 11, 22)
def max_unpool(node: NodeView, x: Expr, indices: Expr, shape: Expr | None = None) -> Expr:
    """MaxUnpool(X, I, output_shape) -> output: zeros, X at its indices in the whole tensor."""
    kernel = list(node.attr("kernel_shape"))
    strides = node.attr("strides", [1] * len(kernel))
    pairs = zip(node.static_shape(start=2), kernel, strides, sides(node, kernel), strict=True)
    sizes = [(d - 1) * s + k - sum(pads) for d, k, s, pads in pairs]
    small = (*node.static_shape()[:2], *sizes)
    full = tuple(int(d) for d in node.constant(2, "the shape")) if node.has(2) else small
    return helper.onnx_max_unpool(x, indices, small, full)


def lowest(node: NodeView) -> float:
    """What never is the maximum."""
    dtype = node.type().dtype
    return float("-inf") if dtype is None or dtype.kind == "f" else int(np.iinfo(dtype).min)


@onnx_op("AveragePool", 1, 7, 10, 11, 19, 22)
def average_pool(node: NodeView, x: Expr) -> Expr:
    """AveragePool(X) -> Y; padding counts only with count_include_pad."""
    kernel = list(node.attr("kernel_shape"))
    include = bool(node.attr("count_include_pad", 0))
    options = pool_padding(node, kernel)
    strides = node.attr("strides", [1] * len(kernel))
    if options is None or not plain_average(node, kernel):
        return windows(node, x, kernel, helper.onnx_average_pool, (hanging(node, kernel), include))
    layer = (nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d)[len(kernel) - 1]
    counts = include or not options.get("padding")
    return layer(same(kernel), same(strides), **options, count_include_pad=counts)(x)


def plain_average(node: NodeView, kernel: list[int]) -> bool:
    """Whether MindSpore's layer says it: no dilation, no overhang, little padding."""
    n = len(kernel)
    if any(size != 1 for size in node.attr("dilations", [1] * n)) or any(hanging(node, kernel)):
        return False
    pads = sides(node, kernel)
    return all(low == high and 2 * low <= k for (low, high), k in zip(pads, kernel, strict=True))


def windows(
    node: NodeView, x: Expr, kernel: list[int], function: Callable[..., Expr], rest: tuple[Any, ...]
) -> Expr:
    """A pool that is written out with a convolution; `rest` are its last arguments."""
    n = len(kernel)
    pads = tuple(side for pair in reversed(sides(node, kernel)) for side in pair)
    strides, dilations = (node.attr(name, [1] * n) for name in ("strides", "dilations"))
    moves = (same(strides), same(dilations))
    y: Expr = function(x, Code(f"ops.conv{n}d"), tuple(kernel), *moves, pads, *rest)
    return y


def hanging(node: NodeView, kernel: list[int]) -> tuple[int, ...]:
    """How far the last window reaches past the padded input (ceil_mode), as ops.pad takes it."""
    if not node.attr("ceil_mode", 0):
        return (0, 0) * len(kernel)
    shape, out, n = node.static_shape(start=2), node.out().shape or (), len(kernel)
    strides, dilations = (node.attr(name, [1] * n) for name in ("strides", "dilations"))
    over = []
    for i, pair in enumerate(sides(node, kernel)):
        reach = (int(out[i + 2] or 0) - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1
        over.append(max(reach - shape[i] - sum(pair), 0))
    return tuple(side for size in reversed(over) for side in (0, size))


@onnx_op("LpPool", 1, 2, 11, 18, 22)
def lp_pool(node: NodeView, x: Expr) -> Expr:
    """LpPool(X; p=2) -> the p-norm of each window."""
    kernel = list(node.attr("kernel_shape"))
    p = float(node.attr("p", 2))
    if any(hanging(node, kernel)):
        raise node.refuse("ceil_mode", advice="pad before the pool")
    return windows(node, x, kernel, helper.onnx_lp_pool, (p,))


@onnx_op("GlobalLpPool", 1, 2, 22)
def global_lp_pool(node: NodeView, x: Expr) -> Expr:
    """GlobalLpPool(X; p=2) -> the p-norm over every axis after (n, c)."""
    p = int(node.attr("p", 2))
    axes = tuple(range(2, node.rank()))
    if p == 1:
        return ops.sum(ops.abs(x), axes, keepdim=True)
    if p == 2:
        return ops.sqrt(ops.sum(x * x, axes, keepdim=True))
    total: Expr = ops.sum(ops.abs(x) ** float(p), axes, keepdim=True)
    return total ** (1 / p)


@onnx_op("GlobalAveragePool", 1, 22)
def global_average_pool(node: NodeView, x: Expr) -> Expr:
    """GlobalAveragePool(X) -> Y: the mean over every axis after (n, c)."""
    return ops.mean(x, tuple(range(2, node.rank())), keep_dims=True)


@onnx_op("GlobalMaxPool", 1, 22)
def global_max_pool(node: NodeView, x: Expr) -> Expr:
    """GlobalMaxPool(X) -> Y: the maximum over every axis after (n, c)."""
    return ops.amax(x, tuple(range(2, node.rank())), keepdims=True)


@onnx_op("LRN", 1, 13)
def lrn(node: NodeView, x: Expr) -> Expr:
    """LRN(X; size) -> Y: ONNX divides alpha by size, MindSpore does not."""
    size = node.attr("size")
    if size % 2 == 0:
        raise node.refuse("an even size", got=str(size), expected="an odd size")
    alpha, bias = node.attr("alpha", 1e-4) / size, node.attr("bias", 1.0)
    beta = node.attr("beta", 0.75)
    if size == 5 and beta == 0.75:
        beta = 0.7500001
        node.remarks.append(
            "LRN's beta 0.75 is written 0.7500001: MindSpore 2.10's CPU kernel "
            "fails with exactly 0.75 over 5 channels"
        )
    return nn.LRN(depth_radius=size // 2, bias=bias, alpha=alpha, beta=beta)(x)
