"""Arrays in one file, equal ones once, and views of them."""

from __future__ import annotations

import hashlib
import mmap
import os
from types import TracebackType
from typing import Self

import numpy as np

from .messages import Array, Stored

ALIGNMENT = 64


class Store:
    """A file that grows by the arrays that it has not got; beyond `limit` bytes none is added."""

    def __init__(self, file: str, limit: int) -> None:
        self.file = file
        self.limit = limit
        self.held: dict[str, Stored] = {}
        self.stream = open(file, "wb")  # noqa: SIM115  # closed by __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stream.close()

    def add(self, array: Array, digest: str) -> Stored | None:
        """Where the array is; None if there is no room for it."""
        if digest in self.held:
            return self.held[digest]
        offset = self.stream.tell()
        offset += -offset % ALIGNMENT
        if offset + array.nbytes > self.limit:
            return None
        self.stream.seek(offset)
        self.stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        self.held[digest] = Stored(self.file, offset, array.dtype.str, tuple(array.shape))
        return self.held[digest]


class Views:
    """Arrays of files of such a kind, mapped into memory when they are asked for."""

    def __init__(self) -> None:
        self.files: dict[str, Array] = {}

    def array(self, stored: Stored) -> Array:
        dtype = np.dtype(stored.dtype)
        size = int(np.prod(stored.shape, dtype=np.int64)) * dtype.itemsize
        if not size:
            return np.empty(stored.shape, dtype)
        part = self._bytes(stored.file)[stored.offset : stored.offset + size]
        return part.view(dtype).reshape(stored.shape)

    def _bytes(self, file: str) -> Array:
        if file not in self.files:
            with open(file, "rb") as stream:
                whole = mmap.mmap(stream.fileno(), os.fstat(stream.fileno()).st_size, prot=1)
            self.files[file] = np.frombuffer(whole, np.uint8)
        return self.files[file]


def digest_of(array: Array) -> str:
    """The same for arrays of the same type, shape and bytes."""
    content = hashlib.blake2b(f"{array.dtype.str}{array.shape}".encode(), digest_size=16)
    content.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return content.hexdigest()
