"""A recording as the run of a network: what the comparison of two runs is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....runtime import mint, nn
from ...sides.child.messages import Call, LayerInfo, Recording, Value
from ...sides.child.sketch import sketch_of
from ...sides.child.store import Store, digest_of
from ..recorded import Run
from ..records import Array
from .seen import Recorded, Seen, flat

ROOT = ""


class Running:
    """The calls of a recording in the order of its layers, as if they were made here."""

    def __init__(self, held: Recorded, paths: Mapping[str, str], store: Store) -> None:
        self.held, self.paths, self.store = held, paths, store
        self.rows: dict[str, int] = {}
        self.sketches: list[Array] = []
        self.moment = 0

    def run(self, state: Mapping[str, Array]) -> Run:
        """The whole; `state`: the parameters by the paths of the layers."""
        seen = outermost_first(self.held.layers)
        numbers: dict[str, int] = {}
        calls: list[Call] = []
        for layer in seen:
            path = self.path_of(layer)
            parent = self.parent_of(path, numbers)
            numbers[path] = len(calls)
            calls.append(self.call(layer, path, len(calls), parent))
        calls = ended(calls)
        infos = tuple(self.info(layer, state) for layer in {x.path: x for x in seen}.values())
        sketches = np.stack(self.sketches) if self.sketches else np.zeros((0, 0))
        return Run(self.held.side, Recording(infos, tuple(calls), sketches), dict(state))

    def path_of(self, layer: Seen) -> str:
        """The path by which the other side has the layer, if it has one of that name."""
        return self.paths.get(flat(layer.path), layer.path) if layer.path else ROOT

    def parent_of(self, path: str, numbers: Mapping[str, int]) -> int:
        above = path
        while above:
            above = above.rpartition(".")[0]
            if above in numbers:
                return numbers[above]
        return -1 if not path else numbers[ROOT]

    def call(self, layer: Seen, path: str, number: int, parent: int) -> Call:
        inputs, outputs = ([self.value(x, k, len(xs)) for k, x in enumerate(xs)]
                           for xs in (layer.inputs, layer.outputs))  # fmt: skip
        self.moment += 1
        return Call(number, path, layer.index, parent, self.moment, self.moment,
                    self.held.is_training, tuple(inputs), tuple(outputs))  # fmt: skip

    def value(self, array: Array, position: int, count: int) -> Value:
        array = np.ascontiguousarray(array)
        digest = digest_of(array)
        if digest not in self.rows:
            self.rows[digest] = len(self.sketches)
            self.sketches.append(sketch_of(array))
        place = f"[{position}]" if count > 1 else ""
        stored = self.store.add(array, digest)
        return Value(place, str(array.dtype), array.shape, digest, self.rows[digest], stored)

    def info(self, layer: Seen, state: Mapping[str, Array]) -> LayerInfo:
        path = self.path_of(layer)
        prefix = f"{path}." if path else ""
        own = [name.removeprefix(prefix) for name in state if name.startswith(prefix)]
        leaves = tuple(name for name in own if "." not in name)
        return LayerInfo(path, (public(layer.kind),), {}, leaves)


def outermost_first(layers: Sequence[Seen]) -> list[Seen]:
    """The layers in their order, each behind those that it is in; the network first of all."""
    around = {layer.path: layer for layer in reversed(layers) if layer.index == 0}
    found = [around.pop(ROOT, Seen(ROOT, "", (), ()))]
    for layer in layers:
        parts = layer.path.split(".")
        for depth in range(1, len(parts)):
            outer = around.pop(".".join(parts[:depth]), None)
            found += [outer] if outer is not None else []
        if layer.path and (layer.index or around.pop(layer.path, None) is not None):
            found.append(layer)
    return found


def ended(calls: Sequence[Call]) -> list[Call]:
    """The calls, each of which ends behind all that are in it."""
    last = {call.number: call.ended for call in calls}
    for call in reversed(calls):
        if call.parent >= 0:
            last[call.parent] = max(last[call.parent], last[call.number])
    return [replace(call, ended=last[call.number]) for call in calls]


def public(kind: str) -> str:
    """The full name of a class of MindSpore's, as recordings name it without."""
    if "." in kind or not kind:
        return kind or "recorded"
    for module, place in ((nn, "mindspore.nn"), (mint.nn, "mindspore.mint.nn")):
        if kind in vars(module):
            return f"{place}.{kind}"
    return kind


def store_in(folder: Path, name: str) -> Store:
    return Store(str(folder / name), 1 << 62)
