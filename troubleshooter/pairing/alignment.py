"""The alignment of two sequences, as far as all the best ones agree about it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
MOST_CELLS = 16 << 20
"""Longer sequences are not aligned."""


def certain(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """The places of equal items that every longest common subsequence pairs.

    Of ("x", "x") and ("x",) nothing: either could be the one.
    """
    if not a or not b or len(a) * len(b) > MOST_CELLS:
        return
    x, y = numbered(a, b)
    before = lengths(x, y)
    behind = lengths(x[::-1], y[::-1])[::-1, ::-1]
    longest = before[-1, -1]
    needed = np.max(before[:-1] + behind[1:], axis=1) < longest
    for i in np.flatnonzero(needed):
        partners = np.flatnonzero((x[i] == y) & (before[i, :-1] + 1 + behind[i + 1, 1:] == longest))
        if len(partners) == 1:
            yield int(i), int(partners[0])


def common_length(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence; 0 of sequences that are too long."""
    if len(a) * len(b) > MOST_CELLS:
        return 0
    return int(lengths(*numbered(a, b))[-1, -1])


def numbered(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[Array, Array]:
    """Both sequences with a number for each different item."""
    numbers = {item: number for number, item in enumerate(dict.fromkeys((*a, *b)))}
    x, y = (np.array([numbers[item] for item in side], np.int64) for side in (a, b))
    return x, y


def lengths(x: Array, y: Array) -> Array:
    """The length of the longest common subsequence of each start of x with each start of y.

    Shapes: (n,), (m,) -> (n + 1, m + 1)
    """
    found = np.zeros((len(x) + 1, len(y) + 1), np.int32)
    for i, item in enumerate(x):
        row = np.maximum(found[i, 1:], found[i, :-1] + (y == item))
        found[i + 1, 1:] = np.maximum.accumulate(row)
    return found
