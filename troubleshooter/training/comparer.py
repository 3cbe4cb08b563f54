"""Compares two trainings: both networks made, trained by their own scripts, looked on, judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import MsconvertError, UsageError
from ..compare.comparer import NetworkComparer
from ..compare.networks import networks
from ..compare.records import Array
from ..compare.session import Session
from ..compare.settings import NetworkSettings
from ..compare.weights import Weights
from ..sides.child.messages import Failure, Inputs, Part, Tensor, Training, TrainingPlan
from ..sides.inputs import argument, from_file, made
from ..sides.live import LiveWorker
from ..sides.places import shown
from .comparison import Curves, TrainingComparison, TrainingDifference
from .courses import Course, Reader
from .judging import Judge
from .parts import default_of, part_of

NUDGES = 2
"""So often the reference is trained again with numbers that are off in their last digits."""
MOST_NUDGES = 16
"""So often where little is apart: one unit that rounding takes over the edge of a ReLU or a pool
moves a gradient by percents, and few of the nudged runs come over the same edge."""
SLIGHT = 0.05
"""So far off, relative to the reference, one unit over an edge may be."""

SCRIPT_ERRORS = ("TrainingError",)


@dataclass(frozen=True)
class TrainingSettings:
    """How both networks are trained: A's and B's function that makes the step, or their parts.

    Each is `FILE:NAME`, an expression, or, of networks at hand, a function or None. `batches`: the
    data, one tuple of arguments each; else they are of `network.shapes`, drawn anew for each, or
    of `network.inputs`, the same each time. `epoch`: so many batches are one.
    """

    network: NetworkSettings
    train: tuple[Any, Any] = (None, None)
    loss: tuple[str | None, str | None] = (None, None)
    optimizer: tuple[str | None, str | None] = (None, None)
    schedule: tuple[str | None, str | None] = (None, None)
    steps: int = 12
    epoch: int = 4
    batches: Sequence[Any] | None = None


def compare_training(
    a: Any,
    b: Any,
    train_a: Any = None,
    train_b: Any = None,
    settings: TrainingSettings | None = None,
    *,
    batches: Sequence[Any] | None = None,
) -> TrainingComparison:
    """Trains two networks by their own scripts and tells the first thing that differs.

    Networks are as for `compare_networks`. `train_a`, `train_b`: `FILE:NAME` of a function, or the
    function, of a network at hand: `make(net)` gives `step(*batch)`, or `train(net, batches)` is
    the whole loop. `batches`: the data, tuples of arrays.
    Raises: MS401, MS402, MS403, MS405; MS407 for what is no training script, MS408 for a training
    that gives something else each time
    """
    wanted = settings or TrainingSettings(NetworkSettings())
    if train_a is not None:
        wanted = replace(wanted, train=(train_a, train_b))
    if batches is not None:
        wanted = replace(wanted, batches=batches)
    with NetworkComparer() as comparer:
        return trained_by(comparer, a, b, wanted)


def trained_by(
    comparer: NetworkComparer, a: Any, b: Any, settings: TrainingSettings
) -> TrainingComparison:
    """The same in processes that are there."""
    with ExitStack() as ending:
        session = comparer.begun(a, b, settings.network, ending)
        return Trainer(session, settings).compared()


class Trainer:
    """One pair of trainings."""

    def __init__(self, session: Session, settings: TrainingSettings) -> None:
        self.session = session
        self.settings = settings
        if "onnx" in session.sides:
            raise UsageError(
                "MS407", "--train", "an ONNX file is not trained",
                expected="PyTorch, msconvert's runtime or MindSpore on both sides",
            )  # fmt: skip

    def compared(self) -> TrainingComparison:
        session, settings = self.session, self.settings
        weights = networks(session, settings.network)
        session.both("draw", ((),), ((),))
        batches = batches_of(settings)
        plans = [self.plan(index, batches) for index in (0, 1)]
        found = [self.trained(*plans), self.trained(*plans)]
        names = names_of(weights)
        courses = [[Reader(seen, by).course() for seen, by in zip(pair, names, strict=True)]
                   for pair in found]  # fmt: skip
        (a, b), again = courses[0], courses[1]
        for index, (one, other) in enumerate(zip(courses[0], again, strict=True)):
            self.refuse_chance(index, one, other)
        self.refuse_idle(a)
        data = [arrays_of(batch) for batch in batches]
        off = [self.nudged(plans[0], names[0], k) for k in range(1, NUDGES + 1)]
        judge = Judge(a, b, off, data, settings.epoch)
        first = judge.first()
        while first is not None and is_slight(first) and len(off) < MOST_NUDGES:
            off.append(self.nudged(plans[0], names[0], len(off) + 1))
            judge = Judge(a, b, off, data, settings.epoch)
            first = judge.first()
        notes = [f"weights do not fit: {text}" for text in weights.misfits]
        notes += judge.notes
        return TrainingComparison(
            (session.subjects[0].name, session.subjects[1].name),
            session.sides,
            min(len(a.batches), len(b.batches)),
            (len(a.steps), len(b.steps)),
            len(a.names),
            first,
            curves_of(a, b),
            tuple(dict.fromkeys(notes)),
        )

    def nudged(self, plan: TrainingPlan, names: Any, number: int) -> Course:
        """The reference's training from numbers that are off in their last digits."""
        return Reader(self.session.ask(0, "train", replace(plan, nudge=number)), names).course()

    def plan(self, index: int, batches: tuple[Any, ...]) -> TrainingPlan:
        settings, subject = self.settings, self.session.subjects[index]
        given = [settings.train, settings.loss, settings.optimizer, settings.schedule]
        parts: list[Part | None] = []
        for pair in given:
            text = pair[index]
            if text is None and index == 1 and isinstance(pair[0], str):
                text = default_of(pair[0], self.session.subjects)
            worker = self.session.halves[index].worker
            if callable(text) and not isinstance(text, str):
                if not isinstance(worker, LiveWorker):
                    raise UsageError(
                        "MS407", "compare_training", "a function at hand trains a network at hand",
                        got=str(subject.file), expected="FILE:NAME for a network of a file",
                    )  # fmt: skip
                worker.make(text)
                text = None
            parts.append(None if text is None else part_of(text, subject))
        make, loss, optimizer, schedule = parts
        seed = settings.network.seed
        return TrainingPlan(batches, settings.epoch, seed, make, loss, optimizer, schedule)

    def trained(self, one: TrainingPlan, other: TrainingPlan) -> tuple[Training, Training]:
        """Both trainings. Raises: MS402, MS405, MS407"""
        answers = self.session.attempted("train", (one,), (other,))
        for index, (answer, plan) in enumerate(zip(answers, (one, other), strict=True)):
            if isinstance(answer, Failure) and answer.kind in SCRIPT_ERRORS:
                raise no_script(self.session, index, answer, plan)
            self.session.checked(index, "train", answer)
        return answers

    def refuse_chance(self, index: int, one: Course, other: Course) -> None:
        """Raises: MS408 for a training that gives something else each time"""
        for k, (x, y) in enumerate(zip(one.batches, other.batches, strict=False)):
            moved = [n for n, v in x.weights.values.items()
                     if not near(v, y.weights.values[n])]  # fmt: skip
            losses = [batch.record.loss or 0.0 for batch in (x, y)]
            if moved or not near(*map(np.array, losses)):
                what = f"losses of {losses[0]:.7g} and {losses[1]:.7g}"
                what = f"the weights of {moved[0]}" if moved else what
                raise MsconvertError(
                    "MS408",
                    self.session.subjects[index].name,
                    f"{'AB'[index]}'s training is not deterministic: a second run of it gives "
                    "something else",
                    got=f"in batch {k + 1}: {what}",
                    advice="seed what the script draws for itself, within the function, or leave "
                    "augmentation out",
                )

    def refuse_idle(self, a: Course) -> None:
        """Raises: MS407 where the reference's optimiser never steps"""
        if not a.steps:
            ends = a.batches[-1].weights.values if a.batches else a.start.values
            still = all(np.array_equal(v, a.start.values[k]) for k, v in ends.items())
            raise MsconvertError(
                "MS407",
                self.session.subjects[0].name,
                "A's optimiser never steps" if still else "A's weights are moved by no optimiser",
                got=f"{len(a.batches)} batches, and no step of an optimiser on this network",
                expected="a step of an optimiser of the framework's, within the function",
                advice="step(*batch) must do all that a batch does in training; --steps N gives "
                "more batches",
            )


