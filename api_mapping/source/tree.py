"""Converts the files of a project, one process for each core; one file's failure stops no other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...extensions import installed
from ...formats.names.weight_map import is_weight_map
from ...formats.storage.opening import text_of
from ..analysis import Project, search
from ..analysis.files.reading import MAX_BYTES, content
from ..findings.model import UNREAD, FileScan, Place, Remark, Scan, ScannedUse, Standing
from ..findings.workers import NESTED, Task, Tell, Work, results, unfound
from ..syntax.reading import Unreadable
from ..table.target import OF_OTHER, Settings, Target
from .codemods import FAILED, GROUP, NOTEBOOK, Modified, modified
from .compat_module import NAME, compat_module, is_ours, names_in
from .encoding import encoded, is_kept
from .file import ClassPlace, Migrated, migrate_file
from .homes import Home, homes_of
from .marks import MARK
from .state_map import FileClasses, weight_map_of

DEFECT, UNWRITABLE = "MS901", "MS107"


@dataclass(frozen=True)
class Converted:
    """One file of a tree: what becomes of it.

    `data` is its new content, None if it stays as it is; `before` is then what it had; `marks` are
    the comments in it over what stays PyTorch's; the rest is as in Migrated.
    """

    path: Path
    scan: FileScan
    data: bytes | None = None
    before: bytes = b""
    left: tuple[ScannedUse, ...] = ()
    held: tuple[ScannedUse, ...] = ()
    needed: frozenset[str] = frozenset()
    classes: tuple[ClassPlace, ...] = ()
    weights: FileClasses | None = None
    marks: int = 0

    @property
    def failed(self) -> bool:
        """Whether it could not be converted, or not all of it."""
        return any(remark.code in FAILURES for remark in self.scan.remarks)

    @property
    def unknown(self) -> list[ScannedUse]:
        """The uses whose receivers are not known: they are never rewritten."""
        return [use for use in self.scan.uses if use.standing is Standing.UNKNOWN]


FAILURES = frozenset({UNREAD, DEFECT, UNWRITABLE, FAILED})


@dataclass(frozen=True)
class Tree:
    """A converted project: its files by name, and the compat modules that they import.

    `maps` are the weight maps of its networks, which are no part of the code; `excluded` says how
    many sources and folders are left out.
    """

    roots: tuple[Path, ...]
    files: tuple[Converted, ...]
    modules: tuple[Module, ...]
    maps: tuple[Module, ...] = ()
    excluded: int = 0

    @property
    def scan(self) -> Scan:
        return Scan(tuple(file.scan for file in self.files), self.excluded)

    @property
    def changes(self) -> bool:
        return any(file.data is not None for file in self.files) or bool(self.modules)

    @property
    def ok(self) -> bool:
        """Whether nothing stays PyTorch's and every file was read."""
        stays = (use for file in self.files for use in file.left if not use.ignored)
        return not any(stays) and not any(file.failed or file.marks for file in self.files)


@dataclass(frozen=True)
class Module:
    """A compat module: where it goes and what is in it; `foreign` if another file is there."""

    path: Path
    text: str
    foreign: bool = False


def convert_paths(
    paths: Sequence[Path],
    settings: Settings,
    exclude: Iterable[str] = (),
    tell: Tell = lambda step: None,
) -> Tree:
    """The converted files at and below `paths`; nothing is written, imported or run."""
    finder = search(paths, exclude)
    sources = finder.found
    homes = homes_of(sources, paths)
    statements = {path: home.statement for path, home in zip(sources, homes, strict=True)}
    one = partial(convert_one, settings, statements)
    task = Task.of(paths, sources, Work(one, lines_of, failure, "converted"))
    found = dict(results(task, tell))
    files = [replace(found[number], path=path) for number, path in enumerate(sources)]
    modules = modules_of(homes, files, settings)
    maps = tuple(weight_maps(files, settings))
    files += [Converted(problem.path, unfound(problem)) for problem in finder.problems]
    files.sort(key=lambda file: file.scan.path)
    return Tree(tuple(paths), tuple(files), modules, maps, finder.excluded)


