"""The gradients of each layer alone: what it makes of gradients that are the same on both sides.

Layers are given recorded tensors, and what they give is exchanged for recorded tensors, as in
`tracing.py`. The sum of all that they give, and of what containers hand to the layers in them,
each element with a random weight, is differentiated by parameters and by the recorded tensors: so
each gradient follows from one layer, or from what a container does around its layers. Before the
first tensor that is asked for and behind the last one, nothing is kept for gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from .leaves import leaves, replaced
from .messages import Call, Forced, Inputs, Leaf, Outcome, Probe, Stored, Tensor, Value
from .recording import Recordable, tensor_at
from .rounding import Variant, nudged
from .store import Views
from .tracing import Spot, Tracer


class Differentiable(Recordable, Protocol):
    """What a framework's side must have so that its layers can be differentiated."""

    def made(self, tensor: Tensor) -> Any: ...

    def is_float(self, value: Any) -> bool: ...

    def cut(self, value: Any) -> Any: ...

    def in_mode(self, mode: str) -> None: ...

    def call(self, inputs: Inputs, seed: int) -> list[tuple[str, Any]]: ...

    def weighted(self, value: Any, weights: Any) -> Any: ...

    def gradients_of(
        self, loss: Callable[..., Any], tensors: list[Any]
    ) -> tuple[dict[str, Any], list[Any]]: ...


class Pullback:
    """One differentiation of all layers, each alone."""

    def __init__(self, side: Differentiable, probes: Sequence[Probe]) -> None:
        self.side = side
        self.probes = probes
        self.views = Views()
        self.keys = {(p.path, p.index, p.role, p.position): p.key for p in probes if p.is_asked}
        self.plan = plan_of(probes)
        self.held: dict[Spot, Any] = {}
        self.terms: list[Any] = []
        self.seen = set[Spot]()

    def run(self, variant: Variant, seed: int, mode: str) -> Outcome:
        """Gradients by the parameters' names, and by the keys of the probes."""
        floats = [p for p in self.probes if np.dtype(p.stored.dtype).kind == "f"]
        numbers = np.random.RandomState(seed)
        tensors = [self.side.made(self.array(p.stored, variant, numbers)) for p in floats]
        spots: list[Spot] = [(p.path, p.index, p.role, p.position) for p in floats]

        def loss(*given: Any) -> Any:
            self.held, self.terms = dict(zip(spots, given, strict=True)), []
            self.seen.clear()
            self.side.in_mode(mode)
            tracer = Tracer(self.side, self.note, self.make, self.plan, self.leave)
            with tracer.running():
                self.side.call(variant.inputs, seed)
            terms, self.held, self.terms = self.terms, {}, []
            return sum(terms[1:], terms[0])

        parameters, found = self.side.gradients_of(loss, tensors)
        named = [(name, g) for name, g in parameters.items() if g is not None]
        keyed = [(str(p.key), g) for p, g in zip(floats, found, strict=True) if g is not None]
        return Outcome((), self.as_leaves(named), self.as_leaves(keyed))

    def as_leaves(self, values: list[tuple[str, Any]]) -> tuple[Leaf, ...]:
        return tuple(Leaf(name, self.side.tensor(g)) for name, g in values)

    def array(self, at: Stored, variant: Variant, numbers: np.random.RandomState) -> Tensor:
        tensor = tensor_at(self.views, at)
        return nudged(tensor, numbers, variant.size) if variant.is_nudged else tensor

    def leave(self, result: Any) -> Any:
        if 0 < len(self.seen) < len(self.keys):
            return result
        found = leaves(result, self.side.is_tensor)
        tensors = [self.side.cut(x) for _, x in found if self.side.is_tensor(x)]
        return replaced(result, self.side.is_tensor, iter(tensors))

    def make(self, at: Stored, like: Any, spot: Spot) -> Any:
        if spot in self.held:
            return self.held[spot] * 1  # a new tensor, which may be changed in place
        return self.side.cast(tensor_at(self.views, at), like)

    def note(self, call: Call, role: str, tensors: list[tuple[str, Any]]) -> tuple[Value, ...]:
        for position, (_, x) in enumerate(tensors):
            spot = (call.path, call.index, role, position)
            key = self.keys.get(spot)
            if key is not None:
                self.seen.add(spot)
            shape = tuple(x.shape)
            if key is not None and self.side.is_float(x) and 0 not in shape:
                weights = np.random.RandomState(key).standard_normal(shape).astype(np.float32)
                self.terms.append(self.side.weighted(x, weights))
        return ()


def plan_of(probes: Sequence[Probe]) -> tuple[Forced, ...]:
    calls: dict[tuple[str, int], dict[str, dict[int, Stored]]] = {}
    for probe in probes:
        roles = calls.setdefault((probe.path, probe.index), {"inputs": {}, "outputs": {}})
        roles[probe.role][probe.position] = probe.stored
    return tuple(
        Forced(path, index, in_order(roles["inputs"]), in_order(roles["outputs"]))
        for (path, index), roles in calls.items()
    )


def in_order(values: dict[int, Stored]) -> tuple[Stored | None, ...]:
    return tuple(values.get(i) for i in range(max(values, default=-1) + 1))
