"""Causes in the steps of optimisers: what B's does otherwise with its own gradients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ...compare.records import Array
from ...diagnosis.layers.optimizer import Adam, Optimizer, RmsProp, Sgd, flat
from ...diagnosis.step import StepRecord, diagnose_step, layer_of
from ..comparison import Reason
from ..courses import Course, Step

SPACING = 1.0
"""So many times the spacing of float32 numbers, of each step together, is rounding of weights."""
OF_UPDATES = 5e-5
"""So far, relative to its norm, an update in float32 may be off."""
TINY = 1e-2
"""So much of an update may be what MindSpore's nn.Adam makes otherwise of the same epsilon."""

TOLD = {
    "weight_decay": ("weight-decay", "weight_decay is {:g}"),
    "decoupled": ("weight-decay", "the weight decay is {}"),
    "momentum": ("optimizer-momentum", "the momentum is {:g}"),
    "dampening": ("dampening", "the dampening is {:g}"),
    "first_dampened": ("dampening", "dampening in the first step is {}"),
    "nesterov": ("nesterov", "nesterov is {}"),
    "betas": ("betas", "betas are {}"),
    "eps": ("optimizer-epsilon", "epsilon is {:g}"),
    "eps_inside": ("optimizer-epsilon", "epsilon is added {}"),
    "eps_uncorrected": ("optimizer-epsilon", "epsilon is added {}"),
    "bias_correction": ("bias-correction", "the bias of the moments is {}"),
    "amsgrad": ("amsgrad", "amsgrad is {}"),
    "alpha": ("smoothing", "alpha is {:g}"),
    "centered": ("smoothing", "centered is {}"),
    "maximize": ("direction", "maximize is {}"),
    "lr_decay": ("learning-rate", "lr_decay is {:g}"),
    "initial": ("optimizer-state", "the sum or mean of squares begins with {:g}"),
}
"""For each field of an optimiser its cause, and how it is told."""

WORDS = {
    "decoupled": ("L2, in the gradients", "decoupled, as in AdamW"),
    "eps_inside": ("to the root", "below the root"),
    "eps_uncorrected": (
        "to the root of what is corrected",
        "to the root of what is not corrected, as in MindSpore's nn.Adam",
    ),
    "bias_correction": ("not corrected", "corrected"),
}


@dataclass(frozen=True, eq=False)
class Cell:
    """Parameters of one group of A's and one of B's, up to a step."""

    names: tuple[str, ...]
    group: int
    ours: StepRecord
    theirs: StepRecord


def cells(a: Course, b: Course, until: int) -> Iterator[Cell]:
    """The parameters that both optimisers have, by their groups on both sides."""
    one, other = a.steps[until], b.steps[until]
    found: dict[tuple[int, int], list[str]] = {}
    for name in a.names:
        if name in one.group_of and name in other.group_of and is_stepped(a, b, until, name):
            found.setdefault((one.group_of[name], other.group_of[name]), []).append(name)
    for (mine, its), names in found.items():
        both = record_of(a, until, tuple(names), mine), record_of(b, until, tuple(names), its)
        yield Cell(tuple(names), mine, *both)


def is_stepped(a: Course, b: Course, until: int, name: str) -> bool:
    return all(name in s.used.values for c in (a, b) for s in history(c, until))


def history(course: Course, until: int) -> list[Step]:
    """The steps of the optimiser of a step, up to and with that."""
    return [course.steps[k] for k in course.places_of(until) if k <= until]


def record_of(course: Course, until: int, names: tuple[str, ...], group: int) -> StepRecord:
    steps = history(course, until)
    return StepRecord(
        steps[-1].kind,
        steps[-1].groups[group][1],
        steps[0].before.of(names).values,
        tuple(step.used.of(names).values for step in steps),
        steps[-1].after.of(names).values,
        tuple(step.rates.get(names[0], 0.0) for step in steps),
    )


@dataclass(frozen=True, eq=False)
class Expected:
    """What a rule makes of a side's gradients beside what came of them.

    `off`, `allowed`: relative to the update.
    """

    off: float
    allowed: float

    @property
    def agrees(self) -> bool:
        return self.off <= self.allowed


