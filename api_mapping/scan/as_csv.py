"""The scan as CSV: a line for each use and remark."""

from __future__ import annotations

import csv
import io

from ...errors import printable
from ..findings.entries import entry
from .outcome import Outcome

COLUMNS = (
    *("file", "cell", "line", "column", "end_line", "end_column", "api", "kind", "verdict"),
    *("code", "target", "note", "edit", "refusal", "ignored", "message", "advice"),
)


def to_csv(outcome: Outcome) -> str:
    """A line for each use and remark, with the columns' names first.

    What a spreadsheet would take for a formula has a quote before it.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for file in outcome.scan.files:
        for finding in file.everything:
            cells = {"file": file.path} | entry(finding)
            writer.writerow({name: harmless(value) for name, value in cells.items()})
    return text.getvalue()


def harmless(value: object) -> object:
    if not isinstance(value, str):
        return value
    value = printable(value, limit=1000)
    return f"'{value}" if value.startswith(("=", "+", "-", "@")) else value
