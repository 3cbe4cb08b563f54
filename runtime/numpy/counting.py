"""Counting: histograms and their edges."""

from __future__ import annotations

from typing import Any

import numpy

from .. import ops
from ..engine import dtype as dtypes
from ..engine.tensor import Tensor
from .creation import arange, linspace
from .manipulation import ravel
from .registry import array, floating, public
from .statistics import diff


@public
def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Any:
    places = ravel(x).astype(dtypes.int32)
    size = max(int(ops.amax(places).item()) + 1, minlength) if length is None else length
    hits = ops.equal(ops.expand_dims(arange(size), 1), places)
    if weights is None:
        return ops.sum(hits.astype(dtypes.float32), 1)
    return ops.sum(ops.where(hits, floating(weights), 0.0), 1)


@public
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    if not isinstance(bins, int):
        return array(bins)
    x = floating(ravel(a))
    low, high = (
        (ops.amin(x), ops.amax(x)) if range is None else (floating(range[0]), floating(range[1]))
    )
    same = ops.equal(low, high)
    made: Tensor = linspace(
        ops.where(same, low - 0.5, low), ops.where(same, high + 0.5, high), bins + 1
    )
    return made


@public
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Tensor, list[Tensor]]:
    """Counts in boxes: `sample` (points, axes), or one array per axis."""
    points = (
        ops.stack([*map(floating, sample)], 1)
        if isinstance(sample, (list, tuple))
        else floating(sample)
    )
    count = points.shape[1]
    per_axis = [bins] * count if isinstance(bins, int) else bins
    spans = [None] * count if range is None else range
    columns = [points[:, k] for k in numpy.arange(count)]
    edges = [histogram_bin_edges(c, b, s) for c, b, s in zip(columns, per_axis, spans, strict=True)]
    inside = [hits(c, e) for c, e in zip(columns, edges, strict=True)]
    w = ops.ones((points.shape[0],), dtypes.float32) if weights is None else floating(weights)
    total = w
    for k, one in enumerate(inside):
        total = ops.expand_dims(total, -1) * ops.reshape(
            one, (one.shape[0], *(1,) * k, one.shape[1])
        )
    made = ops.sum(total, 0)
    if density:
        made = made / ops.sum(made)
        for k, edge in enumerate(edges):
            made = made / ops.reshape(
                diff(edge), [-1 if j == k else 1 for j in numpy.arange(count)]
            )
    return made, edges


def hits(x: Tensor, edges: Tensor) -> Any:
    """1 where a number is in a bin, else 0; the last bin has its upper edge. (numbers, bins)"""
    a = ops.expand_dims(x, 1)
    below = ops.less(a, edges[1:])
    at_end = ops.logical_and(ops.equal(a, edges[-1]), ops.equal(edges[1:], edges[-1]))
    inside = ops.logical_and(ops.greater_equal(a, edges[:-1]), ops.logical_or(below, at_end))
    return inside.astype(dtypes.float32)


@public
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    per_axis = bins if isinstance(bins, int) or len(bins) == 2 else [bins, bins]
    made, edges = histogramdd([x, y], per_axis, range, weights, density)
    return made, edges[0], edges[1]


@public
def histogram(
    a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    spans = None if range is None else [range]
    w = None if weights is None else ravel(weights)
    made, edges = histogramdd(ops.expand_dims(ravel(floating(a)), 1), [bins], spans, w, density)
    return made, edges[0]
