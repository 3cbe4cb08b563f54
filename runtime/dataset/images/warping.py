"""Images turned, sheared and seen from elsewhere, as OpenCV's `warpAffine` computes them.

Of each pixel of the result the place in the image is known to 1/1024 of a pixel, or 1/32 of one
where neighbours are weighed.
Source: OpenCV 4.11, modules/imgproc/src/imgwarp.cpp
"""

from __future__ import annotations

import math

import numpy as np

from .resizing import as_type

BITS = 5
"""Of the part of a place between two pixels."""
ONE = 1 << 15
"""The weight 1 in fixed point."""


def rotation(center: tuple[float, float], degrees: float, scale: float = 1.0) -> np.ndarray:
    """The matrix that turns against the clock. Shapes: -> (2, 3)"""
    angle = math.radians(degrees)
    a, b = scale * math.cos(angle), scale * math.sin(angle)
    x, y = center
    return np.array([[a, b, (1 - a) * x - b * y], [-b, a, b * x + (1 - a) * y]])


def inverse(matrix: np.ndarray) -> np.ndarray:
    """The matrix that undoes one of shape (2, 3)."""
    d = matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]
    d = 1.0 / d if d != 0 else 0.0
    a = np.array([[matrix[1, 1], -matrix[0, 1]], [-matrix[1, 0], matrix[0, 0]]]) * d
    return np.column_stack([a, -a @ matrix[:, 2]])


def affine(
    x: np.ndarray, matrix: np.ndarray, size: tuple[int, int], kernel: str, fill: tuple[int, ...]
) -> np.ndarray:
    """The image moved by `matrix`. Shapes: x (h, w, ...), matrix (2, 3) -> (*size, ...)"""
    back = inverse(matrix)
    n, m = size
    columns = np.rint(np.outer(back[:, 0], np.arange(m)) * 1024).astype(np.int64)
    rows = np.rint((np.outer(back[:, 1], np.arange(n)) + back[:, 2:]) * 1024).astype(np.int64)
    if kernel == "nearest":
        xs, ys = (columns[k] + rows[k][:, None] + 512 >> 10 for k in (0, 1))
        return picked(x, xs, ys, fill)
    xs, ys = (columns[k] + rows[k][:, None] + 16 >> 10 - BITS for k in (0, 1))
    return remapped(x, xs, ys, kernel, fill)


def perspective(
    x: np.ndarray, matrix: np.ndarray, kernel: str, fill: tuple[int, ...]
) -> np.ndarray:
    """The image seen from elsewhere. Shapes: x (h, w, ...), matrix (3, 3) -> like x"""
    back = np.linalg.inv(matrix)
    h, w = x.shape[:2]
    across, down = np.meshgrid(np.arange(w), np.arange(h))
    px, py, pw = (r[0] * across + r[1] * down + r[2] for r in back)
    scale = 1 if kernel == "nearest" else 1 << BITS
    with np.errstate(divide="ignore"):
        unit = np.where(pw != 0, scale / pw, 0.0)
    bound = 2.0**31 - 1
    xs, ys = (np.rint(np.clip(p * unit, -bound, bound)).astype(np.int64) for p in (px, py))
    if kernel == "nearest":
        return picked(x, xs, ys, fill)
    return remapped(x, xs, ys, kernel, fill)


def perspective_matrix(
    start: list[tuple[float, float]], end: list[tuple[float, float]]
) -> np.ndarray:
    """The matrix that moves four points to four others. Shapes: -> (3, 3)"""
    rows = []
    for (x, y), (u, v) in zip(start, end, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -x * u, -y * u])
        rows.append([0, 0, 0, x, y, 1, -x * v, -y * v])
    wanted = np.array(end, np.float64).reshape(8)
    solved = np.linalg.lstsq(np.array(rows, np.float64), wanted, rcond=None)[0]
    return np.append(solved, 1.0).reshape(3, 3)


def picked(x: np.ndarray, xs: np.ndarray, ys: np.ndarray, fill: tuple[int, ...]) -> np.ndarray:
    """The pixels at whole places; `fill` outside of the image."""
    h, w = x.shape[:2]
    inside = (xs >= 0) & (xs < w) & (ys >= 0) & (ys < h)
    found = x[np.clip(ys, 0, h - 1), np.clip(xs, 0, w - 1)]
    found[~inside] = filling(x, fill)
    return np.asarray(found)


def remapped(
    x: np.ndarray, xs: np.ndarray, ys: np.ndarray, kernel: str, fill: tuple[int, ...]
) -> np.ndarray:
    """Pixels between those of the image, each weighed of its neighbours; places in 1/32."""
    low, weights = (0, linear_weights()) if kernel == "linear" else (-1, cubic_weights())
    size = weights.shape[1]
    both = weights[:, None, :, None] * weights[None, :, None, :]
    is_fixed = x.dtype == np.uint8
    table = in_fixed_point(both) if is_fixed else both
    chosen = table[ys & (1 << BITS) - 1, xs & (1 << BITS) - 1]
    rows, columns = (ys >> BITS) + low, (xs >> BITS) + low
    total = np.zeros((*xs.shape, *x.shape[2:]), np.int64 if is_fixed else np.float64)
    for i in range(size):
        for j in range(size):
            weight = chosen[..., i, j].reshape(*xs.shape, *(1,) * (x.ndim - 2))
            total += picked(x, columns + j, rows + i, fill) * weight
    if is_fixed:
        return np.asarray(np.clip(total + ONE // 2 >> 15, 0, 255).astype(np.uint8))
    return as_type(total, x.dtype)


def in_fixed_point(weights: np.ndarray) -> np.ndarray:
    """Weights whose sum is ONE: what is left is given to the largest, or taken from the least, of
    four near the middle. Shapes: (32, 32, n, n)"""
    found = np.rint(weights * np.float32(ONE)).astype(np.int64)
    half = weights.shape[2] // 2
    rest = found.sum(axis=(2, 3)) - ONE
    middle = found[:, :, half : half + 2, half : half + 2]
    flat = middle.reshape(*middle.shape[:2], -1)
    place = np.where(rest < 0, flat.argmax(axis=2), flat.argmin(axis=2))
    columns = middle.shape[3]
    y, x = np.indices(rest.shape)
    found[y, x, half + place // columns, half + place % columns] -= rest
    return found


def linear_weights() -> np.ndarray:
    """Shapes: -> (32, 2)"""
    part = np.arange(1 << BITS, dtype=np.float32) / np.float32(1 << BITS)
    return np.stack([1 - part, part], axis=1)


def cubic_weights() -> np.ndarray:
    """Shapes: -> (32, 4)"""
    x, a = np.arange(1 << BITS, dtype=np.float32) / np.float32(1 << BITS), np.float32(-0.75)
    far, rest = x + 1, 1 - x
    weights = [
        ((a * far - 5 * a) * far + 8 * a) * far - 4 * a,
        ((a + 2) * x - (a + 3)) * x * x + 1,
        ((a + 2) * rest - (a + 3)) * rest * rest + 1,
    ]
    return np.stack([*weights, 1 - weights[0] - weights[1] - weights[2]], axis=1)


def filling(x: np.ndarray, fill: tuple[int, ...]) -> np.ndarray:
    """A pixel of `fill`: channels beyond the third are 0, as OpenCV has them."""
    if x.ndim == 2:
        return np.asarray(fill[0]).astype(x.dtype)
    whole = [*fill, *[0] * max(0, x.shape[2] - len(fill))]
    return np.asarray(whole[: x.shape[2]]).astype(x.dtype)
