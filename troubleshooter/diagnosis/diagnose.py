"""Which known cause explains a layer's output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...numerics.distance import distance
from ..compare.records import LayerPair, LayerRecord
from . import gradients
from .attempts import MISFITS, Attempt, attempted, attempts
from .causes import GENERAL, Case, Cause, Trial, specific
from .hypothesis import VERDICTS, Hypothesis
from .options import compare_options

NEAR = 0.1
"""How far off what only comes closer may be to be told."""

GAIN = 10.0
"""How many times smaller the error must become to call a cause one."""


@dataclass(frozen=True, eq=False)
class Explained:
    """A trial, whose result is `error` from the candidate's; `agrees` if that is rounding."""

    cause: Cause
    trial: Trial
    error: float
    agrees: bool


def diagnose(pair: LayerPair, others: Sequence[LayerRecord] = ()) -> tuple[Hypothesis, ...]:
    """What explains the candidate's output, the likeliest first; empty if nothing differs.

    `others`: the reference's other layers, whose weights the candidate may have taken. Where no
    layer can be computed from its own options and weights there is a single hypothesis that says
    so, unless the outputs alone show what happened.
    """
    if pair.parts_in == "backward":
        return gradients.of_layer(pair)
    with np.errstate(all="ignore"):  # what is tried may divide by zero
        made = list(attempts(pair, others))
        for attempt in made:
            before = error_of(attempt.case)
            if before <= attempt.limit:
                return of_equal(attempt, before)
            explained = explanations((specific(), GENERAL), attempt, before)
            explained = supported_first(explained, pair)
            found = tuple(told(one, before, attempt) for one in explained)
            if found or attempt.is_sure:
                return found
        if any(attempt.turned for attempt in made):
            return ()
        before = min((error_of(attempt.case) for attempt in made), default=math.inf)
        return (Hypothesis(VERDICTS["unmodelled"], "unmodelled", False, before, before),)


def error_of(case: Case) -> float:
    return attempted(lambda: case.plain, case.wanted)


def of_equal(attempt: Attempt, before: float) -> tuple[Hypothesis, ...]:
    """Where the layer does what the reference does: nothing, or another input."""
    away = distance(attempt.case.wanted, attempt.recorded)
    if away <= max(attempt.limit, GAIN * before) or attempt.turned:
        return ()
    return (Hypothesis(VERDICTS["inputs"], "inputs", True, away, before),)


def explanations(
    groups: Sequence[Sequence[Cause]], attempt: Attempt, before: float
) -> list[Explained]:
    """The causes of the first group in which some explain the result; else the one that comes
    much closer than nothing."""
    closest: list[Explained] = []
    for causes in groups:
        best = [attempted_cause(cause, attempt, before) for cause in causes]
        agreeing = [one for one in best if one is not None and one.agrees]
        if agreeing:
            return agreeing
        closest += [one for one in best if one is not None]
    nearest = min(closest, key=lambda one: one.error, default=None)
    is_near = nearest is not None and nearest.error <= NEAR and nearest.error * GAIN <= before
    return [nearest] if nearest is not None and is_near else []


def attempted_cause(cause: Cause, attempt: Attempt, before: float) -> Explained | None:
    """The first of a cause's trials that explains the result, else the closest of them."""
    case = attempt.case
    if not isinstance(case.layer, cause.layers) or (cause.in_weights and case.other_weights):
        return None
    best: Explained | None = None
    try:
        for trial in cause.trials(case.layer, case):
            error = attempted(trial.compute, case.wanted)
            one = Explained(cause, trial, error, is_explained(error, before, attempt.limit, trial))
            if one.agrees:
                return one
            best = one if best is None or error < best.error else best
    except MISFITS:
        return best
    return best


def is_explained(error: float, before: float, limit: float, trial: Trial) -> bool:
    """By rounding; or by a hundred times as much, where the error was a thousand times larger:
    a result that is small for what it is the sum of has more of it."""
    if trial.tolerance:
        return error <= max(limit, trial.tolerance)
    if error <= limit:
        return error * GAIN <= before
    return error <= 100 * limit and error * 1000 <= before


def supported_first(found: list[Explained], pair: LayerPair) -> list[Explained]:
    """Those whose option differs before the others."""
    differing = {difference.name for difference in compare_options(pair)}
    return sorted(found, key=lambda one: differing.isdisjoint(one.cause.fields))


def told(one: Explained, before: float, attempt: Attempt) -> Hypothesis:
    start = "agrees if" if one.agrees else f"comes closer, off by {one.error:.1g} of its norm, if"
    text = f"{start} {one.trial.fact.text(turned=attempt.turned)}"
    name = one.cause.opposite or one.cause.name if attempt.turned else one.cause.name
    return Hypothesis(text, name, one.agrees, before, one.error)