def convert_one(
    settings: Settings, statements: dict[Path, str], project: Project, path: Path, shown: str
) -> Converted:
    """One file in MindSpore's API."""
    if is_kept(path):
        return Converted(path, FileScan(shown, 0))
    try:
        found = migrate_file(project, path, shown, settings, statements[path])
    except Unreadable as error:
        return refused(path, FileScan(shown, 0), str(error), UNREAD)
    except RecursionError:
        return refused(path, FileScan(shown, 0), NESTED, UNREAD)
    found = with_codemods(for_target(found, settings.target), path)
    marks = len(MARK.findall(found.text))
    whole = Converted(path, found.scan, None, b"", found.left, found.held, marks=marks)
    whole = replace(whole, classes=found.classes)
    if not found.is_changed:
        return whole
    try:
        before = content(path)
        data = encoded(before, found)
    except (OSError, ValueError) as error:
        return refused(path, found.scan, str(error))
    if data == before:  # a notebook whose cells stay
        return whole
    return replace(whole, data=data, before=before, needed=found.needed, weights=found.weights)


def for_target(found: Migrated, target: Target) -> Migrated:
    """The file without what is told of the other target."""
    remarks = tuple(r for r in found.scan.remarks if r.code != OF_OTHER[target])
    return replace(found, scan=replace(found.scan, remarks=remarks))


def with_codemods(found: Migrated, path: Path) -> Migrated:
    """The file after the codemods of users; they see no notebooks, and nothing unread."""
    is_unread = any(remark.code == UNREAD for remark in found.scan.remarks)
    if not installed(GROUP) or is_unread:
        return found
    after = modified(found.text, path) if not found.cells else Modified(found.text, (NOTEBOOK,))
    told = tuple(Remark(Place(1, 1, 1, 1), code, message) for code, message in after.remarks)
    scan = replace(found.scan, remarks=(*found.scan.remarks, *told))
    return replace(found, text=after.text, scan=scan)


def refused(path: Path, scan: FileScan, problem: str, code: str = UNWRITABLE) -> Converted:
    """A file whose new text cannot be made or written."""
    remark = Remark(Place(1, 1, 1, 1), code, problem)
    return Converted(path, replace(scan, remarks=(*scan.remarks, remark)))


def failure(shown: str, problem: str) -> Converted:
    """What stands for a file that was not converted."""
    message = f"a defect of msconvert, please report it: {problem}"
    remark = Remark(Place(1, 1, 1, 1), DEFECT, message)
    return Converted(Path(shown), FileScan(shown, 0, remarks=(remark,)))


def lines_of(file: Converted) -> int:
    return file.scan.lines


def modules_of(
    homes: Sequence[Home], files: Sequence[Converted], settings: Settings
) -> tuple[Module, ...]:
    """The compat modules that the files need, with what an earlier run has put in them."""
    needed: dict[Path, frozenset[str]] = {}
    for home, file in zip(homes, files, strict=True):
        if file.needed:
            needed[home.folder] = needed.get(home.folder, frozenset()) | file.needed
    return tuple(module_of(folder, names, settings) for folder, names in needed.items())


def module_of(folder: Path, names: frozenset[str], settings: Settings) -> Module:
    path = folder / NAME
    try:
        before = text_of(path, MAX_BYTES) if path.exists() else ""
    except (OSError, ValueError):
        before = "?"
    known = names_in(before) if is_ours(before) else frozenset()
    foreign = bool(before) and not is_ours(before)
    return Module(path, compat_module(names | known, settings.target), foreign)


def weight_maps(files: Sequence[Converted], settings: Settings) -> Iterator[Module]:
    """The weight map of each converted file that has networks, to stand beside it."""
    known = [file.weights for file in files if file.weights is not None]
    for weights in known:
        text = weight_map_of(weights.path, known, mint=settings.mint)
        if text is not None:
            path = weights.path.with_name(f"weight_map_of_{weights.path.stem}.json")
            yield Module(path, text, path.exists() and not is_weight_map(path))