def near(a: Array, b: Array) -> bool:
    """Whether two runs of the same have given the same, but for threads that sum in other
    orders."""
    return bool(np.linalg.norm(a - b) <= 1e-5 * np.linalg.norm(a) + 1e-30) or not (
        np.isfinite(a).all() and np.isfinite(b).all()
    )


def no_script(session: Session, index: int, failure: Failure, plan: TrainingPlan) -> MsconvertError:
    """MS407: what is given is no training script."""
    part = plan.make
    file = part.source.file if part is not None and part.source is not None else ""
    place = shown(file) if file else session.subjects[index].name
    flag = "--train-b" if index else "--train"
    return UsageError(
        "MS407",
        place,
        failure.message,
        expected="make(net), which gives step(*batch) -> loss; or train(net, batches), the loop",
        advice=f"{flag} FILE:NAME says which function; docs/compare.md has an example",
    )


def is_slight(found: TrainingDifference) -> bool:
    """Whether it may be rounding at an edge: little is apart, and no cause explains it."""
    return 0 < found.off < SLIGHT and not any(reason.sure for reason in found.reasons)


def names_of(weights: Weights) -> tuple[dict[str, str], dict[str, str]]:
    """For each side A's names by its own."""
    pairs = [(one.name, other.name) for one, other in weights.mapping.pairs]
    return {one: one for one, _ in pairs}, {other: one for one, other in pairs}


