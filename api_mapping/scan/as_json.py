"""The scan as JSON: every use, not only the findings."""

from __future__ import annotations

import json
from dataclasses import asdict

from .model import FileScan, Finding, Place, ScannedUse
from .outcome import Outcome
from .totals import Row, Totals

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


def totals_of(totals: Totals) -> dict[str, object]:
    return {
        "files": totals.file_count,
        "lines": totals.lines,
        "uses": totals.uses,
        "names": totals.names,
        "unread": totals.unread,
        "ignored": totals.ignored,
        "convertible": round(totals.convertible, 4),
        "shares": [asdict(share) for share in totals.shares],
        "effort": asdict(totals.effort),
        "blockers": [row.api for row in totals.blockers],
        "operators": [fields_of(row) for row in totals.operators],
        "features": [asdict(row) for row in totals.features],
        "remarks": [asdict(count) for count in totals.remarks],
    }


def fields_of(row: Row) -> dict[str, object]:
    return {
        "api": row.api,
        "feature": row.feature,
        "standing": row.standing,
        "uses": row.uses,
        "files": row.files,
        "refused": row.refused,
        "target": row.target,
        "note": row.note,
    }


def file_text(file: FileScan) -> str:
    """A file as JSON, each use and remark on a line of its own."""
    parts = [f'    {{"file": {json.dumps(file.path)}, "lines": {file.lines}']
    for name, found in (("uses", file.uses), ("remarks", file.remarks)):
        lines = ",\n".join(f"      {json.dumps(entry(finding))}" for finding in found)
        parts.append(f'     "{name}": [\n{lines}]' if lines else f'     "{name}": []')
    return ",\n".join(parts) + "}"


def entry(finding: Finding) -> dict[str, object]:
    """One use or remark, without what is empty."""
    fields = place_of(finding.place) | {"api": finding.api, "code": finding.code}
    if isinstance(finding, ScannedUse):
        fields |= {
            "kind": finding.kind,
            "verdict": finding.standing.value,
            "target": finding.target,
            "note": finding.note,
            "edit": finding.edit,
            "refusal": finding.refusal,
        }
    if finding.code:
        fields |= {"level": finding.level, "message": finding.message, "advice": finding.advice}
    fields |= {"ignored": finding.ignored or ""}
    return {name: value for name, value in fields.items() if value != ""}


def place_of(place: Place) -> dict[str, object]:
    fields: dict[str, object] = {
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }
    return fields | ({"cell": place.cell} if place.cell else {})
