"""A comparison of networks as JSON: everything but arrays."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from ..verify.tables import finite
from .comparison import LayerRow, NetworkComparison


def to_json(found: NetworkComparison) -> str:
    first = found.first_difference
    content = {
        "equal": found.ok,
        "deterministic": found.is_steady,
        "a": {"name": found.names[0], "framework": found.sides[0]},
        "b": {"name": found.names[1], "framework": found.sides[1]},
        "first_difference": None if first is None else layer(first),
        "layers": [layer(row) for row in found.rows],
        "whole": [asdict(item) for item in found.whole],
        "weights": [asdict(item) for item in found.weights],
        "remarks": list(found.remarks),
    }
    return json.dumps(finite(content), indent=2) + "\n"


def layer(row: LayerRow) -> dict[str, Any]:
    """A row; of its pair, which holds arrays, what the two layers were told."""
    content = asdict(replace(row, pair=None))
    del content["pair"]
    if row.pair is not None:
        content["options"] = dict(row.pair.reference.options)
        content["other_options"] = dict(row.pair.candidate.options)
    return content
