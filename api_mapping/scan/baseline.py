"""Findings that are known already: a file of them, so that only new ones are told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import MsconvertError, UsageError
from .model import FileScan, Finding, Scan

VERSION = 1


@dataclass(frozen=True)
class Baseline:
    """How often each finding was there when the baseline was written, by its key."""

    counts: Counter[str]

    @classmethod
    def of(cls, scan: Scan) -> Baseline:
        return cls(Counter(key(file, finding) for file, finding in scan.findings()))

    def to_json(self) -> str:
        listed = dict(sorted(self.counts.items()))
        content = {"written by": "msconvert scan", "version": VERSION, "findings": listed}
        return json.dumps(content, indent=1) + "\n"

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Raises: MS211 if there is no such file, or if it is no baseline"""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            advice = "write it first: --write-baseline"
            raise UsageError("MS211", str(path), "there is no such file", advice=advice) from None
        except (OSError, ValueError, RecursionError) as error:
            raise refusal(path, str(error)) from None
        if not isinstance(content, dict) or content.get("version") != VERSION:
            raise refusal(path, f"it is not a baseline of version {VERSION}")
        counts = content.get("findings")
        if not isinstance(counts, dict) or not all(type(n) is int for n in counts.values()):
            raise refusal(path, "its findings are no counts")
        return cls(Counter(counts))

    def split(self, scan: Scan) -> Iterator[tuple[FileScan, Finding, bool]]:
        """Every finding with its file, and whether the baseline holds it."""
        left = self.counts.copy()
        for file, finding in scan.findings():
            name = key(file, finding)
            left[name] -= 1
            yield file, finding, left[name] >= 0

    def absent(self, scan: Scan) -> Counter[str]:
        """What the baseline holds and the scan no longer finds."""
        return self.counts - Baseline.of(scan).counts


def key(file: FileScan, finding: Finding) -> str:
    """A name of the finding that stays when lines are added above it."""
    return f"{file.path}::{finding.code}::{finding.api}::{finding.place.mark:08x}"


def refusal(path: Path, problem: str) -> MsconvertError:
    return MsconvertError(
        "MS211", str(path), f"it cannot be used as a baseline: {problem}", advice="write it anew"
    )
