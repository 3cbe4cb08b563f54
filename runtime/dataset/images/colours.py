"""Colours of images: grey, hue and saturation as OpenCV computes them; tables of levels."""

from __future__ import annotations

import numpy as np

from .resizing import as_type

SHIFT = 15
RED, GREEN, BLUE = 9798, 19235, 3735
"""What they count for in grey, of 1 << SHIFT."""
HUE_SHIFT = 12


def grey(x: np.ndarray) -> np.ndarray:
    """Shapes: x (h, w, 3) of red, green, blue -> (h, w)"""
    if x.dtype.kind == "f":
        weights = np.array([0.299, 0.587, 0.114], np.float32)
        return np.asarray((x @ weights.astype(x.dtype)).astype(x.dtype))
    if x.dtype == np.uint8:
        wide = x.astype(np.int32)
        total = wide[..., 0] * RED + wide[..., 1] * GREEN + wide[..., 2] * BLUE
        return ((total + (1 << SHIFT - 1)) >> SHIFT).astype(np.uint8)
    wide = x.astype(np.int64)
    total = wide[..., 0] * 4899 + wide[..., 1] * 9617 + wide[..., 2] * 1868
    return ((total + (1 << 13)) >> 14).astype(x.dtype)


def mixed(x: np.ndarray, share: float, y: np.ndarray) -> np.ndarray:
    """`share` of x and the rest of y, which is added without rounding it first, as by FMA."""
    part = np.float32(share)
    rest = np.asarray(y, np.float64) * float(np.float32(1.0 - float(part)))
    return as_type((x.astype(np.float32) * part + rest).astype(np.float32), x.dtype)


def hue_saturation_value(x: np.ndarray) -> np.ndarray:
    """Bytes of hue, saturation and value; a full turn of the hue is 256.

    Source: OpenCV 4.11, modules/imgproc/src/color_hsv.simd.hpp
    """
    wide = x.astype(np.int64)
    r, g, b = wide[..., 0], wide[..., 1], wide[..., 2]
    v, low = wide.max(axis=-1), wide.min(axis=-1)
    spread = v - low
    number = np.arange(1, 256, dtype=np.float64)
    saturations = np.append(0, np.rint((255 << HUE_SHIFT) / number)).astype(np.int64)
    hues = np.append(0, np.rint((256 << HUE_SHIFT) / (6 * number))).astype(np.int64)
    s = spread * saturations[v] + (1 << HUE_SHIFT - 1) >> HUE_SHIFT
    turn = np.where(v == r, g - b, np.where(v == g, b - r + 2 * spread, r - g + 4 * spread))
    h = turn * hues[spread] + (1 << HUE_SHIFT - 1) >> HUE_SHIFT
    h += np.where(h < 0, 256, 0)
    return np.stack([np.clip(h, 0, 255), s, v], axis=-1).astype(np.uint8)


BLOCK = 32
"""How many pixels of a row OpenCV takes at once on processors with AVX2."""


def from_hue(x: np.ndarray) -> np.ndarray:
    """Bytes of red, green and blue of those of `hue_saturation_value`.

    As OpenCV has it, a turn is 255 here, and levels are cut, but rounded in the last pixels of a
    row that do not fill a block. Shapes: (h, w, 3)
    """
    scale = np.float32(1 / 255)
    h = x[..., 0].astype(np.float32) * np.float32(6 / 255)
    s, v = (x[..., k].astype(np.float32) * scale for k in (1, 2))
    levels = of_sector(h, s, v) * np.float32(255)
    last = x.shape[1] // BLOCK * BLOCK
    levels[:, last:] = np.rint(levels[:, last:])
    return np.clip(levels, 0, 255).astype(np.uint8)


def of_sector(h: np.ndarray, s: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Red, green and blue of a hue in sixths of a turn. Shapes: each (...) -> (..., 3)"""
    sector = np.floor(h)
    part = h - sector
    levels = np.stack([v, v * (1 - s), v * (1 - s * part), v * (1 - s * (1 - part))], axis=-1)
    order = np.array([[0, 3, 1], [2, 0, 1], [1, 0, 3], [1, 2, 0], [3, 1, 0], [0, 1, 2]])
    return np.take_along_axis(levels, order[sector.astype(np.intp) % 6], axis=-1)


def floating_hue(x: np.ndarray) -> np.ndarray:
    """Hue, saturation and value in [0, 1], as Python's colorsys has them. Shapes: (..., 3)"""
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    v, low = x.max(axis=-1), x.min(axis=-1)
    spread = v - low
    with np.errstate(divide="ignore", invalid="ignore"):
        rc, gc, bc = (v - r) / spread, (v - g) / spread, (v - b) / spread
        s = spread / v
    h = np.where(r == v, bc - gc, np.where(g == v, 2.0 + rc - bc, 4.0 + gc - rc))
    h = (h / 6.0) % 1.0
    flat = spread == 0
    return np.stack([np.where(flat, 0.0, h), np.where(flat, 0.0, s), v], axis=-1)


def through(x: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Bytes through a table of 256 levels, or through one for each channel. Shapes: (256, ...)"""
    if table.ndim == 1:
        return np.asarray(table[x])
    planes = [table[:, c][x[..., c]] for c in range(x.shape[-1])]
    return np.stack(planes, axis=-1)


def counted(x: np.ndarray) -> np.ndarray:
    """How often each level occurs in each channel. Shapes: (h, w, c) -> (c, 256)"""
    planes = x.reshape(-1, 1) if x.ndim == 2 else x.reshape(-1, x.shape[2])
    return np.stack([np.bincount(plane, minlength=256) for plane in planes.T])


def contrast_table(counts: np.ndarray, cutoff: float, ignored: list[int]) -> np.ndarray:
    """The levels by which those that occur, but for `cutoff` percent at either end, fill 0..255."""
    counts = counts.copy()
    counts[list(ignored)] = 0
    cut = int(counts.sum() * np.float32(cutoff) / 100)
    counts = without_first(without_first(counts, cut)[::-1], cut)[::-1]
    used = np.flatnonzero(counts)
    low, high = (int(used[0]), int(used[-1])) if len(used) else (255, 0)
    if high <= low:
        return np.arange(256, dtype=np.uint8)
    scale = np.float32(255.0) / np.float32(high - low)
    levels = np.arange(256, dtype=np.float32) * scale + np.float32(-low) * scale
    return np.asarray(np.clip(np.trunc(levels), 0, 255).astype(np.uint8))


def without_first(counts: np.ndarray, cut: int) -> np.ndarray:
    """How often levels occur, but for the first `cut` occurrences."""
    before = np.cumsum(counts) - counts
    return np.asarray(counts - np.clip(cut - before, 0, counts))


def equal_table(counts: np.ndarray) -> np.ndarray:
    """The levels by which all of 0..255 are about as frequent.

    Source: OpenCV 4.11, modules/imgproc/src/histogram.cpp, equalizeHist
    """
    first = int(np.flatnonzero(counts)[0]) if counts.any() else 0
    rest = int(counts.sum() - counts[first])
    if rest == 0:
        return np.full(256, first, np.uint8)
    after = np.cumsum(counts) - counts[: first + 1].sum()
    levels = np.maximum(after, 0).astype(np.float32) * (np.float32(255) / np.float32(rest))
    return np.asarray(np.rint(levels).astype(np.uint8))
