"""Many weight files of which only some are open at a time; the rest are opened again when asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..errors import MsconvertError
from .stored import Array, Checkpoint, Stored, StoredTensor, damage

MOST_OPEN = 64
"""Each open file takes a descriptor, of which a process may have 256 on some systems."""

What: TypeAlias = tuple[str, tuple[int, ...], np.dtype[Any]]
"""Element type and shape of a tensor."""


class Shelf:
    """Weight files by their paths, read by `reader`; the last MOST_OPEN used stay open."""

    def __init__(self, reader: Callable[[str], Checkpoint]) -> None:
        self.reader = reader
        self.open: OrderedDict[str, Checkpoint] = OrderedDict()

    def file(self, path: str) -> Checkpoint:
        """The file at `path`. Raises: MS302 and others as its reader does"""
        found = self.open.pop(path, None)
        if found is None:
            found = self.reader(path)
        self.open[path] = found
        if len(self.open) > MOST_OPEN:
            self.open.popitem(last=False)
        return found

    def entry(self, path: str, name: str, label: str) -> Stored:
        """The entry `name` of a file, under the name `label`; it does not keep the file open."""
        found = self.file(path)[name]
        if isinstance(found, str):
            return found
        what = what_of(found)
        note = Note(self, path, name, what)
        return StoredTensor(label, *what, note.load, note.walk, note.release)

    def release(self) -> None:
        """Lets go of the memory of what was read so far."""
        for file in self.open.values():
            file.release()


@dataclass(frozen=True, eq=False, slots=True)
class Note:
    """Where a tensor is, and its element type and shape, which it must still have."""

    shelf: Shelf
    path: str
    name: str
    what: What

    def again(self) -> StoredTensor:
        """The tensor, of a file that may have been closed since. Raises: MS302 if it is another"""
        found = self.shelf.file(self.path).get(self.name)
        if not isinstance(found, StoredTensor) or what_of(found) != self.what:
            raise damage(self.path, f"'{self.name}' has changed since the file was first read")
        return found

    def load(self) -> Array:
        return self.again().load()

    def walk(self, elements: int) -> Iterator[Array]:
        return self.again().blocks(elements)

    def release(self) -> None:
        file = self.shelf.open.get(self.path)
        found = None if file is None else file.get(self.name)
        if isinstance(found, StoredTensor):
            found.release()


def what_of(found: StoredTensor) -> What:
    return found.type_name, found.shape, found.dtype


class ShelvedCheckpoint(Checkpoint):
    """Entries of several files."""

    def __init__(
        self,
        path: str,
        entries: Mapping[str, Stored],
        metadata: Mapping[str, str],
        shelf: Shelf,
        unreadable: Mapping[str, MsconvertError],
        others: Sequence[str],
    ) -> None:
        super().__init__(path, entries, metadata, unreadable=unreadable, others=others)
        self.shelf = shelf

    def release(self) -> None:
        """Lets go of the memory of what was read so far; it is read again if it is needed."""
        self.shelf.release()
