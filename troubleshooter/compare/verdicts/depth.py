"""How errors grow along a network: when both just run, and by rounding alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....numerics.rounding import STEP
from ..comparison import LayerRow
from ..matching.alignment import Pairing
from ..matching.closeness import distance
from ..recorded import Run
from .isolation import Isolated


@dataclass(frozen=True)
class Depth:
    """What isolated layers were judged by, B's plain run, and A's rounding by number of call."""

    of: Isolated
    plain: Run
    floor: Sequence[Sequence[float]]

    def noted(self, rows: Sequence[LayerRow]) -> tuple[LayerRow, ...]:
        """The rows with how far they are off in the plain runs, and why that may be."""
        pairs = {}
        for pair in self.of.alignment.pairs:
            call = self.of.own(pair)
            if call is not None:
                pairs[call.path, call.index] = pair
        return tuple(
            self.with_figures(row, pairs[row.path, row.call])
            if (row.path, row.call) in pairs and row.verdict != "extra"
            else row
            for row in rows
        )

    def with_figures(self, row: LayerRow, pair: Pairing) -> LayerRow:
        if not pair.outputs:
            return row
        link = pair.outputs[0]
        x, y = link.ours.of(self.of.a), link.theirs.of(self.plain)
        giver = self.of.a.by_place.get((link.ours.path, link.ours.index))
        if x is None or giver is None:
            return row
        floors = self.floor[giver.number] if link.ours.role == "outputs" else ()
        noise = self.of.noise_at.get(link.ours)
        sketch = self.of.a.sketch(x)
        size = max(abs(sketch.minimum), abs(sketch.maximum))
        relative = noise.noise / size if noise is not None and size else None
        return replace(
            row,
            accumulated=None if y is None else distance(self.of.a, x, self.plain, y),
            floor=floors[link.ours.position] if floors else None,
            noise=relative,
            amplification=None if relative is None else relative / STEP,
        )
