"""What a terminal is told of a conversion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...report import Finding
from ..scan.model import Standing
from .outcome import Outcome
from .tree import FAILURES, Converted


def findings(outcome: Outcome) -> Iterator[str]:
    """Everything that somebody has to look at, file by file, the failures first."""
    for refused in outcome.refused:
        yield Finding("MS107", refused.path, refused.problem, severity="error").text
    for file in outcome.failed:
        for remark in file.scan.remarks:
            if remark.code in FAILURES:
                yield told(file, remark.place.line, remark.code, remark.message, remark.advice)
    for file in outcome.tree.files:
        for use in file.left:
            yield told(file, use.place.line, use.code, use.message, use.advice)
    for file in outcome.tree.files:
        for use in file.scan.uses:
            if use.standing is Standing.UNKNOWN:
                yield told(file, use.place.line, use.code, use.message, use.advice)


def told(file: Converted, line: int, code: str, message: str, advice: str) -> str:
    return Finding(code, f"{file.scan.path}:{line}", message, advice).text


def summary(outcome: Outcome, output: Path | None) -> Iterator[str]:
    """How much was done, and what to do next."""
    counts = len(outcome.changed), len(outcome.unchanged), len(outcome.failed)
    yield "Files: {} changed, {} unchanged, {} failed".format(*counts)
    uses = outcome.converted, outcome.left, outcome.unknown
    yield "Uses of PyTorch: {} converted, {} left, {} of unknown receivers".format(*uses)
    for module in outcome.tree.modules:
        yield f"Module of what MindSpore lacks: {module.path.name} in {module.path.parent}"
