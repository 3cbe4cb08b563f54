"""Images with borders put around them, cut out of larger ones, and overwritten in part."""

from __future__ import annotations

import numpy as np

from .warping import filling

MODES = {"edge": "edge", "reflect": "reflect", "symmetric": "symmetric"}
"""NumPy's names of them."""


def padded(
    x: np.ndarray, sides: tuple[int, int, int, int], mode: str, fill: tuple[int, ...]
) -> np.ndarray:
    """The image with so many pixels more at its left, top, right and bottom."""
    left, top, right, bottom = sides
    if mode != "constant":
        edges = [(top, bottom), (left, right), *[(0, 0)] * (x.ndim - 2)]
        return np.pad(x, edges, MODES[mode])  # type: ignore[call-overload, no-any-return]
    h, w = x.shape[:2]
    found = np.empty((h + top + bottom, w + left + right, *x.shape[2:]), x.dtype)
    found[...] = filling(x, fill)
    found[top : top + h, left : left + w] = x
    return found


def centred(x: np.ndarray, height: int, width: int) -> np.ndarray:
    """The middle of the image; black where it is smaller than what is asked for."""
    h, w = x.shape[-3 if x.ndim > 2 else 0], x.shape[-2 if x.ndim > 2 else 1]
    top, left = (h - height) // 2, (w - width) // 2
    if top >= 0 and left >= 0:
        return cut(x, top, left, height, width)
    up, down = -min(0, (h - height) // 2), max(0, height - h) - -min(0, (h - height) // 2)
    before, after = -min(0, (w - width) // 2), max(0, width - w) - -min(0, (w - width) // 2)
    edges = [(up, down), (before, after)]
    edges = edges if x.ndim == 2 else [*[(0, 0)] * (x.ndim - 3), *edges, (0, 0)]
    wide = np.pad(x, edges)
    return cut(wide, max(0, top), max(0, left), height, width)


def cut(x: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """A part of each image. Shapes: (..., h, w, c) or (h, w)"""
    rows, columns = slice(top, top + height), slice(left, left + width)
    return x[rows, columns] if x.ndim == 2 else x[..., rows, columns, :]
