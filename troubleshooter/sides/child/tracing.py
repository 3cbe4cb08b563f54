"""Every call of a layer while a network runs: what it was given and gave, or is made to.

In a forced run each layer is given what was recorded of another run, of any framework, and what
it gives is noted and then exchanged for what was recorded, too. So each layer, and what a
container does around its layers, is seen alone: no error comes from elsewhere.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from .leaves import leaves, replaced
from .messages import Call, Forced, Stored, Value

Note = Callable[[int, str, list[tuple[str, Any]]], tuple[Value, ...]]
"""Keeps the tensors (place, tensor) of the call of this number, its "inputs" or "outputs"."""

Make = Callable[[Stored, Any], Any]
"""The framework's tensor for a recorded one, of the element type of the second argument."""


class Framework(Protocol):
    """What a run is traced in."""

    network_class: type

    def is_tensor(self, value: Any) -> bool: ...

    def named_layers(self) -> list[tuple[str, Any]]: ...


class Tracer:
    """Stands around every call of a layer of one network while it is `running`."""

    def __init__(
        self, side: Framework, note: Note, make: Make, plan: Sequence[Forced] = ()
    ) -> None:
        self.side = side
        self.note = note
        self.make = make
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
        began = next(self.clock)
        inputs = self.note(number, "inputs", self.tensors((args, kwargs)))
        call = Call(number, path, index, parent, began, -1, bool(layer.training), inputs, ())
        self.calls[number] = call
        (args, kwargs), is_given = self.exchanged((args, kwargs), forced.inputs)
        self.around.append(number)
        try:
            result = original(layer, *args, **kwargs)
        finally:
            self.around.pop()
        outputs = self.note(number, "outputs", self.tensors(result))
        result, is_put = self.exchanged(result, forced.outputs)
        self.calls[number] = Call(
            *(number, path, index, parent, began, next(self.clock), call.training),
            *(inputs, outputs, (is_given, is_put)),
        )
        return result

    def tensors(self, value: Any) -> list[tuple[str, Any]]:
        found = leaves(value, self.side.is_tensor)
        return [(place, x) for place, x in found if self.side.is_tensor(x)]

    def exchanged(self, value: Any, by: Sequence[Stored | None]) -> Any:
        """`value` with recorded tensors in the place of its own, and whether it is that."""
        if all(stored is None for stored in by):
            return value, False
        own = self.tensors(value)
        stored_or_not = (*by, *([None] * (len(own) - len(by))))
        new = [
            x if stored is None else self.make(stored, x)
            for (_, x), stored in zip(own, stored_or_not, strict=False)
        ]
        return replaced(value, self.side.is_tensor, iter(new)), True
