"""Relations along one axis: its slices rolled, in blocks of another order, permuted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..sampling import places
from .evidence import Judge, taken
from .relation import Array, Candidate

PROBES = 16
"""Elements by which a slice is known."""
MOST_ROLLED, MOST_PERMUTED = 1 << 22, 1 << 16
"""Longer axes are not searched."""
MOST_ROLLS = 8
GATES = {3: "gates of a GRU, or q, k, v", 4: "gates of an LSTM"}


@dataclass(frozen=True)
class Rows:
    """The slices of two arrays along an axis, by a few elements of each.

    Shapes: a, b (n, probes)
    """

    judge: Judge
    axis: int
    a: Array
    b: Array

    @property
    def count(self) -> int:
        return len(self.a)

    def agree(self, order: Array) -> bool:
        """Whether a's slices in this order are b's."""
        return bool(self.judge.close(self.a[order], self.b).all())


def rows_of(array: Array, axis: int) -> Array:
    """A few elements of each slice. Shapes: (..., n, ...) -> (n, probes)"""
    front = np.moveaxis(array, axis, 0)
    inner = math.prod(front.shape[1:])
    at = places(inner, PROBES)
    index: tuple[Any, ...] = np.unravel_index(at, front.shape[1:]) if front.ndim > 1 else (None,)
    found = front[(slice(None), *index)]
    return taken(found, np.arange(found.size)).reshape(found.shape)


def along_axes(a: Array, b: Array, judge: Judge) -> Iterator[Candidate]:
    """Each axis with its slices in another order, the simplest orders of all axes first."""
    if a.shape != b.shape:
        return
    axes = [axis for axis in range(a.ndim) if 1 < a.shape[axis] <= MOST_ROLLED]
    rows = [Rows(judge, axis, rows_of(a, axis), rows_of(b, axis)) for axis in axes]
    for search, each in itertools.product((rolled, in_blocks, regrouped, permuted), rows):
        for kind, text, order, ways in search(each):
            if each.agree(order):
                yield Candidate(kind, text, np.take(a, order, each.axis), b, ways=ways)


Order = tuple[str, str, Array, float]
"""Kind, text, a's slices in the order of b's, how many orders there are."""


def rolled(rows: Rows) -> Iterator[Order]:
    first = np.flatnonzero(rows.judge.close(rows.a, rows.b[0]).all(axis=1))
    n = rows.count
    for start in first[first > 0][:MOST_ROLLS]:
        shift = int(n - start)
        shown = shift if 2 * shift <= n else shift - n
        text = f"equal after rolling axis {rows.axis} by {shown}"
        if 2 * shift == n:
            text = f"equal after swapping the halves of axis {rows.axis}"
        yield "halves" if 2 * shift == n else "roll", text, np.roll(np.arange(n), shift), n


def in_blocks(rows: Rows) -> Iterator[Order]:
    for count, meaning in GATES.items():
        if rows.count % count:
            continue
        parts = np.split(np.arange(rows.count), count)
        for order in list(itertools.permutations(range(count)))[1:]:
            text = f"equal after taking the {count} blocks of axis {rows.axis} as {order}"
            if rows.count > count:
                text += f" ({meaning})"
            yield "blocks", text, np.concatenate([parts[part] for part in order]), 24


def regrouped(rows: Rows) -> Iterator[Order]:
    """The axis as (p, q, r), transposed to (q, p, r): interleaved parts, flattened images."""
    n = rows.count
    if n > MOST_PERMUTED:
        return
    divisors = [d for d in range(1, n + 1) if n % d == 0]
    for p in divisors[1:]:
        for q in (q for q in divisors[1:] if n % (p * q) == 0):
            r = n // (p * q)
            order = np.arange(n).reshape(p, q, r).swapaxes(0, 1).reshape(-1)
            before, after = ((p, q), (q, p)) if r == 1 else ((p, q, r), (q, p, r))
            text = f"equal after regrouping axis {rows.axis} from {before} to {after}"
            yield "regroup", text, order, len(divisors) ** 2


def permuted(rows: Rows) -> Iterator[Order]:
    """Any order, found by sorting the slices of both."""
    n = rows.count
    if n > MOST_PERMUTED or rows.a.dtype.kind == "c":
        return
    weights = np.random.default_rng(0).random(rows.a.shape[1])
    with np.errstate(invalid="ignore", over="ignore"):
        ours, theirs = (np.argsort(side @ weights, kind="stable") for side in (rows.a, rows.b))
    order = np.empty(n, np.int64)
    order[theirs] = ours
    moved = int(np.count_nonzero(order != np.arange(n)))
    text = f"equal after permuting axis {rows.axis}: {moved} of {n} slices stand elsewhere"
    if n <= 8:
        text = f"equal after taking axis {rows.axis} as {tuple(order.tolist())}"
    yield "channels", text, order, math.exp(min(600.0, math.lgamma(n + 1)))
