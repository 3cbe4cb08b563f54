"""Convolution and pooling: ops that look through a window."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_tensors, check_type
from ..engine.dtype import Array
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import Primitive, convert
from ..engine.promotion import constant, rank_of
from ..engine.tensor import Tensor, wrap
from ..primitives import elementwise as e
from ..primitives import layer as p
from ..primitives import reduction as r
from ..primitives import shaping as sh
from .activation import FLOATS, check_elements
from .arithmetic import Op, add, mul
from .registry import op
from .shaping import concat, expand_dims, gather, gather_elements, reshape, split, squeeze


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


def check_conv(where: str, x: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Raises: TypeError, ValueError, RuntimeError for operands of a convolution that do not fit."""
    count = int(where[-2])
    check_tensors(where, input=x, weight=weight, bias=bias)
    check_rank(where, weight, count + 2)
    check_rank(where, x, count + 2)
    if x.dtype not in FLOATS or x.dtype is not weight.dtype:
        got = f"{x.dtype.name}, {weight.dtype.name}"
        raise ElementTypeError(where, "needs floats of one type", got=got)
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ShapeError(where, "the bias has another length", got=str(bias.shape))
    if 0 in weight.shape:  # ONNX Runtime never ends with it
        raise ShapeError(where, "the kernel has no elements", got=str(weight.shape))


def check_groups(where: str, x: Tensor, weight: Tensor, groups: int) -> None:
    """Raises: TypeError, ValueError, RuntimeError for groups that do not divide the channels."""
    check_int(where, "groups", groups, 1)
    channels, made = x.shape[1], weight.shape[0]
    if channels % groups or made % groups:
        raise ShapeError(where, "groups must divide the channels", got=f"{channels}, {made}")
    if channels // groups != weight.shape[1]:
        raise RuntimeError(f"{where}: {channels} channels of {x.shape} do not fit {weight.shape}")


def check_conv_pads(where: str, pad_mode: str, padding: Any, count: int) -> tuple[int, ...]:
    """ONNX's pads. Raises: TypeError, ValueError (MS304) if they do not go with their mode."""
    check_choice(where, "pad_mode", check_type(where, "pad_mode", pad_mode, str),
                 ("same", "valid", "pad"))  # fmt: skip
    check_type(where, "padding", padding, int, tuple, list)
    every = (padding,) * count if isinstance(padding, int) else tuple(padding)
    if len(every) != count:
        raise ShapeError(where, "padding has a wrong number of sizes", got=str(padding),
                         expected=str(count))  # fmt: skip
    for size in every:
        check_int(where, "padding", size, 0)
        if size and pad_mode != "pad":
            raise ShapeError(where, "padding needs pad_mode 'pad'", got=str(padding))
    return every * 2


def of_sequence(sizes: Any) -> Any:
    """A sequence of one number as the number."""
    return sizes[0] if isinstance(sizes, (tuple, list)) and len(sizes) == 1 else sizes


