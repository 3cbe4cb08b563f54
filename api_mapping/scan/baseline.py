"""Findings that are known already: a file of them, so that only new ones are told."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import MsconvertError, UsageError
from ...formats.storage.opening import json_of
from ...formats.storage.recovery import settled
from ..findings.model import FileScan, Finding, Scan

VERSION = 2
"""Its paths are from the folder of the baseline; those of version 1 are from the working folder."""
MAX_BYTES = 64 << 20


@dataclass(frozen=True)
class Baseline:
    """How often each finding was there when the baseline was written.

    By its key, with the whole path: a scan may be started anywhere, and told any path.
    """

    counts: Counter[str]

    @classmethod
    def of(cls, scan: Scan) -> Baseline:
        return cls(Counter(full_key(file, finding) for file, finding in scan.findings()))

    def to_json(self, path: Path) -> str:
        """The content of the baseline that is written to `path`."""
        folder = os.path.dirname(os.path.abspath(path))
        counts = {
            f"{Path(os.path.relpath(file, folder)).as_posix()}::{rest}": count
            for (file, rest), count in ((parts_of(name), n) for name, n in self.counts.items())
        }
        content = {
            "written by": "msconvert scan",
            "version": VERSION,
            "findings": dict(sorted(counts.items())),
        }
        return json.dumps(content, indent=1) + "\n"

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Raises: MS211 if there is no such file, or if it is no baseline"""
        settled(path, "MS211")
        try:
            content = json_of(path, MAX_BYTES)
        except FileNotFoundError:
            advice = "write it first: --write-baseline"
            raise UsageError("MS211", str(path), "there is no such file", advice=advice) from None
        except (OSError, ValueError) as error:
            raise refusal(path, str(error)) from None
        if not isinstance(content, dict) or content.get("version") not in (1, VERSION):
            raise refusal(path, f"it is not a baseline of version 1 or {VERSION}")
        counts = content.get("findings")
        if not isinstance(counts, dict) or not all(type(n) is int for n in counts.values()):
            raise refusal(path, "its findings are no counts")
        if any(name.count("::") < KEY.count("::") for name in counts):
            raise refusal(path, f"its findings are not named as {KEY}")
        folder = "" if content["version"] == 1 else os.path.dirname(path)
        found: Counter[str] = Counter()
        for name, count in counts.items():
            file, rest = parts_of(name)
            found[f"{os.path.abspath(os.path.join(folder, file))}::{rest}"] += count
        return cls(found)

    def split(self, scan: Scan) -> Iterator[tuple[FileScan, Finding, bool]]:
        """Every finding with its file, and whether the baseline holds it."""
        left = self.counts.copy()
        for file, finding in scan.findings():
            name = full_key(file, finding)
            left[name] -= 1
            yield file, finding, left[name] >= 0

    def absent(self, scan: Scan) -> Counter[str]:
        """What the baseline holds and the scan no longer finds."""
        return self.counts - Baseline.of(scan).counts


KEY = "path::code::api::mark"


def key(path: str, finding: Finding) -> str:
    """A name of the finding that stays when lines are added above it."""
    return f"{path}::{finding.code}::{finding.api}::{finding.place.mark:08x}"


def full_key(file: FileScan, finding: Finding) -> str:
    return key(os.path.abspath(file.path), finding)


def parts_of(name: str) -> tuple[str, str]:
    """The path of a key and what follows; the path may have the separator in it."""
    path, code, api, mark = name.rsplit("::", 3)
    return path, f"{code}::{api}::{mark}"


def refusal(path: Path, problem: str) -> MsconvertError:
    return MsconvertError(
        "MS211", str(path), f"it cannot be used as a baseline: {problem}", advice="write it anew"
    )
