"""What was seen of a training, under the parameter names of the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..compare.records import Array
from ..sides.child.messages import BatchRecord, Snapshot, Training, Update
from ..sides.child.training.watch import NONE, chosen

PLACES = {
    "torch.optim.": "torch.optim",
    "mindspore.nn.": "mindspore.nn",
    "msconvert.runtime.nn.": "mindspore.nn",
    "mindspore.experimental.optim.": "mindspore.experimental.optim",
    "msconvert.runtime.experimental.optim.": "mindspore.experimental.optim",
    "mindspore.mint.optim.": "mindspore.mint.optim",
    "msconvert.runtime.mint.optim.": "mindspore.mint.optim",
}
"""Where optimisers are, and where users find them."""


@dataclass(frozen=True, eq=False)
class Tensors:
    """A tensor for each parameter that has one: its elements, or a sample of them; whole norms."""

    values: Mapping[str, Array]
    norms: Mapping[str, float]

    @property
    def norm(self) -> float:
        """Of all together."""
        return float(np.sqrt(sum(n * n for n in self.norms.values())))

    def of(self, names: tuple[str, ...]) -> Tensors:
        kept = [name for name in names if name in self.values]
        return Tensors({k: self.values[k] for k in kept}, {k: self.norms[k] for k in kept})


@dataclass(frozen=True, eq=False)
class Step:
    """A step of an optimiser. `groups`: the parameters and options of each.

    `kind`: its public name, as `torch.optim.AdamW`; its own where nothing is known of it.
    """

    batch: int
    kind: str
    groups: tuple[tuple[tuple[str, ...], Mapping[str, Any]], ...]
    used: Tensors
    before: Tensors
    after: Tensors
    states: Mapping[str, Tensors]

    @cached_property
    def rates(self) -> dict[str, float]:
        """The learning rate of each parameter."""
        return {
            name: float(rate)
            for names, options in self.groups
            for rate in [options.get("lr", options.get("learning_rate"))]
            if isinstance(rate, int | float)
            for name in names
        }

    @cached_property
    def group_of(self) -> dict[str, int]:
        return {name: k for k, (names, _) in enumerate(self.groups) for name in names}


@dataclass(frozen=True, eq=False)
class Batch:
    """What one batch came to, as in `BatchRecord`."""

    record: BatchRecord
    gradients: tuple[Tensors, ...]
    weights: Tensors
    average: Tensors | None


@dataclass(frozen=True, eq=False)
class Course:
    """A training of one side."""

    names: tuple[str, ...]
    trained: frozenset[str]
    start: Tensors
    batches: tuple[Batch, ...]
    steps: tuple[Step, ...]

    def places_of(self, number: int) -> list[int]:
        """The steps of the same optimiser: of one with the same parameters, as it may be made
        anew."""
        own = self.steps[number].group_of.keys()
        return [k for k, step in enumerate(self.steps) if step.group_of.keys() == own]

    def begin_of(self, number: int) -> int:
        """The batch behind the last one in which the optimiser of a step stepped before it."""
        before = [k for k in self.places_of(number) if k < number]
        if not before:
            return 0
        return min(self.steps[before[-1]].batch + 1, self.steps[number].batch)


class Reader:
    """Reads what one side has sent; `names`: the reference's by the side's own."""

    def __init__(self, seen: Training, names: Mapping[str, str]) -> None:
        self.seen = seen
        self.names = names
        self.places: dict[str, tuple[int, int, int]] = {}
        start = 0
        for k, (name, shape) in enumerate(zip(seen.names, seen.shapes, strict=True)):
            count = len(chosen(int(np.prod(shape))))
            if name in names:
                self.places[names[name]] = k, start, start + count
            start += count

    def course(self) -> Course:
        seen = self.seen
        return Course(
            tuple(self.places),
            frozenset(self.named(seen.trained)),
            self.tensors(seen.start),
            tuple(map(self.batch, seen.batches)),
            tuple(map(self.step, seen.updates)),
        )

    def named(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.names[name] for name in names if name in self.names)

    def tensors(self, snapshot: Snapshot) -> Tensors:
        found = {
            name: (snapshot.values[start:end], float(snapshot.norms[k]))
            for name, (k, start, end) in self.places.items()
            if snapshot.norms[k] != NONE
        }
        return Tensors({k: v for k, (v, _) in found.items()}, {k: n for k, (_, n) in found.items()})

    def batch(self, record: BatchRecord) -> Batch:
        average = None if record.average is None else self.tensors(record.average)
        gradients = tuple(map(self.tensors, record.gradients))
        return Batch(record, gradients, self.tensors(record.weights), average)

    def step(self, update: Update) -> Step:
        return Step(
            update.batch,
            public(update.kinds),
            tuple((self.named(group.names), group.options) for group in update.groups),
            self.tensors(update.used),
            self.tensors(update.before),
            self.tensors(update.after),
            {name: self.tensors(state) for name, state in update.states.items()},
        )


def public(kinds: tuple[str, ...]) -> str:
    """The first of the classes that is a framework's, by its public name."""
    for kind in kinds:
        for place, name in PLACES.items():
            if kind.startswith(place):
                return f"{name}.{kind.rpartition('.')[2]}"
    return kinds[0] if kinds else ""