def conv(name: str) -> Op:
    count = int(name[-2])

    def function(
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
        check_conv(name, input, weight, bias)
        pads = check_conv_pads(name, pad_mode, padding, count)
        attrs: dict[str, Any] = {"pads": pads} if pad_mode != "same" else {"auto_pad": "SAME_UPPER"}
        attrs["dilations"] = check_sizes(name, "dilation", of_sequence(dilation), count)
        strides = check_sizes(name, "stride", of_sequence(stride), count)
        check_groups(name, input, weight, groups)
        return convolution(input, weight, bias, attrs | {"group": groups}, strides)

    function.__name__ = function.__qualname__ = name
    return op(function)


conv1d, conv2d, conv3d = conv("conv1d"), conv("conv2d"), conv("conv3d")


def pooled(
    primitive: Primitive, x: Tensor, kernel: Any, stride: Any, attrs: dict[str, Any], count: int
) -> Tensor:
    """A pool over the last `count` axes; without a batch axis if `x` has one axis less."""
    batched = x if x.ndim == count + 2 else expand_dims(x, 0)
    sizes = numbers(kernel, count)
    strides = sizes if stride is None else numbers(stride, count)
    single = x.dtype is dtypes.float64 and primitive is p.average_pool  # which has no wider kernel
    given = convert(batched, dtypes.float32) if single else batched
    y: Tensor = convert(primitive(given, kernel_shape=sizes, strides=strides, **attrs), x.dtype)
    return y if batched is x else squeeze(y, 0)


@op
def max_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """The largest in each window; the stride is the window's size if None.

    With `return_indices` also where it was: its place in the plane (h, w), counted row by row.
    """
    window = (kernel_size, stride, padding, dilation)
    return max_pool("max_pool2d", x, window, ceil_mode, return_indices)


@op
def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    window = (kernel_size, stride, padding, dilation)
    return max_pool("max_pool3d", x, window, ceil_mode, return_indices)


def max_pool(
    where: str, x: Tensor, window: tuple[Any, Any, Any, Any], ceil_mode: bool, places: bool = True
) -> Any:
    """The largest of each window (kernel, stride, pads, dilation), with their `places`, if wanted.

    `where` ends in the number of axes and a letter.
    """
    check_type(where, "x", x, Tensor)
    check_elements(where, x, *FLOATS, *dtypes.INTEGERS)
    count = int(where[-2])
    attrs = max_pool_attrs(where, window, count)
    attrs["ceil_mode"] = int(check_type(where, "ceil_mode", ceil_mode, bool))
    check_rank(where, x, count + 2)
    wide = convert(x, dtypes.float64) if rank_of(x.dtype) == 1 else x
    if not places:
        return convert(p.max_pool(wide, **attrs), x.dtype)
    y, found = p.max_pool(wide, outputs=2, **attrs)
    return convert(y, x.dtype), e.mod(found, constant(math.prod(x.shape[2:])))


def max_pool_attrs(where: str, window: tuple[Any, Any, Any, Any], count: int) -> dict[str, Any]:
    """ONNX's attributes. Raises: TypeError, ValueError (MS304) as MindSpore does."""
    kernel, stride, padding, dilation = window
    sizes = check_sizes(where, "kernel_size", kernel, count)
    pads = check_sizes(where, "padding", padding, count, 0)
    if any(2 * n > k for n, k in zip(pads, sizes, strict=True)):
        raise ShapeError(where, "padding must be at most half of the kernel", got=str(padding))
    return {
        "kernel_shape": sizes,
        "strides": sizes if stride is None else check_sizes(where, "stride", stride, count),
        "pads": pads * 2,
        "dilations": check_sizes(where, "dilation", dilation, count),
    }


def check_sizes(where: str, name: str, value: Any, count: int, low: int = 1) -> tuple[int, ...]:
    """One number of `low` or more per axis. Raises: TypeError, ValueError (MS304)."""
    check_type(where, name, value, int, tuple)
    sizes = (value,) * count if isinstance(value, int) else tuple(value)
    if len(sizes) != count:
        raise ShapeError(where, f"{name} has a wrong number of sizes", got=str(value),
                         expected=str(count))  # fmt: skip
    for size in sizes:
        check_int(where, name, size, low)
    return sizes


def check_rank(where: str, x: Tensor, *ranks: int) -> None:
    """Raises: ValueError (MS304) unless `x` has one of these numbers of axes."""
    if x.ndim not in ranks:
        expected = " or ".join(map(str, ranks)) + " axes"
        raise ShapeError(where, "wrong number of axes", got=str(x.shape), expected=expected)


def average(
    where: str,
    x: Tensor,
    window: tuple[Any, Any, Any],
    options: tuple[bool, bool],
    divisor: int = 0,
) -> Tensor:
    """Means of windows (kernel, stride, pads); `options` are ceil_mode and count_include_pad."""
    check_elements(where, x, *FLOATS)
    count = int(where[-2])
    kernel, stride = (
        check_sizes(where, name, value, count)
        for name, value in zip(("kernel_size", "stride"), window, strict=False)
    )
    pads = check_pads(where, window[2], count)
    for name, option in zip(("ceil_mode", "count_include_pad"), options, strict=True):
        check_type(where, name, option, bool)
    check_int(where, "divisor_override", divisor, 0)
    check_rank(where, x, count + 2)
    check_covered(where, pads, kernel)
    attrs: dict[str, Any] = {"pads": pads, "ceil_mode": int(options[0])}
    if divisor:
        return sum_pool(x, kernel, stride, attrs, divisor)
    attrs["count_include_pad"] = int(options[1])
    return pooled(p.average_pool, x, kernel, stride, attrs, count)


def sum_pool(
    x: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], attrs: dict[str, Any], divisor: int
) -> Tensor:
    """Sums of windows, divided by `divisor`: means of windows that are all full of something."""
    count = len(kernel)
    pads, rounded = attrs["pads"], attrs["ceil_mode"] * (np.array(stride) - 1)
    padded = np.add(x.shape[2:], pads[:count]) + pads[count:]
    steps = (padded - kernel + rounded) // stride
    steps -= attrs["ceil_mode"] * (steps * stride >= np.add(x.shape[2:], pads[:count]))
    over = np.maximum(steps * stride + kernel - padded, 0)
    every = constant((0, 0, *pads[:count], 0, 0, *(pads[count:] + over)))
    means = pooled(p.average_pool, sh.pad(x, every), kernel, stride, {}, count)
    return mul(means, math.prod(kernel) / divisor)


def check_pads(where: str, padding: Any, count: int) -> tuple[int, ...]:
    """ONNX's pads of one number, or of two per axis (one if there is one axis)."""
    check_type(where, "padding", padding, int, tuple)
    given = (padding,) if isinstance(padding, int) else padding
    if not isinstance(padding, int) and len(given) != (1 if count == 1 else 2 * count):
        raise ShapeError(where, "padding has a wrong number of sizes", got=str(padding))
    for size in given:
        check_int(where, "padding", size, 0)
    return pads_of(padding, count)


