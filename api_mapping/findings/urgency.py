"""What a line asks of who migrates it: it stops, is wrong in silence, or wants a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from ..table.rule import Verdict
from .model import FileScan, Finding, Remark, ScannedUse, Standing
from .totals import CHECKED, NO_LIMITS, is_by_hand


class Urgency(IntEnum):
    """How urgent a line is; of several findings on it the most urgent counts.

    CONVERTED  msconvert writes it
    LOOK       it runs: whether that is meant, or quick in graph mode, somebody has to look at
    SILENT     it runs and computes something else, or forgets something, and nothing says so
    STOPS      it does not run
    """

    CONVERTED = 0
    LOOK = 1
    SILENT = 2
    STOPS = 3


NAMES = {Urgency.STOPS: "stops", Urgency.SILENT: "silent", Urgency.LOOK: "look"}
"""As reports call them, the most urgent first."""

SAID = {
    Urgency.STOPS: "stop it",
    Urgency.SILENT: "are wrong in silence if ignored",
    Urgency.LOOK: "only want a look",
}

IN_SILENCE = frozenset(
    ("MS226", "MS228", "MS229", "MS233", "MS236", "MS238", "MS241", "MS243", "MS244", "MS245")
)
"""Limits that no error tells: parameters that are not trained, other weights in each process, a
write that others do not see, an attribute in the place of MindSpore's own, another precision,
a method with another meaning, or one that nobody calls, files that are not written, weights that
are moved though a step does not use them."""

TO_LOOK_AT = frozenset(("MS221", "MS222", "MS223", "MS225", "MS227", "MS234"))
"""Limits of graph mode and of pipelines, which PyNative mode and one process do not have, and what
a codemod of the user's says. Every other limit is an error where the line runs."""

Key = tuple[int, int]
"""A line: its cell, and its number."""


@dataclass(frozen=True)
class FileUrgency:
    """How many lines of a file are how urgent, each counted once."""

    path: str
    stops: int
    silent: int
    look: int
    converted: int

    @property
    def weight(self) -> tuple[int, int, int, int]:
        """What files are sorted by: the most urgent first."""
        return self.stops, self.silent, self.look, self.converted

    @property
    def open(self) -> int:
        return self.stops + self.silent + self.look


def urgency_of(finding: Finding) -> Urgency | None:
    """How urgent the line of a finding is; None if it asks for nothing."""
    if isinstance(finding, Remark):
        return of_limit(finding)
    if finding.standing is Standing.EXACT and not finding.refusal:
        return None
    if is_by_hand(finding):
        return Urgency.STOPS
    if finding.standing not in CHECKED or finding.refusal:
        return Urgency.CONVERTED
    return Urgency.SILENT if differs(finding) else Urgency.LOOK


def of_limit(remark: Remark) -> Urgency | None:
    if remark.code in NO_LIMITS or remark.ignored:
        return None
    if remark.code in IN_SILENCE:
        return Urgency.SILENT
    return Urgency.LOOK if remark.code in TO_LOOK_AT else Urgency.STOPS


def differs(use: ScannedUse) -> bool:
    """Whether MindSpore has the name of a use that stays, and means something else by it."""
    is_unknown = use.standing is Standing.UNKNOWN
    return is_unknown and use.rule is not None and use.rule.verdict is Verdict.DIFFERS


def by_file(files: Iterable[FileScan]) -> list[FileUrgency]:
    """The files with lines to migrate, the most urgent first."""
    found = [file_urgency(file) for file in files]
    open_files = (file for file in found if any(file.weight))
    return sorted(open_files, key=lambda file: (*(-count for count in file.weight), file.path))


def file_urgency(file: FileScan) -> FileUrgency:
    """How many lines of a file are how urgent."""
    lines: dict[Key, Urgency] = {}
    for key, urgency in urgencies(file):
        lines[key] = max(lines.get(key, urgency), urgency)
    counts = Counter(lines.values())
    wanted = (Urgency.STOPS, Urgency.SILENT, Urgency.LOOK, Urgency.CONVERTED)
    return FileUrgency(file.path, *(counts[urgency] for urgency in wanted))


def urgencies(file: FileScan) -> Iterator[tuple[Key, Urgency]]:
    """The line of each finding, and how urgent that is."""
    for use in file.uses:
        urgency = urgency_of(use)
        if urgency is not None:
            yield (use.cell, use.line), urgency
    for remark in file.remarks:
        urgency = of_limit(remark)
        if urgency is not None:
            yield (remark.place.cell, remark.place.line), urgency


def totals_of(files: Iterable[FileUrgency]) -> dict[Urgency, int]:
    """All lines that ask for something, by urgency, the most urgent first."""
    every = list(files)
    return {urgency: sum(getattr(f, name) for f in every) for urgency, name in NAMES.items()}
