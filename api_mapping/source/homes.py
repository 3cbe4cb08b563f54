"""Where the compat module of each file stands, and the statement that imports it from there."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...formats.storage.opening import bytes_of
from ..analysis.files.reading import MAX_BYTES

MODULE = "_ms_compat"
PACKAGE = "__init__.py"

IMPORTED = re.compile(rb"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import|import[ \t]+([\w.]+))", re.M)


@dataclass(frozen=True)
class Home:
    """The folder of a compat module, and how a file imports it."""

    folder: Path
    statement: str


@dataclass(frozen=True)
class Layout:
    """How a project's files import one another.

    `tops` are the folders that were named, `imported` what each file imports, `known` the dotted
    names of modules and packages that any of them does.
    """

    tops: tuple[Path, ...]
    imported: dict[Path, frozenset[str]]
    known: frozenset[str]

    @classmethod
    def of(cls, sources: Iterable[Path], roots: Iterable[Path]) -> Layout:
        tops = tuple(
            root if os.path.isdir(root) else root.parent for root in map(Path.absolute, roots)
        )
        imported = {path.absolute(): names_imported(path) for path in sources}
        known = {prefix for names in imported.values() for n in names for prefix in prefixes(n)}
        return cls(tops, imported, frozenset(known))

    def home(self, path: Path) -> Home:
        """The top of the file's package; the file's own folder if it is a script."""
        packages = self.packages_of(path)
        if not packages or self.is_script(path, packages[-1]):
            return Home(path.parent, f"import {MODULE} as compat")
        dots = "." * len(path.relative_to(packages[-1]).parts)
        return Home(packages[-1], f"from {dots} import {MODULE} as compat")

    def packages_of(self, path: Path) -> list[Path]:
        """The packages that a file is in, the innermost first; none outside of what was named."""
        top = next((top for top in self.tops if path.is_relative_to(top)), path.parent)
        found: list[Path] = []
        folder = path.parent
        while folder.is_relative_to(top) and self.is_package(folder, top):
            found.append(folder)
            folder = folder.parent
        if not found and any(name.startswith(".") for name in self.imported[path]):
            return [path.parent]
        return found

    def is_package(self, folder: Path, top: Path) -> bool:
        """Whether a folder has an `__init__.py`, or the project imports from it by its name."""
        if os.path.exists(folder / PACKAGE):
            return True
        parts = folder.relative_to(top).parts
        return any(".".join(parts[start:]) in self.known for start in range(len(parts)))

    def is_script(self, path: Path, package: Path) -> bool:
        """Whether a file is run from its own folder: it imports its neighbours by bare names."""
        found = {name.partition(".")[0] for name in self.imported[path]}
        other = {path.stem, package.name, *sys.stdlib_module_names}
        return any(path.parent / f"{name}.py" in self.imported for name in found - other)


def homes_of(sources: Sequence[Path], roots: Iterable[Path]) -> list[Home]:
    """The home of each source."""
    layout = Layout.of(sources, roots)
    return [layout.home(path.absolute()) for path in sources]


def prefixes(name: str) -> Iterator[str]:
    """`a`, `a.b`, `a.b.c` of `a.b.c`."""
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def names_imported(path: Path) -> frozenset[str]:
    """The module names that a source imports; none of one that cannot be read."""
    try:
        found = IMPORTED.findall(bytes_of(path, MAX_BYTES))
    except OSError:  # told when it is converted
        return frozenset()
    return frozenset((a or b).decode(errors="replace") for a, b in found)
