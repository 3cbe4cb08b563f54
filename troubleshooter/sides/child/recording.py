"""Runs of a network of which every call of a layer is recorded, or judged by its noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from .caught import Caught
from .messages import (
    Array,
    Call,
    CallNoise,
    Draw,
    Forced,
    Inputs,
    Keeping,
    LayerInfo,
    Leaf,
    Noise,
    Recording,
    Stored,
    Tensor,
    Value,
)
from .rounding import Noise as RunNoise
from .rounding import Variant, nudged
from .sketch import PROJECTIONS, WIDTH, sketch_of
from .store import Store, Views, digest_of
from .tracing import Framework, Spot, Tracer

ROLES = ("inputs", "outputs")

Places = Sequence[tuple[str, int, str]] | None


class Recordable(Framework, Protocol):
    """What a framework's side must have so that its runs can be recorded."""

    def tensor(self, value: Any) -> Tensor: ...

    def cast(self, tensor: Tensor, like: Any) -> Any: ...

    def restore(self) -> None: ...

    def own_folders(self) -> tuple[str, ...]: ...

    def untrained(self) -> dict[str, Any]: ...

    def layer_info(self, path: str, layer: Any) -> LayerInfo: ...

    def pass_forward(self, inputs: Inputs, seed: int, mode: str) -> list[tuple[str, Any]]: ...

    def variants(self, inputs: Inputs, nudges: int) -> Iterator[Variant]: ...

    def drawn(self) -> tuple[Draw, ...]: ...


class Kept:
    """The tensors of one run: each distinct one sketched, and stored while there is room."""

    def __init__(self, side: Recordable, store: Store, places: Places = None) -> None:
        self.side = side
        self.store = store
        self.places = None if places is None else frozenset(places)
        self.rows: dict[str, int] = {}
        self.sketches: list[Array] = []

    def note(self, call: Call, role: str, tensors: list[tuple[str, Any]]) -> tuple[Value, ...]:
        if self.places is not None and (call.path, call.index, role) not in self.places:
            return tuple(passed_by(place) for place, _ in tensors)
        return tuple(self.value(place, self.side.tensor(x)) for place, x in tensors)

    def value(self, place: str, tensor: Tensor) -> Value:
        digest = digest_of(tensor.array)
        if digest not in self.rows:
            self.rows[digest] = len(self.sketches)
            self.sketches.append(sketch_of(tensor.array))
        shape = tuple(tensor.array.shape)
        stored = self.store.add(tensor.array, digest)
        row = self.rows[digest]
        is_plain = is_one_number(self.sketches[row])
        return Value(place, tensor.dtype, shape, digest, row, stored, is_plain)


def is_one_number(sketch: Array) -> bool:
    """Whether all elements are the same whole number."""
    size, nan, infinite, _, low, high = sketch[:6]
    return bool(size and not nan and not infinite and low == high and low == round(low))


def passed_by(place: str) -> Value:
    """A tensor of which nothing is kept; equal to none."""
    return Value(place, "", (), "", 0, None)


def record(
    side: Recordable,
    inputs: Inputs,
    seed: int,
    mode: str,
    keeping: Keeping,
    plan: Sequence[Forced],
) -> Recording:
    """One run in `mode` ("eval", "train"). What the network raises ends it, and is told."""
    views = Views()
    side.restore()
    layers = tuple(side.layer_info(path, layer) for path, layer in side.named_layers())

    def make(at: Stored, like: Any, spot: Spot) -> Any:
        return side.cast(tensor_at(views, at), like)

    with Store(keeping.file, keeping.limit) as store:
        kept = Kept(side, store, keeping.places)
        tracer = Tracer(side, kept.note, make, plan)
        with Caught(side.own_folders) as caught, tracer.running():
            side.pass_forward(inputs, seed, mode)
    sketches = np.array(kept.sketches).reshape(-1, WIDTH)
    calls = tuple(tracer.calls.values())
    return Recording(layers, calls, sketches, buffers_of(side), caught.failure, side.drawn())


def buffers_of(side: Recordable) -> tuple[Leaf, ...]:
    return tuple(Leaf(name, side.tensor(x)) for name, x in side.untrained().items())


def tensor_at(views: Views, at: Stored) -> Tensor:
    return Tensor(str(np.dtype(at.dtype)), views.array(at))


