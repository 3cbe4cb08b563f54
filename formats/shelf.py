"""Many weight files of which only some are open at a time; the rest are opened again when asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..errors import MsconvertError
from .stored import Array, Checkpoint, Stored, StoredTensor, damage, nothing

MOST_OPEN = 64
"""Each open file takes a descriptor, of which a process may have 256 on some systems."""


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
        again = partial(self.again, path, replace(found, load=absent, walk=None, release=nothing))
        return replace(
            found,
            name=label,
            load=lambda: again().load(),
            walk=lambda elements: walk_again(again, elements),
            release=lambda: self.release_one(path, name),
        )

    def again(self, path: str, before: StoredTensor) -> StoredTensor:
        """A tensor of a file that may have been closed since. Raises: MS302 if it is another"""
        found = self.file(path).get(before.name)
        if found != before or not isinstance(found, StoredTensor):
            raise damage(path, f"'{before.name}' has changed since the file was first read")
        return found

    def release_one(self, path: str, name: str) -> None:
        found = self.open[path].get(name) if path in self.open else None
        if isinstance(found, StoredTensor):
            found.release()

    def release(self) -> None:
        """Lets go of the memory of what was read so far."""
        for file in self.open.values():
            file.release()


def walk_again(again: Callable[[], StoredTensor], elements: int) -> Iterator[Array]:
    return again().blocks(elements)


def absent() -> Array:
    """What stands for the data in a note of a tensor."""
    raise AssertionError("a note of a tensor has no data")


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
