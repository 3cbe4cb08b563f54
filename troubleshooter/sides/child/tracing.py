"""Every call of a layer while a network runs: what it was given and gave, or is made to.

In a forced run each layer is given what was recorded of another run, of any framework, and what
it gives is noted and then exchanged for what was recorded, too. So each layer, and what a
container does around its layers, is seen alone: no error comes from elsewhere.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

from .leaves import leaves, replaced
from .messages import Call, Forced, Stored, Value


@contextmanager
def without_jit() -> Iterator[None]:
    """Within, MindSpore and the runtime compile nothing: a graph has no values to be noted."""
    before = os.environ.get("MS_JIT")
    os.environ["MS_JIT"] = "0"
    try:
        yield
    finally:
        del os.environ["MS_JIT"]
        if before is not None:
            os.environ["MS_JIT"] = before


Note = Callable[[Call, str, list[tuple[str, Any]]], tuple[Value, ...]]
"""Keeps the tensors (place, tensor) of a call that has begun, its "inputs" or "outputs"."""

Spot = tuple[str, int, str, int]
"""A tensor of a run: path and index of a call, "inputs" or "outputs", the position there."""

Make = Callable[[Stored, Any, Spot], Any]
"""The framework's tensor for a recorded one, of the element type of the second argument."""


def as_it_is(result: Any) -> Any:
    return result


class Framework(Protocol):
    """What a run is traced in."""

    network_class: type

    def is_tensor(self, value: Any) -> bool: ...

    def named_layers(self) -> list[tuple[str, Any]]: ...


class Tracer:
    """Stands around every call of a layer of one network while it is `running`.

    `leave`: what is made of each call's result, at last.
    """

    def __init__(
        self,
        side: Framework,
        note: Note,
        make: Make,
        plan: Sequence[Forced] = (),
        leave: Callable[[Any], Any] = as_it_is,
    ) -> None:
        self.side = side
        self.note = note
        self.make = make
        self.leave = leave
        self.plan = {(forced.path, forced.index): forced for forced in plan}
        self.paths = {id(layer): path for path, layer in reversed(side.named_layers())}
        self.calls: dict[int, Call] = {}
        self.counts = Counter[str]()
        self.around: list[int] = []
        self.clock = itertools.count()

    @contextmanager
    def running(self) -> Iterator[None]:
        kind: Any = self.side.network_class
        original = kind.__call__

        def traced(layer: Any, *args: Any, **kwargs: Any) -> Any:
            path = self.paths.get(id(layer))
            if path is None:
                return original(layer, *args, **kwargs)
            return self.called(path, layer, args, kwargs, original)

        kind.__call__ = traced
        try:
            with without_jit():
                yield
        finally:
            kind.__call__ = original

    def called(self, path: str, layer: Any, args: Any, kwargs: Any, original: Any) -> Any:
        """A call of the layer, noted; forced if there is a plan for it."""
        index = self.counts[path]
        self.counts[path] += 1
        forced = self.plan.get((path, index), Forced(path, index, (), ()))
        number = len(self.calls)
        parent = self.around[-1] if self.around else -1
        call = Call(number, path, index, parent, next(self.clock), -1, bool(layer.training), (), ())
        self.calls[number] = call
        inputs = self.note(call, "inputs", self.tensors((args, kwargs)))
        self.calls[number] = replace(call, inputs=inputs)
        args, kwargs = self.exchanged((args, kwargs), forced, "inputs")
        self.around.append(number)
        try:
            result = original(layer, *args, **kwargs)
        finally:
            self.around.pop()
        outputs = self.note(call, "outputs", self.tensors(result))
        ended = next(self.clock)
        self.calls[number] = replace(call, inputs=inputs, outputs=outputs, ended=ended)
        return self.leave(self.exchanged(result, forced, "outputs"))

    def tensors(self, value: Any) -> list[tuple[str, Any]]:
        found = leaves(value, self.side.is_tensor)
        return [(place, x) for place, x in found if self.side.is_tensor(x)]

    def exchanged(self, value: Any, forced: Forced, role: str) -> Any:
        """`value` with recorded tensors in the place of its own."""
        by: tuple[Stored | None, ...] = getattr(forced, role)
        if all(stored is None for stored in by):
            return value
        own = self.tensors(value)
        stored_or_not = (*by, *([None] * (len(own) - len(by))))
        new = [
            x if stored is None else self.make(stored, x, (forced.path, forced.index, role, i))
            for i, ((_, x), stored) in enumerate(zip(own, stored_or_not, strict=False))
        ]
        return replaced(value, self.side.is_tensor, iter(new))
