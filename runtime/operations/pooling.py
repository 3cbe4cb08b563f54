"""Pools."""

from __future__ import annotations

from typing import Any, Literal

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from ..ops.activation import FLOATS, check_elements
from ..ops.shaping import sizes_of
from ..ops.window import adaptive_max_pool, check_rank, check_sizes, pads_of, pooled, sum_pool
from ..primitives import layer as p
from .convolution import check_pad, spatial
from .operation import operation

Sizes = int | tuple[int, ...]


def check_pool(**window: Any) -> None:
    """Raises: ValueError (MS304) for sizes of a pool of planes that cannot be."""
    for name in ("kernel_size", "strides"):
        check_sizes("Pool", name, window[name], 2)
    check_choice("Pool", "pad_mode", window["pad_mode"].upper(), ("VALID", "SAME"))


def planes(
    primitive: Any, x: Tensor, window: tuple[Any, Any, str], where: str, **attrs: Any
) -> Any:
    """A pool of (n, c, h, w) with the kernel, strides and pad_mode of `window`."""
    check_elements(where, x, *FLOATS)
    check_rank(where, x, 4)
    kernel, strides, mode = spatial(window[0], 2), spatial(window[1], 2), window[2]
    sizes = (kernel,) * 2 if isinstance(kernel, int) else kernel
    if mode.upper() == "SAME":
        attrs["auto_pad"] = "SAME_UPPER"
    elif any(n < k for n, k in zip(x.shape[2:], sizes, strict=True)):
        raise RuntimeError(f"{where}: the kernel {sizes} is larger than the input {x.shape}")
    return pooled(primitive, x, kernel, strides, attrs, 2)


@operation("MaxPool", check_pool)
def max_pool(
    x: Tensor,
    *,
    kernel_size: Sizes = 1,
    strides: Sizes = 1,
    pad_mode: str = "valid",
    data_format: Literal["NCHW"] = "NCHW",
) -> Any:
    return planes(p.max_pool, x, (kernel_size, strides, pad_mode), "MaxPool")


def check_average(**window: Any) -> None:
    check_choice("AvgPool", "pad_mode", window["pad_mode"].upper(), ("VALID", "SAME"))
    for name in ("kernel_size", "strides"):
        if not isinstance(window[name], (int, tuple)):
            raise ShapeError("AvgPool", f"{name} is not valid", got=repr(window[name]))


@operation("AvgPool", check_average)
def avg_pool(
    x: Tensor,
    *,
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "VALID",
    data_format: Literal["NCHW"] = "NCHW",
) -> Any:
    return planes(p.average_pool, x, (kernel_size, strides, pad_mode), "AvgPool")


def check_3d(where: str, window: dict[str, Any], pad: str) -> None:
    for name in ("kernel_size", "strides"):
        check_sizes(where, name, spatial(window[name], 3), 3)
    given = window[pad]
    if isinstance(given, tuple) and len(given) == 3 and pad == "pad_list":
        given = tuple(n for size in given for n in (size, size))
    check_pad(where, window["pad_mode"], given, 3)


def check_max_pool_3d(**window: Any) -> None:
    check_3d("MaxPool3D", window, "pad_list")
    if window["ceil_mode"] is not None:
        check_type("MaxPool3D", "ceil_mode", window["ceil_mode"], bool)
        if window["pad_mode"].upper() != "PAD":
            raise ShapeError("MaxPool3D", "ceil_mode needs pad_mode 'pad'")


def volume_attrs(pad_mode: str, pad: Any, ceil_mode: Any) -> dict[str, Any]:
    if pad_mode.upper() == "SAME":
        return {"auto_pad": "SAME_UPPER"}
    return {"pads": pads_of(pad, 3), "ceil_mode": int(ceil_mode is True)}


