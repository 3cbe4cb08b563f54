"""Why parameters are not the same after steps of an optimiser."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...numerics.limits import REPRODUCED, ROUNDING_FACTOR
from ...numerics.rounding import STEP
from ..compare.records import Arrays, LayerRecord
from .attempts import Attempt, attempted
from .causes import Case, optimizer
from .diagnose import error_of, explanations, told
from .hypothesis import Hypothesis
from .layers.layer import Array, Outputs
from .layers.optimizer import Optimizer, flat
from .reading.optimizers import OPTIMIZERS

UNMODELLED = "the reference's own step is not what its optimiser's options give: nothing was tried"


@dataclass(frozen=True)
class StepRecord:
    """Parameters before and after some steps, from an optimiser's first step on.

    `kind`: the class by its public name (`torch.optim.AdamW`); `options`: its settings by their
    own names. `gradients`: of each step, by the parameters' names, which both sides share.
    `rates`: the learning rate of each step, where it is not the options'.
    """

    kind: str
    options: Mapping[str, Any]
    before: Arrays
    gradients: tuple[Arrays, ...]
    after: Arrays
    rates: tuple[float, ...] = ()


def diagnose_step(reference: StepRecord, candidate: StepRecord) -> tuple[Hypothesis, ...]:
    """What explains the candidate's parameters after its steps; empty if nothing differs.

    The candidate's own gradients are used, so that those are not what is told of here.
    """
    with np.errstate(all="ignore"):  # what is tried may divide by zero
        frozen = left_alone(reference, candidate)
        if frozen:
            return frozen
        attempt = attempt_of(reference, candidate)
        if attempt is None:
            return (Hypothesis(UNMODELLED, "unmodelled", False, math.inf, math.inf),)
        before = error_of(attempt.case)
        if before <= attempt.limit:
            return ()
        found = explanations((optimizer.CAUSES,), attempt, before)
        return tuple(told(one, before, attempt) for one in found)


def left_alone(reference: StepRecord, candidate: StepRecord) -> tuple[Hypothesis, ...]:
    """Where some parameters, and not all, are as they were."""
    names = [
        name
        for name in candidate.before
        if np.array_equal(candidate.before[name], candidate.after[name])
        and is_moved(reference.before[name], reference.after[name])
    ]
    if not names or len(names) == len(candidate.before):
        return ()
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if names[4:] else "")
    text = f"agrees if the optimiser has {shown} (here: left as they were)"
    return (Hypothesis(text, "not-trained", True, 1.0, 0.0),)


def is_moved(before: Array, after: Array) -> bool:
    """By more than what rounding may leave away: so small may gradients be that are zero."""
    steps = np.abs(after - before) / np.spacing(np.abs(before).astype(np.float32))
    return bool(steps.max(initial=0.0) > 8)


def attempt_of(reference: StepRecord, candidate: StepRecord) -> Attempt | None:
    layer = layer_of(reference)
    if layer is None:
        return None
    limit = rounding(reference)
    error = attempted(lambda: layer.outputs(*inputs_of(reference)), update(reference))
    if error > max(REPRODUCED, limit):
        return None
    return Attempt(
        case_of(replace(layer, matrices=of_matrices(reference)), candidate),
        limit,
        update(reference),
    )


def layer_of(record: StepRecord) -> Optimizer | None:
    """The optimiser as its options say it; None for one that is not known here."""
    read = OPTIMIZERS.get(record.kind)
    layer = None if read is None else read(record.options)
    if layer is None or not (layer.lr or any(record.rates)):
        return None
    return replace(layer, rates=record.rates)


def case_of(layer: Optimizer, candidate: StepRecord) -> Case:
    nothing = LayerRecord("", candidate.kind, "torch", {}, {}, (), (), True)
    return Case(layer, nothing, nothing, inputs_of(candidate), update(candidate))


def inputs_of(record: StepRecord) -> Outputs:
    names = list(record.before)
    every = [record.before, *record.gradients]
    return tuple(flat([arrays[name] for name in names]) for arrays in every)


def update(record: StepRecord) -> Outputs:
    names = list(record.before)
    after, before = (flat([side[name] for name in names]) for side in (record.after, record.before))
    return (after - before,)


def rounding(record: StepRecord) -> float:
    """That of the parameters, which are added to, relative to what is added."""
    names = list(record.before)
    size = float(np.linalg.norm(flat([record.before[name] for name in names])))
    moved = float(np.linalg.norm(update(record)[0]))
    relative = size / moved if moved else 1.0
    return ROUNDING_FACTOR * STEP * max(relative, 1.0)


def of_matrices(record: StepRecord) -> Array:
    """1 for each element of a parameter of two axes or more, 0 for biases and scales."""
    return flat([np.full(a.shape, float(a.ndim > 1)) for a in record.before.values()])
