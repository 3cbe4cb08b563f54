"""Resizing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_type
from ..engine.dtype import Array
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor, wrap
from ..primitives import layer as p
from .activation import FLOATS, check_elements
from .reduction import matmul
from .registry import alias, op
from .shaping import gather, swapaxes
from .window import adaptive_pool

RANKS = {
    "nearest": (3, 4, 5),
    "linear": (3,),
    "bilinear": (4,),
    "bicubic": (4,),
    "area": (3, 4, 5),
    "nearest-exact": (3, 4),
    "trilinear": (5,),
}
"""How many axes the input of each mode may have."""


@op
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Resized over the axes behind the second, to `size` or by `scale_factor`.

    `mode` is nearest, nearest-exact, linear, bilinear, trilinear, bicubic or area.
    """
    check_type("interpolate", "input", input, Tensor)
    sizes, scales = check_sizes_or_scales(input, size, scale_factor)
    check_mode(input, mode, align_corners)
    if mode == "area" and sizes is None:
        recompute_scale_factor = True
    if recompute_scale_factor:
        check_type("interpolate", "recompute_scale_factor", recompute_scale_factor, bool)
        if sizes is not None:
            raise ShapeError("interpolate", "recompute_scale_factor goes with scale_factor only")
        sizes, scales = target_size(input, scales), None
    if scales is not None and input.ndim != 5:
        raise ShapeError("interpolate", "scale_factor wants recompute_scale_factor=True here")
    if mode == "area":
        return adaptive_pool(p.average_pool, input, sizes, input.ndim - 2)
    return resized(input, sizes, scales, corner_attrs(mode, align_corners))


def check_sizes_or_scales(x: Tensor, size: Any, scale_factor: Any) -> tuple[Any, Any]:
    """One number for each axis behind the second, of one of them; the other is None.

    Raises: TypeError, ValueError (MS304), as MindSpore does
    """
    if (size is None) == (scale_factor is None):
        raise ShapeError("interpolate", "give either size or scale_factor")
    name, kind = ("size", int) if scale_factor is None else ("scale_factor", float)
    given = size if scale_factor is None else scale_factor
    every = tuple(given) if isinstance(given, (list, tuple)) else (given,) * (x.ndim - 2)
    for number in every:
        if check_type("interpolate", name, number, kind) <= 0:
            raise ShapeError("interpolate", f"{name} must be positive", got=str(given))
    if len(every) != x.ndim - 2:
        raise ShapeError("interpolate", f"{name} has a wrong number of axes", got=str(given),
                         expected=str(x.ndim - 2))  # fmt: skip
    return (every, None) if scale_factor is None else (None, every)


def check_mode(x: Tensor, mode: str, align_corners: bool | None) -> None:
    """Raises: TypeError, ValueError (MS304) for a mode, and corners, that `x` cannot have."""
    check_choice("interpolate", "mode", mode, RANKS)
    if x.ndim not in RANKS[mode]:
        expected = " or ".join(map(str, RANKS[mode])) + " axes"
        raise ShapeError("interpolate", f"{mode} does not go with these axes", got=str(x.shape),
                         expected=expected)  # fmt: skip
    known = (*FLOATS, dtypes.uint8) if mode == "nearest" else FLOATS
    check_elements("interpolate", x, *known)
    if align_corners is not None:
        check_type("interpolate", "align_corners", align_corners, bool)
        if mode not in ("linear", "bilinear", "bicubic", "trilinear"):
            raise ShapeError("interpolate", f"align_corners does not go with {mode}")


def resized(
    x: Tensor,
    sizes: tuple[int, ...] | None,
    scales: tuple[float, ...] | None,
    attrs: dict[str, Any],
) -> Tensor:
    """ONNX's Resize of the axes behind the second."""
    if sizes is None:
        target: list[Tensor | None] = [constant((1.0, 1.0, *(scales or ())), dtypes.float32)]
    else:
        target = [None, constant((*x.shape[:2], *sizes))]
    y: Tensor = p.resize(single(x), None, *target, **attrs)
    return convert(y, x.dtype)


