"""What a comparison of two networks found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...numerics.verdict import Difference
from .operators.difference import OperatorDifference, Place
from .records import LayerPair, Phase, SideName

if TYPE_CHECKING:
    from ..diagnosis import Hypothesis

Verdict = Literal["same", "differs", "missing", "extra", "fails", "not compared"]
WRONG: tuple[Verdict, ...] = ("differs", "missing", "extra", "fails")

Part = Literal["output", "inside", "layer", "state", "gradient"]
"""Where a layer differs: in what it gives; in what it does around the layers in it; as a whole,
because the other network has none; in what a run leaves of its buffers; in its gradients."""

Mode = Literal["eval", "train"]
MODES: tuple[Mode, Mode] = ("eval", "train")
PHASES: tuple[Phase, ...] = ("forward", "step", "backward")
"""In the order in which differences are told: buffers change in the forward run."""


@dataclass(frozen=True)
class LayerRow:
    """A call of a layer, judged alone: given the reference's inputs, around its layers' outputs.

    `path`, `call`: in A; of an extra layer, or where A is an ONNX file, in B. `depth`: how many
    calls are around it. `differences`: of its outputs; or of what it hands to the layers in it, of
    buffers, of gradients, as `part` says. `accumulated`: how far its output is from A's when both
    networks just run, relative to its norm, an estimate. `floor`: how far A's is from itself by
    rounding alone, in the same way. `noise`: how far A's layer alone is by rounding, relative to
    its largest element; `amplification`: in steps of the element type. `order`: when it parts.
    `settings`: hyper-parameters that differ, in words. `operator`: in a block's own code the first
    that differs, where both ran once more for it. `made`: of what differs the lines of A and of B
    that make it, where they are known.
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
    mode: Mode = "eval"
    phase: Phase = "forward"
    pair: LayerPair | None = None
    hypotheses: tuple[Hypothesis, ...] = ()
    settings: tuple[str, ...] = ()
    operator: OperatorDifference | None = None
    made: tuple[Place | None, Place | None] = (None, None)

    @property
    def worst(self) -> Difference | None:
        return max(self.differences, key=lambda item: item.excess, default=None)

    @property
    def is_wrong(self) -> bool:
        return self.verdict in WRONG

    @property
    def moment(self) -> tuple[int, int, float]:
        """What comes first is told first: evaluation, training; forward, buffers, backward."""
        return MODES.index(self.mode), PHASES.index(self.phase), self.order


@dataclass(frozen=True)
class Whole:
    """Something of the whole networks, when both just run; each value against A's rounding.

    `name`: "outputs in eval", "gradients", "after a step", "losses". `problem`: why there is
    nothing to compare, if B could not do it.
    """

    name: str
    differences: tuple[Difference, ...]
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem and all(item.passed for item in self.differences)

    @property
    def worst(self) -> Difference | None:
        return max(self.differences, key=lambda item: item.excess, default=None)


@dataclass(frozen=True, repr=False)
class NetworkComparison:
    """Two networks, layer by layer in the order of A's calls, and as a whole.

    `rows`: of each mode that was compared; rows of buffers and gradients are there only where
    these differ. `weights`: parameters that the two do not begin with alike. `is_steady`: whether
    each network gives the same when it is run again.
    """

    names: tuple[str, str]
    sides: tuple[SideName, SideName]
    rows: tuple[LayerRow, ...]
    whole: tuple[Whole, ...]
    weights: tuple[Difference, ...] = ()
    remarks: tuple[str, ...] = ()
    is_steady: bool = True

    @property
    def ok(self) -> bool:
        """Whether all that was compared is the same; what is drawn anew each time cannot be."""
        is_same = self.first_difference is None and all(item.ok for item in self.whole)
        return is_same and self.is_steady

    @property
    def first_difference(self) -> LayerRow | None:
        """The layer whose inputs agree and whose outputs do not; the innermost such."""
        wrong = [row for row in self.rows if row.is_wrong]
        return min(wrong, key=lambda row: row.moment, default=None)

    @property
    def differing(self) -> tuple[LayerRow, ...]:
        """The rows that differ, in their order; of each layer what comes first."""
        found: dict[tuple[str, int], LayerRow] = {}
        for row in sorted((r for r in self.rows if r.is_wrong), key=lambda row: row.moment):
            found.setdefault((row.path, row.call), row)
        return tuple(found.values())

    @property
    def tree(self) -> Mapping[str, LayerRow]:
        """A row for each layer by its path; of several the first that differs."""
        found: dict[str, LayerRow] = {}
        for row in self.rows:
            held = found.get(row.path)
            if held is None or (row.is_wrong and (not held.is_wrong or row.moment < held.moment)):
                found[row.path] = row
        return found

    def __str__(self) -> str:
        """The layers that differ, the first of them with its cause, and the summary."""
        from .as_text import to_text

        return to_text(self, every_layer=False).rstrip("\n")

    def __repr__(self) -> str:
        """One line: both names and the verdict."""
        from .as_text import summary

        return f"<comparison of {self.names[0]} and {self.names[1]}: {summary(self)}>"

    def _repr_html_(self) -> str:
        """The page, as a notebook shows it: in a frame of its own."""
        from ...reporting.page import framed
        from .as_html import to_html

        return framed(to_html(self))

    def to_json(self) -> str:
        """Everything but arrays."""
        from .as_json import to_json

        return to_json(self)