def expected(layer: Optimizer, record: StepRecord) -> Expected:
    names = list(record.before)
    start = flat([record.before[name] for name in names])
    gradients = [flat([g[name] for name in names]) for g in record.gradients]
    update = flat([record.after[name] for name in names]) - start
    with np.errstate(all="ignore"):
        wanted = layer.outputs(start, *gradients)[0]
    return nearness(wanted, update, start, len(gradients))


def nearness(wanted: Array, update: Array, start: Array, steps: int) -> Expected:
    size = float(np.linalg.norm(wanted)) or float(np.linalg.norm(update)) or 1.0
    spacing = np.spacing(np.abs(start).astype(np.float32)).astype(float)
    rounding = SPACING * np.sqrt(steps) * float(np.linalg.norm(spacing))
    away = float(np.linalg.norm(update - wanted))
    return Expected(away / size, rounding / size + OF_UPDATES)


def known(record: StepRecord) -> Optimizer | None:
    """The optimiser of a side, if its options explain what it did.

    MindSpore's own kernels of Adam add epsilon before the bias is corrected, in every class.
    """
    layer = layer_of(record)
    if layer is not None and expected(layer, record).agrees:
        return layer
    if isinstance(layer, Adam) and record.kind.startswith("mindspore."):
        other = replace(layer, eps_uncorrected=not layer.eps_uncorrected)
        return other if expected(other, record).agrees else None
    return None


def is_framework(ours: Optimizer, theirs: Optimizer | None, record: StepRecord) -> bool:
    """Whether all that differs is where nn.Adam adds the same epsilon, which hardly counts."""
    if not isinstance(theirs, Adam) or not isinstance(ours, Adam):
        return False
    alike = replace(ours, eps_uncorrected=theirs.eps_uncorrected)
    return expected(alike, record).agrees and expected(ours, record).off <= TINY


def differing(ours: Optimizer, theirs: Optimizer) -> Iterator[str]:
    """The settings in which two optimisers differ, but for rates, which are compared for
    themselves."""
    for one in fields(ours):
        mine, its = getattr(ours, one.name), getattr(theirs, one.name, None)
        counts = one.name != "decoupled" or ours.weight_decay or theirs.weight_decay
        if one.name in TOLD and counts and not near(mine, its):
            yield one.name


def near(a: Any, b: Any) -> bool:
    """Whether two settings are the same, one of which may have been in float32."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(near(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return bool(a == b)
    return bool(abs(a - b) <= 1e-6 * max(abs(a), abs(b)))


def reasons_of(cell: Cell) -> list[Reason]:
    """Why B's update is not what A's rule makes of B's gradients."""
    ours, theirs = known(cell.ours), known(cell.theirs)
    if ours is None:
        kinds = cell.ours.kind, cell.theirs.kind
        return [Reason("optimizer", f"A's optimiser is {kinds[0]}, B's {kinds[1]}", sure=False)]
    if theirs is not None:
        return list(of_settings(ours, theirs, cell.theirs))
    names = [family_of(record.kind) for record in (cell.ours, cell.theirs)]
    if names[0] != names[1]:
        text = f"agrees if the optimiser is {cell.ours.kind} (here: {cell.theirs.kind})"
        return [Reason("another-optimizer", text)]
    found = sorted(diagnose_step(cell.ours, cell.theirs), key=lambda h: h.cause in COUNTED)
    return [Reason(h.cause, h.text, h.agrees) for h in found if h.cause != "unmodelled"] or [
        Reason("optimizer", "B's optimiser does not do what its settings say", sure=False)
    ]


COUNTED = ("steps", "not-stepped", "clipping")
"""Causes that are seen elsewhere: steps were counted, and gradients are those that are used."""


def family_of(kind: str) -> str:
    """What optimisers that may be equal have in common."""
    name = kind.rpartition(".")[2].lower()
    known = {"momentum": "sgd", "adamw": "adam", "adamweightdecay": "adam", "fusedadamw": "adam"}
    return known.get(name, name)


