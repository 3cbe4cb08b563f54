"""A graph's nodes as the layers that they come from, whose weights have their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...sides.child.messages import Call, Held, LayerInfo
from ..recorded import Run


def as_layers(run: Run, held: Sequence[Held]) -> Run:
    """The run of a graph with a call for each layer that has weights: from its first node on."""
    classes = {owner(item): item.layers[-1].classes for item in reversed(held)}
    found: dict[str, Call] = {}
    last: dict[str, int] = {}
    for call in run.calls[1:]:
        scope = run.layers[call.path].scope
        scope = scope if scope in classes else call.path
        first = found.get(scope)
        if scope not in classes or (first is not None and call.number != last[scope] + 1):
            continue
        inputs = call.inputs if first is None else first.inputs
        found[scope] = replace(first or call, path=scope, inputs=inputs, outputs=call.outputs)
        last[scope] = call.number
    layers = tuple(LayerInfo(path, kinds, {}, ()) for path, kinds in classes.items())
    calls = (run.calls[0], *found.values())
    recording = replace(run.recording, layers=(run.recording.layers[0], *layers), calls=calls)
    return replace(run, recording=recording)


def owner(held: Held) -> str:
    return held.name.removesuffix(held.leaf).removesuffix(".")
