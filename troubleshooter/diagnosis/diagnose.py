"""Which known cause explains a layer's output."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..compare.records import LayerPair, LayerRecord
from .causes import GENERAL, SPECIFIC, Case, Cause, Trial
from .causes.case import Weights
from .closeness import ROUNDING_FACTOR, STEP, distance, rounding_of, step_of
from .hypothesis import VERDICTS, Hypothesis
from .layers.arrays import arrays
from .layers.layer import Array, Layer, Outputs
from .options import compare_options
from .reading import Description, describe
from .reading.description import widened

REPRODUCED = 1e-4
"""How far a model of the reference's layer may be from its own output, of float32."""

GAIN = 10.0
"""How many times smaller the error must become to call a cause one."""

MISFITS = (ValueError, IndexError, TypeError, ZeroDivisionError, np.linalg.LinAlgError)
"""What NumPy says where a thing that is tried does not fit the shapes."""


@dataclass(frozen=True, eq=False)
class Recorded(Layer):
    """A layer of which nothing is known but what came out."""

    result: list[Array]

    def outputs(self, *inputs: Array) -> Outputs:
        return tuple(self.result)


@dataclass(frozen=True, eq=False)
class Explained:
    """A trial, whose result is `error` from the candidate's; `agrees` if that is rounding."""

    cause: Cause
    trial: Trial
    error: float
    agrees: bool


@dataclass(frozen=True, eq=False)
class Attempt:
    """What is tried: a layer, what it should give, how far off is rounding.

    `turned`: the layer is the candidate's and should give the reference's output, for want of
    knowing what the reference's is.
    """

    case: Case
    limit: float
    turned: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether the reference's layer is known, so that there is nothing else to be tried."""
        return not self.turned and not isinstance(self.case.layer, Recorded)


def diagnose(pair: LayerPair, others: Sequence[LayerRecord] = ()) -> tuple[Hypothesis, ...]:
    """What explains the candidate's output, the likeliest first; empty if nothing differs.

    `others`: the reference's other layers, whose weights the candidate may have taken. Where no
    layer can be computed from its own options and weights there is a single hypothesis that says
    so, unless the outputs alone show what happened.
    """
    with np.errstate(all="ignore"):  # what is tried may divide by zero
        tried = False
        for attempt in attempts(pair, others):
            before = error_of(attempt.case)
            if before <= attempt.limit:
                return of_equal(attempt, before)
            found = tuple(told(one, before, attempt) for one in explanations(attempt, before, pair))
            if found or attempt.is_sure:
                return found
            tried = tried or attempt.turned
        if tried:
            return ()
        return (Hypothesis(VERDICTS["unmodelled"], "unmodelled", False, before, before),)


def error_of(case: Case) -> float:
    return attempted(lambda: case.plain, case.wanted)


def of_equal(attempt: Attempt, before: float) -> tuple[Hypothesis, ...]:
    """Where the layer does what the reference does: nothing, or another input."""
    case = attempt.case
    recorded = tuple(widened(y) for y in case.reference.outputs)
    away = distance(case.wanted, recorded)
    if away <= max(attempt.limit, GAIN * before) or attempt.turned:
        return ()
    return (Hypothesis(VERDICTS["inputs"], "inputs", True, away, before),)


# what is compared


def attempts(pair: LayerPair, others: Sequence[LayerRecord]) -> Iterator[Attempt]:
    """By the reference's layer, else by the candidate's, then by outputs alone."""
    reference, candidate = pair.reference, pair.candidate
    layer, limit = modelled(reference)
    if layer is not None:
        weights, known = candidates_weights(pair), weights_of_others(pair, others)
        inputs = tuple(widened(x) for x in inputs_of(pair))
        wanted = tuple(widened(y) for y in candidate.outputs)
        yield Attempt(Case(layer, reference, candidate, inputs, wanted, weights, known), limit)
        return
    layer, limit = modelled(candidate)
    inputs = tuple(widened(x) for x in candidate.inputs)
    recorded = tuple(widened(y) for y in reference.outputs)
    if layer is not None:
        yield Attempt(Case(layer, candidate, reference, inputs, recorded), limit, turned=True)
    wanted = tuple(widened(y) for y in candidate.outputs)
    yield Attempt(Case(Recorded(list(recorded)), reference, candidate, inputs, wanted), limit)


