"""What a watchpoint has found: which condition, where, when, and the figures around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

CONDITIONS = {
    "nan": "a value that is no number appears",
    "overflow": "a value becomes infinite",
    "unchanged-weights": "weights that are to be trained stay as they are",
    "zero-gradients": "gradients are exactly 0, step after step",
    "exploding": "weights, gradients or the loss grow out of all proportion",
    "loss-stuck": "the loss does not fall",
    "dead-activations": "units give the same whatever comes in",
    "data": "labels, inputs or their order are not what a training needs",
}
"""What may be watched for, and what it means."""


@dataclass(frozen=True)
class Statistics:
    """Figures of one array; those of numbers are of the finite ones."""

    name: str
    shape: tuple[int, ...]
    kind: str
    least: float
    most: float
    mean: float
    spread: float
    nans: int
    infinite: int

    @staticmethod
    def of(name: str, array: np.ndarray) -> Statistics:
        wide = np.asarray(array).astype(np.float64).reshape(-1)
        finite = wide[np.isfinite(wide)]
        kept = finite if len(finite) else np.zeros(1)
        return Statistics(
            name, tuple(array.shape), array.dtype.name,
            float(kept.min()), float(kept.max()), float(kept.mean()), float(kept.std()),
            int(np.isnan(wide).sum()), int(np.isinf(wide).sum()),
        )  # fmt: skip

    def text(self) -> str:
        count = int(np.prod(self.shape))
        if self.nans + self.infinite == count and count:
            return (f"{self.name}: {self.kind}{list(self.shape)} without a finite number: "
                    f"{self.nans} NaN, {self.infinite} inf")  # fmt: skip
        bad = [f"{n} {what}" for n, what in ((self.nans, "NaN"), (self.infinite, "inf")) if n]
        return (
            f"{self.name}: {self.kind}{list(self.shape)} from {self.least:.4g} to {self.most:.4g}, "
            f"mean {self.mean:.4g}, spread {self.spread:.4g}" + "".join(f", {b}" for b in bad)
        )


@dataclass(frozen=True)
class Finding:
    """A condition that holds. `note`: it may be meant, and stops nothing.

    `grown`: of an overflow, where what came in had become so large: operator, layer and line.
    """

    condition: str
    step: int
    layer: str
    problem: str
    advice: str
    op: str = ""
    line: str = ""
    backward: bool = False
    note: bool = False
    before: tuple[Statistics, ...] = ()
    repro: str = ""
    others: tuple[str, ...] = field(default=())
    grown: tuple[str, str, str] | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(given: dict[str, Any]) -> Finding:
        before = tuple(
            Statistics(**{**one, "shape": tuple(one["shape"])}) for one in given["before"]
        )
        grown = tuple(given["grown"]) if given.get("grown") else None
        others = tuple(given["others"])
        return Finding(**{**given, "before": before, "others": others, "grown": grown})


def statistics(prefix: str, arrays: Sequence[np.ndarray | None]) -> tuple[Statistics, ...]:
    """Figures of the arrays that hold numbers."""
    return tuple(
        Statistics.of(f"{prefix} {k}", array)
        for k, array in enumerate(arrays)
        if array is not None and array.dtype.kind in "fiubV" and array.size
    )
