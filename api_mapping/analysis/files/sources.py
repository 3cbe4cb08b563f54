"""Which files of a project are read: Python sources and notebooks, each one once."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator
from fnmatch import translate
from pathlib import Path

from ....formats.storage.recovery import settle
from .problems import Problem

SUFFIXES = (".py", ".ipynb")
SKIPPED_FOLDERS = frozenset(
    "__pycache__ build dist venv env site-packages dist-packages node_modules".split()
)
"""Folders with nothing of the user's own; hidden folders are skipped as well."""


class Finder:
    """Collects sources below the given paths, and what stood in the way.

    `excluded` says how many sources and folders are left out.
    """

    def __init__(self, exclude: Iterable[str]) -> None:
        globs = list(dict.fromkeys(seen_from(Path.cwd(), exclude)))
        self.whole = [compiled(each) for each in globs if os.path.isabs(each)]
        self.relative = [compiled(each) for each in globs if not os.path.isabs(each)]
        self.excluded = 0
        self.found: list[Path] = []
        self.problems: list[Problem] = []
        self.seen_files: set[str] = set()

    def look_at(self, path: Path) -> None:
        """Takes a file that was named, or everything of interest below a folder."""
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            self.tell(path, "missing", "there is no such file or folder")
        except OSError as error:
            self.tell(path, "unreadable", f"it cannot be looked at: {error.strerror}")
        else:
            if self.whole and self.is_in_excluded(path):
                self.excluded += 1
            elif is_folder:
                for found, real in self.below(path, path, (os.path.realpath(path),)):
                    self.take(found, real)
            else:
                self.take(path, os.path.realpath(path))

    def below(self, folder: Path, root: Path, above: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
        """Sources in a folder and in the folders in it, by name, with the paths of the files.

        `above` are those of the folder, and of the folders that it is in.
        """
        try:
            entries = listed(folder)
        except OSError as error:
            self.tell(folder, "unreadable", f"the folder cannot be listed: {error.strerror}")
            return
        for entry in entries:
            path = Path(entry.path)
            is_folder = _is_folder(entry)
            if entry.name.startswith(".") or not (is_folder or entry.name.endswith(SUFFIXES)):
                continue
            if self.whole and self.is_excluded(path, root):
                self.excluded += 1
            elif is_folder:
                yield from self.enter(path, root, above)
            else:
                plain = os.path.join(above[-1], entry.name)
                yield path, os.path.realpath(plain) if entry.is_symlink() else plain

    def enter(self, folder: Path, root: Path, above: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
        if folder.name in SKIPPED_FOLDERS:
            return
        if os.path.exists(folder / "pyvenv.cfg"):  # Path.exists raises where it may not look
            return
        real = os.path.realpath(folder)
        if real in above:
            self.tell(folder, "symlink-loop", "the link leads back to a folder that holds it")
            return
        yield from self.below(folder, root, (*above, real))

    def is_excluded(self, path: Path, root: Path) -> bool:
        texts = path.relative_to(root).as_posix(), path.name
        return matches([full_name(path)], self.whole) or matches(texts, self.relative)

    def is_in_excluded(self, path: Path) -> bool:
        """Whether a path that was named is excluded, or a folder that it is in."""
        full = full_name(path)
        return matches((full, *full.parents), self.whole)

    def take(self, path: Path, real: str) -> None:
        """Notes a source; `real` is the path of the file, wherever links lead to it."""
        if real not in self.seen_files:
            self.seen_files.add(real)
            self.found.append(path)

    def tell(self, path: Path, kind: str, message: str) -> None:
        self.problems.append(Problem(path, 0, 0, kind, message))


def listed(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder, by name; a write of ours that was cut off there is ended before."""
    entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    if not any(entry.name.startswith(".msconvert-") for entry in entries):
        return entries
    settle(str(folder))
    return sorted(os.scandir(folder), key=lambda entry: entry.name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself: read like a file, and told there
        return False


def compiled(pattern: str) -> re.Pattern[str]:
    """What a glob fits; `fnmatch` itself remembers only some hundred."""
    return re.compile(translate(os.path.normcase(pattern)))


def matches(paths: Iterable[Path | str], globs: Iterable[re.Pattern[str]]) -> bool:
    texts = [os.path.normcase(str(path)) for path in paths]
    return any(pattern.match(text) for pattern in globs for text in texts)


def full_name(path: Path) -> Path:
    return Path(os.path.abspath(path))


def seen_from(folder: Path, globs: Iterable[str]) -> Iterator[str]:
    """The globs, and as whole paths those that are written in a folder: names are for any depth."""
    start = glob.escape(str(full_name(folder)).rstrip("/"))
    for pattern in (each.removeprefix("./").rstrip("/") for each in globs):
        yield pattern
        if not os.path.isabs(pattern):
            yield f"{start}/{pattern}"
        if "/" not in pattern:
            yield f"{start}/*/{pattern}"


def search(paths: Iterable[Path], exclude: Iterable[str] = ()) -> Finder:
    """The .py and .ipynb files at and below `paths`, and what could not be looked at.

    `exclude` are globs, held against paths from the scanned folder, paths from the working folder
    and single names; what is named and excluded is left out, too. Hidden folders, virtual
    environments, caches and build folders are left out; a file that links lead to twice is found
    once.
    """
    finder = Finder(exclude)
    for path in paths:
        finder.look_at(Path(path))
    return finder


def find_sources(
    paths: Iterable[Path], exclude: Iterable[str] = ()
) -> tuple[list[Path], list[Problem]]:
    """The sources and the problems of a search."""
    finder = search(paths, exclude)
    return finder.found, finder.problems