def batches_of(settings: TrainingSettings) -> tuple[Any, ...]:
    """The arguments of each step. Raises: MS401 if nothing says them"""
    network, count = settings.network, settings.steps
    if settings.batches is not None:
        several = [as_batch(one) for one in settings.batches]
        return tuple(several[k % len(several)] for k in range(count)) if several else ()
    if network.inputs is not None:
        found = from_file(network.inputs)
        return (batch_of(found),) * count
    if network.shapes:
        return tuple(batch_of(made(network.shapes, network.seed + 1000 * k)) for k in range(count))
    raise UsageError(
        "MS401", "the batches", "nothing says what the networks are trained with",
        advice="--shape SIZES for each argument of a step, as --shape 8,3,16,16 "
        '--shape "8:int32<10"; or --inputs FILE.npz; in Python, batches=',
    )  # fmt: skip


def batch_of(inputs: Inputs) -> tuple[Any, ...]:
    return tuple(inputs.args) if inputs.args else tuple(inputs.kwargs.values())


def as_batch(value: Any) -> tuple[Any, ...]:
    several = value if isinstance(value, tuple | list) else (value,)
    return tuple(argument(part) for part in several)


def arrays_of(value: Any) -> tuple[Array, ...]:
    """The arrays in a batch."""
    return tuple(leaf for leaf in leaves_of(value))


def leaves_of(value: Any) -> Iterator[Array]:
    if isinstance(value, Tensor):
        yield value.array
    elif isinstance(value, tuple | list):
        for part in value:
            yield from leaves_of(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from leaves_of(part)


def curves_of(a: Course, b: Course) -> Curves:
    losses = [(x.record.loss, y.record.loss) for x, y in zip(a.batches, b.batches, strict=False)]
    rates = [
        tuple(next(iter(step.rates.values()), None) for step in pair)
        for pair in zip(a.steps, b.steps, strict=False)
    ]
    return Curves(tuple(losses), tuple(rates))  # type: ignore[arg-type]  # pairs
