"""`if` on a value that is known only when the graph runs: an If node over what both sides leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import dtype as dtypes
from ..failure import LoopError
from ..primitive import convert
from ..tape import is_watched, recording, taping
from ..tensor import Tensor
from ..trace import Trace, active
from .control import Region, captured_by, is_traced, joined, scalar_condition
from .jumps import RESULT
from .leaves import Target, aligned, common, leaves_of, with_leaves
from .number import Number
from .state import UNSET, Memory, Names, Slot, State, touched_since

Run = Callable[[], Any]


def is_unknown(x: Any) -> bool:
    """Whether the truth of `x` is known only when the graph runs."""
    return isinstance(x, Number) or is_traced(x)


def truth(x: Any) -> Tensor:
    """`bool(x)` as a Tensor without axes."""
    if isinstance(x, Number):
        return convert(x.tensor, dtypes.bool_)
    return scalar_condition(x if isinstance(x, Tensor) else Tensor(bool(x)))


def free_names(names: Names) -> list[bool]:
    """Which names may be unset on one way: the result of a function, behind a flag of its own."""
    return [name == RESULT for name in names.names]


class Side(Region):
    """One side, traced; `end` is what it leaves behind."""

    def __init__(self, trace: Trace, state: State, before: Memory, run: Run) -> None:
        try:
            with trace.within() as self.inner, taping():
                run()
                self.end = Memory.of(state)
                self.touched = touched_since(state, before)
        finally:
            before.restore()
        self.check_calls()

    def slots(self, state: State, before: Memory, touched: list[Tensor]) -> list[Slot]:
        self.end.restore()
        try:
            return state.now(touched)
        finally:
            before.restore()

    def lift(self, trace: Trace, leaves: list[Any], targets: list[Target | None]) -> None:
        """Makes the leaves that differ results of the inner graph."""
        with trace.within(inner=self.inner), taping():
            self.symbols = [
                trace.lift(target.tensor(leaf))
                for leaf, target in zip(leaves, targets, strict=True)
                if target is not None
            ]


def branch(test: Any, then: Run, other: Run, names: Names) -> None:
    """`if test`, with what it sets in `names`."""
    if not is_unknown(test):
        (then if test else other)()
        return
    trace = active()
    assert trace is not None
    state = State.of(trace, names)
    before = Memory.of(state)
    sides = [Side(trace, state, before, run) for run in (then, other)]
    touched = [*{id(x): x for side in sides for x in side.touched}.values()]
    first, second = (side.slots(state, before, touched) for side in sides)
    aligned(first, second, free_names(names))
    pairs = [*zip(leaves_of(first), leaves_of(second), strict=True)]
    targets = [common(*pair) for pair in pairs]
    for side, slots in zip(sides, (first, second), strict=True):
        side.lift(trace, leaves_of(slots), targets)
    refuse_assignments(sides)

    def again(run: Run) -> list[Tensor]:
        keep = Memory.of(state)
        before.restore()
        try:
            run()
            slots = state.now(touched)
            aligned(slots, [*first], free_names(names))
            ends = zip(leaves_of(slots), targets, strict=True)
            return [target.tensor(leaf) for leaf, target in ends if target is not None]
        finally:
            keep.restore()

    reruns = [lambda run=run: again(run) for run in (then, other)]
    made = iter(joined(trace, truth(test), sides, reruns))
    leaves = [
        a if target is None else target.leaf(next(made))
        for (a, _), target in zip(pairs, targets, strict=True)
    ]
    state.restore(with_leaves(first, leaves), touched)


def refuse_assignments(regions: list[Any]) -> None:
    """Raises: LoopError where a gradient would set a parameter again."""
    if recording.tapes and is_watched(captured_by(regions)):
        for one in regions:
            if one.inner.assigned:
                raise LoopError("a parameter", "a branch or loop sets it, and has a gradient")


def choice(test: Any, then: Run, other: Run) -> Any:
    """`then if test else other`."""
    if not is_unknown(test):
        return then() if test else other()
    box: list[Any] = [UNSET]

    def into(run: Run) -> Run:
        def fill() -> None:
            box[0] = run()

        return fill

    def put(values: tuple[Any, ...]) -> None:
        box[:] = values

    value = ("value",)
    names = Names(value, value, lambda: (*box,), put, tuple, lambda values: None)
    branch(test, into(then), into(other), names)
    return box[0]
