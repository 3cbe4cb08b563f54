"""What a scan comes to: shares, effort, what stops the project, the guide's two tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ..table.facts.features import FEATURES, OPERATORS, feature
from .model import CONVERTED, UNKNOWN_CODE, UNREAD, FileScan, Remark, Scan, ScannedUse, Standing

CHECKED = frozenset({Standing.UNKNOWN, Standing.LIMITED})
"""Standings that somebody has to look at; most need no change."""

NOT_BY_HAND = CONVERTED | CHECKED
NO_LIMITS = frozenset({UNREAD, UNKNOWN_CODE})
"""Codes of remarks that ask for no other code."""


@dataclass(frozen=True)
class Share:
    """How many uses, and how many distinct names, have one standing."""

    standing: Standing
    uses: int
    names: int


@dataclass(frozen=True)
class Effort:
    """Lines of source, each counted once, by the hardest thing that stands on it.

    by_hand   lines with a use that has no counterpart, is not in the table, is computed, or whose
              arguments are refused, and lines with a limit of MindSpore's
    to_check  of the others, lines whose use may be a tensor's or runs on some platforms only
    converted of the others, lines that msconvert can rewrite
    """

    by_hand: int
    to_check: int
    converted: int


@dataclass(frozen=True)
class Row:
    """One API: a row of the table of operators, or of the list of what stops a project.

    `use` is one of its uses, with a target if any has one: its code is made where it is shown.
    """

    api: str
    feature: str
    standing: Standing
    uses: int
    files: int
    refused: int
    converted: int
    use: ScannedUse

    @property
    def target(self) -> str:
        return self.use.target

    @property
    def note(self) -> str:
        return self.use.note


@dataclass(frozen=True)
class FeatureRow:
    """One feature of the migration guide: how much of it is used, what becomes of it."""

    feature: str
    names: int
    uses: int
    converted: int
    open_names: tuple[str, ...]


@dataclass(frozen=True)
class CodeCount:
    """How often a code was found that is no verdict on an API."""

    code: str
    count: int


class Group(NamedTuple):
    """What uses of one API have in common as far as they are counted."""

    api: str
    standing: Standing
    is_refused: bool


@dataclass
class Tally:
    """What is counted of one API while the files pass by."""

    uses: int = 0
    refused: int = 0
    converted: int = 0
    files: int = 0
    standings: Counter[Standing] = field(default_factory=Counter)

    def add(self, group: Group, count: int) -> None:
        is_converted = group.standing in CONVERTED and not group.is_refused
        self.uses += count
        self.refused += count * group.is_refused
        self.converted += count * is_converted
        self.standings[group.standing] += count


@dataclass(frozen=True)
class Totals:
    """Everything that a summary tells, from the files of a scan."""

    files: tuple[FileScan, ...]

    @classmethod
    def of(cls, scan: Scan) -> Totals:
        return cls(scan.files)

    @property
    def file_count(self) -> int:
        return sum(file.is_file for file in self.files)

    @property
    def lines(self) -> int:
        return sum(file.lines for file in self.files)

    @property
    def uses(self) -> int:
        return sum(len(file.uses) for file in self.files)

    @property
    def names(self) -> int:
        return len({group.api for group in self.groups})

    @cached_property
    def groups_by_file(self) -> tuple[Counter[Group], ...]:
        """How often there is what, by file: the uses are many, and looked at once."""
        return tuple(map(groups_of, self.files))

    @cached_property
    def groups(self) -> Counter[Group]:
        total: Counter[Group] = Counter()
        for counts in self.groups_by_file:
            total.update(counts)
        return total

    @property
    def ignored(self) -> int:
        """Findings that a comment in the source hides."""
        return sum(found.ignored for file in self.files for found in file.everything)

    @property
    def unread(self) -> int:
        return len({f.path for f in self.files if any(r.code == UNREAD for r in f.remarks)})

    @property
    def convertible(self) -> float:
        """The share of the uses that msconvert can write MindSpore code for."""
        groups = self.groups.items()
        done = sum(n for g, n in groups if g.standing in CONVERTED and not g.is_refused)
        return done / self.uses if self.uses else 1.0

    @cached_property
    def shares(self) -> tuple[Share, ...]:
        """One for each standing, also those that do not occur, from best to worst."""
        uses: Counter[Standing] = Counter()
        names: dict[Standing, set[str]] = {standing: set() for standing in Standing}
        for group, count in self.groups.items():
            uses[group.standing] += count
            names[group.standing].add(group.api)
        return tuple(Share(s, uses[s], len(names[s])) for s in Standing)

    @cached_property
    def effort(self) -> Effort:
        by_hand: set[tuple[str, int, int]] = set()
        to_check: set[tuple[str, int, int]] = set()
        converted: set[tuple[str, int, int]] = set()
        for file in self.files:
            for use in file.uses:
                if use.standing is Standing.EXACT and not use.refusal:
                    continue
                group = by_hand if is_by_hand(use) else converted
                group = to_check if use.standing in CHECKED and not use.refusal else group
                group.add((file.path, use.cell, use.line))
            limits = (r for r in file.remarks if r.code not in NO_LIMITS and not r.ignored)
            by_hand.update((file.path, r.place.cell, r.place.line) for r in limits)
        to_check -= by_hand
        return Effort(len(by_hand), len(to_check), len(converted - by_hand - to_check))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """One for each API, the most used first."""
        return self.rows_of_standing(None)

    @cached_property
    def blockers(self) -> tuple[Row, ...]:
        """The APIs that stop the project: the uses without a counterpart, the most used first."""
        return self.rows_of_standing(Standing.MISSING)

    def rows_of_standing(self, wanted: Standing | None) -> tuple[Row, ...]:
        """One for each API, of its uses that have a standing; None for any."""
        found: dict[str, Tally] = defaultdict(Tally)
        for counts in self.groups_by_file:
            groups = [group for group in counts if wanted is None or group.standing is wanted]
            for api in {group.api for group in groups}:
                found[api].files += 1
            for group in groups:
                found[group.api].add(group, counts[group])
        examples = self.examples(wanted) if found else {}
        rows = [row_of(api, tally, examples[api]) for api, tally in found.items()]
        return tuple(sorted(rows, key=lambda row: (-row.uses, row.api)))

    def examples(self, wanted: Standing | None) -> dict[str, ScannedUse]:
        """Such a use of each API, one that has a target if there is any."""
        found: dict[str, ScannedUse] = {}
        others: dict[str, ScannedUse] = {}
        for use in (use for file in self.files for use in file.uses if use.api not in found):
            if wanted is None or use.standing is wanted:
                (found if use.has_target else others)[use.api] = use
        return others | found

    @property
    def operators(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.feature == OPERATORS)

    @cached_property
    def features(self) -> tuple[FeatureRow, ...]:
        """The features that the project uses, in the order of the guide."""
        return tuple(feature_row(name, rows) for name in FEATURES if (rows := self.rows_of(name)))

    def rows_of(self, name: str) -> list[Row]:
        return [row for row in self.rows if row.feature == name]

    @cached_property
    def remarks(self) -> tuple[CodeCount, ...]:
        """The limits of MindSpore and the problems of files, by code."""
        counts = Counter(r.code for file in self.files for r in file.remarks if not r.ignored)
        return tuple(CodeCount(code, counts[code]) for code in sorted(counts))


def groups_of(file: FileScan) -> Counter[Group]:
    counts = Counter([(use.api, use.standing, bool(use.refusal)) for use in file.uses])
    return Counter({Group(*group): count for group, count in counts.items()})


def is_by_hand(finding: ScannedUse | Remark) -> bool:
    """Whether somebody has to write the new code."""
    if isinstance(finding, Remark):
        return finding.code not in NO_LIMITS and not finding.ignored
    if finding.ignored:
        return False
    return bool(finding.refusal) or finding.standing not in NOT_BY_HAND


def row_of(api: str, tally: Tally, use: ScannedUse) -> Row:
    standing = tally.standings.most_common(1)[0][0]
    return Row(
        api,
        feature(api),
        standing,
        tally.uses,
        tally.files,
        tally.refused,
        tally.converted,
        use,
    )


def feature_row(name: str, rows: Iterable[Row]) -> FeatureRow:
    rows = list(rows)
    return FeatureRow(
        name,
        len(rows),
        sum(row.uses for row in rows),
        sum(row.converted for row in rows),
        tuple(row.api for row in rows if row.standing not in CONVERTED),
    )
