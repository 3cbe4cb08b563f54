"""The scan as JSON: every use, not only the findings."""

from __future__ import annotations

import json

from ..findings.entries import entry, totals_of
from ..findings.model import FileScan
from .outcome import Outcome

VERSION = 1
"""Raised when a field changes its meaning or goes."""


def to_json(outcome: Outcome) -> str:
    """Totals, tables, files with uses and remarks, findings by code; one line for each use."""
    head = {
        "version": VERSION,
        "ok": outcome.ok,
        "breaches": outcome.breaches,
        "totals": totals_of(outcome.totals),
        "known": sum(told.known for told in outcome.told),
    }
    text = json.dumps(head, indent=2)
    files = ",\n".join(map(file_text, outcome.scan.files))
    return f'{text[:-2]},\n  "files": [\n{files}\n  ]\n}}\n'


def file_text(file: FileScan) -> str:
    """A file as JSON, each use and remark on a line of its own."""
    parts = [f'    {{"file": {json.dumps(file.path)}, "lines": {file.lines}']
    for name, found in (("uses", file.uses), ("remarks", file.remarks)):
        lines = ",\n".join(f"      {json.dumps(entry(finding))}" for finding in found)
        parts.append(f'     "{name}": [\n{lines}]' if lines else f'     "{name}": []')
    return ",\n".join(parts) + "}"
