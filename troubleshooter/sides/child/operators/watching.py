"""One call of a layer, run once more and recorded operator by operator, with the user's lines."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ..caught import Caught
from ..leaves import leaves
from ..messages import (
    CALLED,
    GIVEN,
    MARK,
    RESULT,
    Block,
    Call,
    Forced,
    Inputs,
    Keeping,
    Line,
    Operator,
    Stored,
    Value,
    unmarked,
)
from ..options import SIMPLE
from ..recording import Kept, Recordable, tensor_at
from ..sketch import WIDTH
from ..store import Store, Views, digest_of
from ..tracing import Spot, Tracer
from .lines import Lines, return_of

MOST = 4000
"""Of so many operators of a block the first are kept."""

DEEPEST = 6
Asked = tuple[str, int]
"""The path of a layer, and which of its calls."""


class Operating(Recordable, Protocol):
    """What a framework's side must have so that its operators can be seen."""

    def tensors(self) -> dict[str, Any]: ...

    def named_layers(self) -> list[tuple[str, Any]]: ...

    def packages(self) -> Sequence[str]:
        """The folders of the framework's own files."""
        ...

    def watched(self, watcher: Watcher) -> AbstractContextManager[None]:
        """Within, every function of the framework is called by `watcher.called`."""
        ...


Bind = Callable[[tuple[Any, ...], dict[str, Any]], Mapping[str, Any]]
"""The arguments of a call by their names."""


class Watcher:
    """Notes the operators of one call, and what the layers in it take and give."""

    def __init__(self, side: Operating, kept: Kept, views: Views, asked: Asked) -> None:
        self.side = side
        self.kept = kept
        self.views = views
        self.asked = asked
        self.lines = Lines(side.packages())
        self.found: list[Operator] = []
        self.plain = Plain()
        self.is_busy = False
        self.tracer: Tracer | None = None
        self.left: Call | None = None

    @property
    def is_within(self) -> bool:
        """Whether the code at work is that of the call itself, not of a layer in it."""
        if self.is_busy or self.tracer is None or not self.tracer.around:
            return False
        return self.is_asked(self.tracer.calls[self.tracer.around[-1]])

    def is_asked(self, call: Call) -> bool:
        return (call.path, call.index) == self.asked

    @contextmanager
    def busy(self) -> Iterator[None]:
        before, self.is_busy = self.is_busy, True
        try:
            yield
        finally:
            self.is_busy = before

    # operators

    def called(self, name: str, function: Any, args: Any, kwargs: Any, bind: Bind) -> Any:
        """What the function gives, noted if the block's own code has called it."""
        if not self.is_within or len(self.found) >= MOST:
            return function(*args, **kwargs)
        with self.busy():
            line = self.lines.current()
            bound = bind(args, kwargs)
            tensors = self.tensors(bound)
            inputs = self.values(tensors)
            result = function(*args, **kwargs)
            given = self.tensors(result) or self.changed(tensors, inputs)
            if given:
                told = described(bound, self.side.is_tensor, iter(range(len(tensors))))
                outputs = self.values(given)
                outputs = self.plain.marked(given, outputs, inputs, len(self.found))
                self.found.append(Operator(name, told, inputs, outputs, line))
            return result

    def changed(self, tensors: list[tuple[str, Any]], before: Sequence[Value]) -> Any:
        """The first of the arguments, of a function that has changed it and gives nothing."""
        now = self.values(tensors[:1])
        return tensors[:1] if now and unmarked(now[0]) != unmarked(before[0]) else []

    def tensors(self, value: Any) -> list[tuple[str, Any]]:
        found = leaves(value, self.side.is_tensor)
        return [(place, x) for place, x in found if self.side.is_tensor(x)]

    def values(self, tensors: list[tuple[str, Any]]) -> tuple[Value, ...]:
        return tuple(
            self.plain.known(x, self.kept.value(place, self.side.tensor(x))) for place, x in tensors
        )

    # layers

    def note(self, call: Call, role: str, tensors: list[tuple[str, Any]]) -> tuple[Value, ...]:
        """What the call and the layers in it take and give, before anything is exchanged."""
        assert self.tracer is not None
        parent = self.tracer.calls.get(call.parent)
        is_own, is_child = self.is_asked(call), parent is not None and self.is_asked(parent)
        if not (is_own or is_child):
            return ()
        with self.busy():
            values = self.values(tensors)
            if is_own:
                self.found.append(
                    Operator(GIVEN, {}, (), values, Line())
                    if role == "inputs"
                    else Operator(RESULT, {}, values, (), self.end_of(call))
                )
            elif role == "inputs":
                line = self.lines.current()
                self.found.append(Operator(CALLED, {}, values, (), line, call.path, call.index))
            else:
                self.left = call
        return ()

    def end_of(self, call: Call) -> Line:
        """Where the block gives its result, if that is the user's own line."""
        layer = dict(self.side.named_layers()).get(call.path)
        found = return_of(layer)
        return found if found.file and self.lines.is_users(found.file) else Line()

    def leave(self, result: Any) -> Any:
        """Notes what a layer in the block gives as it comes to the block, exchanged or not."""
        if self.left is not None:
            call, self.left = self.left, None
            with self.busy():
                values = self.values(self.tensors(result))
            for i in range(len(self.found) - 1, -1, -1):
                one = self.found[i]
                if (one.layer, one.index) == (call.path, call.index) and one.name == CALLED:
                    more = (one.line, one.layer, one.index)
                    self.found[i] = Operator(CALLED, {}, one.inputs, values, *more)
                    break
        return result

    def make(self, at: Stored, like: Any, spot: Spot) -> Any:
        with self.busy():
            return self.side.cast(tensor_at(self.views, at), like)


