"""Writes a converted tree: into a folder of its own, or over the originals."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import MsconvertError, UsageError
from ...formats.storage.atomic import Transaction, os_failures_told
from ...formats.storage.marks import NAME
from .tree import Tree

LEFT_OUT = frozenset(
    ".git .hg .svn .bzr __pycache__ .mypy_cache .pytest_cache .ruff_cache .tox .nox .venv "
    ".ipynb_checkpoints node_modules".split()
)
"""Folders that nobody wants a copy of; neither of virtual environments."""


@dataclass(frozen=True)
class Refused:
    """A file that could not be written, and why."""

    path: str
    problem: str


def write_in_place(tree: Tree, *, force: bool = False) -> list[Refused]:
    """What could not be written: single files, or none could; everything else is, all at once."""
    refused: list[Refused] = []
    new: list[Path] = []
    try:
        with Transaction(force=True) as files:
            for path, data in contents(tree, force, refused):
                refused += replaced(files, path, data)
                new.append(path)
    except MsconvertError as error:
        known = {each.path for each in refused}
        refused += [Refused(str(p), error.problem) for p in new if str(p) not in known]
    return refused


def contents(tree: Tree, force: bool, refused: list[Refused]) -> Iterator[tuple[Path, bytes]]:
    """The new content of files, and the modules and maps that may be written."""
    for file in tree.files:
        if file.data is not None and inside(file.path, tree.roots):
            yield file.path, file.data
        elif file.data is not None:
            problem = "it is a link that leads out of what was named"
            refused.append(Refused(str(file.path), problem))
    for module in (*tree.modules, *tree.maps):
        if module.foreign and not force:
            refused.append(foreign(module.path))
        else:
            yield module.path, module.text.encode()


def foreign(path: Path) -> Refused:
    return Refused(str(path), "it is not msconvert's: --force writes over it")


def inside(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a file really is where it was found, not behind a link that leads elsewhere."""
    return is_within(os.path.realpath(path), roots)


def is_within(real: str, roots: Sequence[Path]) -> bool:
    return any(Path(real).is_relative_to(os.path.realpath(root)) for root in roots)


def replaced(files: Transaction, path: Path, data: bytes) -> Iterator[Refused]:
    """Puts new content into a file, which keeps its permissions."""
    try:
        stream = files.open(path)
    except MsconvertError as error:
        yield Refused(str(path), error.problem)
        return
    if path.exists():
        os.chmod(stream.fileno(), stat.S_IMODE(path.stat().st_mode))
    stream.write(data)
    stream.close()  # there may be more files than a process may have open


def write_tree(tree: Tree, output: Path, *, force: bool = False) -> list[Refused]:
    """Writes the converted files, and copies of all others, into the folder `output`.

    Raises: MS107 if it exists and `force` is not set, or cannot be written; MS105 if it is where
    the sources are
    """
    output = output.absolute()
    check_place(tree, output, force)
    with os_failures_told(str(output)), Transaction(force=True) as files:
        staged = Path(files.scratch(output))
        copy = Copy(staged, tree, output, force)
        copy.run()
        staged.chmod(0o777 & ~umask())
        put(files, staged, output)
    return copy.refused


def check_place(tree: Tree, output: Path, force: bool) -> None:
    """Raises: MS105, MS107 if the folder must not be written to"""
    real = Path(os.path.realpath(output))
    for root in (Path(os.path.realpath(root)) for root in tree.roots):
        folder = root if os.path.isdir(root) else root.parent
        if real == folder or folder.is_relative_to(real):
            problem = "it holds the sources: they would be written over"
            raise UsageError("MS105", str(output), problem, advice="another --output, or --write")
        if os.path.isdir(root) and real.is_relative_to(root) and not force:
            problem = "it is inside of what is converted: the next run would convert it, too"
            raise UsageError("MS105", str(output), problem, advice="another --output, or --force")
    if os.path.lexists(output) and (not force or not output.is_dir()):
        advice = "another --output" if force else "--force, or another --output"
        raise MsconvertError("MS107", str(output), "it exists already", advice=advice)


def umask() -> int:
    before = os.umask(0o22)
    os.umask(before)
    return before


