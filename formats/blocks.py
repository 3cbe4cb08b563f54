"""Arrays as a stream of bytes, half a megabyte at a time, whatever their layout in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

BLOCK_BYTES = 512 << 10
"""Bytes per block: what fits into a core's cache; blocks of 4 MB take twice the time to write."""


def byte_blocks(array: np.ndarray[Any, Any]) -> Iterator[memoryview]:
    """The elements of `array` in C order, little-endian, in blocks of at most BLOCK_BYTES.

    Nothing is copied of a C-contiguous array; others (transposed, broadcast, big-endian) pass
    through a buffer of one block, valid until the next one is asked for.
    """
    plain = array.view(f"u{array.itemsize}") if array.dtype.kind == "V" else array
    step = max(1, BLOCK_BYTES // plain.itemsize)
    little = plain.dtype.newbyteorder("<")
    if plain.flags.c_contiguous and plain.dtype == little:
        flat = plain.reshape(-1)
        for start in range(0, flat.size, step):
            yield flat[start : start + step].view(np.uint8).data
        return
    walk = np.nditer(
        plain,
        flags=["external_loop", "buffered"],
        op_dtypes=little,
        order="C",
        casting="equiv",
        buffersize=step,
    )
    for block in walk:
        yield np.ascontiguousarray(block).view(np.uint8).data
