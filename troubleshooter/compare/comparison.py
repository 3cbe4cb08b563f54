"""What a comparison of two networks found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..verify.judgement import Difference
from .records import LayerPair, SideName

Verdict = Literal["same", "differs", "missing", "extra", "fails", "not compared"]

WRONG: tuple[Verdict, ...] = ("differs", "missing", "extra", "fails")

Part = Literal["output", "inside", "layer"]
"""Where a layer differs: in what it gives; in what it hands to a layer in it; as a whole, because
the other network has none."""


@dataclass(frozen=True)
class LayerRow:
    """A call of a layer, judged alone: given the reference's inputs, around its layers' outputs.

    `path`, `call`: in A; of an extra layer, in B. `depth`: how many calls are around it.
    `differences`: of its outputs, and of what it hands to the layers in it. `accumulated`: how far
    its output is from A's when both networks just run, relative to its norm, an estimate.
    `floor`: how far A's is from itself by rounding alone, in the same way. `noise`: how far A's
    layer alone is by rounding, relative to its largest element; `amplification`: in steps of the
    element type. `order`: when it parts, counted in B's run.
    """

    path: str
    call: int
    other_path: str
    kind: str
    other_kind: str
    depth: int
    is_leaf: bool
    verdict: Verdict
    part: Part = "output"
    note: str = ""
    differences: tuple[Difference, ...] = ()
    accumulated: float | None = None
    floor: float | None = None
    noise: float | None = None
    amplification: float | None = None
    order: float = 0.0
    pair: LayerPair | None = None

    @property
    def worst(self) -> Difference | None:
        return max(self.differences, key=lambda item: item.excess, default=None)


@dataclass(frozen=True)
class NetworkComparison:
    """Two networks, layer by layer in the order of A's calls.

    `outputs`: the networks' results when both just run, against the rounding of it all.
    """

    names: tuple[str, str]
    sides: tuple[SideName, SideName]
    rows: tuple[LayerRow, ...]
    outputs: tuple[Difference, ...]
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.first_difference is None and all(item.passed for item in self.outputs)

    @property
    def first_difference(self) -> LayerRow | None:
        """The layer whose inputs agree and whose outputs do not; the innermost such."""
        wrong = [row for row in self.rows if row.verdict in WRONG]
        return min(wrong, key=lambda row: row.order, default=None)

    def to_json(self) -> str:
        """Everything but arrays."""
        from .as_json import to_json

        return to_json(self)

    @property
    def tree(self) -> Mapping[str, LayerRow]:
        """The rows by path, of repeated calls the gravest."""
        found: dict[str, LayerRow] = {}
        for row in self.rows:
            held = found.get(row.path)
            if held is None or (held.verdict == "same" and row.verdict != "same"):
                found[row.path] = row
        return found
