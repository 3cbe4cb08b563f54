"""All weight files of a folder as one: each .npy an entry, and the tensors of all others."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ..errors import MsconvertError
from . import INDEX, read_weights
from .dumps import dump_names, executed
from .kinds import INDEX_ENDING, kind_of
from .npy import SmallFiles, npy_tensor
from .shards import files_by_name
from .shelf import Shelf, ShelvedCheckpoint
from .storage.expansion import bounded, is_free
from .storage.marks import NAME
from .storage.recovery import settle
from .stored import Checkpoint, Stored, WeightFileError, cannot_read, damage
from .tables import STATISTICS

if TYPE_CHECKING:
    from .storage.atomic import Path

MAX_FILES = 1_000_000
MAX_DEPTH = 64
PART = re.compile(r"(.*)-([0-9]{5})-of-([0-9]{5})(\.[a-z]+)")
"""`model-00001-of-00003.safetensors`"""


NUMBER = re.compile(r"([0-9]+)")


def in_order(name: str) -> tuple[list[str | int], str]:
    """What names are sorted by: `2_conv` stands before `10_conv`."""
    parts: list[str | int] = [*NUMBER.split(name)]
    parts[1::2] = [int(part) for part in NUMBER.findall(name)]
    return parts, name


@dataclass
class Listing:
    """The files under a folder by their relative paths, sorted, and what could not be listed."""

    folder: str
    files: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    unreadable: dict[str, MsconvertError] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    """Files of folders that were looked into, where no write was found cut off."""
    seen: int = 0

    def walk(self, relative: str, above: tuple[tuple[int, int], ...]) -> None:
        """Adds all files under one folder; `above` are the folders that it lies in."""
        where = self.folder + relative
        is_whole = settle(where).is_whole
        try:
            status = os.stat(where)
            entries = sorted(os.scandir(where), key=lambda entry: in_order(entry.name))
        except (OSError, ValueError) as error:
            raise cannot_read(where.rstrip(os.sep) or where, error) from error
        here = (status.st_dev, status.st_ino)
        if here in above or len(above) >= MAX_DEPTH:
            problem = "a link to a folder that it lies in" if here in above else "nested too deep"
            raise WeightFileError("MS302", where, problem, advice="remove the link")
        for entry in entries:
            path = relative + entry.name
            if NAME.fullmatch(entry.name):  # a write that goes on
                continue
            self.count()
            if not is_folder(entry):
                self.files.append(path)
                if is_whole:
                    self.settled.add(path)
            elif entry.name.startswith("."):
                self.hidden.append(f"{path}/")
            else:
                self.enter(path, (*above, here))

    def enter(self, path: str, above: tuple[tuple[int, int], ...]) -> None:
        """Adds all files under one folder, or notes why it cannot be listed."""
        try:
            self.walk(f"{path}/", above)
        except WeightFileError as error:
            if self.seen > MAX_FILES:
                raise
            self.unreadable[path] = error

    def count(self) -> None:
        """Notes a file or folder more. Raises: MS302 if there are too many, as links can make"""
        self.seen += 1
        if self.seen > MAX_FILES:
            problem = f"it holds more than {MAX_FILES} files and folders"
            advice = "compare a part of it; links within it may lead to one another"
            raise WeightFileError("MS302", self.folder, problem, advice=advice)


def is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that goes round in a circle: told when it is opened
        return False


def read_folder(path: Path) -> Checkpoint:
    """Everything in the weight files under a folder, of all kinds; links are followed.

    A .npy is an entry under its relative path without the ending, `layer1/conv`, and without the
    times if MindSpore has dumped it (dumps.py); a tensor of another file is `relative/path:name`,
    or only `name` if there is no second file. Files that are parts of one checkpoint count as one.
    What cannot be read is in `unreadable`, what holds no weights, or lies in a hidden folder, in
    `others`; neither stops the rest.
    Raises: MS302 if the folder itself cannot be read, or holds no end of files
    """
    where = os.path.join(os.fspath(path), "")
    listing = Listing(where)
    listing.walk("", ())
    kinds = {file: kind_in_folder(where, file) for file in listing.files}
    others = [file for file, kind in kinds.items() if kind is None] + listing.hidden
    files = executed(without_parts(where, kinds))
    labels = labels_of(files)
    gathered = Gathered(listing, len(set(labels.values())) == 1)
    for file in files:
        gathered.add(file, labels[file], kinds[file])
    unreadable = listing.unreadable | missing_parts(where, files)
    entries = gathered.entries
    found = ShelvedCheckpoint(os.fspath(path), entries, {}, gathered.shelf, unreadable, others)
    found.files = [where + file for file in listing.files]
    return bounded(found)


def kind_in_folder(where: str, file: str) -> str | None:
    """As `kind_of`; of tables only those that dumps consist of, and no pickles of anything."""
    kind = kind_of(where + file)
    is_other = kind == "pkl" or (kind == "csv" and os.path.basename(file) != STATISTICS)
    return None if is_other else kind


@dataclass
class Gathered:
    """What was found in the files so far."""

    listing: Listing
    is_one: bool
    entries: dict[str, Stored] = field(default_factory=dict)
    shelf: Shelf = field(default_factory=lambda: Shelf(partial(read_weights, comparing=True)))
    small: SmallFiles = field(default_factory=SmallFiles)

    def add(self, file: str, label: str, kind: str | None) -> None:
        """Adds the entries of one file, or why there are none."""
        path = self.listing.folder + file
        unreadable = self.listing.unreadable
        try:
            if kind == "npy":
                is_settled = file in self.listing.settled
                tensor = npy_tensor(path, label, is_settled=is_settled, small=self.small)
                if not is_free(tensor.nbytes):
                    bounded(Checkpoint(path, {label: tensor}))
                self.entries[label] = tensor
                return
            found = self.shelf.file(path)
        except MsconvertError as error:
            unreadable[label if PART.fullmatch(file) is None else file] = error
            return
        before = "" if self.is_one else f"{label}:"
        for name in found:
            full = before + name
            if full in self.entries or full in unreadable:
                self.entries.pop(full, None)
                unreadable[full] = damage(path, f"'{name}' is in two of the files")
            else:
                self.entries[full] = self.shelf.entry(path, name, full)
        for name, reason in found.unreadable.items():
            self.entries.pop(before + name, None)
            unreadable[before + name] = reason


def without_parts(where: str, kinds: Mapping[str, str | None]) -> list[str]:
    """The weight files, without those that an index among them names."""
    parts: set[str] = set()
    for file, kind in kinds.items():
        if kind == INDEX:
            with suppress(MsconvertError):  # told when it is opened
                folder = os.path.dirname(file)
                named = files_by_name(where + file).values()
                parts |= {os.path.normpath(os.path.join(folder, name)) for name in set(named)}
    return [
        file
        for file, kind in kinds.items()
        if kind == INDEX or (kind is not None and file not in parts)
    ]


def labels_of(files: list[str]) -> dict[str, str]:
    """What stands for each file in names: its path without the ending, where that is clear."""
    dumps = dump_names(files)
    units = {file: (dumps[file], "") if file in dumps else unit_of(file) for file in files}
    counts = Counter(stem for stem, _ending in set(units.values()))
    return {
        file: stem if counts[stem] == 1 else (stem + ending if ending else file)
        for file, (stem, ending) in units.items()
    }


def unit_of(file: str) -> tuple[str, str]:
    """Stem and ending of a file, the same for all parts of one checkpoint."""
    part = PART.fullmatch(file)
    if part is not None:
        stem, _number, total, ending = part.groups()
        return stem, f"-of-{total}{ending}"
    stem, ending = os.path.splitext(file)
    if file.endswith(INDEX_ENDING):
        stem = os.path.splitext(file.removesuffix(INDEX_ENDING))[0]
    return stem, file.removeprefix(stem)


def missing_parts(where: str, files: Iterable[str]) -> dict[str, MsconvertError]:
    """Checkpoints without an index of which parts are not there, with the reason."""
    parts = filter(None, map(PART.fullmatch, files))
    counts = Counter((part[1], part[3], part[4]) for part in parts)
    return {
        f"{stem}-of-{total}{ending}": damage(
            where + stem, "parts of it are missing", f"{count} files", f"{int(total)}"
        )
        for (stem, total, ending), count in counts.items()
        if count != int(total)
    }
