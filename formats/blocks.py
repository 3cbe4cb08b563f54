"""Arrays as a stream of bytes, half a megabyte at a time, whatever their layout in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

USER_TYPES = 256
"""NumPy numbers the element types of other libraries from here on."""

TILE = 64
"""Columns of a transposed matrix that are copied together."""

BLOCK_BYTES = 512 << 10
"""Bytes per block: what fits into a core's cache; blocks of 4 MB take twice the time to write."""


@dataclass(frozen=True)
class Streamed:
    """Elements that are made anew whenever they are asked for, and never whole in memory.

    `make` gives them in C order, little-endian, as arrays of one axis of so many elements and a
    rest, each valid until the next one is asked for.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    make: Callable[[int], Iterator[np.ndarray[Any, Any]]] = field(repr=False, compare=False)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


Content: TypeAlias = np.ndarray[Any, Any] | Streamed
"""What a tensor of a file is written from."""


def byte_blocks(content: Content) -> Iterator[memoryview]:
    """The elements in C order, little-endian, in blocks of at most BLOCK_BYTES.

    Nothing is copied of a C-contiguous array; others (transposed, broadcast, big-endian) pass
    through a buffer of one block, valid until the next one is asked for.
    """
    for block in blocks_of(content, max(1, BLOCK_BYTES // content.dtype.itemsize)):
        yield block.view(np.uint8).data


def blocks_of(content: Content, elements: int) -> Iterator[np.ndarray[Any, Any]]:
    """As element_blocks, of content of either kind."""
    if isinstance(content, Streamed):
        return content.make(elements)
    return element_blocks(content, elements)


def element_blocks(array: np.ndarray[Any, Any], elements: int) -> Iterator[np.ndarray[Any, Any]]:
    """The elements of `array` in C order, little-endian, in blocks of `elements` and a rest.

    As byte_blocks: views of a C-contiguous array, else one buffer that is filled again.
    """
    little = array.dtype.newbyteorder("<")
    if array.flags.c_contiguous and array.dtype == little:
        flat = array.reshape(-1)
        for start in range(0, flat.size, elements):
            yield flat[start : start + elements]
        return
    is_known = array.dtype.num < USER_TYPES
    plain = array if is_known else array.view(f"u{array.itemsize}")
    for block in even(pieces_in_order(plain, elements), elements, array.size):
        yield block.view(little)


def pieces_in_order(plain: np.ndarray[Any, Any], elements: int) -> Iterator[np.ndarray[Any, Any]]:
    """The elements in C order, little-endian, in pieces of any size up to about `elements`."""
    if is_transposed(plain) and plain.dtype.isnative and plain.shape[1] <= elements:
        yield from rows_of_transposed(plain, elements // plain.shape[1])
        return
    walk = np.nditer(
        plain,
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_dtypes=plain.dtype.newbyteorder("<"),
        order="C",
        casting="equiv",
        buffersize=elements,
    )
    yield from walk


def is_transposed(plain: np.ndarray[Any, Any]) -> bool:
    """Whether it is the transpose of a matrix of some size, as most weights of layers are."""
    return plain.ndim == 2 and plain.flags.f_contiguous and plain.size >= TILE * TILE


def rows_of_transposed(plain: np.ndarray[Any, Any], rows: int) -> Iterator[np.ndarray[Any, Any]]:
    """The elements, so many rows at a time, tile by tile: a third of the time that a row at a time
    takes, for which each number comes from another line of the cache."""
    buffer = np.empty((min(rows, len(plain)), plain.shape[1]), plain.dtype)
    for start in range(0, len(plain), rows):
        some = plain[start : start + rows]
        for left in range(0, plain.shape[1], TILE):
            buffer[: len(some), left : left + TILE] = some[:, left : left + TILE]
        yield buffer[: len(some)].reshape(-1)


def even(
    pieces: Iterator[np.ndarray[Any, Any]], elements: int, total: int
) -> Iterator[np.ndarray[Any, Any]]:
    """`total` elements that come in pieces of any size, in a buffer of `elements` and a rest."""
    buffer: np.ndarray[Any, Any] | None = None
    filled = 0
    for piece in pieces:
        if buffer is None:
            buffer = np.empty(min(elements, total), piece.dtype)
        while piece.size > 0:
            part = piece[: buffer.size - filled]
            buffer[filled : filled + part.size] = part
            filled += part.size
            piece = piece[part.size :]
            if filled == buffer.size:
                yield buffer
                filled = 0
    if buffer is not None and filled > 0:
        yield buffer[:filled]