class Unsteady:
    """The noise of each tensor of each call, in runs that differ from the recorded in rounding."""

    def __init__(
        self,
        side: Recordable,
        calls: Sequence[Call],
        plan: Sequence[Forced],
        buffers: Sequence[Leaf] = (),
    ) -> None:
        self.side = side
        self.buffers = {leaf.label: RunNoise(leaf) for leaf in buffers}
        self.views = Views()
        self.calls = calls
        self.plan = plan
        self.variant = Variant(Inputs(()))
        self.numbers = np.random.RandomState(0)
        self.parts = {
            (call.number, role): [RunNoise(self.leaf(value)) for value in values]
            for call in calls
            for role, values in (("inputs", call.inputs), ("outputs", call.outputs))
        }

    def leaf(self, value: Value) -> Leaf:
        if value.stored is None:
            return Leaf(value.place, None)
        return Leaf(value.place, Tensor(value.dtype, self.views.array(value.stored)))

    def run(self, variant: Variant, seed: int, mode: str) -> None:
        self.variant = variant
        tracer = Tracer(self.side, self.note, self.make, self.plan)
        with tracer.running():
            self.side.pass_forward(variant.inputs, seed, mode)
        for leaf in buffers_of(self.side):
            if leaf.label in self.buffers:
                self.buffers[leaf.label].add(leaf, variant.size)

    def note(self, call: Call, role: str, tensors: list[tuple[str, Any]]) -> tuple[Value, ...]:
        for part, (_, x) in zip(self.parts.get((call.number, role), ()), tensors, strict=False):
            if part.leaf.value is not None:
                part.add(Leaf("", self.side.tensor(x)), self.variant.size)
        return ()

    def make(self, at: Stored, like: Any, spot: Spot) -> Any:
        """The recorded tensor, off by as many steps as the parameters are in this run."""
        tensor = tensor_at(self.views, at)
        if self.variant.is_nudged:
            tensor = nudged(tensor, self.numbers, self.variant.size)
        return self.side.cast(tensor, like)

    def found(self) -> Noise:
        calls = [
            CallNoise(call.number, *[noted(self.parts[call.number, role]) for role in ROLES])
            for call in self.calls
        ]
        return Noise(tuple(calls), noted(list(self.buffers.values())))


def noted(parts: Sequence[RunNoise]) -> tuple[Leaf, ...]:
    return tuple(replace(part.noted(), value=None) for part in parts)


def noise(
    side: Recordable,
    inputs: Inputs,
    seed: int,
    mode: str,
    calls: Sequence[Call],
    plan: Sequence[Forced],
    nudges: int,
) -> Noise:
    """How far each layer alone is from itself where only rounding differs.

    `plan`: what is exchanged for what was recorded, as in the other network's forced run.
    """
    side.restore()
    side.pass_forward(inputs, seed, mode)  # for the buffers that it leaves
    unsteady = Unsteady(side, calls, plan, buffers_of(side))
    for variant in side.variants(inputs, nudges):
        with Caught():
            unsteady.run(variant, seed, mode)
    return unsteady.found()


class Accumulated:
    """How far each result is from the recorded one when all before it was computed otherwise."""

    def __init__(self, recording: Recording, tensor: Callable[[Any], Tensor]) -> None:
        self.recording = recording
        self.tensor = tensor
        self.found = [[0.0] * len(call.outputs) for call in recording.calls]

    def note(self, call: Call, role: str, tensors: list[tuple[str, Any]]) -> tuple[Value, ...]:
        number = call.number
        if role == "outputs" and number < len(self.found):
            values = self.recording.calls[number].outputs
            for i, (value, (_, x)) in enumerate(zip(values, tensors, strict=False)):
                away = relative(self.recording.sketches[value.row], sketch_of(self.tensor(x).array))
                self.found[number][i] = max(self.found[number][i], away)
        return ()


def relative(one: Array, other: Array) -> float:
    """The distance of two sketches relative to the first one's."""
    away = one[-PROJECTIONS:] - other[-PROJECTIONS:]
    size = float(np.sqrt((one[-PROJECTIONS:] ** 2).sum()))
    return float(np.sqrt((away**2).sum())) / (size or 1.0)


def floor(
    side: Recordable, inputs: Inputs, seed: int, mode: str, recording: Recording, nudges: int
) -> tuple[tuple[float, ...], ...]:
    """For each call how far its results are off, in the whole network, by rounding alone.

    Units: of the distance relative to the result's own norm, by sketches
    """
    found = Accumulated(recording, side.tensor)
    for variant in side.variants(inputs, nudges):
        tracer = Tracer(side, found.note, lambda at, like, spot: like)
        with Caught(), tracer.running():
            side.pass_forward(variant.inputs, seed, mode)
    return tuple(tuple(row) for row in found.found)
