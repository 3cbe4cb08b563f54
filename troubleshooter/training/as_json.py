"""A comparison of trainings as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from ..verify.tables import finite
from .comparison import TrainingComparison


def to_json(found: TrainingComparison) -> str:
    content = {
        "equal": found.ok,
        "a": {"name": found.names[0], "framework": found.sides[0], "steps": found.steps[0]},
        "b": {"name": found.names[1], "framework": found.sides[1], "steps": found.steps[1]},
        "batches": found.batches,
        "parameters": found.parameters,
        "first_difference": None if found.first is None else asdict(found.first),
        "losses": [list(pair) for pair in found.curves.losses],
        "rates": [list(pair) for pair in found.curves.rates],
        "notes": list(found.notes),
    }
    return json.dumps(finite(content), indent=2) + "\n"
