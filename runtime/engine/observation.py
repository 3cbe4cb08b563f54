"""Who looks on while the runtime computes: told of cells, calls, losses, with their arrays.

In PyNative mode an observer is told at once; a compiled graph gives what it is to be told as
further outputs, and tells it after each run, in the order of the calls. Inside of loops and
branches of a graph nothing is told.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal, Protocol

from . import trace as tracing
from .dtype import Array
from .failure import LoopError
from .tensor import Tensor, wrap

if TYPE_CHECKING:
    from .primitive import Primitive

PACKAGE = __name__.partition(".")[0]
OURS = (f"{PACKAGE}.runtime.", f"{PACKAGE}.observation.", "contextlib")
"""Modules that begin so are not the user's; `inside` is entered through contextlib."""

Arrays = tuple[Array | None, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call stands: the cells around it, the line of the user's code, and which way."""

    cells: tuple[Any, ...]
    line: str
    backward: bool = False
    of: str = ""
    """The primitive whose gradient is computed on the way back."""


@dataclass(frozen=True, eq=False, slots=True)
class Called:
    """One call of a primitive."""

    op: str
    place: Place
    attrs: dict[str, Any]
    inputs: Arrays
    outputs: Arrays


@dataclass(frozen=True, eq=False, slots=True)
class Predicted:
    """What a loss is computed of. `kind`: what it takes its predictions for."""

    kind: Literal["logits", "log-probabilities", "binary logits"]
    place: Place
    predictions: Array
    labels: Array
    axis: int
    """Of the classes."""
    ignored: int


class Observer(Protocol):
    """Who looks on."""

    def called(self, call: Called) -> None:
        """A primitive has computed."""

    def entered(self, cell: Any, place: Place, arrays: Arrays, held: Arrays) -> None:
        """A cell is called with these arrays; `held` are an optimizer's parameters by now."""

    def lost(self, loss: Array, place: Place) -> None:
        """A gradient is computed of this loss."""

    def predicted(self, given: Predicted) -> None:
        """A loss is computed of these predictions."""


class Timer(Protocol):
    """Who takes times."""

    def ran(self, op: str, place: Place, start: int, end: int) -> None:
        """A primitive has run by itself. Units: nanoseconds of `time.perf_counter_ns`"""

    def spent(self, kind: str, name: str, start: int, end: int) -> None:
        """Time went by: "data", "compile", "run"."""

    def node(self, place: Place) -> str:
        """The name of a node that stands at `place`."""

    def metered(self, meter: Any) -> None:
        """A pipeline of data is read from now on, and `meter` has the times of its stages."""


class Watching(threading.local):
    """What is observed in this thread. `active`: whether there is an observer or a timer."""

    active = False
    timer: Timer | None = None
    observer: Observer | None = None
    cells: tuple[Any, ...] = ()
    backward: Place | None = None
    op = ""
    """The primitive that computes by others, in a wider element type."""


watching = Watching()


def revision() -> tuple[bool, int]:
    """What a compiled graph depends on of this: whether it tells, and who takes its times."""
    return watching.observer is not None, id(watching.timer) if watching.timer is not None else 0


@dataclass(frozen=True)
class Both:
    """Two who look on: the one who did so before is told first."""

    first: Observer
    second: Observer

    def called(self, call: Called) -> None:
        self.first.called(call)
        self.second.called(call)

    def entered(self, cell: Any, place: Place, arrays: Arrays, held: Arrays) -> None:
        self.first.entered(cell, place, arrays, held)
        self.second.entered(cell, place, arrays, held)

    def lost(self, loss: Array, place: Place) -> None:
        self.first.lost(loss, place)
        self.second.lost(loss, place)

    def predicted(self, given: Predicted) -> None:
        self.first.predicted(given)
        self.second.predicted(given)


@contextmanager
def observed(observer: Observer | None) -> Iterator[None]:
    """Tells `observer`, too, of what is computed inside; with None nobody is told."""
    before = watching.observer
    watching.observer = observer
    if observer is not None and before is not None:
        watching.observer = Both(before, observer)
    watching.active = observer is not None or watching.timer is not None
    try:
        yield
    finally:
        watching.observer = before
        watching.active = before is not None or watching.timer is not None


def set_timer(timer: Timer | None) -> None:
    """From now on `timer` takes times; None takes none."""
    watching.timer = timer
    watching.active = timer is not None or watching.observer is not None


def name_of(function: Any) -> str:
    """What a compiled function is called, or what else time is spent on."""
    if isinstance(function, str):
        return function
    owner = getattr(function, "__self__", None)
    return type(owner).__name__ if owner is not None else getattr(function, "__name__", "function")


@contextmanager
def spending(kind: str, function: Any) -> Iterator[None]:
    """Has the timer told how long it takes; `function` is what is compiled or run."""
    timer = watching.timer
    if timer is None:
        yield
        return
    start = time.perf_counter_ns()
    try:
        yield
    finally:
        timer.spent(kind, name_of(function), start, time.perf_counter_ns())


@contextmanager
def inside(cell: Any, args: Sequence[Any]) -> Iterator[None]:
    """Has `cell` around what is computed inside."""
    before = watching.cells
    watching.cells = (*before, cell)
    if watching.observer is not None:
        tell_of_cell(cell, args)
    try:
        yield
    finally:
        watching.cells = before


@contextmanager
def going_back(place: Place) -> Iterator[None]:
    """What is computed inside is the gradient of what stands at `place`."""
    before = watching.backward
    watching.backward = place
    try:
        yield
    finally:
        watching.backward = before


@contextmanager
def widening(op: str) -> Iterator[None]:
    """What is computed inside is `op`, in a wider element type."""
    before = watching.op
    watching.op = watching.op or op
    try:
        yield
    finally:
        watching.op = before


def here() -> Place:
    """The place of what is computed now."""
    if watching.backward is not None:
        return watching.backward
    return Place(watching.cells, line_of_user())


def placed(back: Callable[..., Any], op: str) -> Callable[..., Any]:
    """`back`, which knows while it computes that it belongs to what `op` computes now."""
    forward = here()
    place = Place(forward.cells, forward.line, True, op)

    def computed(*arguments: Any) -> Any:
        with going_back(place):
            return back(*arguments)

    return computed


def line_of_user() -> str:
    """ "file:line" of the code that called the runtime; "" if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(OURS):
        frame = frame.f_back
    if frame is None or frame.f_globals.get("__name__", "") in ("threading", "runpy"):
        return ""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def naming() -> Callable[[], str] | None:
    """What names the nodes of a graph, if a timer is to know them again."""
    timer = watching.timer
    return None if timer is None else lambda: timer.node(here())


# telling


def tell(function: Callable[[Arrays], None], tensors: Sequence[Tensor | None]) -> None:
    """Calls `function` with the arrays of `tensors`: now, or after each run of the graph."""
    trace = tracing.active()
    if trace is None:
        function(tuple([None if x is None else x.asnumpy() for x in tensors]))
    elif trace.inner is None:
        now = [x if x is None or not x.variable else wrap(trace.lift(x)) for x in tensors]
        trace.told.append((function, tuple(now)))


def tell_always(what: str, function: Callable[[Arrays], None], x: Tensor) -> None:
    """As `tell`, of one Tensor. Raises: ValueError (MS306) in a loop or branch of a graph"""
    trace = tracing.active()
    if trace is not None and trace.inner is not None:
        raise LoopError(what, "a loop or branch of a graph cannot tell its values")
    tell(function, (x,))


def seen(primitive: Primitive, inputs: Any, outputs: int, attrs: dict[str, Any]) -> Any:
    """The results of a call, of which is told; not of the parts that a wider type needs."""
    trace, outermost = tracing.active(), not watching.op
    with widening(primitive.op):
        if trace is not None:
            result = trace.apply(primitive, inputs, outputs, attrs)
        else:
            start = time.perf_counter_ns()
            result = primitive.run(inputs, outputs, attrs)
            if outermost and watching.timer is not None:
                watching.timer.ran(primitive.op, here(), start, time.perf_counter_ns())
    if outermost and watching.observer is not None:
        made = (result,) if isinstance(result, Tensor) else result
        tell_of_call(primitive.op, inputs, made, attrs)
    return result


def tell_of_call(
    op: str, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor], attrs: dict[str, Any]
) -> None:
    """Tells of one call of a primitive whose results are known."""
    place = here()
    tell(
        partial(call_told, op, place, attrs, len(inputs)),
        (*inputs, *outputs),
    )


def call_told(op: str, place: Place, attrs: dict[str, Any], count: int, arrays: Arrays) -> None:
    if watching.observer is not None:
        watching.observer.called(Called(op, place, attrs, arrays[:count], arrays[count:]))


def tell_of_cell(cell: Any, args: Sequence[Any]) -> None:
    """Tells of a cell that is called."""
    given: list[Tensor] = []
    spread(args, given)
    held = [p for p in getattr(cell, "parameters", ()) if isinstance(p, Tensor)]
    tell(partial(cell_told, cell, here(), len(given)), (*given, *held))


def cell_told(cell: Any, place: Place, count: int, arrays: Arrays) -> None:
    if watching.observer is not None:
        watching.observer.entered(cell, place, arrays[:count], arrays[count:])


def tell_of_loss(ys: Sequence[Tensor]) -> None:
    """Tells of what a gradient is computed of, if it is one number."""
    if watching.observer is not None and ys and ys[0].size == 1:
        tell(partial(loss_told, here()), (ys[0],))


def loss_told(place: Place, arrays: Arrays) -> None:
    if watching.observer is not None and arrays[0] is not None:
        watching.observer.lost(arrays[0], place)


def tell_of_predictions(
    kind: Literal["logits", "log-probabilities", "binary logits"],
    x: Tensor,
    labels: Tensor,
    axis: int = 1,
    ignored: int = -100,
) -> None:
    """Tells of what a loss is about to be computed of."""
    if watching.observer is not None:
        tell(partial(predictions_told, kind, here(), axis, ignored), (x, labels))


def predictions_told(
    kind: Literal["logits", "log-probabilities", "binary logits"],
    place: Place,
    axis: int,
    ignored: int,
    arrays: Arrays,
) -> None:
    x, labels = arrays
    if watching.observer is not None and x is not None and labels is not None:
        watching.observer.predicted(Predicted(kind, place, x, labels, axis, ignored))


def spread(values: Any, found: list[Tensor]) -> None:
    """Adds the Tensors in nested tuples and lists to `found`."""
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, tuple | list):
            spread(value, found)