@operation("MaxPool3D", check_max_pool_3d)
def max_pool_3d(
    x: Tensor,
    *,
    kernel_size: Sizes = 1,
    strides: Sizes = 1,
    pad_mode: str = "VALID",
    pad_list: Sizes = 0,
    ceil_mode: Any = None,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> Any:
    check_elements("MaxPool3D", x, *FLOATS)
    check_rank("MaxPool3D", x, 5)
    attrs = volume_attrs(pad_mode, pad_list, ceil_mode)
    return pooled(p.max_pool, x, spatial(kernel_size, 3), spatial(strides, 3), attrs, 3)


def check_avg_pool_3d(**window: Any) -> None:
    check_3d("AvgPool3D", window, "pad")


@operation("AvgPool3D", check_avg_pool_3d)
def avg_pool_3d(
    input: Tensor,
    *,
    kernel_size: Sizes = 1,
    strides: Sizes = 1,
    pad_mode: str = "valid",
    pad: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> Any:
    check_elements("AvgPool3D", input, *FLOATS)
    check_rank("AvgPool3D", input, 5)
    attrs = volume_attrs(pad_mode, pad, ceil_mode)
    kernel, steps = (check_sizes("AvgPool3D", "", spatial(n, 3), 3) for n in (kernel_size, strides))
    if divisor_override and "pads" in attrs:
        return sum_pool(input, kernel, steps, attrs, divisor_override)
    attrs["count_include_pad"] = int(count_include_pad)
    return pooled(p.average_pool, input, kernel, steps, attrs, 3)


def check_places(argmax_type: Any) -> None:
    if argmax_type not in (dtypes.int32, dtypes.int64):
        raise ElementTypeError(
            "MaxPool", "argmax_type must be int32 or int64", got=str(argmax_type)
        )


def check_with_argmax(**window: Any) -> None:
    check_places(window["argmax_type"])
    for name, low in (("kernel_size", 1), ("pads", 0), ("dilation", 1)):
        check_sizes("MaxPoolWithArgmaxV2", name, window[name], 2, low)
    if window["strides"] is not None:
        check_sizes("MaxPoolWithArgmaxV2", "strides", window["strides"], 2)


@operation("MaxPoolWithArgmaxV2", check_with_argmax)
def max_pool_with_argmax(
    x: Tensor,
    *,
    kernel_size: Sizes,
    strides: Any = None,
    pads: Sizes = 0,
    dilation: Sizes = (1, 1),
    ceil_mode: bool = False,
    argmax_type: Any = dtypes.int64,
) -> tuple[Tensor, Tensor]:
    y, places = ops.max_pool2d(x, kernel_size, strides, pads, dilation, True, ceil_mode)
    return y, convert(places, argmax_type)


def check_3d_with_argmax(**window: Any) -> None:
    check_places(window["argmax_type"])
    for name, low in (("ksize", 1), ("strides", 1), ("pads", 0), ("dilation", 1)):
        check_sizes("MaxPool3DWithArgmax", name, window[name], 3, low)


@operation("MaxPool3DWithArgmax", check_3d_with_argmax)
def max_pool_3d_with_argmax(
    x: Tensor,
    *,
    ksize: Sizes,
    strides: Sizes,
    pads: Sizes,
    dilation: Sizes = (1, 1, 1),
    ceil_mode: bool = False,
    data_format: Literal["NCDHW"] = "NCDHW",
    argmax_type: Any = dtypes.int64,
) -> tuple[Tensor, Tensor]:
    y, places = ops.max_pool3d(x, ksize, strides, pads, dilation, ceil_mode, True)
    return y, convert(places, argmax_type)


def check_adaptive(**window: Any) -> None:
    sizes = window["output_size"]
    for size in (sizes,) if isinstance(sizes, int) else sizes:
        if size is not None:
            check_sizes("AdaptiveAvgPool", "output_size", size, 1, 0)


def check_planes(**window: Any) -> None:
    sizes = window["output_size"]
    if isinstance(sizes, tuple) and len(sizes) != 2:
        raise ShapeError("AdaptiveAvgPool2D", "output_size needs two numbers", got=str(sizes))
    check_adaptive(**window)


@operation("AdaptiveAvgPool2D", check_planes)
def adaptive_avg_pool_2d(x: Tensor, *, output_size: int | tuple[Any, ...]) -> Any:
    return ops.adaptive_avg_pool2d(x, output_size)


@operation("AdaptiveAvgPool3D", check_adaptive)
def adaptive_avg_pool_3d(x: Tensor, *, output_size: int | tuple[Any, ...]) -> Any:
    return ops.adaptive_avg_pool3d(x, output_size)


@operation("AdaptiveMaxPool2D")
def adaptive_max_pool_2d(
    input: Tensor, *, output_size: tuple[Any, ...] | list[Any]
) -> tuple[Tensor, Tensor]:
    check_rank("AdaptiveMaxPool2D", input, 3, 4)
    for size in output_size:
        check_type("AdaptiveMaxPool2D", "output_size", size, int)
    return adaptive_max_pool(input, tuple(output_size), 2)


@operation("AdaptiveMaxPool3D")
def adaptive_max_pool_3d(x: Tensor, output_size: Tensor) -> tuple[Tensor, Tensor]:
    check_type("AdaptiveMaxPool3D", "output_size", output_size, Tensor)
    check_rank("AdaptiveMaxPool3D", x, 4, 5)
    y, places = adaptive_max_pool(x, sizes_of(output_size), 3)
    return y, convert(places, dtypes.int32)
