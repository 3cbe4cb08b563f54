"""What a conversion comes to: files changed, unchanged, failed; uses converted, left, unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..findings.model import Scan, ScannedUse, Standing
from ..findings.seeds import with_project_remarks
from ..findings.totals import Totals
from ..table.target import Settings
from .output import Refused, write_tree
from .tree import Converted, Tree, convert_paths

OUTSIDE = "outside of classes"


@dataclass(frozen=True)
class Counts:
    """What becomes of uses.

    converted  there is MindSpore code for them
    left       they have no counterpart, and stay
    held       they have one, and stay with the statement that one of those is in
    unknown    what their receivers are, is not known: they stay as they are
    """

    uses: int
    converted: int
    left: int
    held: int
    unknown: int
    verdicts: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, files: Iterable[tuple[Converted, Iterable[ScannedUse]]]) -> Counts:
        """The counts of some uses of files."""
        fates: Counter[str] = Counter()
        verdicts: Counter[Standing] = Counter()
        for file, uses in files:
            lefts, helds = set(file.left), set(file.held)
            for use in uses:
                verdicts[use.standing] += 1
                fates[fate(use, lefts, helds)] += 1
        shares = tuple((s.value, verdicts[s]) for s in Standing if verdicts[s])
        converted, left, held = (fates[name] for name in ("converted", "left", "held"))
        return cls(fates.total(), converted, left, held, fates["unknown"], shares)


def fate(use: ScannedUse, left: set[ScannedUse], held: set[ScannedUse]) -> str:
    """What becomes of a use, in one word."""
    if use.standing is Standing.UNKNOWN:
        return "unknown"
    if left and use in left:
        return "left"
    return "held" if held and use in held else "converted"


@dataclass(frozen=True)
class ClassCounts:
    """The uses in one class, without those in the classes within it; or those in none."""

    name: str
    line: int
    counts: Counts


@dataclass(frozen=True)
class Outcome:
    """What every output is made from; `refused` are the files that could not be written."""

    tree: Tree
    refused: tuple[Refused, ...] = ()

    @cached_property
    def scan(self) -> Scan:
        """What `msconvert scan` finds in the original."""
        return Scan(with_project_remarks(tuple(file.scan for file in self.tree.files)))

    @cached_property
    def totals(self) -> Totals:
        return Totals.of(self.scan)

    @cached_property
    def counts(self) -> Counts:
        return Counts.of((file, file.scan.uses) for file in self.tree.files)

    @property
    def changed(self) -> list[Converted]:
        return [file for file in self.tree.files if file.data is not None]

    @property
    def failed(self) -> list[Converted]:
        return [file for file in self.tree.files if file.failed]

    @property
    def unchanged(self) -> list[Converted]:
        return [f for f in self.tree.files if f.data is None and not f.failed]

    @property
    def marks(self) -> int:
        """The comments in the converted code over what stays PyTorch's."""
        return sum(file.marks for file in self.tree.files)

    @property
    def ok(self) -> bool:
        """Whether everything was read, converted and written."""
        return self.tree.ok and not self.refused


def state(file: Converted) -> str:
    """What became of a file, in one word."""
    return "failed" if file.failed else "unchanged" if file.data is None else "changed"


def counts_of(file: Converted) -> Counts:
    return Counts.of([(file, file.scan.uses)])


def classes_of(file: Converted) -> Iterator[ClassCounts]:
    """The counts of each class that uses PyTorch, and of what is outside of classes."""
    found: dict[str, list[ScannedUse]] = {}
    for use in file.scan.uses:
        inner = next((c.name for c in reversed(file.classes) if c.has(use)), OUTSIDE)
        found.setdefault(inner, []).append(use)
    lines = {place.name: place.first for place in file.classes}
    for name in sorted(found, key=lambda name: (lines.get(name, 0), name)):
        yield ClassCounts(name, lines.get(name, 0), Counts.of([(file, found[name])]))


def migrate_tree(
    paths: Sequence[Path],
    output: Path,
    settings: Settings | None = None,
    exclude: Iterable[str] = (),
    *,
    force: bool = False,
) -> Outcome:
    """The conversion of files and folders, written into the folder `output`.

    Raises: MS107 if it exists and `force` is not set, or cannot be written
    """
    paths = [Path(path) for path in paths]
    tree = convert_paths(paths, settings or Settings(), exclude)
    return Outcome(tree, tuple(write_tree(tree, Path(output), force=force)))
