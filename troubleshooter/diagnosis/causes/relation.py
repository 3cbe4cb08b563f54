"""What one array is of another, in words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from ....numerics.distance import near, peak
from ....numerics.limits import OF_RELATIONS
from ..layers.layer import Array
from .precision import ROUNDINGS

SORTED_BY = 8
"""So many elements tell rows apart."""


def relation(theirs: Array | None, own: Array) -> str:
    """What the candidate's array is of the reference's."""
    if theirs is None:
        return "there is none"
    if theirs.size == 0 or own.size == 0:
        return f"of shape {theirs.shape}"
    constant = of_constant(theirs)
    if constant:
        return constant
    return next(relations(theirs, own), "other numbers, never loaded or from elsewhere")


def of_constant(array: Array) -> str:
    first = float(array.flat[0])
    if array.size < 2 or (array != first).any():
        return ""
    return {0.0: "zeros, never loaded", 1.0: "ones, never loaded"}.get(first, f"{first:g} all over")


def relations(theirs: Array, own: Array) -> Iterator[str]:
    for axes in itertools.permutations(range(own.ndim)):
        if list(axes) != sorted(axes) and near(theirs, own.transpose(axes)):
            yield "transposed" if own.ndim == 2 else f"transposed by {axes}"
    if theirs.shape != own.shape:
        if theirs.size == own.size:
            reshaped = near(theirs.reshape(-1), own.reshape(-1))
            yield f"reshaped to {theirs.shape}" if reshaped else f"of shape {theirs.shape}"
        yield f"of shape {theirs.shape}, not {own.shape}"
        return
    for name, rounded in ROUNDINGS.items():
        if np.array_equal(theirs, rounded(own)):
            yield f"rounded to {name}"
    yield from mirrored(theirs, own)
    yield from blocks(theirs, own)
    yield from affine(theirs, own)
    if off_in_part(theirs, own):
        yield off_in_part(theirs, own)
    levels = np.unique(theirs).size
    if levels <= 256 < theirs.size and peak(theirs - own) < 0.05 * peak(own):
        yield f"quantised to {levels} levels"
    away = np.linalg.norm(theirs - own) / np.linalg.norm(own)
    if away < 0.5:
        yield f"off by {away:.2g} of its norm, as after more training"


def mirrored(theirs: Array, own: Array) -> Iterator[str]:
    axes = [k for k, n in enumerate(own.shape) if n > 1]
    for count in range(1, len(axes) + 1):
        for some in itertools.combinations(axes, count):
            if near(theirs, np.flip(own, some)):
                yield f"mirrored along {'axes' if count > 1 else 'axis'} {str(some).strip('(,)')}"


def blocks(theirs: Array, own: Array) -> Iterator[str]:
    """Halves, thirds or quarters of the rows, as gates or query, key and value, exchanged."""
    for count in (2, 3, 4):
        if own.shape[0] % count or own.shape[0] == count:
            continue
        parts = np.split(own, count)
        for order in itertools.permutations(range(count)):
            moved = list(order) != sorted(order)
            if moved and near(theirs, np.concatenate([parts[k] for k in order])):
                yield f"its {count} blocks of rows in the order {order}"
    for axis, name in enumerate(("rows", "columns (axis 1)")[: own.ndim]):
        if near(sorted_along(theirs, axis), sorted_along(own, axis)):
            yield f"its {name} in another order"


def sorted_along(array: Array, axis: int) -> Array:
    """The rows along an axis in the order of their first elements."""
    rows = np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)
    return np.asarray(rows[np.lexsort(rows[:, :SORTED_BY].T)])


def affine(theirs: Array, own: Array) -> Iterator[str]:
    size = float((own * own).sum())
    factor = float((theirs * own).sum()) / size if size else 0.0
    if factor and near(theirs, factor * own):
        yield "negated" if abs(factor + 1) < OF_RELATIONS else f"times {factor:.6g}"
    offset = float((theirs - own).mean())
    if near(theirs, own + offset):
        yield f"{offset:+.6g}"
    if (own > 0).all():
        for name, change in (("root", np.sqrt), ("square", np.square), ("inverse", np.reciprocal)):
            if near(theirs, change(own)):
                yield f"its {name}"


def off_in_part(theirs: Array, own: Array) -> str:
    """Where less than half of the elements differ."""
    off = np.abs(theirs - own) > OF_RELATIONS * peak(own)
    count = int(off.sum())
    if not 0 < count <= own.size // 2:
        return ""
    rows = np.flatnonzero(off.reshape(len(own), -1).any(1))
    where = f"row {rows[0]}" if len(rows) == 1 else f"{len(rows)} rows"
    zeros = "zeros" if not theirs[off].any() else "other numbers"
    return f"{zeros} in {where}"
