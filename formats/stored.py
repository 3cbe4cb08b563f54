"""What a weight file holds: tensors that are loaded when asked for, texts, names in order."""

from __future__ import annotations

import copy
import errno
import math
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from ..errors import MsconvertError
from .blocks import BLOCK_BYTES, Content, element_blocks
from .storage import opening
from .storage.recovery import settle, settled

if TYPE_CHECKING:
    from .storage.atomic import Path

Array: TypeAlias = np.ndarray[Any, Any]

MAX_RANK = 32
"""As many dimensions as NumPy 1 allows; MindSpore itself has 8."""
MOST_ELEMENTS = 1 << 48
MOST_TENSORS = 500_000
"""Each takes some three kilobytes while two files are compared."""
NO_LINK = opening.OPEN_FLAGS | getattr(os, "O_NOFOLLOW", 0)
RELEASE_BYTES = 8 << 20
"""After so many bytes of a tensor that is walked, its pages are let go of."""


def nothing() -> None:
    """What is let go of where no file is mapped."""


@dataclass(frozen=True)
class StoredTensor:
    """One tensor of a weight file; nothing of its data is in memory before `array` is called.

    `type_name` is MindSpore's ("Float32"); `dtype` is NumPy's. "Int4" (two values to a byte)
    reads as int8, a byte per stored element.
    """

    name: str
    type_name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    load: Callable[[], Array] = field(repr=False, compare=False)
    walk: Callable[[int], Iterator[Array]] | None = field(default=None, repr=False, compare=False)
    """The elements without the whole: where `load` would copy (parts, compressed, unaligned)."""
    release: Callable[[], None] = field(default=nothing, repr=False, compare=False)
    """Lets go of the memory of what was read; it is read again if it is needed."""

    @cached_property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the data."""
        return self.size * self.dtype.itemsize

    def array(self) -> Array:
        """The tensor, read-only and aligned: a view of the mapped file if its bytes allow it."""
        return self.load()

    def copied(self) -> Array:
        """The tensor as an array of the caller's own, its bytes copied once."""
        own = np.empty(self.shape, self.dtype)
        flat, filled = own.reshape(-1), 0
        for block in self.blocks(max(1, BLOCK_BYTES // self.dtype.itemsize)):
            flat[filled : filled + block.size] = block
            filled += block.size
        self.release()
        return own

    def blocks(self, elements: int) -> Iterator[Array]:
        """The elements in C order, as arrays of one axis and of `dtype`, in little memory.

        All have exactly `elements` but the last; each is valid until the next one is asked for.
        Pages of the file are let go of on the way. An empty tensor has no blocks.
        """
        walk = self.walk
        blocks = element_blocks(self.load(), elements) if walk is None else walk(elements)
        return blocks if self.release is nothing else releasing(blocks, self.release)


def releasing(blocks: Iterator[Array], release: Callable[[], None]) -> Iterator[Array]:
    """The blocks; whenever RELEASE_BYTES of them have passed, `release` is called."""
    passed = 0
    for block in blocks:
        yield block
        passed += block.nbytes
        if passed >= RELEASE_BYTES:
            release()
            passed = 0


Stored: TypeAlias = StoredTensor | str
Value: TypeAlias = Content | str


class WeightFileError(MsconvertError, ValueError):
    """MS302: a weight file that is damaged or of an unknown kind (MindSpore: a ValueError)."""


class Checkpoint(Mapping[str, Stored]):
    """The tensors (and texts, from MindSpore's append_dict) of a weight file, in its order.

    `metadata` is what a .safetensors says of itself; `has_crc`: its CRC-32 was there, and right.
    `unreadable` are entries that cannot be read, each with the reason, where these were asked for
    (`comparing`); `others` is what else is there: files of a folder that hold no weights, keys of a
    .pth that lead to further tensors. `computed`: tensors that are not in the file, and of which
    that are there they are computed. `files`: those that it consists of, besides the one at `path`.
    """

    unreadable: Mapping[str, MsconvertError]
    others: Sequence[str]
    computed: Mapping[str, Sequence[str]] = MappingProxyType({})
    files: Sequence[str] = ()

    def __init__(
        self,
        path: str,
        entries: Mapping[str, Stored],
        metadata: Mapping[str, str] | None = None,
        has_crc: bool = False,
        source: mmap.mmap | None = None,
        unreadable: Mapping[str, MsconvertError] | None = None,
        others: Sequence[str] = (),
    ) -> None:
        self.path = path
        self.unreadable = dict(unreadable or {})
        self.others = others
        self._source = source
        self.metadata = dict(metadata or {})
        self.has_crc = has_crc or "crc_num" in self.metadata
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Stored:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def tensors(self) -> dict[str, StoredTensor]:
        """The tensors only."""
        return {name: v for name, v in self._entries.items() if isinstance(v, StoredTensor)}

    def with_computed(
        self, entries: Mapping[str, Stored], computed: Mapping[str, Sequence[str]]
    ) -> Self:
        """The same file with other tensors."""
        found = copy.copy(self)
        found._entries, found.computed = dict(entries), computed
        return found

    def release(self) -> None:
        """Lets go of the memory of what was read so far; it is read again if it is needed."""
        if self._source is not None:
            let_go(self._source, 0, len(self._source))

    def require(self, names: Set[str]) -> None:
        """Refuse a file that lacks one of `names`.

        The only way to see that a .ckpt was cut exactly between two parameters: the format
        stores no count.
        Raises: MS302
        """
        missing = sorted(names - self._entries.keys())
        if missing:
            raise WeightFileError(
                "MS302",
                self.path,
                f"{len(missing)} parameters are missing, '{missing[0]}' among them",
                got=f"{len(self)} parameters",
                expected=f"at least {len(names)}",
                advice=COPY_AGAIN,
            )


COPY_AGAIN = "copy or save the file again: it may have been cut short or damaged"


def damage(path: str, problem: str, got: str = "", expected: str = "") -> WeightFileError:
    """The MS302 error about the damaged weight file `path`."""
    return WeightFileError("MS302", path, problem, got=got, expected=expected, advice=COPY_AGAIN)


def is_possible(shape: Sequence[int]) -> bool:
    """Whether an array can have this shape.

    NumPy multiplies the sizes of an empty one, too, but for the zeros.
    """
    if 0 in shape and max(shape) >= 1 << 31:
        return False
    return len(shape) <= MAX_RANK and math.prod(filter(None, shape)) < MOST_ELEMENTS


def refuse_many(where: str, count: int) -> None:
    """Raises: MS302 for so many tensors that comparing them would take gigabytes"""
    if count > MOST_TENSORS:
        problem = "it has more tensors than are read of one file"
        advice = "split it: the largest networks have a hundred thousand"
        raise WeightFileError(
            "MS302",
            where,
            problem,
            got=f"at least {count}",
            expected=f"at most {MOST_TENSORS}",
            advice=advice,
        )


def unreadable_type(where: str, name: str, got: str, known: Iterable[str]) -> WeightFileError:
    """The MS302 error about an element type of a tensor that is none of `known`."""
    return WeightFileError(
        "MS302",
        where,
        f"'{name}' has an element type that MindSpore reads from no checkpoint",
        got=got,
        expected=", ".join(known),
        advice="cast the parameter to float32 before it is saved",
    )


def map_file(path: Path) -> mmap.mmap:
    """The file's content, mapped read-only. Raises: MS302 if it cannot be read or is empty."""
    where = os.fspath(path)
    descriptor, _size = opened(where)
    try:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # ValueError: emptied meanwhile
        raise cannot_read(where, error) from error
    finally:
        os.close(descriptor)


def opened(where: str, *, is_settled: bool = False) -> tuple[int, int]:
    """A descriptor of the file at `where`, and the file's size in bytes.

    `is_settled`: its folder was looked into just now, and nothing there was cut off.
    Raises: MS302 if it cannot be read, is empty or no regular file; a pipe is not waited for; also
    if it is one of several files of a write that was cut off and cannot be finished
    """
    try:
        descriptor, size = of_whole_set(where, is_settled)
    except OSError as error:
        raise cannot_read(where, error) from error
    if size == 0:
        os.close(descriptor)
        raise damage(where, "the file is empty", "0 bytes")
    return descriptor, size


def of_whole_set(where: str, is_settled: bool) -> tuple[int, int]:
    """As `opening.opened`; a link is told by opening, as to ask of each file takes as long."""
    if is_settled or settle(os.path.dirname(where) or ".").is_whole:
        try:
            return opening.opened(where, flags=NO_LINK)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
    settled(where)
    return opening.opened(where)


def cannot_read(where: str, error: Exception) -> WeightFileError:
    """The MS302 error about a path that the system does not let us read."""
    if isinstance(error, FileNotFoundError):
        return WeightFileError("MS302", where, "no such file", advice="check the path")
    if isinstance(error, opening.UnopenedError):
        problem = str(error.strerror)
        got, expected = error.got, error.expected
        advice = "check the path, or copy it to a file"
        return WeightFileError("MS302", where, problem, got=got, expected=expected, advice=advice)
    problem = f"cannot be read ({getattr(error, 'strerror', None) or error})"
    return WeightFileError("MS302", where, problem, advice="check the path")


def array_at(
    source: mmap.mmap,
    offset: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    aligned: bool = True,
) -> np.ndarray[Any, Any]:
    """The array at byte `offset` of `source`: a view; if `aligned` and it is not, a copy."""
    count = math.prod(shape)
    found = np.frombuffer(source, np.uint8, count * dtype.itemsize, offset)
    if aligned and offset % dtype.itemsize:
        found = found.copy()
        found.flags.writeable = False
    return found.view(dtype).reshape(shape)


def let_go(source: mmap.mmap, start: int, size: int) -> None:
    """Lets go of the memory of `size` bytes of a mapped file; they are read again if needed."""
    if size > 0 and hasattr(mmap, "MADV_DONTNEED"):
        first = start - start % mmap.PAGESIZE
        source.madvise(mmap.MADV_DONTNEED, first, start + size - first)