def check_covered(where: str, pads: tuple[int, ...], kernel: tuple[int, ...]) -> None:
    """Raises: ValueError (MS304) for windows that would see nothing but padding."""
    if any(b + a > k for b, a, k in zip(pads, pads[len(kernel) :], kernel, strict=False)):
        raise ShapeError(where, "padding must not exceed the kernel", got=str(pads))


@op
def avg_pool1d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    check_int("avg_pool1d", "kernel_size", kernel_size, 1)
    check_int("avg_pool1d", "stride", stride, 1)
    window = (kernel_size, stride, padding)
    return average("avg_pool1d", input_x, window, (ceil_mode, count_include_pad))


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
    window, options = (kernel_size, stride, padding), (ceil_mode, count_include_pad)
    return average("avg_pool2d", input_x, window, options, divisor_override)


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
    window, options = (kernel_size, stride, padding), (ceil_mode, count_include_pad)
    return average("avg_pool3d", input_x, window, options, divisor_override)


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


def check_adaptive(where: str, x: Tensor, output_size: Any, count: int) -> None:
    """Raises: TypeError, ValueError (MS304) for sizes of an adaptive pool that cannot be."""
    check_elements(where, x, *FLOATS)
    check_type(where, "output_size", output_size, int, tuple)
    sizes = (output_size,) * count if isinstance(output_size, int) else output_size
    if len(sizes) != count:
        raise ShapeError(where, "output_size has a wrong length", got=str(output_size))
    for size in sizes:
        if size is not None:
            check_int(where, "output_size", size, 0)
    check_rank(where, x, count + 1, count + 2)


def check_line(where: str, x: Tensor, output_size: Any) -> None:
    """Raises: TypeError, ValueError (MS304) for an adaptive pool of one axis that cannot be."""
    check_type(where, "input", x, Tensor)
    check_int(where, "output_size", output_size, 1)
    check_rank(where, x, 3)


@op
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    check_line("adaptive_avg_pool1d", input, output_size)
    return adaptive_pool(p.average_pool, input, output_size, 1)


@op
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """(..., h, w) -> (..., *output_size), means of windows that cover the input evenly."""
    check_adaptive("adaptive_avg_pool2d", input, output_size, 2)
    return adaptive_pool(p.average_pool, input, output_size, 2)


@op
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    check_adaptive("adaptive_avg_pool3d", input, output_size, 3)
    return adaptive_pool(p.average_pool, input, output_size, 3)


@op
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Tensor:
    check_line("adaptive_max_pool1d", input, output_size)
    return adaptive_pool(p.max_pool, input, output_size, 1)


@op
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """With `return_indices` also each one's place in the plane (h, w), counted row by row."""
    check_adaptive("adaptive_max_pool2d", input, output_size, 2)
    if not return_indices:
        return adaptive_pool(p.max_pool, input, output_size, 2)
    return adaptive_max_pool(input, output_size, 2)


@op
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """As `adaptive_max_pool2d`; the places are int32."""
    check_adaptive("adaptive_max_pool3d", input, output_size, 3)
    if not return_indices:
        return adaptive_pool(p.max_pool, input, output_size, 3)
    y, places = adaptive_max_pool(input, output_size, 3)
    return y, convert(places, dtypes.int32)


def adaptive_max_pool(x: Tensor, output_size: Any, count: int) -> tuple[Tensor, Tensor]:
    """The largest of each window, and their places in the plane."""
    own = x.shape[-count:]
    wanted = (output_size,) * count if isinstance(output_size, int) else output_size
    sizes = tuple(n if w is None else w for n, w in zip(own, wanted, strict=True))
    table = window_places(own, sizes)
    flat = reshape(x, (*x.shape[:-count], -1))
    seen = gather(flat, wrap(table), flat.ndim - 1)
    chosen = r.arg_max(seen, axis=seen.ndim - 1, keepdims=0)
    starts = constant(np.arange(len(table)) * table.shape[1])
    places = gather(constant(table.ravel()), add(chosen, starts), 0)
    shape = (*x.shape[:-count], *sizes)
    y = gather_elements(flat, flat.ndim - 1, places)
    return reshape(y, shape), reshape(places, shape)


def window_places(own: tuple[int, ...], sizes: tuple[int, ...]) -> Array:
    """(windows, elements): the places of each adaptive window's elements, the last repeated."""
    bounds = [
        [(i * n // w, -(-(i + 1) * n // w)) for i in range(w)]
        for n, w in zip(own, sizes, strict=True)
    ]
    numbered = np.arange(math.prod(own)).reshape(own)
    rows = [numbered[tuple(slice(*b) for b in cut)].ravel() for cut in product(*bounds)]
    width = max(map(len, rows))
    return np.stack([np.pad(row, (0, width - len(row)), mode="edge") for row in rows])
