"""Where the project's modules are: from dotted names to files, without importing anything."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path

from ....formats.storage.opening import bytes_of
from .reading import MAX_BYTES

PACKAGES_OF_OTHERS = frozenset(
    {"torch", "torchvision", "einops", "numpy", "transformers", "datasets"}
)
"""Installed packages win over folders without `__init__.py` that have their name, and what is
installed beside a project, in one folder of packages, is not part of it."""


ALL = re.compile(rb"^__all__\s*\+?=\s*[\[(](.*?)[\])]", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(rb"[\"'](\w+)[\"']")
WORD = re.compile(rb"[A-Za-z_]\w*")


class Graph:
    """Finds modules below the import roots: scanned folders and parents of packages."""

    def __init__(self, roots: list[Path]) -> None:
        self.roots = roots
        self._listings: dict[Path, frozenset[str]] = {}
        self._located: dict[tuple[Path, str], Path | None] = {}
        self._packages: dict[tuple[Path, int], Path] = {}
        self._relative: dict[tuple[Path, int, str], Path | None] = {}
        self._inside: dict[tuple[Path, str], Path | None] = {}
        self._names: dict[Path, tuple[Path, str]] = {}
        self._places: dict[Path, Path] = {}
        self._exports: dict[Path, frozenset[bytes] | None] = {}

    @cached_property
    def folders(self) -> list[Path]:
        """Where imports start from: of a folder within a package, where the package's do."""
        found = []
        for root in self.roots:
            top = root if os.path.isdir(root) else root.parent
            folder, _ = self.module_name(top / "__init__.py")
            found += [folder, folder / "src"]
        return list(dict.fromkeys(found))

    def same(self, path: Path) -> Path:
        """The one object for equal paths: dictionaries find it without comparing its parts."""
        return self._places.setdefault(path, path)

    def listing(self, folder: Path) -> frozenset[str]:
        found = self._listings.get(folder)
        if found is None:
            try:
                found = frozenset(os.listdir(folder))
            except OSError:
                found = frozenset()
            self._listings[folder] = found
        return found

    def module_name(self, path: Path) -> tuple[Path, str]:
        """The folder that the file's imports start from, and its dotted name there."""
        found = self._names.get(path)
        if found is not None:
            return found
        parts = [] if path.name == "__init__.py" else [path.stem]
        folder = path.parent
        while "__init__.py" in self.listing(folder) and folder != folder.parent:
            parts.insert(0, folder.name)
            folder = folder.parent
        self._names[path] = folder, ".".join(parts)
        return folder, ".".join(parts)

    def child(self, folder: Path, name: str) -> Path | None:
        """The file, package or folder of modules by this name in a folder."""
        names = self.listing(folder)
        if name in names:
            inner = self.listing(folder / name)
            if "__init__.py" in inner:
                return self.same(folder / name / "__init__.py")
            if f"{name}.py" not in names and any(n.endswith(".py") for n in inner):
                return self.same(folder / name)
        return self.same(folder / f"{name}.py") if f"{name}.py" in names else None

    def inside(self, place: Path, name: str) -> Path | None:
        """The submodule of a package or of a folder of modules."""
        key = (place, name)
        if key not in self._inside:
            self._inside[key] = self._find_inside(place, name)
        return self._inside[key]

    def _find_inside(self, place: Path, name: str) -> Path | None:
        if place.name == "__init__.py":
            return self.child(place.parent, name)
        return self.child(place, name) if place.suffix != ".py" else None

    def may_export(self, place: Path, name: str) -> bool:
        """Whether a star import of the file could bring the name: no, if its text has it not."""
        if place not in self._exports:
            self._exports[place] = exported_words(place)
        words = self._exports[place]
        return words is None or name.encode() in words

    def locate(self, dotted: str, importer: Path) -> Path | None:
        """The file that `import dotted` in `importer` reads; None if it is not the project's."""
        base, _ = self.module_name(importer)
        key = (base, dotted)
        if key not in self._located:
            self._located[key] = self._locate(dotted.split("."), base)
        found = self._located[key]
        is_itself = found == importer and importer.name != "__init__.py"  # a file named torch.py
        return None if is_itself and dotted in PACKAGES_OF_OTHERS else found

    def _locate(self, parts: list[str], base: Path) -> Path | None:
        for folder in dict.fromkeys((base, *self.folders)):
            place = self.child(folder, parts[0])
            hides = parts[0] in PACKAGES_OF_OTHERS
            if place is None or (
                hides and not (base.is_relative_to(folder) and self.is_own(place))
            ):
                continue
            for part in parts[1:]:
                place = None if place is None else self.inside(place, part)
            if place is not None:
                return place
        return None

    def is_own(self, place: Path) -> bool:
        """Whether what is named as a package of others' is the project's.

        It is in a root, or a package with a root in it; without roots, nothing is outside.
        """
        home = place.parent if place.name == "__init__.py" else place
        folders = [root if os.path.isdir(root) else root.parent for root in self.roots]
        inside = (folder in place.parents or home in folder.parents for folder in folders)
        return place.suffix == ".py" and (not folders or any(inside))

    def locate_relative(self, dotted: str, level: int, importer: Path) -> Path | None:
        """The file of `from ..dotted import x`."""
        key = (importer, level, dotted)
        if key not in self._relative:
            place: Path | None = self._package(importer, level)
            for part in dotted.split(".") if dotted else ():
                place = None if place is None else self.inside(place, part)
            self._relative[key] = place
        return self._relative[key]

    def _package(self, importer: Path, level: int) -> Path:
        """The package, or the folder without one, that so many dots mean."""
        key = (importer, level)
        if key not in self._packages:
            folder = importer.parent
            for _ in range(level - 1):
                folder = folder.parent
            inside = "__init__.py" in self.listing(folder)
            self._packages[key] = self.same(folder / "__init__.py" if inside else folder)
        return self._packages[key]


def exported_words(place: Path) -> frozenset[bytes] | None:
    """The words among which are all names that a star import brings; None if it may be any."""
    try:
        data = bytes_of(place, MAX_BYTES)
    except OSError:
        return frozenset()
    listed = ALL.findall(data)
    if listed and b"__all__ +=" not in data:
        return frozenset(QUOTED.findall(b" ".join(listed)))
    return None if b"import *" in data else frozenset(WORD.findall(data))
