"""Large arrays that are used again when nobody holds them any more.

To get pages of memory from the system for each batch takes longer than to fill them.
"""

from __future__ import annotations

import sys

import numpy as np

SMALLEST = 1 << 17
"""Bytes from which on memory comes from the system in pages of its own."""
MOST = 4
"""As many arrays are kept: those that are made ahead, and one that is looked at."""


def references(held: list[np.ndarray], place: int) -> int:
    """How many references there are to an array of the list, counted always in the same way."""
    return sys.getrefcount(held[place])


ALONE = references([np.zeros(1)], 0)
"""As many, where the list is all that holds it."""


class Buffers:
    """The arrays of one column of batches, or of rows. A view of an array holds it, too.

    most: as many are kept.
    """

    def __init__(self, most: int = MOST) -> None:
        self.held: list[np.ndarray] = []
        self.most = most

    def take(self, shape: tuple[int, ...], kind: np.dtype) -> np.ndarray | None:
        """An array that holds anything; None for a small one."""
        if int(np.prod(shape)) * kind.itemsize < SMALLEST:
            return None
        for place in range(len(self.held)):  # enumerate would hold the array itself
            fits = self.held[place].shape == shape and self.held[place].dtype == kind
            if fits and references(self.held, place) == ALONE:
                return self.held[place]
        self.held = [np.empty(shape, kind), *self.held[: self.most - 1]]
        return self.held[0]
