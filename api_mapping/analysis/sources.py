"""Which files of a project are read: Python sources and notebooks, each one once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from .problems import Problem

SUFFIXES = (".py", ".ipynb")
SKIPPED_FOLDERS = frozenset(
    "__pycache__ build dist venv env site-packages dist-packages node_modules".split()
)
"""Folders with nothing of the user's own; hidden folders are skipped as well."""


class Finder:
    """Collects sources below the given paths, and what stood in the way."""

    def __init__(self, exclude: Iterable[str]) -> None:
        self.exclude = tuple(exclude)
        self.found: list[Path] = []
        self.problems: list[Problem] = []
        self.seen_files: set[str] = set()

    def look_at(self, path: Path) -> None:
        """Takes a file that was named, or everything of interest below a folder."""
        if path.is_dir():
            real = os.path.realpath(path)
            for found in self.below(path, path, (real,)):
                self.take(found)
        elif path.exists():
            self.take(path)
        else:
            self.tell(path, "missing", "there is no such file or folder")

    def below(self, folder: Path, root: Path, above: tuple[str, ...]) -> Iterator[Path]:
        """Sources in a folder and in the folders in it, by name; `above` are their real paths."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.tell(folder, "unreadable", f"the folder cannot be listed: {error.strerror}")
            return
        for entry in entries:
            path = Path(entry.path)
            if self.is_excluded(path.relative_to(root)):
                continue
            if _is_folder(entry):
                yield from self.enter(path, root, above)
            elif entry.name.endswith(SUFFIXES) and not entry.name.startswith("."):
                yield path

    def enter(self, folder: Path, root: Path, above: tuple[str, ...]) -> Iterator[Path]:
        if folder.name in SKIPPED_FOLDERS or folder.name.startswith("."):
            return
        if os.path.exists(folder / "pyvenv.cfg"):  # Path.exists raises where it may not look
            return
        real = os.path.realpath(folder)
        if real in above:
            self.tell(folder, "symlink-loop", "the link leads back to a folder that holds it")
            return
        yield from self.below(folder, root, (*above, real))

    def is_excluded(self, path: Path) -> bool:
        text = path.as_posix()
        return any(
            fnmatch(text, glob) or fnmatch(path.name, glob) or fnmatch(f"{text}/", f"{glob}/")
            for glob in self.exclude
        )

    def take(self, path: Path) -> None:
        real = os.path.realpath(path)
        if real not in self.seen_files:
            self.seen_files.add(real)
            self.found.append(path)

    def tell(self, path: Path, kind: str, message: str) -> None:
        self.problems.append(Problem(path, 0, 0, kind, message))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself: read like a file, and told there
        return False


def find_sources(
    paths: Iterable[Path], exclude: Iterable[str] = ()
) -> tuple[list[Path], list[Problem]]:
    """The .py and .ipynb files at and below `paths`, and what could not be looked at.

    `exclude` are globs, held against paths from the scanned folder and against single names.
    Hidden folders, virtual environments, caches and build folders are left out; a file that
    links lead to twice is found once.
    """
    finder = Finder(exclude)
    for path in paths:
        finder.look_at(Path(path))
    return finder.found, finder.problems
