"""The first step at which two loss curves part by more than their noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import MsconvertError
from .run import Run

FIRST = 5
"""Steps of which the noise is taken at first."""
SIGMAS = 4.0
ROUNDING = 1e-4
"""The part of a loss that rounding may have changed after some steps."""
IN_A_ROW = 3


@dataclass(frozen=True)
class Parting:
    """`step` None: they do not part. `noise` is of the difference of both."""

    a: str
    b: str
    steps: int
    step: int | None
    losses: tuple[float, float]
    noise: float
    widest: tuple[int, float] = (0, 0.0)
    """Where they do not part: the step of the largest difference, and that."""

    def reason(self) -> str:
        """Why they are said not to part, and how far apart they are for all that."""
        step, most = self.widest
        return (
            f"in {self.steps} steps their losses are nowhere {IN_A_ROW} times in a row more than "
            f"{SIGMAS:.0f} times their noise ({self.noise:.3g}) apart.\nThey are furthest apart at "
            f"step {step}, by {most:.3g}; at the end they are {self.losses[0]:.6g} and "
            f"{self.losses[1]:.6g}."
        )


def parting(a: Run, b: Run) -> Parting:
    """Where two runs part. Raises: MS406 if they have too few losses in common"""
    for run in (a, b):
        if not run.loss:
            raise MsconvertError(
                "MS406", run.name, "the run has no curve of a loss",
                got=", ".join(sorted(run.curves)) or run.problem or "no scalars",
            )  # fmt: skip
    first, second = dict(a.loss), dict(b.loss)
    steps = sorted(first.keys() & second.keys())
    if len(steps) < FIRST + IN_A_ROW:
        raise MsconvertError(
            "MS406", f"{a.name} and {b.name}", "too few steps of both runs have a loss",
            got=str(len(steps)), expected=f"at least {FIRST + IN_A_ROW}",
            advice="write the loss of each step: SummaryCollector(..., collect_freq=1)",
        )  # fmt: skip
    x = np.array([first[k] for k in steps])
    y = np.array([second[k] for k in steps])
    place, noise = first_apart(x, y)
    if place is None:
        with np.errstate(invalid="ignore"):  # where both are infinite
            gaps = np.nan_to_num(np.abs(x - y), posinf=np.inf)
        most = int(gaps.argmax())
        widest = steps[most], float(gaps[most])
        ends = float(x[-1]), float(y[-1])
        return Parting(a.name, b.name, len(steps), None, ends, noise, widest)
    found = float(x[place]), float(y[place])
    return Parting(a.name, b.name, len(steps), steps[place], found, noise)


def first_apart(x: np.ndarray, y: np.ndarray) -> tuple[int | None, float]:
    """The first of three places in a row where the curves are apart, and the noise there.

    The noise is that of their difference before, as it jumps from step to step; and no more than
    that of the calmer curve gives, as runs that are the same but for noise are equally calm.
    """
    both = np.isfinite(x) & np.isfinite(y)
    apart = np.where(both, np.abs(x - y), np.where(np.isfinite(x) == np.isfinite(y), 0.0, np.inf))
    signed = np.where(both, x - y, 0.0)
    calm = [np.where(both, curve, 0.0) for curve in (x, y)]
    noise, row = 0.0, 0
    for k in range(len(x)):
        noise = noise_before(max(k, FIRST), signed, *calm)
        size = max(abs(x[k]), abs(y[k])) if both[k] else 0.0
        row = row + 1 if apart[k] > SIGMAS * noise + ROUNDING * size else 0
        if row == IN_A_ROW:
            start = k - IN_A_ROW + 1
            return start, noise_before(max(start, FIRST), signed, *calm)
    return None, noise


def noise_before(k: int, difference: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    of_each = [noise_of(curve[:k]) * 2**0.5 for curve in (x, y)]
    return min(noise_of(difference[:k]), *of_each)


def noise_of(difference: np.ndarray) -> float:
    """The spread of the jumps from one step to the next, as of one value."""
    jumps = np.diff(difference)
    return float(np.sqrt(np.mean(np.square(jumps)) / 2)) if len(jumps) else 0.0
