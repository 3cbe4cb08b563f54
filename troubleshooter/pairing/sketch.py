"""Sketches: a few elements of each tensor, and the tensors of two files that have them alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ...errors import MsconvertError
from ...formats.names.naming import Shape
from ...formats.stored import StoredTensor
from ...numerics.sampling import GOLDEN, orders, places
from .change import RESHAPE, SAME, transpose
from .pair import Tensors

Array: TypeAlias = np.ndarray[Any, Any]

SMALLEST = 3
"""Fewer elements tell nothing."""
SAME_DISTANCE = 4e-3
"""So far, in standard deviations, are tensors apart that differ by rounding to bfloat16."""
LIKE, UNLIKE = 0.95, 0.7
"""Correlation of what is the same tensor, trained on or disturbed, and of what is another."""
LEAST_CORRELATED = 16
BY_VALUE, BY_LIKENESS = 0.99, 0.9


def sample(array: Array, axes: tuple[int, ...] | None = None) -> Array:
    """The sampled elements of the array, or of its transpose, as float64."""
    turned = array if axes is None else array.transpose(axes)
    found = turned[np.unravel_index(places(turned.size), turned.shape)] if turned.ndim else turned
    values = np.atleast_1d(np.asarray(found))
    if values.dtype.kind == "c":
        values = values.real + GOLDEN * values.imag
    return values.astype(np.float64)


@dataclass(frozen=True)
class Sketch:
    """A tensor of a file and its sampled elements; the rest of it is not kept in memory."""

    tensor: StoredTensor
    values: Array

    @property
    def shape(self) -> Shape:
        return self.tensor.shape


def sketched(tensors: Tensors, names: Iterable[str]) -> list[Sketch]:
    """Sketches of tensors, but for those that the file is too damaged for."""
    found = []
    for name in names:
        with suppress(MsconvertError):
            found.append(Sketch(tensors[name], sample(tensors[name].array())))
    return found


@dataclass(frozen=True)
class Match:
    """Two tensors, by their names, that have the same elements, or very similar ones."""

    a: str
    b: str
    change: str
    confidence: float


Rows = Callable[[Array, Array], Iterable[tuple[int, int, float]]]
"""Which rows of samples belong together, and how sure that is."""


@np.errstate(over="ignore", invalid="ignore")
def matches(a: Sequence[Sketch], b: Sequence[Sketch], rule: Rows) -> list[Match]:
    """The tensors of equal size that only fit each other; constant ones fit nothing."""
    found = list(straight(a, b, rule))
    done_a, done_b = {match.a for match in found}, {match.b for match in found}
    free_a = [it for it in a if it.tensor.name not in done_a]
    free_b = [it for it in b if it.tensor.name not in done_b]
    return [*found, *turned(free_a, free_b, rule)]


def straight(a: Sequence[Sketch], b: Sequence[Sketch], rule: Rows) -> Iterator[Match]:
    """The matches with the elements in the same order."""
    for i, j, sure in rule(rows(a), rows(b)):
        change = SAME if a[i].shape == b[j].shape else RESHAPE
        yield Match(a[i].tensor.name, b[j].tensor.name, change, sure)


def rows(sketches: Iterable[Sketch]) -> Array:
    return np.stack([it.values for it in sketches])


def turned(a: Sequence[Sketch], b: Sequence[Sketch], rule: Rows) -> Iterator[Match]:
    """The matches after a transpose."""
    for shape in dict.fromkeys(it.shape for it in b):
        theirs = [it for it in b if it.shape == shape]
        ours = [variant for it in a for variant in variants(it, shape)]
        if not ours:
            continue
        samples = np.stack([values for _name, _axes, values in ours])
        for i, j, sure in rule(samples, rows(theirs)):
            name, axes, _values = ours[i]
            yield Match(name, theirs[j].tensor.name, transpose(axes), sure)


def variants(it: Sketch, shape: Shape) -> Iterator[tuple[str, tuple[int, ...], Array]]:
    """Name, order of axes and samples of each transpose that has this shape."""
    found = list(orders(it.shape, shape))
    array = it.tensor.array() if found else it.values
    for axes in found:
        yield it.tensor.name, axes, sample(array, axes)


def equal_rows(ours: Array, theirs: Array) -> Iterator[tuple[int, int, float]]:
    """The rows that are the same but for rounding, and the same as no other.

    Shapes: ours (n, k), theirs (m, k)
    """
    varied, finite = usable(ours), usable(theirs)
    if len(varied) and len(finite):
        near = nearness(ours[varied], theirs[finite])
        for i, j in alone(near, near):
            yield int(varied[i]), int(finite[j]), BY_VALUE


def similar_rows(ours: Array, theirs: Array) -> Iterator[tuple[int, int, float]]:
    """The rows that are correlated, and with no other; of few elements chance would do it."""
    varied, finite = usable(ours), usable(theirs)
    if not len(varied) or not len(finite) or ours.shape[1] < LEAST_CORRELATED:
        return
    likeness = correlations(ours[varied], theirs[finite])
    near = nearness(ours[varied], theirs[finite])
    for i, j in alone(likeness > LIKE, likeness > UNLIKE):
        if not near[i].any() and not near[:, j].any():
            yield int(varied[i]), int(finite[j]), BY_LIKENESS * float(likeness[i, j])


def usable(values: Array) -> Array:
    """The rows that tell something: neither constant nor without numbers."""
    spread = values.std(axis=1)
    return np.flatnonzero(np.isfinite(spread) & (spread > 0))


def nearness(x: Array, y: Array) -> Array:
    """Whether each row of x is one of y but for rounding. Shapes: (n, k), (m, k) -> (n, m)"""
    return np.asarray(distances(x, y) / x.std(axis=1)[:, None] < SAME_DISTANCE)


def alone(like: Array, rivals: Array) -> Iterator[tuple[int, int]]:
    """The places that are true in `like`, and alone in their row and column of `rivals`."""
    rows, columns = rivals.sum(axis=1) == 1, rivals.sum(axis=0) == 1
    for i, j in zip(*np.nonzero(like), strict=True):
        if rows[i] and columns[j]:
            yield int(i), int(j)


def distances(x: Array, y: Array) -> Array:
    """The root mean square of each row of x less each of y. Shapes: (n, k), (m, k) -> (n, m)"""
    return np.stack([np.sqrt(np.mean((row - y) ** 2, axis=1)) for row in x])


def correlations(x: Array, y: Array) -> Array:
    """The correlation of each row of x with each of y. Shapes: (n, k), (m, k) -> (n, m)"""
    p, q = (rows - rows.mean(axis=1, keepdims=True) for rows in (x, y))
    p, q = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (p, q))
    found: Array = p @ q.T
    return found
