"""Resizing images, lines and volumes: every way is one matrix for each axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .layer import Array, Layer, Outputs

Weights = Callable[[Array], Array]

ROUNDINGS: dict[str, Callable[[Array], Array]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
}
"""ONNX's names of which neighbour is the nearest."""


@dataclass(frozen=True, eq=False)
class Resize(Layer):
    """(n, c, *sizes) -> (n, c, *new sizes).

    `sizes` are the new ones; `scales`, where given, are what places are computed by, else the
    ratio of the sizes. `mode` is nearest, linear, cubic or area; `coordinates` is half_pixel,
    align_corners, asymmetric or pytorch_half_pixel (0 for a new size of 1); `rounding` one of
    `ROUNDINGS`; `cubic` the coefficient a of the cubic kernel; `antialias` widens the kernel
    where the image shrinks; `exclude_outside` leaves out what lies outside the image.
    """

    sizes: tuple[int, ...]
    mode: str = "nearest"
    coordinates: str = "asymmetric"
    scales: tuple[float, ...] | None = None
    rounding: str = "floor"
    cubic: float = -0.75
    antialias: bool = False
    exclude_outside: bool = False

    def outputs(self, *inputs: Array) -> Outputs:
        (y,) = inputs
        for k, size in enumerate(self.sizes):
            axis = y.ndim - len(self.sizes) + k
            scale = size / y.shape[axis] if self.scales is None else self.scales[k]
            matrix = self.matrix(y.shape[axis], size, scale)
            y = np.moveaxis(np.tensordot(matrix, y, (1, axis)), 0, axis)
        return (y,)

    def matrix(self, old: int, new: int, scale: float) -> Array:
        """(new, old): how much of each old element is in each new one."""
        if self.mode == "area":
            return area_matrix(old, new)
        places = self.places(old, new, scale)
        if self.mode == "nearest":
            nearest = ROUNDINGS[self.rounding](places)
            return np.eye(old)[np.clip(nearest, 0, old - 1).astype(np.int64)]
        widened = max(1 / scale, 1.0) if self.antialias else 1.0
        kernel = self.cubic_kernel if self.mode == "cubic" else linear_kernel
        reach = (2 if self.mode == "cubic" else 1) * widened
        return self.weighted(places, old, kernel, reach, widened)

    def places(self, old: int, new: int, scale: float) -> Array:
        """Where each new element lies among the old ones."""
        every = np.arange(new, dtype=np.float64)
        if self.coordinates == "align_corners":
            return every * ((old - 1) / (new - 1) if new > 1 else 0.0)
        if self.coordinates == "asymmetric":
            return every / scale
        if self.coordinates == "pytorch_half_pixel" and new == 1:
            return every * 0.0
        return (every + 0.5) / scale - 0.5

    def weighted(
        self, places: Array, old: int, kernel: Weights, reach: float, widened: float
    ) -> Array:
        """Weights of the elements around each place; those outside count for the last inside."""
        matrix = np.zeros((len(places), old))
        for row, place in enumerate(places):
            near = np.arange(np.floor(place - reach) + 1, np.floor(place + reach) + 1)
            weights = kernel((near - place) / widened)
            inside = (near >= 0) & (near < old)
            if self.exclude_outside or self.antialias:
                weights = np.where(inside, weights, 0.0)
            weights = weights / weights.sum()
            np.add.at(matrix[row], np.clip(near, 0, old - 1).astype(np.int64), weights)
        return matrix

    def cubic_kernel(self, x: Array) -> Array:
        a, d = self.cubic, np.abs(x)
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def linear_kernel(x: Array) -> Array:
    return np.asarray(np.maximum(1 - np.abs(x), 0.0))


def area_matrix(old: int, new: int) -> Array:
    """Means of windows that cover everything, as those of adaptive pooling."""
    matrix = np.zeros((new, old))
    for k in range(new):
        first, last = k * old // new, -((k + 1) * old // -new)
        matrix[k, first:last] = 1 / (last - first)
    return matrix
