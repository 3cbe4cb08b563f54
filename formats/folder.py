"""All weight files of a folder as one: each .npy an entry, and the tensors of all others."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ..errors import MsconvertError
from . import kind_of, read_weights
from .npy import npy_tensor
from .shelf import Shelf
from .stored import Checkpoint, Stored, WeightFileError, cannot_read

if TYPE_CHECKING:
    from .atomic import Path

MAX_FILES = 1_000_000
MAX_DEPTH = 64


@dataclass
class Listing:
    """The files under a folder by their relative paths, sorted, and what could not be listed."""

    folder: str
    files: list[str] = field(default_factory=list)
    unreadable: dict[str, MsconvertError] = field(default_factory=dict)

    def walk(self, relative: str, above: tuple[tuple[int, int], ...]) -> None:
        """Adds all files under one folder; `above` are the folders that it lies in."""
        where = os.path.join(self.folder, relative)
        try:
            status = os.stat(where)
            entries = sorted(os.scandir(where), key=lambda entry: entry.name)
        except (OSError, ValueError) as error:
            raise cannot_read(where, error) from error
        here = (status.st_dev, status.st_ino)
        if here in above or len(above) >= MAX_DEPTH:
            problem = "a link to a folder that it lies in" if here in above else "nested too deep"
            raise WeightFileError("MS302", where, problem, advice="remove the link")
        for entry in entries:
            path = relative + entry.name
            if len(self.files) >= MAX_FILES:
                raise WeightFileError("MS302", self.folder, f"more than {MAX_FILES} files")
            if not is_folder(entry):
                self.files.append(path)
                continue
            try:
                self.walk(f"{path}/", (*above, here))
            except WeightFileError as error:
                self.unreadable[path] = error


def is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that goes round in a circle: told when it is opened
        return False


class Folder(Checkpoint):
    """The entries of all weight files of a folder."""

    shelf: Shelf

    def release(self) -> None:
        """Lets go of the memory of what was read so far; it is read again if it is needed."""
        self.shelf.release()


def read_folder(path: Path) -> Checkpoint:
    """Everything in the weight files under a folder, of all kinds; links are followed.

    A .npy is an entry under its relative path without the ending, `layer1/conv`; a tensor of
    another file is `relative/path:name`, or only `name` if there is no second file. What cannot
    be read is in `unreadable`, what holds no weights in `others`; neither stops the rest.
    Raises: MS302 if the folder itself cannot be read, or holds no end of files
    """
    where = os.fspath(path)
    listing = Listing(where)
    listing.walk("", ())
    kinds = {file: kind_of(os.path.join(where, file)) for file in listing.files}
    labels = dict(labelled([file for file, kind in kinds.items() if kind is not None]))
    gathered = Gathered(where, Shelf(partial(read_weights, comparing=True)), listing.unreadable)
    alone = len(labels) == 1
    for file, label in labels.items():
        gathered.add(file, label, kinds[file], alone)
    others = [file for file, kind in kinds.items() if kind is None]
    found = Folder(where, gathered.entries, unreadable=gathered.unreadable, others=others)
    found.shelf = gathered.shelf
    return found


@dataclass
class Gathered:
    """What was found in the files so far."""

    folder: str
    shelf: Shelf
    unreadable: dict[str, MsconvertError]
    entries: dict[str, Stored] = field(default_factory=dict)

    def add(self, file: str, label: str, kind: str | None, alone: bool) -> None:
        """Adds the entries of one file, or why there are none."""
        path = os.path.join(self.folder, file)
        try:
            if kind == "npy":
                self.entries[label] = npy_tensor(path, label)
                return
            found = self.shelf.file(path)
        except MsconvertError as error:
            self.unreadable[label] = error
            return
        before = "" if alone else f"{label}:"
        for name in found:
            self.entries[before + name] = self.shelf.entry(path, name, before + name)
        for name, reason in found.unreadable.items():
            self.unreadable[before + name] = reason


def labelled(files: list[str]) -> Iterator[tuple[str, str]]:
    """Each file with its name without the ending; with it where two would be the same."""
    stems = {file: os.path.splitext(file)[0] for file in files}
    counts = Counter(stems.values())
    for file, stem in stems.items():
        yield file, stem if counts[stem] == 1 else file
