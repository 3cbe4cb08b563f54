"""Resizing and pooling of pictures, as functions."""

from __future__ import annotations

import math
from typing import Any

from ..layers.layer import Array
from ..layers.pooling import AdaptivePool, AvgPool, MaxPool
from ..layers.resizing import Resize
from .model import model


@model("interpolate")
def interpolate(
    x: Array,
    /,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    axes = x.ndim - 2
    if size is None:
        factors = scale_factor if isinstance(scale_factor, tuple) else (scale_factor,) * axes
        size = tuple(math.floor(n * f) for n, f in zip(x.shape[2:], factors, strict=True))
    size = size if isinstance(size, tuple) else (size,) * axes
    if mode == "nearest":
        return Resize(size, "nearest", "asymmetric").outputs(x)[0]
    kind = "cubic" if "cubic" in mode else "area" if mode == "area" else "linear"
    places = "align_corners" if align_corners else "half_pixel"
    return Resize(size, kind, places).outputs(x)[0]


def window(x: Array, kernel: Any, stride: Any, padding: Any) -> tuple[Any, ...]:
    axes = x.ndim - 2
    sizes = [v if isinstance(v, tuple) else (v,) * axes for v in (kernel, stride, padding)]
    return sizes[0], sizes[1] or sizes[0], tuple((p, p) for p in sizes[2])


@model("max_pool")
def max_pool(x: Array, /, kernel: Any = 2, stride: Any = None, padding: Any = 0) -> Any:
    stride = kernel if stride in (None, ()) else stride
    return MaxPool(*window(x, kernel, stride, padding)).outputs(x)[0]


@model("avg_pool")
def avg_pool(
    x: Array,
    /,
    kernel: Any = 2,
    stride: Any = None,
    padding: Any = 0,
    count_include_pad: bool = True,
) -> Any:
    stride = kernel if stride in (None, ()) else stride
    sizes, strides, pads = window(x, kernel, stride, padding)
    pool = AvgPool(sizes, strides, pads, count_include_pad=bool(count_include_pad))
    return pool.outputs(x)[0]


@model("adaptive_avg_pool")
def adaptive_avg_pool(x: Array, /, size: Any = 1) -> Any:
    return AdaptivePool(size if isinstance(size, tuple) else (size,) * (x.ndim - 2)).outputs(x)[0]


@model("adaptive_max_pool")
def adaptive_max_pool(x: Array, /, size: Any = 1) -> Any:
    whole = size if isinstance(size, tuple) else (size,) * (x.ndim - 2)
    return AdaptivePool(whole, True).outputs(x)[0]
