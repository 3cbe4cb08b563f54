"""Why layers differ, as far as the diagnosis knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .comparison import LayerRow
from .recorded import PUBLIC
from .records import LayerPair

if TYPE_CHECKING:
    from ..diagnosis import Hypothesis

MOST = 5
"""Of so many layers causes are looked for."""


def explained(rows: Sequence[LayerRow]) -> tuple[LayerRow, ...]:
    """The rows, with hypotheses for those of the first layers that differ by themselves."""
    from ..diagnosis import compare_options  # which has its records from here

    wrong = sorted((row for row in rows if row.pair is not None), key=lambda row: row.moment)
    chosen = {id(row) for row in wrong[:MOST]}
    found = []
    for row in rows:
        if id(row) in chosen and row.pair is not None:
            options = tuple(item.text for item in compare_options(row.pair))
            is_own_code = row.operator is not None and not row.kind.startswith(PUBLIC)
            causes = row.hypotheses if is_own_code else with_diagnosis(row, row.pair)
            settings = tuple(dict.fromkeys((*options, *row.settings)))
            row = replace(row, hypotheses=causes, settings=settings)
        found.append(row)
    return tuple(found)


def with_diagnosis(row: LayerRow, pair: LayerPair) -> tuple[Hypothesis, ...]:
    """Behind what is known of a layer's call; of one with layers in it, if anything agrees."""
    from ..diagnosis import diagnose  # which has its records from here

    found = diagnose(pair, pair.lenders)
    if row.is_leaf and row.other_kind.startswith("onnx.") and any(map(is_option, found)):
        return found  # which another call of the layer does not show
    if row.is_leaf:
        return (*row.hypotheses, *found)
    return found if any(one.agrees for one in found) else row.hypotheses


def is_option(found: Hypothesis) -> bool:
    """Whether it explains all, and that by something else than weights."""
    return found.agrees and found.cause != "parameters"
