"""What was computed from watched values, recorded so that it can be walked backwards.

Values are known by identity: the array, or the symbol of the traced graph, that a Tensor holds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import trace as tracing
from .tensor import Tensor, wrap

Inputs = Sequence[Tensor | None]
Gradients = Sequence[Tensor | None]
DIFFERENTIABLE = "fcV"
"""NumPy's kinds of the element types that gradients have (V: bfloat16)."""
NUMERIC = DIFFERENTIABLE + "iu"
"""Those that have gradients once a watched value is of whole numbers."""
Pullback = Callable[[Gradients, tuple[bool, ...]], Gradients]
"""Gradients of the outputs, and which inputs need one -> gradients of the inputs."""


@dataclass(frozen=True, slots=True)
class Record:
    """One differentiable step: identities of its inputs and outputs, and the way back."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    pullback: Pullback


@dataclass(eq=False, slots=True)
class Tape:
    """What is watched, with all that was computed from it; holding it keeps identities unique."""

    known: dict[int, Any] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    kinds: str = DIFFERENTIABLE

    def watch(self, x: Tensor) -> None:
        """From now on records what is computed from `x`.

        Two parameters made from one array get a view each, or their gradients would be one.
        """
        if id(x.content) in self.known and isinstance(x.content, np.ndarray):
            x.content = x.content.view()
        self.known[id(x.content)] = x.content
        if x.content.dtype.kind in "iu":
            self.kinds = NUMERIC

    def watches(self, inputs: Inputs) -> bool:
        known = self.known
        return any(x is not None and id(x.content) in known for x in inputs)

    def add(self, record: Record, outputs: Sequence[Tensor]) -> None:
        kept = [y.content for y in outputs if y.content.dtype.kind in self.kinds]
        if kept:
            self.known.update((id(value), value) for value in kept)
            self.records.append(record)


class Recording(threading.local):
    """The tapes of this thread, the outermost first."""

    tapes: tuple[Tape, ...] = ()
    forbidden = False
    """Whether gradients must not be computed: inside of `_no_grad`."""
    paused: tuple[Tape, ...] = ()
    """The tapes that `_no_grad` has taken away."""


recording = Recording()


@contextmanager
def taping(*tapes: Tape) -> Iterator[None]:
    """Records on exactly these tapes inside; on none if none is given."""
    before = recording.tapes
    recording.tapes = tapes
    try:
        yield
    finally:
        recording.tapes = before


def record(inputs: Inputs, outputs: Sequence[Tensor], pullback: Pullback) -> None:
    """Tells every tape that watches an input how to get from the outputs back to it."""
    step = Record(
        tuple([0 if x is None else id(x.content) for x in inputs]),
        tuple([id(y.content) for y in outputs]),
        pullback,
    )
    for tape in recording.tapes:
        if tape.watches(inputs):
            tape.add(step, outputs)


def follow(old: Any, new: Any, tapes: tuple[Tape, ...]) -> None:
    """Tells these tapes, and those that wait for `_no_grad` to end, of a variable's new content.

    The variable is the same, so what is computed of it from then on counts for it, as before.
    """
    for tape in (*tapes, *recording.paused):
        if id(old) in tape.known and id(new) not in tape.known:
            tape.known[id(new)] = new
            tape.records.append(Record((id(old),), (id(new),), lambda gs, wanted: gs))


def is_watched(inputs: Inputs) -> bool:
    """Whether a tape of this thread watches one of them."""
    return any(tape.watches(inputs) for tape in recording.tapes)


def detached(x: Tensor) -> Tensor:
    """The same values under an identity of their own, through which no gradient flows."""
    trace = tracing.active()
    if trace is not None and (x.is_traced or x.variable):
        return wrap(replace(trace.lift(x)))
    return wrap(x.asnumpy().view())


def linked(x: Tensor, values: Tensor | None = None) -> Tensor:
    """As `detached`, but the tapes of this thread go on through it; `values`: those it has now."""
    y = detached(x if values is None else values)
    record((x,), (y,), lambda gs, wanted: gs)
    return y


def one_step(
    inputs: tuple[Tensor, ...], forward: Callable[..., tuple[Tensor, ...]], back: Callable[..., Any]
) -> tuple[Tensor, ...]:
    """forward(*inputs), with the gradient back(g, outputs, *inputs) of its first output.

    Only the innermost tape sees it as one step; to the others it is the primitives inside, so
    that gradients of gradients are right. Nothing flows back through the other outputs.
    """
    if not is_watched(inputs):
        return forward(*inputs)
    *outer, inner = recording.tapes
    with taping(*outer):
        ys = forward(*inputs)
    if inner.watches(inputs):
        keys = tuple([id(x.content) for x in inputs])

        def pullback(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
            found: Gradients = back(gs[0], ys, *inputs)
            return found

        inner.add(Record(keys, (id(ys[0].content),), pullback), ys[:1])
    return ys
