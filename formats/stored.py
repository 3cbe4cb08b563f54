"""What a weight file holds: tensors that are loaded when asked for, texts, names in order."""

from __future__ import annotations

import math
import mmap
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ..errors import MsconvertError
from .atomic import Path

MAX_RANK = 32
"""As many dimensions as NumPy 1 allows; MindSpore itself has 8."""


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
    load: Callable[[], np.ndarray[Any, Any]] = field(repr=False, compare=False)

    @property
    def nbytes(self) -> int:
        """Bytes of the data."""
        return math.prod(self.shape) * self.dtype.itemsize

    def array(self) -> np.ndarray[Any, Any]:
        """The tensor, read-only and aligned: a view of the mapped file if its bytes allow it."""
        return self.load()


Stored: TypeAlias = StoredTensor | str
Value: TypeAlias = np.ndarray[Any, Any] | str


class WeightFileError(MsconvertError, ValueError):
    """MS302: a weight file that is damaged or of an unknown kind (MindSpore: a ValueError)."""


class Checkpoint(Mapping[str, Stored]):
    """The tensors (and texts, from MindSpore's append_dict) of a weight file, in its order.

    `metadata` is what a .safetensors says of itself; `has_crc`: its CRC-32 was there, and right.
    """

    def __init__(
        self,
        path: str,
        entries: Mapping[str, Stored],
        metadata: Mapping[str, str] | None = None,
        has_crc: bool = False,
        source: mmap.mmap | None = None,
    ) -> None:
        self.path = path
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

    def release(self) -> None:
        """Lets go of the memory of what was read so far; it is read again if it is needed."""
        if self._source is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._source.madvise(mmap.MADV_DONTNEED)

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
    try:
        with open(path, "rb", opener=without_waiting) as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise WeightFileError("MS302", where, "not a regular file", advice="copy it to one")
            if status.st_size == 0:
                raise damage(where, "the file is empty", "0 bytes")
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError as error:
        raise WeightFileError("MS302", where, "no such file", advice="check the path") from error
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise WeightFileError("MS302", where, problem, advice="check the path") from error


def without_waiting(path: str, flags: int) -> int:
    """Open `path` without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


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
