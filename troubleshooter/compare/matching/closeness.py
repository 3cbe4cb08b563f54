"""How far recorded tensors are apart, by their sketches alone."""

from __future__ import annotations

from math import prod

import numpy as np

from ....numerics.limits import OF_SKETCHES
from ...sides.child.messages import Value
from ...sides.child.sketch import PROJECTIONS
from ..recorded import Run
from ..records import Array

FAR = 1e9
"""The distance of what cannot be the same."""


def projections(run: Run, values: list[Value]) -> Array:
    """Shapes: -> (n, PROJECTIONS)"""
    return run.recording.sketches[[value.row for value in values], -PROJECTIONS:].reshape(
        -1, PROJECTIONS
    )


def distances(a: Run, ours: list[Value], b: Run, theirs: list[Value]) -> Array:
    """Estimates of ||x - y|| relative to the larger of both norms; `FAR` for other sizes.

    Elements are taken in their order, whatever the shapes are.

    Shapes: m and n tensors -> (m, n)
    """
    x, y = projections(a, ours), projections(b, theirs)
    counts = [np.array([prod(v.shape) for v in values], int) for values in (ours, theirs)]
    found = np.empty((len(ours), len(theirs)))
    for i in range(len(ours)):
        away = np.sqrt(((y - x[i]) ** 2).sum(1))
        sizes = np.maximum(np.sqrt((y**2).sum(1)), np.sqrt((x[i] ** 2).sum()))
        found[i] = away / np.where(sizes > 0, sizes, 1.0)
    found[counts[0][:, None] != counts[1][None, :]] = FAR
    return found


def distance(a: Run, one: Value, b: Run, other: Value) -> float:
    if one.digest == other.digest:
        return 0.0
    return float(distances(a, [one], b, [other])[0, 0])


def same_figures(a: Run, one: Value, b: Run, other: Value, limit: float = OF_SKETCHES) -> bool:
    """Whether as many elements have the same extremes, mean and norm, in whatever order."""
    ours, theirs = a.sketch(one), b.sketch(other)
    size = max(abs(ours.minimum), abs(ours.maximum), 1e-30)
    apart = (
        ours.minimum - theirs.minimum,
        ours.maximum - theirs.maximum,
        ours.mean - theirs.mean,
    )
    is_near = all(abs(number) <= limit * size for number in apart)
    is_as_long = abs(ours.norm - theirs.norm) <= limit * ours.norm
    return ours.size == theirs.size and is_near and is_as_long


def plain_shape(value: Value) -> tuple[int, ...]:
    """The sizes of the axes that are not 1."""
    return tuple(size for size in value.shape if size != 1)