def put(files: Transaction, staged: Path, output: Path) -> None:
    """Makes a finished folder the output; into one that is there go its files, all at once."""
    if not output.exists():
        files.adopt(staged, output)
        return
    for folder, folders, names in os.walk(staged):
        into = output / Path(folder).relative_to(staged)
        files.folder(into)
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in (*names, *links):
            files.adopt(Path(folder) / name, into / name)


@dataclass
class Copy:
    """A tree on its way into a folder."""

    staged: Path
    tree: Tree
    output: Path
    force: bool
    refused: list[Refused] = field(default_factory=list)

    def run(self) -> None:
        data = {os.path.realpath(f.path): f.data for f in self.tree.files if f.data is not None}
        self.new: Mapping[str, bytes] = data
        for root, place in places(self.tree.roots):
            if os.path.isdir(root):
                self.folder(root, self.staged / place, (os.path.realpath(root),))
            elif os.path.exists(root):
                self.file(root, self.staged / place)
        for module in (*self.tree.modules, *self.tree.maps):
            self.module(module.path, module.text.encode(), module.foreign)

    def module(self, path: Path, data: bytes, is_foreign: bool) -> None:
        if is_foreign and not self.force:
            self.refused.append(foreign(path))
            return
        for root, place in places(self.tree.roots):
            folder = (root if os.path.isdir(root) else root.parent).absolute()
            if path.is_relative_to(folder):
                into = place if os.path.isdir(root) else place.parent
                (self.staged / into / path.relative_to(folder)).write_bytes(data)
                return

    def folder(self, folder: Path, into: Path, above: tuple[str, ...]) -> None:
        into.mkdir(parents=True, exist_ok=True)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.refused.append(Refused(str(folder), f"it cannot be listed: {error.strerror}"))
            return
        for entry in entries:
            self.entry(Path(entry.path), into / entry.name, above)
        shutil.copystat(folder, into)

    def entry(self, path: Path, into: Path, above: tuple[str, ...]) -> None:
        real = os.path.realpath(path)
        if NAME.fullmatch(path.name) or real in (
            os.path.realpath(self.output),
            os.path.realpath(self.staged),
        ):
            return
        if path.is_symlink() and not self.is_outside_and_new(path, real):
            self.link(path, into, real)
        elif path.is_dir():
            is_left_out = path.name in LEFT_OUT or (path / "pyvenv.cfg").exists()
            if not is_left_out and real not in above:
                self.folder(path, into, (*above, real))
        else:
            self.file(path, into)

    def is_outside_and_new(self, path: Path, real: str) -> bool:
        """Whether a link leads out of the tree to what is converted: a copy takes its place."""
        if is_within(real, self.tree.roots):
            return False
        return any(Path(new).is_relative_to(real) for new in self.new)

    def link(self, path: Path, into: Path, real: str) -> None:
        """A link as it is, leading to the copy of what it led to, or to what is outside."""
        target = os.readlink(path)
        if path.exists():
            if not is_within(real, self.tree.roots):
                target = real
            elif os.path.isabs(target):
                target = os.path.relpath(real, os.path.realpath(path.parent))
        os.symlink(target, into)

    def file(self, path: Path, into: Path) -> None:
        into.parent.mkdir(parents=True, exist_ok=True)
        data = self.new.get(os.path.realpath(path))
        try:
            if data is not None:
                into.write_bytes(data)
                shutil.copymode(path, into)
            elif stat.S_ISREG(path.stat().st_mode):
                shutil.copy2(path, into)
            else:
                self.refused.append(Refused(str(path), "it is no regular file: it is not copied"))
        except OSError as error:
            with suppress(OSError):
                into.unlink()
            self.refused.append(Refused(str(path), f"it cannot be copied: {error.strerror}"))


def places(roots: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Each path that was named, and where in the output it goes: one folder is the output itself.

    Raises: MS105 if two have the same name
    """
    if len(roots) == 1 and roots[0].is_dir():
        yield roots[0], Path()
        return
    seen: dict[str, Path] = {}
    for root in roots:
        name = Path(os.path.abspath(root)).name
        if name in seen and os.path.realpath(root) != os.path.realpath(seen[name]):
            problem = f"{seen[name]} and {root} would both become {name} in the output"
            raise UsageError("MS105", str(root), problem, advice="convert them one by one")
        if name not in seen:
            seen[name] = root
            yield root, Path(name)
