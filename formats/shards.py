"""Checkpoints in several files: `NAME.safetensors.index.json` and the files that it names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import MsconvertError
from .inside import leads_away
from .shelf import Shelf, ShelvedCheckpoint
from .storage.opening import bytes_of, json_in
from .storage.recovery import settled
from .stored import Checkpoint, Stored, WeightFileError, cannot_read, damage, refuse_many

if TYPE_CHECKING:
    from .storage.atomic import Path

WEIGHT_MAP = "weight_map"
MAX_INDEX_BYTES = 64 << 20


def read_index(
    path: Path, reader: Callable[[str], Checkpoint], *, comparing: bool = False
) -> Checkpoint:
    """The tensors that an index names, in its order, out of the files beside it.

    What the files hold beyond that is in `others`. With `comparing`, what is not in its file, or
    in one that cannot be read, is in `unreadable`.
    Raises: MS302 for an index that is damaged or names files that are not in its folder
    """
    where = os.fspath(path)
    files = files_by_name(where)
    gathered = Gathered(os.path.dirname(where), Shelf(reader))
    for file, names in grouped(files).items():
        gathered.take(file, names)
    if not comparing:
        for reason in gathered.unreadable.values():
            raise reason
    entries = {name: gathered.entries[name] for name in files if name in gathered.entries}
    found = ShelvedCheckpoint(
        where, entries, gathered.metadata, gathered.shelf, gathered.unreadable, gathered.others
    )
    found.files = [os.path.join(gathered.folder, file) for file in gathered.found]
    return found


def files_by_name(where: str) -> dict[str, str]:
    """For each tensor the file that it is in. Raises: MS302"""
    settled(where)
    try:
        content = json_in(bytes_of(where, MAX_INDEX_BYTES), without_repeats)
    except OSError as error:
        raise cannot_read(where, error) from error
    except ValueError as error:
        raise damage(where, f"the index is not valid JSON ({error})") from error
    found = content.get(WEIGHT_MAP, content) if isinstance(content, dict) else None
    if not isinstance(found, dict) or not found:
        raise damage(where, f"the index has no {WEIGHT_MAP!r}")
    refuse_many(where, len(found))
    for name, file in found.items():
        if not isinstance(file, str) or leads_away(file):
            problem = f"the index says that '{name}' is in a file that is not in its folder"
            advice = "repair the index"
            raise WeightFileError("MS302", where, problem, got=repr(file), advice=advice)
    return found


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs. Raises: ValueError if a key is there twice"""
    found = dict(pairs)
    if len(found) < len(pairs):
        name = Counter(key for key, _value in pairs).most_common(1)[0][0]
        raise ValueError(f"{name!r} is there twice")
    return found


def grouped(files: Mapping[str, str]) -> dict[str, list[str]]:
    """The names of the tensors that each file holds."""
    found: dict[str, list[str]] = {}
    for name, file in files.items():
        found.setdefault(file, []).append(name)
    return found


@dataclass
class Gathered:
    """What was found in the files of a folder so far."""

    folder: str
    shelf: Shelf
    entries: dict[str, Stored] = field(default_factory=dict)
    unreadable: dict[str, MsconvertError] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)

    def take(self, file: str, names: list[str]) -> None:
        """Adds these tensors of one file, or why there are none."""
        path = os.path.join(self.folder, file)
        try:
            found = self.shelf.file(path)
        except MsconvertError as error:
            error.__cause__ = None  # what is kept of hundreds of thousands keeps no frames
            self.unreadable |= dict.fromkeys(names, error.with_traceback(None))
            return
        self.found.append(file)
        self.metadata = self.metadata or found.metadata
        prefix = getattr(found, "prefix", "")
        inner = {name: name.removeprefix(prefix) for name in names}
        for name, stored in inner.items():
            if stored in found:
                self.entries[name] = self.shelf.entry(path, stored, name)
            else:
                missing = damage(path, f"'{name}' is missing, which the index says is there")
                self.unreadable[name] = found.unreadable.get(stored, missing)
        known = set(inner.values())
        self.others += [f"{file}: {name}" for name in found if name not in known]
