"""Images blurred and sharpened, as OpenCV's filters compute them."""

from __future__ import annotations

import numpy as np

from .resizing import as_type


def gaussian(size: int, sigma: float) -> np.ndarray:
    """The weights of a Gaussian kernel; a sigma of 0 or less follows from the size."""
    sigma = sigma if sigma > 0 else ((size - 1) * 0.5 - 1) * 0.3 + 0.8
    weights = np.exp(-0.5 * ((np.arange(size) - (size - 1) * 0.5) / sigma) ** 2)
    found: np.ndarray = weights / weights.sum()
    return found


def in_fixed_point(weights: np.ndarray) -> np.ndarray:
    """Weights in 1/256, whose sum is 1: what one is rounded by is added to the next."""
    found = np.zeros(len(weights), np.int64)
    rest = 0.0
    half = len(weights) // 2
    for place in range(half):
        wanted = weights[place] * 256 + rest
        found[place] = found[-1 - place] = int(np.rint(wanted))
        rest = wanted - found[place]
    found[half] = 256 - found[:half].sum() * 2
    return found


def blurred(x: np.ndarray, size: tuple[int, int], sigma: tuple[float, float]) -> np.ndarray:
    """A Gaussian blur; the image is mirrored at its edges, whose pixels are not repeated.

    size, sigma: along x, along y.
    Source: OpenCV 4.11, modules/imgproc/src/smooth.dispatch.cpp: bytes are weighed in fixed point
    """
    across, down = (gaussian(n, s) for n, s in zip(size, sigma, strict=True))
    if x.dtype != np.uint8:
        return as_type(separable(x.astype(np.float64), across, down), x.dtype)
    total = separable(x.astype(np.int64), in_fixed_point(across), in_fixed_point(down))
    return np.asarray(np.clip(total + (1 << 15) >> 16, 0, 255).astype(np.uint8))


def separable(x: np.ndarray, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Sums over neighbours in rows, then in columns."""
    for axis, weights in ((1, across), (0, down)):
        half = len(weights) // 2
        edges = [(0, 0)] * x.ndim
        edges[axis] = half, half
        wide = np.pad(x, edges, "reflect" if x.shape[axis] > 1 else "edge")
        length = x.shape[axis]
        windows = (wide.take(range(k, k + length), axis=axis) for k in range(len(weights)))
        x = np.asarray(sum(w * part for w, part in zip(weights, windows, strict=True)))
    return x


def smoothed(x: np.ndarray) -> np.ndarray:
    """The image with each inner pixel the mean of its 3 x 3, in which it counts five times."""
    wide = x.astype(np.int64 if x.dtype.kind in "ui" else np.float64)
    total = separable(wide, np.ones(3, wide.dtype), np.ones(3, wide.dtype)) + 4 * wide
    found = x.copy()
    found[1:-1, 1:-1] = as_type(total[1:-1, 1:-1] * np.float32(1 / 13), x.dtype)
    return found
