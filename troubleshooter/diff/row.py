"""One pair of tensors: who they are, how far apart, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...numerics.tolerance import Tolerance
from ..measure.metrics import Metrics

Status: TypeAlias = Literal[
    "unreadable", "nan", "inf", "shape", "missing", "mismatch", "dtype", "empty", "ok"
]
STATUSES: tuple[Status, ...] = (
    *("unreadable", "nan", "inf", "shape", "missing", "mismatch", "dtype", "empty", "ok"),
)
"""What may become of a pair, the gravest first."""

BY_RULE = ("rule", "map")
"""How a tensor is known to have no counterpart: it is not missing then."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Shape and element type of one tensor, the latter as NumPy calls it."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Row:
    """A tensor of `a` and its counterpart in `b`; one of them is None if there is none.

    `how` they were paired and how sure that is, `change` makes a's shape b's: see pairing.Pair.
    `tolerance`: what `metrics.close` was counted with. `relation` ("equal after transpose (1, 0)")
    and `locus` ("only channel 3 (axis 1)") explain a difference; `problem` says why something
    could not be compared. `tied`: the tensor of the same side that it is another name of; `made`:
    which side is computed, and of what.
    """

    a: str | None
    b: str | None
    status: Status
    how: str = "name"
    confidence: float = 1.0
    change: str = ""
    kind_a: Kind | None = None
    kind_b: Kind | None = None
    tolerance: Tolerance | None = None
    metrics: Metrics | None = None
    relation: str = ""
    locus: str = ""
    problem: str = ""
    tied: str = ""
    made: str = ""

    def measured(
        self, status: Status, tolerance: Tolerance | None = None, metrics: Metrics | None = None
    ) -> Row:
        """The row with its figures, if it has some, and what they mean.

        `dataclasses.replace` takes ten times as long.
        """
        known = (self.how, self.confidence, self.change, self.kind_a, self.kind_b)
        figures = (tolerance, metrics)
        return Row(self.a, self.b, status, *known, *figures, tied=self.tied, made=self.made)

    @property
    def ok(self) -> bool:
        """Whether nothing differs: equal, empty on both sides, or without counterpart by a rule."""
        return self.is_free or self.status in ("ok", "empty")

    @property
    def is_free(self) -> bool:
        """Whether it has no counterpart and needs none, as BatchNorm's counter."""
        return self.status == "missing" and self.how in BY_RULE

    @property
    def name(self) -> str:
        """Both names, the second without the path if it is the same; once if they are the same."""
        if self.a is None or self.b is None or self.a == self.b:
            return self.a if self.a is not None else str(self.b)
        path, _, leaf = self.b.rpartition(".")
        return f"{self.a} -> {leaf if path and path == self.a.rpartition('.')[0] else self.b}"

    @property
    def excess(self) -> float:
        """The error relative to what is allowed, for sorting; 0 where nothing was measured."""
        if self.metrics is None or self.tolerance is None:
            return 0.0
        allowed = max(self.tolerance.rtol, self.tolerance.atol)
        return self.metrics.error / allowed if allowed else self.metrics.error

    @property
    def gravity(self) -> tuple[bool, bool, int, float]:
        """The gravest rows come first if sorted by it, those that need no counterpart last."""
        return self.ok, self.is_free, STATUSES.index(self.status), -self.excess
