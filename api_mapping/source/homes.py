"""Where the compat module of each file stands, and the statement that imports it from there."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...formats.storage.opening import bytes_of
from ..analysis.files.reading import MAX_BYTES
from ..table.facts.names import SETTING_UP

MODULE = "_ms_compat"
PACKAGE = "__init__.py"

IMPORTED = re.compile(rb"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import|import[ \t]+([\w.]+))", re.M)

GUARD = re.compile(rb"^if\b[^\n]*__name__[^\n]*__main__|^if\b[^\n]*__main__[^\n]*__name__", re.M)
"""The line that asks whether a file is run."""

CALL = re.compile(rb"^(?:await[ \t]+)?(?:\w+\.)*\w+[ \t]*\(|^(?:for|while|with|match)\b", re.M)
"""What may be a statement that does something; in a text it is none."""

EITHER = f"""\
if __package__:
    from . import {MODULE} as compat
else:  # run as a script
    import {MODULE} as compat"""


@dataclass(frozen=True)
class Home:
    """The folder of a compat module, and how a file imports it."""

    folder: Path
    statement: str


@dataclass(frozen=True)
class Layout:
    """How a project's files import one another.

    `tops` are the folders that were named, `imported` what each file imports, `known` the dotted
    names of modules and packages that any of them does, `acting` the files that do something where
    they are run.
    """

    tops: tuple[Path, ...]
    imported: dict[Path, frozenset[str]]
    known: frozenset[str]
    acting: frozenset[Path]

    @classmethod
    def of(cls, sources: Iterable[Path], roots: Iterable[Path]) -> Layout:
        tops = tuple(
            root if os.path.isdir(root) else root.parent for root in map(Path.absolute, roots)
        )
        texts = {path.absolute(): text_of(path) for path in sources}
        imported = {path: names_imported(text) for path, text in texts.items()}
        known = {prefix for names in imported.values() for n in names for prefix in prefixes(n)}
        acting = frozenset(path for path, text in texts.items() if is_acting(text))
        return cls(tops, imported, frozenset(known), acting)

    def home(self, path: Path) -> Home:
        """The top of the file's package; the file's own folder if it is, or may be, a script."""
        packages = self.packages_of(path)
        if not packages and (beside := self.package_beside(path)) is not None:
            return Home(beside, f"from {beside.name} import {MODULE} as compat")
        if not packages or self.is_script(path, packages[-1]):
            return Home(path.parent, f"import {MODULE} as compat")
        is_relative = any(name.startswith(".") for name in self.imported[path])
        if path in self.acting and self.names_own_package(path, packages[-1]):
            return Home(packages[-1], f"from {packages[-1].name} import {MODULE} as compat")
        if path in self.acting and not is_relative:  # run by its name, or by its package's
            return Home(path.parent, EITHER)
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

    def package_beside(self, path: Path) -> Path | None:
        """The package in a script's own folder that it imports from, if it is the only one."""
        names = {name.partition(".")[0] for name in self.imported[path]} - {"", path.stem}
        found = [path.parent / name for name in sorted(names)]
        packages = [folder for folder in found if os.path.isfile(folder / PACKAGE)]
        if len(packages) != 1 or path.parent not in self.tops:
            return None
        return packages[0] if any(other.parent == packages[0] for other in self.imported) else None

    def is_package(self, folder: Path, top: Path) -> bool:
        """Whether a folder has an `__init__.py`, or the project imports from it by its name."""
        if os.path.exists(folder / PACKAGE):
            return True
        parts = folder.relative_to(top).parts
        return any(".".join(parts[start:]) in self.known for start in range(len(parts)))

    def names_own_package(self, path: Path, package: Path) -> bool:
        """Whether a file imports from its package by its full name, and so finds it when run."""
        names = self.imported[path]
        is_relative = any(name.startswith(".") for name in names)
        return not is_relative and package.name in {name.partition(".")[0] for name in names}

    def is_script(self, path: Path, package: Path) -> bool:
        """Whether it is found by its bare name: its folder's files import so."""
        if self.names_neighbours(path, package):
            return True
        beside = [other for other in self.imported if other.parent == path.parent]
        others = [other for other in beside if path.stem in self.bare_names(other, package)]
        return bool(set(others) - {path})

    def names_neighbours(self, path: Path, package: Path) -> bool:
        """Whether a file imports its neighbours by bare names."""
        found = self.bare_names(path, package) - {path.stem}
        return any(path.parent / f"{name}.py" in self.imported for name in found)

    def bare_names(self, path: Path, package: Path) -> set[str]:
        """The names that a file imports modules by, but for those of Python and of its package."""
        found = {name.partition(".")[0] for name in self.imported[path]}
        return found - {"", package.name, *sys.stdlib_module_names}


def is_acting(text: bytes) -> bool:
    """Whether a file does something where it is run: it asks for that, or calls at its top."""
    if GUARD.search(text):
        return True
    if not CALL.search(text):
        return False
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(map(acts, body))


def acts(node: ast.stmt) -> bool:
    """Whether a statement at the top of a file is what the file is run for."""
    if isinstance(node, ast.For | ast.While | ast.With | ast.Match):
        return True
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Await):
        return True
    name = getattr(call.func, "attr", None) if isinstance(call, ast.Call) else ""
    return isinstance(call, ast.Call) and name not in SETTING_UP


def homes_of(sources: Sequence[Path], roots: Iterable[Path]) -> list[Home]:
    """The home of each source."""
    layout = Layout.of(sources, roots)
    return [layout.home(path.absolute()) for path in sources]


def prefixes(name: str) -> Iterator[str]:
    """`a`, `a.b`, `a.b.c` of `a.b.c`."""
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def text_of(path: Path) -> bytes:
    """The text of a source; none of one that cannot be read."""
    try:
        return bytes_of(path, MAX_BYTES)
    except OSError:  # told when it is converted
        return b""


def names_imported(text: bytes) -> frozenset[str]:
    """The module names that a source imports."""
    return frozenset((a or b).decode(errors="replace") for a, b in IMPORTED.findall(text))
