"""The elements of an array or of a stored tensor in C order, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from ...formats.blocks import element_blocks
from ...formats.element_types import little_endian
from ...formats.stored import StoredTensor

Array: TypeAlias = np.ndarray[Any, Any]
Blocks: TypeAlias = Iterator[tuple[int, Array, Array]]

BLOCK = 65_536
"""Elements per block: few enough for the cache, so many that calls of NumPy cost little."""
SHORT = 8192
"""So many elements are compared faster as bytes of Python."""
WHOLE_BYTES = 1 << 18
"""A stored tensor of fewer bytes is loaded once; the blocks of larger ones are read again."""


class Elements:
    """An array, or a tensor of a file, as blocks of one axis, little-endian and aligned."""

    def __init__(self, source: Array | StoredTensor) -> None:
        is_small = isinstance(source, StoredTensor) and source.nbytes < WHOLE_BYTES
        self.source = source.array() if is_small else source  # type: ignore[union-attr]
        self.shape = source.shape
        self.size = source.size
        self.dtype = little_endian(source.dtype)
        self.whole: Array | None = None
        """All elements, if they are one block and lie as they are to be read."""
        if isinstance(self.source, np.ndarray) and 0 < self.size <= BLOCK:
            flags = self.source.flags
            if flags.c_contiguous and flags.aligned and self.source.dtype == self.dtype:
                self.whole = self.source.reshape(-1)

    def blocks(self, first: int = 0) -> Iterator[Array]:
        """Blocks of BLOCK elements and a rest, from the element `first` on, where a block begins.

        Each is valid until the next one is asked for.
        """
        if isinstance(self.source, StoredTensor):
            blocks = self.source.blocks(BLOCK)
        else:
            blocks = aligned(element_blocks(self.source, BLOCK))
        return islice(blocks, -(-first // BLOCK), None) if first else blocks


def aligned(blocks: Iterator[Array]) -> Iterator[Array]:
    """The blocks, those that are not aligned as copies."""
    for block in blocks:
        yield block if block.flags.aligned else block.view(np.uint8).copy().view(block.dtype)


def both(a: Elements, b: Elements, first: int = 0) -> Blocks:
    """Each block's place, and both arrays there."""
    place = first
    for x, y in zip(a.blocks(first), b.blocks(first), strict=True):
        yield place, x, y
        place += x.size


def same_bytes(a: Array, b: Array) -> bool:
    """Whether two blocks of one type have the same bytes."""
    if a.size <= SHORT:
        return a.tobytes() == b.tobytes()
    for word in (np.uint64, np.uint8):
        if a.nbytes % np.dtype(word).itemsize == 0:
            x, y = a.view(word), b.view(word)
            if x.flags.aligned and y.flags.aligned:
                return not (x != y).any()
    raise AssertionError("bytes are always aligned")
