"""Images in another size, as OpenCV's `resize` computes them.

OpenCV itself does it where it is installed. Here, bytes are weighed in fixed point: the weights of
a pixel's neighbours are whole numbers of 1/2048, rows are made first, then columns of them. All
else is computed in float32.
Source: OpenCV 4.11, modules/imgproc/src/resize.cpp
"""

from __future__ import annotations

import math
import threading
from functools import lru_cache
from typing import Any

import numpy as np

from . import opencv

Shape = tuple[int, int]
Taps = tuple[np.ndarray, np.ndarray]
"""Of each pixel of the result: the pixels that it is made of, and their weights (kernel, size)."""

ONE = 2048
"""The weight 1 in fixed point."""


def resized(x: np.ndarray, size: Shape, how: str) -> np.ndarray:
    """The image in another size; `how`: nearest, linear, cubic or area."""
    found = opencv.resized(x, size, how)
    return HOW[how](x, size) if found is None else found


def resized_part(x: np.ndarray, size: Shape, part: tuple[int, int, int, int]) -> np.ndarray:
    """A part (top, left, height, width) of the image in another size, which is not the half."""
    if (found := opencv.resized(x, size, "linear")) is None:
        return linear_part(x, size, part)
    top, left, height, width = part
    return np.ascontiguousarray(found[top : top + height, left : left + width])


def nearest(x: np.ndarray, size: Shape) -> np.ndarray:
    """The pixel at or before each place. Shapes: x (h, w, ...) -> (*size, ...)"""
    rows, columns = (
        np.minimum(np.floor(np.arange(new) * (1.0 / (new / old))).astype(np.intp), old - 1)
        for old, new in zip(x.shape[:2], size, strict=True)
    )
    return np.asarray(x[rows][:, columns])


def linear(x: np.ndarray, size: Shape) -> np.ndarray:
    """Each pixel of the four around its place."""
    if x.shape[0] == 2 * size[0] and x.shape[1] == 2 * size[1]:
        return area(x, size)
    vertical = linear_taps(x.shape[0], size[0], held=False)
    return weighed(x, vertical, linear_taps(x.shape[1], size[1]))


def linear_part(x: np.ndarray, size: Shape, part: tuple[int, int, int, int]) -> np.ndarray:
    """`resized_part` by NumPy: only the pixels of the part are computed."""
    top, left, height, width = part
    rows, columns = slice(top, top + height), slice(left, left + width)
    vertical = [taps[:, rows] for taps in linear_taps(x.shape[0], size[0], held=False)]
    horizontal = [taps[:, columns] for taps in linear_taps(x.shape[1], size[1])]
    low, high = int(vertical[0].min()), int(vertical[0].max()) + 1
    first, last = int(horizontal[0].min()), int(horizontal[0].max()) + 1
    near = (vertical[0] - low, vertical[1]), (horizontal[0] - first, horizontal[1])
    return weighed(x[low:high, first:last], *near)


def cubic(x: np.ndarray, size: Shape) -> np.ndarray:
    """Each pixel of the sixteen around its place, by cubic polynomials."""
    return weighed(x, cubic_taps(x.shape[0], size[0]), cubic_taps(x.shape[1], size[1]))