class Plain:
    """Which operator has given a tensor that is the same number all over.

    Zeros are equal to zeros wherever they come from, so their digests have the operator's number.
    """

    def __init__(self) -> None:
        self.digests: dict[int, str] = {}
        self.held: dict[int, Any] = {}

    def known(self, tensor: Any, value: Value) -> Value:
        """The value, marked if an operator has given this very tensor, and it is the same still."""
        marked = self.digests.get(id(tensor), "")
        return replace(value, digest=marked) if marked.startswith(value.digest) else value

    def marked(
        self,
        tensors: list[tuple[str, Any]],
        values: Sequence[Value],
        inputs: Sequence[Value],
        number: int,
    ) -> tuple[Value, ...]:
        """What an operator gives; what it was given is what it was."""
        taken = {unmarked(value): value.digest for value in inputs}
        found = []
        for (_, tensor), value in zip(tensors, values, strict=True):
            digest = taken.get(unmarked(value))
            if value.is_plain and self.hold(tensor):
                digest = digest or f"{unmarked(value)}{MARK}{number}"
                self.digests[id(tensor)] = digest
            found.append(value if digest is None else replace(value, digest=digest))
        return tuple(found)

    def hold(self, tensor: Any) -> bool:
        """Notes the tensor as long as it lives, so that no other one is taken for it."""
        key = id(tensor)

        def gone(_: Any) -> None:
            self.digests.pop(key, None)
            self.held.pop(key, None)

        try:
            self.held[key] = weakref.ref(tensor, gone)
        except TypeError:
            return False
        return True


def described(
    bound: Mapping[str, Any], is_tensor: Callable[[Any], bool], numbers: Iterator[int]
) -> dict[str, Any]:
    """The arguments as they travel; tensors are numbered in the order of `leaves`."""
    return {name: plain(value, is_tensor, numbers) for name, value in bound.items()}


def plain(value: Any, is_tensor: Any, numbers: Iterator[int], deep: int = 0) -> Any:
    if is_tensor(value):
        return f"#{next(numbers)}"
    if isinstance(value, SIMPLE):
        return value
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in "bifc" else str(value)
    if isinstance(value, np.ndarray):
        return value.tolist() if value.size < 9 and value.dtype.kind in "bif" else "an array"
    if deep < DEEPEST and isinstance(value, slice):
        parts = [plain(x, is_tensor, numbers, deep + 1) for x in (value.start, value.stop)]
        step = plain(value.step, is_tensor, numbers, deep + 1)
        return ("slice", *parts, step)
    if value is Ellipsis:
        return "..."
    if deep < DEEPEST and isinstance(value, (tuple, list)):
        return tuple(plain(x, is_tensor, numbers, deep + 1) for x in value)
    if deep < DEEPEST and isinstance(value, Mapping):
        return tuple(plain(x, is_tensor, numbers, deep + 1) for x in value.values())
    return str(value).removeprefix("torch.").removeprefix("mindspore.")[:80]


def block(
    side: Operating,
    inputs: Inputs,
    seed: int,
    mode: str,
    keeping: Keeping,
    plan: Sequence[Forced],
    asked: Asked,
) -> Block:
    """One run in which the operators of one call are recorded, the layers forced as in `plan`."""
    side.restore()
    own = {digest_of(side.tensor(x).array): name for name, x in side.tensors().items()}
    with Store(keeping.file, keeping.limit) as store:
        kept = Kept(side, store)
        watcher = Watcher(side, kept, Views(), asked)
        tracer = Tracer(side, watcher.note, watcher.make, plan, watcher.leave)
        watcher.tracer = tracer
        with Caught() as caught, tracer.running(), side.watched(watcher):
            side.pass_forward(inputs, seed, mode)
    sketches = np.array(kept.sketches).reshape(-1, WIDTH)
    return Block(tuple(watcher.found), sketches, own, caught.failure)
