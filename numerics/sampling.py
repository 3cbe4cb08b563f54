"""What of an array is looked at first: a few of its elements, the orders of its axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
Shape: TypeAlias = tuple[int, ...]

SAMPLES = 64
"""So many elements of a tensor are taken."""
GOLDEN = (math.sqrt(5) - 1) / 2
MOST_AXES = 5


def places(size: int, most: int = SAMPLES) -> Array:
    """The places of the sampled elements: all of few, or spread over them without a rhythm."""
    if size <= most:
        return np.arange(size)
    return np.sort((np.arange(1, most + 1) * GOLDEN % 1 * size).astype(np.int64))


def orders(before: Shape, after: Shape) -> Iterator[tuple[int, ...]]:
    """The orders of axes, but for the plain one, that make one shape the other."""
    if len(before) != len(after) or not 1 < len(before) <= MOST_AXES:
        return
    for axes in itertools.permutations(range(len(before))):
        is_plain = [axis for axis in axes if before[axis] != 1] == sorted(
            axis for axis in axes if before[axis] != 1
        )
        if not is_plain and tuple(before[axis] for axis in axes) == after:
            yield axes
