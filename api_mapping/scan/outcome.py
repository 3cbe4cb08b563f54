"""A scan, judged: which findings are told, which were known, which thresholds are passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ..findings.model import FileScan, Finding, Scan, ScannedUse
from ..findings.totals import Totals
from .baseline import Baseline
from .settings import NAMES, Settings


class Told(NamedTuple):
    """A finding that is told: its file, and whether a baseline knows it."""

    file: FileScan
    finding: Finding
    known: bool = False


@dataclass(frozen=True)
class Outcome:
    """What every output is made from."""

    scan: Scan
    settings: Settings = field(default_factory=Settings)
    baseline: Baseline | None = None

    @cached_property
    def totals(self) -> Totals:
        return Totals.of(self.scan)

    @cached_property
    def told(self) -> tuple[Told, ...]:
        """Every finding that no comment and no setting hides, known ones too."""
        if self.baseline is None:
            found = (Told(file, finding) for file, finding in self.scan.findings())
        else:
            found = (Told(*split) for split in self.baseline.split(self.scan))
        ignored = self.settings.ignore
        return tuple(told for told in found if not ignored or told.finding.code not in ignored)

    @property
    def new(self) -> Iterator[Told]:
        return (told for told in self.told if not told.known)

    @cached_property
    def breaches(self) -> tuple[str, ...]:
        """The thresholds that are passed, each as a sentence."""
        found = [*self._failed_on()]
        most = self.settings.max_missing
        if most is not None:
            missing = sum(answers_to(told.finding, "missing") for told in self.new)
            if missing > most:
                found.append(f"{missing} uses have no counterpart: more than {most} are too many")
        return tuple(found)

    def _failed_on(self) -> Iterator[str]:
        counts: Counter[str] = Counter()
        for told in self.new if self.settings.fail_on else ():
            counts.update(n for n in self.settings.fail_on if answers_to(told.finding, n))
        for name in self.settings.fail_on:
            if counts[name]:
                times = "is 1 finding" if counts[name] == 1 else f"are {counts[name]} findings"
                yield f"there {times} of {name}"

    @property
    def ok(self) -> bool:
        """Whether everything was read and no threshold is passed."""
        return self.scan.is_read and not self.breaches


def answers_to(finding: Finding, name: str) -> bool:
    """Whether a finding is of this verdict or code."""
    if name == finding.code:
        return True
    if not isinstance(finding, ScannedUse):
        return False
    return NAMES.get(name) is finding.standing
