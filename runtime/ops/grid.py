"""Sampling at the points of a grid."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tape import is_watched
from ..engine.tensor import Tensor
from ..primitives import elementwise as e
from ..primitives import layer as p
from .activation import FLOATS, check_elements
from .arithmetic import abs, add, clamp, floor, greater_equal, less, logical_and, mul, sub, where
from .reduction import matmul
from .registry import op
from .shaping import (
    broadcast_to,
    concat,
    expand_dims,
    gather_elements,
    reshape,
    swapaxes,
    unstack,
)

PADDINGS = ("zeros", "border", "reflection")


@op
def affine_grid(theta: Tensor, size: Any, align_corners: bool = False) -> Tensor:
    """The points of an affine grid (n, h, w, 2) or (n, d, h, w, 3) for images of `size`."""
    check_type("affine_grid", "align_corners", align_corners, bool)
    check_type("affine_grid", "size", size, tuple, Tensor)
    sizes = size if isinstance(size, Tensor) else constant([int(n) for n in size])
    if sizes.size not in (4, 5) or theta.ndim != 3:
        raise ShapeError("affine_grid", "size needs four or five numbers", got=str(size))
    if not is_watched((theta,)):
        return p.affine_grid(theta, sizes, align_corners=int(align_corners))
    count = sizes.size - 2
    identity = constant(np.eye(count, count + 1)[None], theta.dtype)
    one = constant((1, *sizes.asnumpy().tolist()[1:]))
    points = p.affine_grid(identity, one, align_corners=int(align_corners))
    ones = broadcast_to(constant(1, theta.dtype), (*points.shape[:-1], 1))
    rows = reshape(concat((points, ones), -1), (1, -1, count + 1))
    y = matmul(rows, swapaxes(theta, 1, 2))
    return reshape(y, (theta.shape[0], *points.shape[1:]))


@op
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """`input` sampled at the points of `grid` (n, h', w', 2), in [-1, 1]."""
    check_choice("grid_sample", "mode", mode, ("bilinear", "nearest", "bicubic"))
    return sampled(input, grid, mode, padding_mode, bool(align_corners))


def sampled(x: Tensor, grid: Tensor, mode: str, padding: str, align_corners: bool) -> Tensor:
    """Shapes: x (n, c, *sizes), grid (n, *places, k) with k numbers, the last axis first."""
    check_choice("grid_sample", "padding_mode", padding, PADDINGS)
    check_elements("grid_sample", x, *FLOATS)
    if x.dtype is not grid.dtype:
        raise ElementTypeError("grid_sample", "the element types differ", got=grid.dtype.name)
    if x.ndim not in (4, 5) or grid.ndim != x.ndim or grid.shape[-1] != x.ndim - 2:
        got = f"{x.shape}, {grid.shape}"
        raise ShapeError("grid_sample", "needs (n, c, h, w) and (n, h', w', 2)", got=got)
    if is_watched((x, grid)) and mode != "bicubic":
        return composed_sample(x, grid, mode, padding, align_corners)
    kinds = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
    attrs = {"padding_mode": padding, "align_corners": int(align_corners)}
    y: Tensor = p.grid_sample(x, grid, mode=kinds[mode], **attrs)
    return y


def composed_sample(
    x: Tensor, grid: Tensor, mode: str, padding: str, align_corners: bool
) -> Tensor:
    """The same of gathers and products, which have gradients."""
    sizes = x.shape[2:]
    points = [
        place_of(point, n, padding, align_corners)
        for point, n in zip(reversed(unstack(grid, -1)), sizes, strict=True)
    ]
    if mode == "nearest":
        return corner(x, [e.round(point) for point in points], None)
    lows = [floor(point) for point in points]
    parts = [sub(point, low) for point, low in zip(points, lows, strict=True)]
    total: Tensor | None = None
    for offsets in itertools.product((0, 1), repeat=len(sizes)):
        places = [add(low, k) for low, k in zip(lows, offsets, strict=True)]
        weight: Any = 1.0
        for part, k in zip(parts, offsets, strict=True):
            weight = mul(part if k else sub(1.0, part), weight)
        y = corner(x, places, weight)
        total = y if total is None else add(total, y)
    return total  # type: ignore[return-value]  # there is a corner


def place_of(point: Tensor, n: int, padding: str, align_corners: bool) -> Tensor:
    """Where in n elements a number of [-1, 1] lies."""
    if align_corners:
        place = mul(add(point, 1.0), (n - 1) / 2)
        bounds = (0.0, n - 1.0)
    else:
        place = sub(mul(add(point, 1.0), n / 2), 0.5)
        bounds = (-0.5, n - 0.5)
    if padding == "reflection":
        place = reflected(place, *bounds)
    return place if padding == "zeros" else clamp(place, 0.0, n - 1.0)


def reflected(place: Tensor, low: float, high: float) -> Tensor:
    """Folded back at both ends, as often as needed."""
    span = high - low
    if span <= 0:
        return mul(place, 0.0)
    far = abs(sub(place, low))
    turns = floor(mul(far, 1 / span))
    left = sub(far, mul(turns, span))
    odd = greater_equal(sub(turns, mul(floor(mul(turns, 0.5)), 2.0)), 0.5)
    return where(odd, sub(high, left), add(left, low))


def corner(x: Tensor, places: list[Tensor], weight: Tensor | None) -> Tensor:
    """The elements of x at whole `places`, times `weight`; zero outside."""
    sizes = x.shape[2:]
    flat: Any = 0
    inside: Any = True
    for place, n in zip(places, sizes, strict=True):
        fits = logical_and(greater_equal(place, 0.0), less(place, float(n)))
        inside = fits if inside is True else logical_and(inside, fits)
        index = convert(clamp(place, 0.0, n - 1.0), dtypes.int64)
        flat = add(mul(flat, n), index)
    batch, channels = x.shape[:2]
    index = broadcast_to(expand_dims(reshape(flat, (batch, -1)), 1),
                         (batch, channels, int(np.prod(flat.shape[1:]))))  # fmt: skip
    found = gather_elements(reshape(x, (batch, channels, -1)), 2, index)
    found = reshape(found, (batch, channels, *flat.shape[1:]))
    scale = convert(inside, x.dtype)
    if weight is not None:
        scale = mul(scale, weight)
    return mul(found, expand_dims(scale, 1))
