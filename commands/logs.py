"""`msconvert diff` of two logs of losses: where the curves part by more than their noise."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .outputs import STDOUT, Output, say

if TYPE_CHECKING:
    from ..troubleshooter.diff import Comparison

SAME, DIFFERENT = 0, 1
ENDINGS = (".log", ".txt", ".out", ".csv", ".tsv", ".jsonl", ".ndjson")
EVENTS = "tfevents"


def are_logs(paths: Sequence[Path]) -> bool:
    """Whether both paths are logs by their names, or hold event files."""
    return len(paths) == 2 and all(path.exists() and is_log(path) for path in paths)


def is_log(path: Path) -> bool:
    """Whether a path is that of a log by its name, or of event files."""
    if path.is_dir():
        return any(EVENTS in name for _, _, names in os.walk(path) for name in names)
    return path.suffix.lower() in ENDINGS or EVENTS in path.name


def compare_logs(
    paths: Sequence[Path], outputs: Sequence[Output[Comparison]], flags: Mapping[str, Any]
) -> int:
    """Prints, or writes, where two curves part; 1 if they do. Raises: MS406"""
    from ..errors import printable
    from ..formats.storage.atomic import Transaction
    from ..observation.runs import parting_pages
    from ..observation.runs.logs import read_log
    from ..observation.runs.parting import parting

    makers = {"--json": parting_pages.to_json, "--html": parting_pages.to_html}
    wrong = [output.flag for output in outputs if output.flag not in makers]
    if wrong:
        raise click.UsageError(f"{wrong[0]} is of tensors, not of logs: --json or --html")
    a, b = map(read_log, paths)
    found = parting(a, b)
    printed = False
    with Transaction(force=flags["force"], inputs=paths) as transaction:
        for output in outputs:
            text = makers[output.flag](found, a, b)
            if output.file == STDOUT:
                say(text, nl=False)
                printed = True
            else:
                transaction.write_text(output.file, text)
    if not printed:
        say(parting_pages.to_text(found, a, b))
        for output in outputs:
            say(f"Written: {printable(output.file)}")
    return SAME if found.step is None else DIFFERENT
