"""Findings and totals as JSON has them: what the reports of the scan and of source share."""

from __future__ import annotations

from dataclasses import asdict

from .model import Finding, Place, ScannedUse
from .totals import Row, Totals
from .urgency import NAMES, by_file
from .urgency import totals_of as lines_by_urgency


def totals_of(totals: Totals) -> dict[str, object]:
    files = by_file(totals.files)
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
        "urgency": {NAMES[level]: count for level, count in lines_by_urgency(files).items()},
        "files_by_urgency": [asdict(file) for file in files],
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