def modelled(record: LayerRecord) -> tuple[Layer | None, float]:
    """The layer, if what is read of it gives the recorded output, and how far off is rounding."""
    recorded = tuple(widened(y) for y in record.outputs)
    coarsest = max([step_of(y) for y in record.outputs if y.dtype.kind == "f"], default=STEP)
    description = describe(record)
    layer = None if description is None else description.built()
    if layer is None:
        return None, ROUNDING_FACTOR * coarsest / 2
    inputs = tuple(widened(x) for x in record.inputs)
    error = attempted(lambda: layer.outputs(*inputs), recorded)
    if error > REPRODUCED * max(coarsest / STEP, 1.0):
        return None, ROUNDING_FACTOR * coarsest / 2
    rounding = max(error, rounding_of(layer, inputs, layer.outputs(*inputs)))
    return layer, ROUNDING_FACTOR * max(rounding, coarsest / 2)


def inputs_of(pair: LayerPair) -> tuple[Array, ...]:
    """The candidate's inputs if they are of the reference's shapes, else the reference's."""
    ours, theirs = pair.reference.inputs, pair.candidate.inputs
    alike = [x.shape for x in ours] == [x.shape for x in theirs]
    return theirs if alike else ours


def candidates_weights(pair: LayerPair) -> Weights | None:
    """The candidate's weights by their places in the reference's layer, if they are known."""
    ours, theirs = describe(pair.reference), describe(pair.candidate)
    if ours is None or not pair.candidate.parameters:
        return None
    if theirs is None or theirs.layer is not ours.layer:
        theirs = described_by_names(pair)
    if theirs is None:
        return None
    layer = Description(ours.layer, {**ours.values, **theirs.values}).built()
    return None if layer is None else arrays(layer)


def described_by_names(pair: LayerPair) -> Description | None:
    """As if the reference had the parameters that the candidate has under the new names."""
    own = pair.candidate.parameters
    if not pair.renamed or not all(name in own for name in pair.renamed.values()):
        return None
    named = {name: own[new] for name, new in pair.renamed.items()}
    return describe(replace(pair.reference, parameters=named))


def weights_of_others(pair: LayerPair, others: Sequence[LayerRecord]) -> dict[str, Weights]:
    """Those of the reference's other layers of the same type, by path."""
    own = describe(pair.reference)
    found: dict[str, Weights] = {}
    for record in others:
        other = describe(record) if record.path != pair.reference.path else None
        layer = other.built() if other is not None and own and other.layer is own.layer else None
        if layer is not None:
            found[record.path] = arrays(layer)
    return found


# what is tried


def attempted(compute: Callable[[], Outputs], wanted: Outputs) -> float:
    """The distance of a result from the candidate's; infinite for what does not fit."""
    try:
        return distance(compute(), wanted)
    except MISFITS:
        return math.inf


def explanations(attempt: Attempt, before: float, pair: LayerPair) -> Iterator[Explained]:
    """The causes that explain the result; else the one that comes much closer than nothing."""
    closest: list[Explained] = []
    for causes in (SPECIFIC, GENERAL):
        best = [attempted_cause(cause, attempt, before) for cause in causes]
        agreeing = [one for one in best if one is not None and one.agrees]
        if agreeing:
            yield from supported_first(agreeing, pair)
            return
        closest += [one for one in best if one is not None]
    nearest = min(closest, key=lambda one: one.error, default=None)
    if nearest is not None and nearest.error * GAIN <= before:
        yield nearest


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
    start = "agrees if" if one.agrees else f"comes {before / one.error:.0f} times closer if"
    text = f"{start} {one.trial.fact.text(turned=attempt.turned)}"
    name = one.cause.opposite or one.cause.name if attempt.turned else one.cause.name
    return Hypothesis(text, name, one.agrees, before, one.error)