def corner_attrs(mode: str, align_corners: bool | None) -> dict[str, Any]:
    """ONNX's attributes for where the samples lie."""
    if mode == "nearest":
        where_, rounding = "asymmetric", "floor"
    else:
        where_, rounding = "half_pixel", "round_prefer_ceil"
    attrs: dict[str, Any] = {"mode": "nearest", "coordinate_transformation_mode": where_}
    if mode.startswith("nearest"):
        return attrs | {"nearest_mode": rounding}
    attrs["mode"] = "cubic" if mode == "bicubic" else "linear"
    if align_corners:
        attrs["coordinate_transformation_mode"] = "align_corners"
    elif mode == "bicubic":  # as TensorFlow; PyTorch: -0.75, and clamped
        attrs |= {"cubic_coeff_a": -0.5, "exclude_outside": 1}
    return attrs


def target_size(x: Tensor, scales: tuple[float, ...]) -> tuple[int, ...]:
    """The input's sizes times `scales`."""
    return tuple(math.floor(n * s) for n, s in zip(x.shape[2:], scales, strict=True))


upsample = alias("upsample", interpolate)


def along_axis(x: Tensor, axis: int, weights: Array) -> Tensor:
    """`weights` (new, old) times `x` along one axis."""
    matrix = wrap(np.ascontiguousarray(weights.T.astype(x.content.dtype)))
    return swapaxes(matmul(swapaxes(x, axis, -1), matrix), axis, -1)


def area_weights(n: int, m: int, align_corners: bool) -> Array:
    """(m, n): each new element is the mean of what it covers of the old; the last one goes on."""
    scale = (n - 1) / (m - 1) if align_corners and m > 1 else n / m
    starts = np.arange(m)[:, None] * scale
    ends = starts + scale
    cells = np.arange(max(n, math.ceil(ends.max())))[None]
    covered = np.minimum(ends, cells + 1.0) - np.maximum(starts, cells)
    shares: Array = np.clip(covered, 0, None) / scale
    return np.concatenate([shares[:, : n - 1], shares[:, n - 1 :].sum(1, keepdims=True)], 1)


def nearest_places(n: int, m: int, align_corners: bool, half_pixel: bool) -> Array:
    """Which of n elements each of m is."""
    scale = np.float32((n - 1) / (m - 1) if align_corners and m > 1 else n / m)
    steps = np.arange(m, dtype=np.float32) + np.float32(0.5 if half_pixel else 0)
    found = np.floor(steps * scale + (0.5 if align_corners else 0))
    places: Array = np.clip(found, 0, n - 1).astype(np.int64)
    return places


def nearest(x: Tensor, sizes: tuple[int, ...], align_corners: bool, half_pixel: bool) -> Tensor:
    """(n, c, h, w) with other sizes; every element type."""
    for axis, size in enumerate(sizes, 2):
        chosen = nearest_places(x.shape[axis], size, align_corners, half_pixel)
        x = gather(x, constant(chosen), axis)
    return x


def sizes_for(where: str, x: Tensor, size: Any, rank: int) -> tuple[int, ...]:
    """The sizes of a resized image. Raises: TypeError, ValueError (MS304)."""
    if x.ndim != rank:
        raise ShapeError(where, "wrong number of axes", got=str(x.shape), expected=str(rank))
    given = size.asnumpy().tolist() if isinstance(size, Tensor) else size
    check_type(where, "size", given, tuple, list)
    if len(given) != rank - 2:
        raise ShapeError(where, "size has a wrong length", got=str(given))
    for number in given:
        check_int(where, "size", number, 1)
    return tuple(given)


def single(x: Tensor) -> Tensor:
    """float64 as float32: ONNX Runtime resizes nothing wider."""
    return convert(x, dtypes.float32) if x.dtype is dtypes.float64 else x
