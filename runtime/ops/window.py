"""Convolution and pooling: ops that look through a window."""

from __future__ import annotations

import math
from typing import Any

from ..failure import ShapeError
from ..primitive import Primitive
from ..primitives import layer as p
from ..tensor import Tensor
from .arithmetic import mul
from .registry import alias, op
from .shaping import concat, expand_dims, split, squeeze


def numbers(value: Any, count: int) -> tuple[int, ...]:
    """One number per axis: `value` repeated if it is a single one."""
    if isinstance(value, int):
        return (value,) * count
    given = tuple(int(v) for v in value)
    return given * count if len(given) == 1 else given


def pads_of(padding: Any, count: int) -> tuple[int, ...]:
    """ONNX's pads (all befores, then all afters) of MindSpore's padding.

    `padding` is one number, one per axis, or two per axis (before, after, before, after, ...).
    """
    sizes = numbers(padding, count)
    if len(sizes) == count:
        return sizes * 2
    if len(sizes) == 2 * count:
        return sizes[::2] + sizes[1::2]
    expected = f"1, {count} or {2 * count}"
    raise ShapeError("padding", "a wrong number of sizes", got=str(sizes), expected=expected)


def padding_attrs(pad_mode: str, padding: Any, count: int) -> dict[str, Any]:
    """ONNX's attributes for MindSpore's pad_mode "same", "valid" or "pad"."""
    if pad_mode == "same":
        return {"auto_pad": "SAME_UPPER"}
    if pad_mode not in ("valid", "pad"):
        raise ShapeError("pad_mode", "must be 'same', 'valid' or 'pad'", got=repr(pad_mode))
    return {"pads": pads_of(padding if pad_mode == "pad" else 0, count)}


