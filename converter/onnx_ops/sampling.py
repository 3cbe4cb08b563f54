"""Which points of an axis a resized one takes, and with what weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Axis:
    """One resized axis: its size before and after, and the factor as the node gives it.

    `roi`: where tf_crop_and_resize starts and ends, from 0 to 1.
    """

    index: int
    size: int
    out: int
    scale: float
    roi: tuple[float, float] | None = None


def point(axis: Axis, i: int, coordinates: str) -> float:
    """Where output `i` lies on the input's axis."""
    width = axis.scale * axis.size
    match coordinates:
        case "align_corners":
            return 0.0 if width == 1 else i * (axis.size - 1) / (width - 1)
        case "asymmetric":
            return i / axis.scale
        case "half_pixel_symmetric":
            offset = axis.size / 2 * (1 - axis.out / width)
            return offset + (i + 0.5) / axis.scale - 0.5
        case "tf_crop_and_resize":
            low, high = axis.roi or (0.0, 1.0)
            step = (high - low) * (axis.size - 1)
            start = low * (axis.size - 1)
            return start + (step / 2 if width == 1 else i * step / (width - 1))
        case "pytorch_half_pixel" if width == 1:
            return 0.0
    return (i + 0.5) / axis.scale - 0.5


def points(axis: Axis, coordinates: str) -> list[float] | None:
    """Every output's place; None if one that must be extrapolated is outside."""
    found = [point(axis, i, coordinates) for i in range(axis.out)]
    outside = any(not 0 <= x <= axis.size - 1 for x in found)
    return None if coordinates == "tf_crop_and_resize" and outside else found


def nearest_rows(axis: Axis, coordinates: str, rounding: str) -> list[int] | None:
    """The input that each output takes."""
    places = points(axis, coordinates)
    if places is None:
        return None
    rounded = {
        "floor": math.floor,
        "ceil": math.ceil,
        "round_prefer_floor": lambda x: math.ceil(x - 0.5),
        "round_prefer_ceil": lambda x: math.floor(x + 0.5),
    }[rounding]
    return [min(max(rounded(x), 0), axis.size - 1) for x in places]


def weighted_rows(
    axis: Axis, coordinates: str, mode: str, options: tuple[float, bool, bool]
) -> Array | None:
    """The matrix (out, in) of each input's weight in each output.

    `options`: the cubic's coefficient, whether what lies outside is left out (else it repeats the
    edge), whether the filter widens where the axis shrinks.
    """
    coefficient, exclude, smooth = options
    places = points(axis, coordinates)
    if places is None:
        return None
    shrink = min(axis.scale, 1.0) if smooth else 1.0
    reach = math.ceil((1 if mode == "linear" else 2) / shrink)
    matrix = np.zeros((axis.out, axis.size))
    for i, x in enumerate(places):
        near = range(math.floor(x) - reach + 1, math.floor(x) + reach + 1)
        weights = [weight((j - x) * shrink, mode, coefficient) for j in near]
        if exclude:
            weights = [w if 0 <= j < axis.size else 0.0 for j, w in zip(near, weights, strict=True)]
        total = sum(weights) if exclude or smooth else 1.0
        for j, w in zip(near, weights, strict=True):
            matrix[i, min(max(j, 0), axis.size - 1)] += w / total
    return matrix


def weight(distance: float, mode: str, a: float) -> float:
    """The filter's height: a triangle, or Keys' cubic with coefficient `a`."""
    d = abs(distance)
    if mode == "linear":
        return max(1 - d, 0.0)
    if d <= 1:
        return ((a + 2) * d - (a + 3)) * d * d + 1
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a if d < 2 else 0.0
