"""Two sequences aligned: which of one answers to which of the other, in order, with gaps."""

from __future__ import annotations

import numpy as np

from ..records import Array


def best_pairs(scores: Array) -> list[tuple[int, int]]:
    """The pairs (i, j), both rising, with the greatest sum of scores; only positive ones.

    Of equal sums the one that pairs early elements of the second sequence.
    Shapes: (m, n) -> at most min(m, n) pairs
    Source: Needleman and Wunsch, 1970, with gaps that cost nothing
    """
    m, n = scores.shape
    sums = np.zeros((m + 1, n + 1))
    for i in range(m):
        paired = sums[i, :-1] + np.maximum(scores[i], 0)
        sums[i + 1, 1:] = np.maximum.accumulate(np.maximum(sums[i, 1:], paired))
    return list(reversed(list(traced_back(scores, sums))))


def traced_back(scores: Array, sums: Array) -> list[tuple[int, int]]:
    i, j = scores.shape
    found = []
    while i and j:
        if sums[i, j] == sums[i, j - 1]:
            j -= 1
        elif sums[i, j] == sums[i - 1, j]:
            i -= 1
        else:
            i, j = i - 1, j - 1
            found.append((i, j))
    return found
