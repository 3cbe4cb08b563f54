"""What is kept of every tensor: a few numbers, of which some tell how far two of them are apart.

Each element is added, with a sign drawn by its place, to one of `PROJECTIONS` sums. The distance
of two tensors' sums is an estimate, to about a sixth, of the distance of the tensors.
Source: Charikar, Chen, Farach-Colton: Finding Frequent Items in Data Streams, 2002
"""

from __future__ import annotations

import numpy as np

from .messages import Array

NUMBERS = ("size", "nan", "infinite", "zero", "minimum", "maximum", "mean", "norm")
QUANTILES = (0.01, 0.25, 0.5, 0.75, 0.99)
PROJECTIONS = 64
WIDTH = len(NUMBERS) + len(QUANTILES) + PROJECTIONS

BLOCK = 1 << 16
MOST_SORTED = 4096
"""Quantiles are of at most so many elements, evenly spread."""


def sketch_of(array: Array) -> Array:
    """The numbers, the quantiles, the projections; of finite elements all but the counts.

    Shapes: any -> (WIDTH,) of float64; complex elements count as two
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind == "c":
        flat = flat.view(np.float64 if flat.dtype.itemsize == 16 else np.float32)
    finite = np.isfinite(flat) if flat.dtype.kind == "f" else np.ones(flat.shape, bool)
    counts = [flat.size, int(np.isnan(flat).sum()) if flat.dtype.kind == "f" else 0]
    counts += [int((~finite).sum()) - counts[1], int((flat == 0).sum())]
    wide = flat.astype(np.float64)
    wide[~finite] = 0.0
    kept = wide if finite.all() else wide[finite]
    row = np.zeros(WIDTH)
    row[:4] = counts
    if kept.size:
        row[4:8] = kept.min(), kept.max(), kept.mean(), np.sqrt(kept @ kept)
        row[8:13] = np.quantile(kept[:: -(-kept.size // MOST_SORTED)], QUANTILES)
    row[13:] = projected(wide)
    return row


def projected(x: Array) -> Array:
    """The signed sums. Shapes: (n,) -> (PROJECTIONS,)"""
    drawn = np.random.RandomState(0)
    signs = drawn.randint(0, 2, BLOCK) * 2.0 - 1
    sums = np.zeros(PROJECTIONS)
    for start in range(0, x.size, BLOCK):
        part = x[start : start + BLOCK] * signs[: x.size - start]
        part = np.pad(part, (0, -part.size % PROJECTIONS)).reshape(-1, PROJECTIONS)
        sums += part.sum(0) * (drawn.randint(0, 2) * 2.0 - 1)
    return sums
