"""Causes in moving averages of weights: how much of the old one is kept, and of which weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...compare.records import Array
from ..comparison import Reason
from ..courses import Course, Tensors

CLOSE = 1e-3
FEWEST = 2


@dataclass(frozen=True)
class Rule:
    """average = decay * average + (1 - decay) * weights; `early`: of those before the step.

    `decays`: of each update, at the batch of this number.
    """

    early: bool
    decays: tuple[tuple[int, float], ...]


def rule_of(course: Course) -> Rule | None:
    """The rule that a side's averages follow, if there is one."""
    for early in (False, True):
        found = list(decays(course, early=early))
        if found and all(decay is not None for _, decay in found):
            return Rule(early, tuple((k, float(d or 0.0)) for k, d in found))
    return None


def decays(course: Course, *, early: bool) -> Sequence[tuple[int, float | None]]:
    found: list[tuple[int, float | None]] = []
    for k in range(1, len(course.batches)):
        before, after = course.batches[k - 1].average, course.batches[k].average
        weights = course.batches[k - 1 if early else k].weights
        if before is None or after is None:
            continue
        names = [n for n in before.values if n in course.trained]
        old, new, held = [flat(x, names) for x in (before, after, weights)]
        if np.array_equal(old, new):
            continue
        toward, moved = held - old, new - old
        size = float(toward @ toward)
        share = float(toward @ moved) / size if size else 0.0
        rounding = 1e-6 * float(np.linalg.norm(new))
        away = float(np.linalg.norm(moved - share * toward))
        fits = away <= CLOSE * float(np.linalg.norm(moved)) + rounding and share <= 1 + CLOSE
        found.append((k, 1 - share if fits else None))
    return found


def flat(tensors: Tensors, names: Sequence[str]) -> Array:
    return np.concatenate([tensors.values[name] for name in names if name in tensors.values])


def of_averages(a: Course, b: Course) -> list[Reason]:
    """How the averages of both sides are made otherwise."""
    if not list(decays(b, early=False)) and list(decays(a, early=False)):
        return [Reason("average-missing", "agrees if the average is updated (here: it never is)")]
    ours, theirs = rule_of(a), rule_of(b)
    if ours is None or theirs is None:
        return []
    ways = ("behind the step", "before the step")
    if ours.early != theirs.early:
        wanted, here = ways[ours.early], ways[theirs.early]
        text = f"agrees if the average takes the weights {wanted} (here: {here})"
        return [Reason("average-early", text)]
    places = [", ".join(str(k + 1) for k, _ in rule.decays[:6]) for rule in (ours, theirs)]
    if [k for k, _ in ours.decays] != [k for k, _ in theirs.decays]:
        text = f"agrees if it is updated in the batches {places[0]} (here: {places[1]})"
        return [Reason("average-interval", text)]
    told = [shown([decay for _, decay in rule.decays]) for rule in (ours, theirs)]
    text = f"agrees if the decay of the average is {told[0]} (here: {told[1]})"
    return [Reason("average-decay", text)]


def shown(decays: Sequence[float]) -> str:
    """One decay, or the first of several."""
    if np.ptp(decays) < 1e-3 * (1 - min(decays)) + 1e-5:
        return f"{decays[0]:.4g}"
    return ", ".join(f"{decay:.4g}" for decay in decays[:4]) + ", ..."
