"""The report of a migration as JSON."""

from __future__ import annotations

import json

from ..api_mapping.source.as_json import to_json as source_json
from .outcome import Outcome
from .steps import steps

VERSION = 1
"""Raised when a field changes its meaning or goes."""


def to_json(outcome: Outcome) -> str:
    """Everything that is known of it; `source` is the report of `msconvert source`."""
    found = {
        "version": VERSION,
        "ok": outcome.ok,
        "target": outcome.wanted.target,
        "output": str(outcome.wanted.output),
        "checkpoints": [
            {
                "file": str(saved.path),
                "classes": list(saved.roots),
                "tensors": saved.tensors,
                "left_out": list(saved.left_out),
                "problem": "" if saved.error is None else saved.error.problem,
            }
            for saved in outcome.checkpoints
        ],
        "loaded": [
            {"file": str(fit.path), "call": fit.call, "problem": fit.problem}
            for fit in outcome.fits
        ],
        "dependencies": [
            {"file": str(c.path), "changes": list(c.changes), "problem": c.problem}
            for c in outcome.dependencies
        ],
        "networks": [
            {
                "file": str(found.network.file),
                "class": found.network.name,
                "verdict": found.verdict,
                "call": found.call,
                "inputs": list(found.inputs),
                "reason": found.reason,
            }
            for found in outcome.networks
        ],
        "not_compared": list(outcome.uncompared()),
        "linked": [str(path) for path in outcome.linked],
        "left": [str(path) for path in outcome.left],
        "next": [{"why": step.why, "command": step.command} for step in steps(outcome)],
        "source": json.loads(source_json(outcome.conversion)),
    }
    return json.dumps(found, indent=2) + "\n"