def area(x: np.ndarray, size: Shape) -> np.ndarray:
    """The mean of what each pixel covers; where it covers less than one, of two in each axis."""
    (h, w), (n, m) = x.shape[:2], size
    if n > h or m > w:
        return weighed(x, stretched_taps(h, n), stretched_taps(w, m))
    if h % n == 0 and w % m == 0:
        return block_means(x, h // n, w // m)
    flat = x.reshape(h, w, -1).astype(np.float64)
    columns = np.einsum("mw,hwc->hmc", covered(w, m), flat, optimize=True)
    found = np.einsum("nh,hmc->nmc", covered(h, n), columns, optimize=True)
    return as_type(found.reshape(n, m, *x.shape[2:]), x.dtype)


HOW = {"nearest": nearest, "linear": linear, "cubic": cubic, "area": area}


def block_means(x: np.ndarray, high: int, wide: int) -> np.ndarray:
    """The means of whole blocks of pixels."""
    blocks = x.reshape(x.shape[0] // high, high, x.shape[1] // wide, wide, *x.shape[2:])
    if x.dtype.kind not in "ui":
        return as_type(blocks.mean(axis=(1, 3), dtype=np.float64), x.dtype)
    total = blocks.sum(axis=(1, 3), dtype=np.int32)
    if high == wide == 2:
        return np.asarray(((total + 2) >> 2).astype(x.dtype))
    return as_type(total.astype(np.float32) * np.float32(1 / (high * wide)), x.dtype)


@lru_cache(maxsize=64)
def linear_taps(old: int, new: int, held: bool = True) -> Taps:
    """Two pixels of `old` for each of `new`; beyond the edges, the pixel at the edge.

    held: that pixel alone, where otherwise it is taken twice, and what is cut off falls twice.
    """
    place = ((np.arange(new) + 0.5) * (1.0 / (new / old)) - 0.5).astype(np.float32)
    first = np.floor(place).astype(np.intp)
    part = place - first.astype(np.float32)
    return two_taps(first, part, old, held)


@lru_cache(maxsize=64)
def stretched_taps(old: int, new: int) -> Taps:
    """As `linear_taps`, for an area of less than a pixel."""
    scale = 1.0 / (new / old)
    first = np.floor(np.arange(new) * scale).astype(np.intp)
    part = ((np.arange(new) + 1) - (first + 1) * (new / old)).astype(np.float32)
    part = np.where(part <= 0, np.float32(0), part - np.floor(part))
    return two_taps(first, part, old)


def two_taps(first: np.ndarray, part: np.ndarray, old: int, held: bool = True) -> Taps:
    if held:
        part = np.where((first < 0) | (first >= old - 1), np.float32(0), part)
        first = np.maximum(first, 0)
    pixels = np.clip(np.stack([first, first + 1]), 0, old - 1)
    return pixels, np.stack([np.float32(1) - part, part])


@lru_cache(maxsize=64)
def cubic_taps(old: int, new: int) -> Taps:
    """Four pixels of `old` for each of `new`, with the kernel whose parameter is -0.75."""
    place = ((np.arange(new) + 0.5) * (1.0 / (new / old)) - 0.5).astype(np.float32)
    first = np.floor(place)
    x, a = place - first, np.float32(-0.75)
    far, near, rest = x + 1, x, 1 - x
    weights = [
        ((a * far - 5 * a) * far + 8 * a) * far - 4 * a,
        ((a + 2) * near - (a + 3)) * near * near + 1,
        ((a + 2) * rest - (a + 3)) * rest * rest + 1,
    ]
    weights.append(1 - weights[0] - weights[1] - weights[2])
    pixels = np.clip(first.astype(np.intp) + np.arange(-1, 3)[:, None], 0, old - 1)
    return pixels, np.stack(weights).astype(np.float32)


def covered(old: int, new: int) -> np.ndarray:
    """Which share of each of `new` pixels each of `old` is. Shapes: -> (new, old)"""
    scale = old / new
    edges = np.arange(new + 1) * scale
    low = np.maximum(edges[:-1, None], np.arange(old))
    high = np.minimum(edges[1:, None], np.arange(old) + 1)
    shares = np.maximum(high - low, 0)
    shares[shares < 1e-3] = 0  # OpenCV leaves them out
    width = np.minimum(scale, old - edges[:-1])[:, None]
    return np.asarray(shares / width)


def weighed(x: np.ndarray, vertical: Taps, horizontal: Taps) -> np.ndarray:
    """The image with each row, then each column, made of the pixels that its taps name."""
    if x.dtype == np.uint8:
        return weighed_bytes(x, vertical, horizontal)
    wide = x.astype(np.float64 if x.dtype == np.float64 else np.float32)
    (rows, up), (columns, across) = vertical, horizontal
    tail = (1,) * (x.ndim - 2)
    sums = sum(wide[:, c] * w.reshape(-1, *tail) for c, w in zip(columns, across, strict=True))
    found = sum(sums[r] * w.reshape(-1, 1, *tail) for r, w in zip(rows, up, strict=True))
    return as_type(np.asarray(found), x.dtype)


def weighed_bytes(x: np.ndarray, vertical: Taps, horizontal: Taps) -> np.ndarray:
    """`weighed` in fixed point."""
    h, w = x.shape[:2]
    channels = x.size // (h * w) if x.size else 1
    (rows, up), (columns, across) = vertical, horizontal
    flat = np.ascontiguousarray(x).reshape(h, w * channels)
    if rows.size < h:  # the others are not needed
        used, places = np.unique(rows, return_inverse=True)
        flat, rows = flat[used], places.reshape(up.shape)
    sums = row_sums(flat, columns, fixed(across), channels)
    if len(up) == 2:
        found = two_rows(sums, rows, fixed(up))
    else:
        exact = sum(
            sums[r].astype(np.float64) * w[:, None] for r, w in zip(rows, fixed(up), strict=True)
        )
        found = np.clip(np.rint(np.asarray(exact) / ONE**2), 0, 255).astype(np.uint8)
    return found.reshape(up.shape[1], across.shape[1], *x.shape[2:])


def row_sums(
    flat: np.ndarray, columns: np.ndarray, weights: np.ndarray, channels: int
) -> np.ndarray:
    """The sums along rows of bytes. Shapes: flat (h, w*channels) -> (h, new*channels) of int32"""
    places = (columns[:, :, None] * channels + np.arange(channels)).reshape(len(columns), -1)
    weights = np.repeat(weights, channels, axis=1)
    shape = len(flat), places.shape[1]
    taken = scratch("taken", shape, np.uint8)
    found, term = scratch("sums", shape, np.int32), scratch("term", shape, np.int32)
    for n, (place, weight) in enumerate(zip(places, weights, strict=True)):
        flat.take(place, axis=1, mode="clip", out=taken)
        wide = term if n else found
        np.copyto(wide, taken)  # to multiply bytes takes longer than both
        wide *= weight
        if n:
            found += term
    return found


def two_rows(sums: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Two rows of sums become one: each is cut to 16 bits, and so is its product."""
    sums >>= 4
    shape = rows.shape[1], sums.shape[1]
    found, second = scratch("upper", shape, np.int32), scratch("lower", shape, np.int32)
    for term, place, weight in zip((found, second), rows, weights, strict=True):
        sums.take(place, axis=0, mode="clip", out=term)
        term *= weight[:, None]
        term >>= 16
    found += second
    found += 2
    found >>= 2
    return np.asarray(np.clip(found, 0, 255, out=found).astype(np.uint8))  # faster than minimum


held = threading.local()
"""Of each thread: memory for what is needed while one image is made. To ask the system for pages
anew costs more than to compute what they hold."""


def scratch(name: str, shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """An array of this thread's that holds anything; the next of this name is the same memory."""
    kept: dict[str, np.ndarray] = held.__dict__
    size = math.prod(shape) * np.dtype(kind).itemsize
    if name not in kept or kept[name].size < size:
        kept[name] = np.empty(size, np.uint8)
    found: np.ndarray = kept[name][:size].view(kind).reshape(shape)
    return found


def fixed(weights: np.ndarray) -> np.ndarray:
    return np.rint(weights * np.float32(ONE)).astype(np.int32)


def as_type(x: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Numbers as `kind`: rounded to the nearest, or to the even one, within its range."""
    if kind.kind not in "ui":
        return x.astype(kind)
    limits = np.iinfo(kind)
    return np.asarray(np.clip(np.rint(x), limits.min, limits.max).astype(kind))
