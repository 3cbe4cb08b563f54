"""Resizing and sampling."""

from __future__ import annotations

import math
from typing import Any

from .. import dtype as dtypes
from ..failure import ShapeError
from ..primitives import layer as p
from ..promotion import constant
from ..tensor import Tensor
from .registry import alias, op
from .window import adaptive_pool, numbers


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
    count = input.ndim - 2
    if (size is None) == (scale_factor is None):
        raise ShapeError("interpolate", "give either size or scale_factor")
    if mode == "area":
        return adaptive_pool(p.average_pool, input, target_size(input, size, scale_factor), count)
    kinds = {"nearest": "nearest", "nearest-exact": "nearest", "linear": "linear",
             "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}  # fmt: skip
    if mode not in kinds:
        raise ShapeError("interpolate", "there is no such mode", got=repr(mode))
    attrs: dict[str, Any] = {"mode": kinds[mode]} | corner_attrs(mode, align_corners)
    if scale_factor is not None and not recompute_scale_factor:
        scales = (scale_factor,) * count if isinstance(scale_factor, (int, float)) else scale_factor
        target: list[Tensor | None] = [constant((1.0, 1.0, *scales), dtypes.float32)]
    else:
        target = [None, constant((*input.shape[:2], *target_size(input, size, scale_factor)))]
    y: Tensor = p.resize(input, None, *target, **attrs)
    return y


def corner_attrs(mode: str, align_corners: bool | None) -> dict[str, Any]:
    """ONNX's attributes for where the samples lie."""
    if mode == "nearest":
        return {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if mode == "nearest-exact":
        return {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"}
    where_ = "align_corners" if align_corners else "half_pixel"
    attrs: dict[str, Any] = {"coordinate_transformation_mode": where_}
    if mode == "bicubic" and not align_corners:  # as TensorFlow; PyTorch: -0.75, and clamped
        attrs |= {"cubic_coeff_a": -0.5, "exclude_outside": 1}
    return attrs


def target_size(x: Tensor, size: Any, scale_factor: Any) -> tuple[int, ...]:
    """The sizes wanted, from `size` or from the input's times `scale_factor`."""
    own = x.shape[2:]
    if size is not None:
        return numbers(size, len(own))
    scales = (scale_factor,) * len(own) if isinstance(scale_factor, (int, float)) else scale_factor
    return tuple(math.floor(n * s) for n, s in zip(own, scales, strict=True))


upsample = alias("upsample", interpolate)


@op
def affine_grid(theta: Tensor, size: Any, align_corners: bool = False) -> Tensor:
    """The points of an affine grid (n, h, w, 2) or (n, d, h, w, 3) for images of `size`."""
    sizes = size if isinstance(size, Tensor) else constant([int(n) for n in size])
    return p.affine_grid(theta, sizes, align_corners=int(align_corners))


@op
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """`input` sampled at the points of `grid` (n, h', w', 2), in [-1, 1]."""
    kinds = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
    return p.grid_sample(
        input,
        grid,
        mode=kinds[mode],
        padding_mode=padding_mode,
        align_corners=int(bool(align_corners)),
    )
