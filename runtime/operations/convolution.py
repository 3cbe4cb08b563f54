"""Convolutions and what is built of them."""

from __future__ import annotations

from typing import Any, Literal

from .. import ops
from ..engine.argument import check_int
from ..engine.failure import ShapeError
from ..engine.tensor import Tensor
from ..ops.activation import FLOATS, check_elements
from ..ops.convolution_transpose import transposed
from ..ops.shaping import sizes_of
from ..ops.window import check_rank, check_sizes, convolution, numbers, padding_attrs
from .operation import operation


def check_window(where: str, count: int, window: dict[str, Any]) -> None:
    """Raises: TypeError, ValueError (MS304) for attributes of a convolution that cannot be."""
    for name in ("kernel_size", "stride", "dilation"):
        check_sizes(where, name, spatial(window[name], count), count)
    for name in ("out_channel", "group", "mode"):
        check_int(where, name, window[name], 1)
    if window["mode"] != 1:
        raise ShapeError(where, "mode must be 1", got=str(window["mode"]))
    check_pad(where, window["pad_mode"], window["pad"], count)


def check_pad(where: str, pad_mode: str, pad: Any, count: int) -> None:
    """Raises: TypeError, ValueError (MS304) for pads that do not go with their mode."""
    if pad_mode.lower() not in ("same", "valid", "pad"):
        raise ShapeError(where, "pad_mode must be 'same', 'valid' or 'pad'", got=pad_mode)
    for size in check_sizes(where, "pad", pad, 2 * count, -(2**31)):
        if pad_mode.lower() == "pad":
            check_int(where, "pad", size, 0)
        elif size:
            raise ShapeError(where, "pad must be 0 unless pad_mode is 'pad'", got=str(pad))


def spatial(sizes: Any, count: int) -> Any:
    """Sizes without those of the batch and the channels, which may be given for planes."""
    return sizes[2:] if count == 2 and isinstance(sizes, tuple) and len(sizes) == 4 else sizes


def check_2d(**window: Any) -> None:
    check_window("Conv2D", 2, window)


def check_3d(**window: Any) -> None:
    check_window("Conv3D", 3, window)
    if window["out_channel"] % window["group"]:
        raise ShapeError("Conv3D", "group must divide out_channel", got=str(window["group"]))


def convolved(x: Tensor, w: Tensor, window: dict[str, Any], count: int) -> Any:
    """Raises: RuntimeError where `w` is not what the attributes say, as MindSpore does."""
    where, group = f"Conv{count}D", window["group"]
    check_elements(where, x, *FLOATS)
    check_rank(where, x, count + 2)
    check_rank(where, w, count + 2)
    kernel = numbers(spatial(window["kernel_size"], count), count)
    expected = (window["out_channel"], x.shape[1] // group, *kernel)
    if w.shape != expected or x.shape[1] % group:
        raise RuntimeError(f"{where}: the weight must be {expected}, got {w.shape}")
    stride, dilation = (spatial(window[name], count) for name in ("stride", "dilation"))
    attrs = padding_attrs(window["pad_mode"].lower(), window["pad"], count)
    attrs |= {"dilations": numbers(dilation, count), "group": group}
    return convolution(x, w, None, attrs, stride)


@operation("Conv2D", check_2d)
def conv_2d(
    x: Tensor,
    w: Tensor,
    *,
    out_channel: int,
    kernel_size: int | tuple[int, ...],
    mode: int = 1,
    pad_mode: Literal["valid", "same", "pad"] = "valid",
    pad: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1,
    group: int = 1,
    data_format: Literal["NCHW"] = "NCHW",
) -> Any:
    window = {"out_channel": out_channel, "kernel_size": kernel_size, "pad_mode": pad_mode}
    window |= {"pad": pad, "stride": stride, "dilation": dilation, "group": group}
    return convolved(x, w, window, 2)


@operation("Conv3D", check_3d)
def conv_3d(
    x: Tensor,
    w: Tensor,
    *,
    out_channel: int,
    kernel_size: int | tuple[int, ...],
    mode: int = 1,
    pad_mode: str = "valid",
    pad: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1,
    group: int = 1,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> Any:
    window = {"out_channel": out_channel, "kernel_size": kernel_size, "pad_mode": pad_mode}
    window |= {"pad": pad, "stride": stride, "dilation": dilation, "group": group}
    return convolved(x, w, window, 3)


def conv_2d_transpose(
    out_backprop: Tensor,
    filter: Tensor,
    input_sizes: Any,
    *,
    out_channel: int,
    kernel_size: int | tuple[int, ...],
    pad_mode: str = "valid",
    pad: int | tuple[int, ...] = 0,
    pad_list: Any = None,
    mode: int = 1,
    stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1,
    group: int = 1,
    data_format: Literal["NCHW"] = "NCHW",
) -> Any:
    """The gradient of Conv2D with respect to its input, which has the shape `input_sizes`."""
    check_elements("Conv2DTranspose", out_backprop, *FLOATS)
    sizes = sizes_of(input_sizes)[2:]
    window = (spatial(stride, 2), spatial(dilation, 2), pad_mode.lower(), pad)
    return transposed(out_backprop, filter, window, group, sizes)


for _name in ("Conv2DTranspose", "Conv2DBackpropInput"):
    operation(_name, check_2d)(conv_2d_transpose)


def check_3d_transpose(**window: Any) -> None:
    check_int("Conv3DTranspose", "in_channel", window["in_channel"], 1)
    check_3d(**{name: size for name, size in window.items() if name != "in_channel"})
    extra = check_sizes("Conv3DTranspose", "output_padding", window["output_padding"], 3, 0)
    if window["pad_mode"].lower() != "pad" and any(extra):
        raise ShapeError("Conv3DTranspose", "output_padding needs pad_mode 'pad'", got=str(extra))
    steps = [numbers(spatial(window[name], 3), 3) for name in ("stride", "dilation")]
    if any(n >= max(pair) for n, *pair in zip(extra, *steps, strict=True)):
        raise ShapeError("Conv3DTranspose", "output_padding is too large", got=str(extra))


@operation("Conv3DTranspose", check_3d_transpose)
def conv_3d_transpose(
    x: Tensor,
    filter: Tensor,
    *,
    in_channel: int,
    out_channel: int,
    kernel_size: int | tuple[int, ...],
    mode: int = 1,
    pad_mode: str = "valid",
    pad: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
    dilation: int | tuple[int, ...] = 1,
    group: int = 1,
    output_padding: int | tuple[int, ...] = 0,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> Any:
    stride, dilation = spatial(stride, 3), spatial(dilation, 3)
    return ops.conv3d_transpose(
        x, filter, pad_mode.lower(), pad, stride, dilation, group, output_padding
    )