def same_pads(
    sizes: tuple[int, ...], kernel: tuple[int, ...], strides: tuple[int, ...], attrs: dict[str, Any]
) -> dict[str, Any]:
    """Explicit pads for "same": ONNX Runtime has none for dilated kernels."""
    windows = zip(sizes, kernel, strides, attrs["dilations"], strict=True)
    total = [max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0) for n, k, s, d in windows]
    return {
        "auto_pad": "NOTSET",
        "pads": tuple(t // 2 for t in total) + tuple(t - t // 2 for t in total),
    }


def convolution(
    x: Tensor, weight: Tensor, bias: Tensor | None, attrs: dict[str, Any], stride: Any
) -> Tensor:
    """Conv over the axes behind the second; without a batch axis if `x` has one axis less."""
    count = weight.ndim - 2
    batched = x if x.ndim == weight.ndim else expand_dims(x, 0)
    kernel = weight.shape[2:]
    if "auto_pad" in attrs and set(attrs["dilations"]) != {1}:
        attrs = attrs | same_pads(batched.shape[2:], kernel, numbers(stride, count), attrs)
    y: Tensor = p.conv(
        batched, weight, bias, kernel_shape=kernel, strides=numbers(stride, count), **attrs
    )
    return y if batched is x else squeeze(y, 0)


def conv(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """input (n, c, *sizes), weight (o, c/groups, *kernel) -> (n, o, *sizes')."""
    count = weight.ndim - 2
    attrs = padding_attrs(pad_mode, padding, count)
    attrs |= {"dilations": numbers(dilation, count), "group": groups}
    return convolution(input, weight, bias, attrs, stride)


conv1d = alias("conv1d", conv)
conv2d = alias("conv2d", conv)
conv3d = alias("conv3d", conv)


def pooled(
    primitive: Primitive, x: Tensor, kernel: Any, stride: Any, attrs: dict[str, Any], count: int
) -> Tensor:
    """A pool over the last `count` axes; without a batch axis if `x` has one axis less."""
    batched = x if x.ndim == count + 2 else expand_dims(x, 0)
    sizes = numbers(kernel, count)
    strides = sizes if stride is None else numbers(stride, count)
    y: Tensor = primitive(batched, kernel_shape=sizes, strides=strides, **attrs)
    return y if batched is x else squeeze(y, 0)


def max_pool(
    x: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    count: int,
) -> Tensor:
    attrs = {
        "pads": pads_of(padding, count),
        "dilations": numbers(dilation, count),
        "ceil_mode": int(ceil_mode),
    }
    return pooled(p.max_pool, x, kernel_size, stride, attrs, count)


@op
def max_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Tensor:
    """The largest in each window; the stride is the window's size if None."""
    refuse_indices("max_pool2d", return_indices)
    return max_pool(x, kernel_size, stride, padding, dilation, ceil_mode, 2)


@op
def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    refuse_indices("max_pool3d", return_indices)
    return max_pool(x, kernel_size, stride, padding, dilation, ceil_mode, 3)


def refuse_indices(op: str, return_indices: bool) -> None:
    if return_indices:
        raise ShapeError(op, "return_indices is not known yet")


def average(
    x: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    count: int,
) -> Tensor:
    attrs = {
        "pads": pads_of(padding, count),
        "ceil_mode": int(ceil_mode),
        "count_include_pad": int(count_include_pad),
    }
    return pooled(p.average_pool, x, kernel_size, stride, attrs, count)


@op
def avg_pool1d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    return average(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, 1)


@op
def avg_pool2d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window; padding counts as zeros unless `count_include_pad` is False."""
    y = average(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, 2)
    return divided(y, numbers(kernel_size, 2), divisor_override)


@op
def avg_pool3d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    y = average(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, 3)
    return divided(y, numbers(kernel_size, 3), divisor_override)


def divided(y: Tensor, kernel: tuple[int, ...], divisor_override: int | None) -> Tensor:
    """Means of windows as sums divided by `divisor_override`, if it is given."""
    return mul(y, math.prod(kernel) / divisor_override) if divisor_override else y


def adaptive_pool(primitive: Primitive, x: Tensor, output_size: Any, count: int) -> Tensor:
    """Windows such that the output has `output_size`; None keeps a size.

    Equal windows where the sizes divide, else one window after the other.
    """
    own = x.shape[-count:]
    wanted = (
        (output_size,) * count
        if isinstance(output_size, int) or output_size is None
        else output_size
    )
    sizes = [n if w is None else w for n, w in zip(own, wanted, strict=True)]
    if all(n % w == 0 for n, w in zip(own, sizes, strict=True)):
        windows = tuple(n // w for n, w in zip(own, sizes, strict=True))
        return pooled(primitive, x, windows, windows, {}, count)
    for k, (n, w) in enumerate(zip(own, sizes, strict=True)):
        axis = x.ndim - count + k
        x = concat([window(primitive, x, axis, count, n, w, i) for i in range(w)], axis)
    return x


def window(
    primitive: Primitive, x: Tensor, axis: int, count: int, n: int, w: int, i: int
) -> Tensor:
    """Window `i` of `w` over the `n` elements of one axis, pooled to size 1."""
    first, last = i * n // w, -(-(i + 1) * n // w)
    part = split(x, (first, last - first, n - last), axis)[1]
    kernel = [1] * count
    kernel[axis - x.ndim + count] = last - first
    return pooled(primitive, part, kernel, kernel, {}, count)


@op
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    return adaptive_pool(p.average_pool, input, output_size, 1)


@op
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """(..., h, w) -> (..., *output_size), means of windows that cover the input evenly."""
    return adaptive_pool(p.average_pool, input, output_size, 2)


@op
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    return adaptive_pool(p.average_pool, input, output_size, 3)


@op
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Tensor:
    return adaptive_pool(p.max_pool, input, output_size, 1)


@op
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor:
    refuse_indices("adaptive_max_pool2d", return_indices)
    return adaptive_pool(p.max_pool, input, output_size, 2)
