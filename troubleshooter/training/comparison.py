"""What a comparison of two trainings found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..compare.records import SideName

Stage = Literal[
    "output",
    "loss",
    "gradient",
    "steps",
    "used gradient",
    "rate",
    "state",
    "weight",
    "average",
    "settings",
]
"""In the order of a step. `steps`: whether the optimiser steps in that batch; `used gradient`: what
it is given, behind clipping, unscaling and accumulation; `settings`: what the optimiser is told
otherwise, and these steps do not show."""


@dataclass(frozen=True)
class Reason:
    """A cause: its name, and what B must be changed to, with what it is now.

    `sure`: with it B's numbers follow from A's; else it is what the settings say.
    """

    cause: str
    text: str
    sure: bool = True


@dataclass(frozen=True)
class TrainingDifference:
    """The first thing that differs: in which batch and step (from 1), at which parameters.

    `group`: of A's optimiser, from 0; None where it is of no parameter. `a`, `b`: the two values,
    or norms; `off`: how far apart, relative to A's; `allowed`: what rounding explains.
    """

    stage: Stage
    batch: int
    step: int
    parameters: tuple[str, ...]
    group: int | None
    a: float
    b: float
    off: float
    allowed: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Curves:
    """What both sides came to in each batch, and the rates of each step's first group."""

    losses: tuple[tuple[float | None, float | None], ...]
    rates: tuple[tuple[float | None, float | None], ...]


@dataclass(frozen=True)
class TrainingComparison:
    """Two trainings from the same weights, with the same data."""

    names: tuple[str, str]
    sides: tuple[SideName, SideName]
    batches: int
    steps: tuple[int, int]
    parameters: int
    first: TrainingDifference | None
    curves: Curves
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.first is None

    def __str__(self) -> str:
        """The first difference with its cause, and the summary."""
        from .as_text import to_text

        return to_text(self).rstrip("\n")

    def to_json(self) -> str:
        from .as_json import to_json

        return to_json(self)
