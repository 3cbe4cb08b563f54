"""The lines that make the layers which differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...sides.places import shown
from ..comparison import LayerRow
from ..recorded import Run
from ..verdicts.isolation import Isolated
from .difference import Place


def with_origins(of: Isolated, rows: Sequence[LayerRow]) -> tuple[LayerRow, ...]:
    """The rows, those of what differs with the lines of both sides."""
    return tuple(replace(row, made=made(of, row)) if row.is_wrong else row for row in rows)


def made(of: Isolated, row: LayerRow) -> tuple[Place | None, Place | None]:
    paths = (row.path, row.other_path)
    if row.verdict == "extra":
        return None, place_of(of.b, row.path)
    one, other = paths[::-1] if of.alignment.walked else paths
    is_missing = row.verdict == "missing"
    return place_of(of.a, one), None if is_missing else place_of(of.b, other)


def place_of(run: Run, path: str) -> Place | None:
    """None where a layer was made elsewhere, or is a node of ONNX."""
    line = run.layers[path].line if path in run.layers else None
    if line is None or not line.number:
        return None
    return Place(shown(line.file), line.number, line.text)
