"""The elements of an array in C order, a block at a time, whatever their layout in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
Passed: TypeAlias = Callable[[int], object]
"""Told how many bytes have been read since it was last called."""

BLOCK = 16_384
"""Elements per block: as float64, the five arrays that a block needs fit into a core's cache."""


class Elements:
    """An array as blocks: views of it where it is contiguous and aligned, else copies."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.size = array.size
        self.dtype = array.dtype.newbyteorder("=")
        native, flags = array.dtype.isnative, array.flags
        self.flat = array.reshape(-1) if native and flags.c_contiguous else None
        self.is_aligned = flags.aligned

    def block(self, start: int, stop: int) -> Array:
        """The elements `start` to `stop` (at most BLOCK) in C order; shape (stop - start,)."""
        if self.flat is None:
            return self.gathered(start, stop)
        part = self.flat[start:stop]
        return part if self.is_aligned else part.view(np.uint8).copy().view(part.dtype)

    def gathered(self, start: int, stop: int) -> Array:
        """A block of an array whose elements do not stand in a row."""
        walk = np.nditer(
            self.array,
            flags=["external_loop", "buffered", "ranged"],
            op_flags=[["readonly", "contig"]],
            op_dtypes=self.dtype,
            order="C",
            casting="equiv",
            buffersize=stop - start,
        )
        walk.iterrange = (start, stop)
        parts = [part.copy() for part in walk]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def ranges(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """`start` to `stop` in blocks."""
    for first in range(start, stop, BLOCK):
        yield first, min(first + BLOCK, stop)


def same_bytes(a: Array, b: Array) -> bool:
    """Whether two blocks of one type have the same bytes."""
    for word in (np.uint64, np.uint8):
        if a.nbytes % np.dtype(word).itemsize == 0:
            x, y = a.view(word), b.view(word)
            if x.flags.aligned and y.flags.aligned:
                return not (x != y).any()
    raise AssertionError("bytes are always aligned")
