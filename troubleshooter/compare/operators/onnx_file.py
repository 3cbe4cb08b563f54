"""The nodes of an ONNX file as a block's operators; its constants are values that nobody gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...sides.child.messages import GIVEN, Call, LayerInfo, Line, Value
from ...sides.child.recording import is_one_number
from ...sides.child.sketch import sketch_of
from ...sides.child.store import digest_of
from ..recorded import Run
from ..records import Array
from .graph import Graph, Node

SETTINGS = (
    *("shape", "axes", "axis", "starts", "ends", "steps", "repeats", "pads", "split", "sizes"),
    *("scales", "roi", "K", "depth", "values", "output_shape", "min", "max", "ratio"),
)
"""Inputs, by the names that the schemas have for them, that are options of functions."""

FEW = 8
"""Settings of so many numbers are told whole."""

LARGEST = 1 << 20
"""Constants of more elements are tables that no line of code computes."""


def of_run(run: Run) -> Graph:
    """The file's graph, whose nodes are recorded already."""
    constants = Constants(len(run.recording.sketches))
    nodes = tuple(nodes_of(run, constants))
    sketches = np.concatenate([run.recording.sketches, *[row[None] for row in constants.rows]])
    more = (run.views, constants.arrays, constants.values)
    return Graph(run.side, nodes, sketches, {}, *more)


class Constants:
    """The file's constants as values; the sketches of those that the run has end at `start`."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.rows: list[Array] = []
        self.values: dict[str, Value] = {}
        self.arrays: dict[str, Array] = {}

    def value(self, array: Array) -> Value:
        digest = digest_of(array)
        if digest not in self.values:
            row = sketch_of(array)
            place = self.start + len(self.rows)
            self.rows.append(row)
            self.arrays[digest] = array
            more = (digest, place, None, is_one_number(row))
            self.values[digest] = Value("0", str(array.dtype), tuple(array.shape), *more)
        return self.values[digest]


def nodes_of(run: Run, constants: Constants) -> Iterator[Node]:
    for call in run.calls:
        if not call.path:
            yield Node(call.number, GIVEN, {}, (), call.inputs, Line())
            continue
        layer = run.layers[call.path]
        told, inputs = taken(run, layer, call, constants)
        kind = run.kind(call.path)
        more = (inputs, call.outputs, Line(), call.path)
        yield Node(call.number, kind, {**told, **layer.options}, *more)


def taken(
    run: Run, layer: LayerInfo, call: Call, constants: Constants
) -> tuple[dict[str, Any], tuple[Value, ...]]:
    """What a node is given, in the order of its schema, and the tensors among that."""
    told: dict[str, Any] = {}
    inputs: list[Value] = []
    own = run.own(layer)
    given = list(call.inputs)
    for name in layer.takes:
        value: Value | None = None
        if name not in layer.parameters:
            value = given.pop(0) if given else None
        elif name in own and is_operand(name, own[name]):
            held = constants.value(own[name])
            value = held if own[name].size > 1 else None
            told[name] = own[name].reshape(-1)[0].item()
        elif name in own:
            told[name] = plain(own[name])
        if value is not None:
            told[name] = f"#{len(inputs)}"
            inputs.append(value)
    return told, tuple(inputs)


def is_operand(name: str, array: Array) -> bool:
    """Whether it is a tensor or a number among others, which code may have computed."""
    return name not in SETTINGS and 0 < array.size <= LARGEST and array.dtype.kind in "biuf"


def plain(array: Array) -> Any:
    """A number or a short list of such, else the array."""
    if array.ndim == 0:
        return array.item()
    return tuple(array.tolist()) if array.ndim == 1 and array.size <= FEW else np.asarray(array)
