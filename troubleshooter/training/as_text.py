"""A comparison of trainings as a person reads it."""

from __future__ import annotations

from ...errors import printable
from ..compare.as_text import FRAMEWORKS
from ..verify.tables import aligned
from .comparison import Stage, TrainingComparison, TrainingDifference

MOST = 8
"""So many rows of losses and rates are shown."""

WORDS: dict[Stage, str] = {
    "output": "what the network gives",
    "loss": "the loss",
    "gradient": "the gradient",
    "steps": "whether the optimiser steps",
    "used gradient": "the gradient that the optimiser is given",
    "rate": "the learning rate",
    "state": "the optimiser's state",
    "weight": "the weights behind the step",
    "average": "the moving average of the weights",
    "settings": "the optimiser's settings, which show no effect in these steps",
}


def to_text(found: TrainingComparison) -> str:
    sides = [f"{name}: {printable(path)} ({FRAMEWORKS[side]})" for name, path, side in
             zip("AB", found.names, found.sides, strict=True)]  # fmt: skip
    lines = [*sides, ""]
    if found.first is not None:
        lines += [*aligned([["batch", "loss A", "loss B"], *rows(found)]), ""]
        lines += told(found.first)
    lines += [f"note: {printable(note)}" for note in found.notes]
    return "\n".join([*lines, summary(found)]) + "\n"


def rows(found: TrainingComparison) -> list[list[str]]:
    return [
        [str(k + 1), *("-" if loss is None else f"{loss:.5g}" for loss in pair)]
        for k, pair in enumerate(found.curves.losses[:MOST])
    ]


def told(first: TrainingDifference) -> list[str]:
    """What differs first, where, by how much, and why."""
    where = f", in batch {first.batch}"
    if first.stage not in ("output", "loss"):
        where += f", step {first.step}"
    where = "" if first.stage == "settings" else where
    lines = [f"First difference: {WORDS[first.stage]}{where}"]
    if first.parameters:
        group = "" if first.group is None else f" (group {first.group} of A's optimiser)"
        lines.append(f"  of {listed(first.parameters)}{group}")
    if first.stage not in ("steps", "settings"):
        lines.append(
            f"  {figure(first)} {first.a:.5g} in A, {first.b:.5g} in B: off by {first.off:.2g}, "
            f"rounding explains {first.allowed:.1g}"
        )
    lines += [f"  {printable(reason.text, 400)}" for reason in first.reasons]
    return lines


def figure(first: TrainingDifference) -> str:
    if first.stage in ("loss", "rate"):
        return "it is"
    of = f"{printable(first.parameters[0], 60)}: " if first.parameters else ""
    return "the update has a norm of" if first.stage in ("state", "weight") else f"{of}its norm is"


def listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(printable(name, 60) for name in names[:4])
    return shown + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def summary(found: TrainingComparison) -> str:
    if found.first is None:
        return (
            f"The same: {found.batches} batches, {found.steps[0]} steps of the optimisers, "
            f"{found.parameters} parameters: losses, gradients, rates, steps and weights."
        )
    cause = found.first.reasons[0].cause if found.first.reasons else "not known"
    return f"Not the same: {WORDS[found.first.stage]} differs first; cause: {cause}."
