"""The pages of mapped files: brought in together, and let go of when they have been used."""

from __future__ import annotations

import mmap
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..stored import Checkpoint

RELEASE_BYTES = 48 << 20
"""After so many bytes the pages of the mapped files are let go of."""
WINDOW_BYTES = 8 << 20
"""So much is brought in by one call: a fault for every 64 KB costs as much as the copying."""
POPULATE_READ = 22
"""Linux's MADV_POPULATE_READ, which Python's mmap has no name for."""


@dataclass(frozen=True)
class Place:
    """Where in a mapped file some bytes begin."""

    source: mmap.mmap
    offset: int


def place_of(array: np.ndarray[Any, Any]) -> Place | None:
    """Where a contiguous array's first byte is; None if it is no such view of a mapped file."""
    owner: Any = array
    while isinstance(owner, np.ndarray | memoryview):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    if not isinstance(owner, mmap.mmap) or not array.flags.c_contiguous:
        return None
    return Place(owner, address(array) - address(np.frombuffer(owner, np.uint8)))


def address(array: np.ndarray[Any, Any]) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


class Pages:
    """The pages of some files, as their bytes are used one after the other."""

    def __init__(self, *files: Checkpoint) -> None:
        self.files = files
        self.passed = 0
        self.window: tuple[mmap.mmap | None, int, int] = (None, 0, 0)

    def bring(self, place: Place, size: int) -> None:
        """Has the pages of these bytes, and some of those behind them, in memory."""
        source, start, end = self.window
        if source is place.source and start <= place.offset and place.offset + size <= end:
            return
        start = place.offset - place.offset % mmap.PAGESIZE
        end = min(max(place.offset + size, start + WINDOW_BYTES), len(place.source))
        self.window = (place.source, start, end)
        if sys.platform == "linux":
            with suppress(OSError):  # before Linux 5.14: they come one by one, when they are read
                place.source.madvise(POPULATE_READ, start, end - start)

    def count(self, size: int) -> None:
        """Notes that so many bytes were used."""
        self.passed += size
        if self.passed >= RELEASE_BYTES:
            self.passed = 0
            self.window = (None, 0, 0)
            for file in self.files:
                file.release()