def of_settings(ours: Optimizer, theirs: Optimizer, record: StepRecord) -> Iterator[Reason]:
    """The settings that differ and by themselves change B's update."""
    if type(ours) is not type(theirs):
        text = f"agrees if the optimiser is {name_of(ours)} (here: {name_of(theirs)})"
        yield Reason("another-optimizer", text)
        return
    names = list(differing(ours, theirs))
    shown = [
        name
        for name in names
        if len(names) == 1
        or not expected(replace(theirs, **{name: getattr(ours, name)}), record).agrees
    ]
    hidden = [name for name in names if name not in shown]
    later = [n for n in hidden if matters(ours, replace(ours, **{n: getattr(theirs, n)}))]
    for name in (*shown, *later):
        yield told(name, ours, theirs)


def told(name: str, ours: Optimizer, theirs: Optimizer) -> Reason:
    cause, text = TOLD[name]
    wanted, here = [word(name, getattr(side, name)) for side in (ours, theirs)]
    return Reason(cause, f"agrees if {text.format(wanted)} (here: {here})")


def word(name: str, value: Any) -> Any:
    if name in WORDS:
        return WORDS[name][bool(value)]
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{float(x):.6g}" for x in value) + ")"
    return float(f"{value:.6g}") if isinstance(value, float) else value


def name_of(layer: Optimizer) -> str:
    if isinstance(layer, Adam):
        return "AdamW" if layer.decoupled and layer.weight_decay else "Adam"
    return {Sgd: "SGD", RmsProp: "RMSprop"}.get(type(layer), type(layer).__name__)


def settings_apart(a: Course, b: Course) -> Iterator[tuple[Cell, list[Reason]]]:
    """Settings that differ and change nothing in these steps, but would with other gradients."""
    if not a.steps or not b.steps:
        return
    count = min(len(a.steps), len(b.steps))
    last = {frozenset(a.steps[k].group_of): k for k in range(count)}
    for cell in (cell for k in last.values() for cell in cells(a, b, k)):
        ours, theirs = known(cell.ours), known(cell.theirs)
        if ours is None or theirs is None or type(ours) is not type(theirs):
            continue
        names = [n for n in differing(ours, theirs) if n != "eps_uncorrected"]
        counted = [n for n in names if matters(ours, replace(ours, **{n: getattr(theirs, n)}))]
        if counted:
            yield cell, [told(name, ours, theirs) for name in counted]


def matters(one: Optimizer, other: Optimizer) -> bool:
    """Whether two rules part on gradients that are large, then small, then of another sign."""
    numbers = np.random.default_rng(0)
    sizes = [*np.full(20, 1.0), *np.full(40, 1e-4), *np.full(20, -1e-2)]
    gradients = [size * numbers.standard_normal(64) for size in sizes]
    start = numbers.standard_normal(64)
    steady = [replace(rule, rates=(), lr=1e-3) for rule in (one, other)]
    with np.errstate(all="ignore"):
        x, y = (rule.outputs(start, *gradients)[0] for rule in steady)
    return bool(np.linalg.norm(x - y) > OF_UPDATES * np.linalg.norm(x))


def states_apart(one: Step, other: Step, names: Mapping[str, Any]) -> str:
    """The name of a state of A's optimiser that is another in B's; "" if none is."""
    for role in ROLES:
        ours = next((one.states[n] for n in role if n in one.states), None)
        theirs = next((other.states[n] for n in role if n in other.states), None)
        if ours is None or theirs is None:
            continue
        kept = [n for n in names if n in ours.values and n in theirs.values]
        if not kept:
            continue
        x, y = (flat([s.values[n] for n in kept]) for s in (ours, theirs))
        if np.linalg.norm(x - y) > 1e-4 * np.linalg.norm(x):
            return next(n for n in role if n in one.states)
    return ""


ROLES = (
    ("momentum_buffer", "moments", "accum", "momentum_buf", "moment"),
    ("exp_avg", "moment1", "moments1"),
    ("exp_avg_sq", "moment2", "moments2"),
    ("max_exp_avg_sq", "vhat"),
    ("square_avg", "ms", "mean_square"),
    ("grad_avg", "mg", "mean_grad"),
    ("sum", "accum"),
)
"""What frameworks call the same state."""
