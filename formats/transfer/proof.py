"""Written bytes, read back from the file and compared with their sources while more is written."""

from __future__ import annotations

import mmap
import threading
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from operator import itemgetter
from queue import SimpleQueue
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeAlias, TypeGuard
from weakref import WeakKeyDictionary

import numpy as np

from ..blocks import Content, Streamed, byte_blocks
from ..storage.atomic import Path
from ..stored import StoredTensor
from .pages import Pages, Place, place_of

FOLLOWED_BYTES = 64 << 10
"""Smaller blocks may still wait in a buffer: they are compared when the file is complete."""
SMALL_BYTES = 4 << 10
"""Of so few bytes, copies are compared sooner than views are made."""

Array: TypeAlias = np.ndarray[Any, Any]
Runs: TypeAlias = dict[int, list[tuple[int, int]]]
"""Stretches of the written file, by how much further their bytes lie in the source."""


class Follower:
    """A thread that reads each written block from the file again and compares it with its source.

    It only ever finds out that bytes are equal, so that these need not be compared once more:
    what it has not seen, and what differed, is not `proven`.
    """

    def __init__(self, path: Path) -> None:
        self._stream = open(path, "rb", buffering=0)  # noqa: SIM115 - closed on leaving
        self._blocks: SimpleQueue[tuple[int, memoryview, Place] | None] = SimpleQueue()
        self._followed: list[tuple[int, int]] = []
        self._equal: WeakKeyDictionary[mmap.mmap, Runs] = WeakKeyDictionary()
        self._is_worthless = False
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_worthless |= error is not None
        self._blocks.put(None)
        self._thread.join()
        self._stream.close()

    def follow(self, position: int, block: memoryview, place: Place) -> None:
        """Takes note of a block that was written behind all others, at this position."""
        self._followed.append((position, position + len(block)))
        self._blocks.put((position, block, place))

    def change(self, position: int, size: int) -> None:
        """Takes note that these bytes of the file were written again."""
        number = bisect_right(self._followed, position, key=itemgetter(1))
        if any(start < position + size for start, _end in self._followed[number : number + 1]):
            self._is_worthless = True

    def proven(self, array: Array, written: Array) -> int:
        """How many of the array's first bytes are known to be equal to those in the file.

        `written` is a view of the file, mapped when it was complete.
        """
        ours, theirs = place_of(array), place_of(written)
        if ours is None or theirs is None or self._is_worthless:
            return 0
        start = theirs.offset
        runs = self._equal.get(ours.source, {}).get(ours.offset - start, [])
        number = bisect_right(runs, start, key=itemgetter(0))
        reached = runs[number - 1][1] if number > 0 else start
        return max(0, min(array.nbytes, reached - start))

    def _follow(self) -> None:
        buffer = bytearray()
        while (found := self._blocks.get()) is not None:
            if self._is_worthless:
                continue
            position, block, place = found
            if len(buffer) != len(block):
                buffer = bytearray(len(block))
            with suppress(OSError):  # not proven, then
                self._stream.seek(position)
                if self._stream.readinto(buffer) == len(block) and buffer == block:
                    self._note(position, len(block), place)

    def _note(self, position: int, size: int, place: Place) -> None:
        runs = self._equal.setdefault(place.source, {}).setdefault(place.offset - position, [])
        start = runs.pop()[0] if runs and runs[-1][1] == position else position
        runs.append((start, position + size))


class Followed:
    """A stream whose content is followed as it is written; it begins at the file's first byte."""

    def __init__(self, stream: BinaryIO, follower: Follower, pages: Pages) -> None:
        self.stream = stream
        self.follower = follower
        self.pages = pages
        self.position = self.end = 0

    def write(self, data: Any) -> None:
        size = len(data)
        place = place_of(np.frombuffer(data, np.uint8)) if size >= FOLLOWED_BYTES else None
        if place is not None:
            self.pages.bring(place, size)
        self.stream.write(data)
        if self.position < self.end:
            self.follower.change(self.position, size)
        elif place is not None:
            self.follower.follow(self.position, data, place)
        self.position += size
        self.end = max(self.end, self.position)
        self.pages.count(size)

    def seek(self, position: int) -> None:
        self.stream.seek(position)
        self.position = position

    def tell(self) -> int:
        return self.position


def same(content: Content, stored: object, follower: Follower, pages: Pages) -> bool:
    """Whether a stored tensor has the shape, the type and every bit of what it was made of."""
    if not isinstance(stored, StoredTensor) or stored.shape != content.shape:
        return False
    if stored.dtype != content.dtype.newbyteorder("<"):
        return False
    if is_small(content) and content.dtype == stored.dtype:
        return content.tobytes() == stored.array().tobytes()
    written: Content = Streamed(stored.shape, stored.dtype, stored.blocks)
    done = 0
    if stored.walk is None and not isinstance(content, Streamed):
        written = stored.array()
        if content.nbytes >= FOLLOWED_BYTES:
            done = follower.proven(content, written)
    for ours, theirs in zip(blocks_from(content, done), blocks_from(written, done), strict=True):
        left, right = words(ours, theirs)
        if not np.array_equal(left, right):
            return False
        pages.count(len(ours))
    return True


def is_small(content: Content) -> TypeGuard[Array]:
    """Whether it is an array of a few bytes."""
    return isinstance(content, np.ndarray) and content.nbytes < SMALL_BYTES


def blocks_from(content: Content, start: int) -> Iterator[memoryview]:
    """The bytes but for the first ones, which only contiguous arrays can leave out."""
    if start == 0 or isinstance(content, Streamed):
        return byte_blocks(content)
    return byte_blocks(content.reshape(-1).view(np.uint8)[start:])


def words(*blocks: memoryview) -> list[Array]:
    """Blocks as the widest integers that all are made of: they compare fastest, if aligned."""
    wide = [np.frombuffer(block, np.uint64) for block in blocks if len(block) % 8 == 0]
    if len(wide) == len(blocks) and all(block.flags.aligned for block in wide):
        return wide
    return [np.frombuffer(block, np.uint8) for block in blocks]
