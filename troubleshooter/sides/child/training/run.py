"""One run of a training: the network as it was at first, and so again behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..messages import Inputs, Training, TrainingPlan
from .parts import module_of
from .watch import function_of, kept_flags


def training_of(side: Any, plan: TrainingPlan, live: Callable[..., Any] | None) -> Training:
    """What `plan` comes to; `live`: the function that makes the step, where it is at hand.

    One that is nudged begins with numbers that are off by some steps of float32.
    """
    make = live
    if make is None and plan.make is not None:
        make = function_of(plan.make, module_of(side, plan.make))
    side.restore()
    with kept_flags(side.parameters_of(side.network)):
        try:
            return nudged(side, plan, make) if plan.nudge else run(side, plan, make)
        finally:
            side.restore()


def nudged(side: Any, plan: TrainingPlan, make: Callable[..., Any] | None) -> Training:
    """From the numbers of the variant of this number."""
    count = 0
    for variant in side.variants(Inputs(plan.batches), plan.nudge):
        count += variant.is_nudged
        if count == plan.nudge:
            return run(side, replace(plan, batches=variant.inputs.args), make)
    return run(side, plan, make)


def run(side: Any, plan: TrainingPlan, make: Callable[..., Any] | None) -> Training:
    side.as_new()
    side.seed(plan.seed)
    found: Training = side.watch(plan).trained_by(make)
    return found
