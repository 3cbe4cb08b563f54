"""A conversion as JSON: what became of each file, class and use."""

from __future__ import annotations

import json
from dataclasses import asdict

from ..findings.entries import entry, totals_of
from ..findings.model import Finding
from .outcome import Counts, Outcome, classes_of, counts_of, state
from .tree import Converted

VERSION = 1
"""Raised when a field changes its meaning or goes."""


def to_json(outcome: Outcome) -> str:
    head: dict[str, object] = {
        "version": VERSION,
        "ok": outcome.ok,
        "files_changed": len(outcome.changed),
        "files_unchanged": len(outcome.unchanged),
        "files_failed": len(outcome.failed),
        "marks": outcome.marks,
        "counts": fields(outcome.counts),
        "scan": totals_of(outcome.totals),
        "modules": [str(module.path) for module in outcome.tree.modules],
        "not_written": [asdict(refused) for refused in outcome.refused],
        "files": list(map(file_fields, outcome.tree.files)),
    }
    return json.dumps(head, indent=2) + "\n"


def fields(counts: Counts) -> dict[str, object]:
    return {**asdict(counts), "verdicts": dict(counts.verdicts)}


def file_fields(file: Converted) -> dict[str, object]:
    stays: list[Finding] = [*file.left, *file.unknown, *file.scan.remarks]
    return {
        "file": file.scan.path,
        "state": state(file),
        "lines": file.scan.lines,
        "counts": fields(counts_of(file)),
        "classes": [{**asdict(c), "counts": fields(c.counts)} for c in classes_of(file)],
        "findings": [entry(finding) for finding in stays],
    }
