"""`if` on a value that is known only when the graph runs: an If node over what both sides leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .. import dtype as dtypes
from ..failure import LoopError
from ..primitive import convert
from ..tape import is_watched, recording, taping
from ..tensor import Tensor
from ..trace import Trace, active
from .control import Region, captured_by, check_alike, is_traced, joined, scalar_condition
from .jumps import RESULT
from .leaves import Blank, Target, aligned, blank, common, leaves_of, plain, with_leaves
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


class EndedError(BaseException):
    """One side of a branch raises an error: nothing comes after it there."""


class Side(Region):
    """One side, traced; `end` is what it leaves behind."""

    def __init__(self, trace: Trace, state: State, before: Memory, run: Run) -> None:
        count = len(trace.effects)
        try:
            with trace.within() as self.inner, taping():
                self.ended = ends(run)
                self.end = Memory.of(state)
                self.touched = touched_since(state, before)
            self.effects = trace.effects[count:]
        finally:
            del trace.effects[count:]
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
    if sides[0].ended:
        first = [blank(slot) for slot in second]
    elif sides[1].ended:
        second = [blank(slot) for slot in first]
    aligned(first, second, free_names(names))
    pairs = [*zip(leaves_of(first), leaves_of(second), strict=True)]
    shown = [values_of(side.effects, k) for k, side in enumerate(sides)]
    targets = [common(*pair) for pair in [*pairs, *shown[0], *shown[1]]]
    for k, (side, slots) in enumerate(zip(sides, (first, second), strict=True)):
        leaves = [*leaves_of(slots), *[pair[k] for pair in [*shown[0], *shown[1]]]]
        side.lift(trace, leaves, targets)
    refuse_assignments(sides)

    def again(run: Run) -> list[Tensor]:
        keep, count = Memory.of(state), len(trace.effects)
        before.restore()
        try:
            begin = len(trace.nodes)
            slots = [blank(slot) for slot in first] if ends(run) else state.now(touched)
            check_alike(trace, sides[run is other].inner.nodes, trace.nodes[begin:])
            aligned(slots, [*first], free_names(names))
            unseen = [Blank(pair[0]) for pair in [*shown[0], *shown[1]]]
            every = zip([*leaves_of(slots), *unseen], targets, strict=True)
            return [target.tensor(leaf) for leaf, target in every if target is not None]
        finally:
            del trace.effects[count:]
            keep.restore()

    reruns = [lambda run=run: again(run) for run in (then, other)]
    made = iter(joined(trace, truth(test), sides, reruns))
    leaves = [
        plain(a) if target is None else target.leaf(next(made))
        for (a, _), target in zip([*pairs, *shown[0], *shown[1]], targets, strict=True)
    ]
    state.restore(with_leaves(first, leaves[: len(pairs)]), touched)
    values = iter(leaves[len(pairs) :])
    for effect in (*sides[0].effects, *sides[1].effects):
        guard = next(values)
        given = tuple([next(values) for _ in effect.values])
        trace.effects.append(replace(effect, guard=guard, values=given))
    if sides[0].ended and sides[1].ended:
        raise EndedError


def ends(run: Run) -> bool:
    """Whether the function raises an error of the source's, instead of coming to its end."""
    try:
        run()
    except EndedError:
        return True
    return False


def values_of(effects: list[Any], place: int) -> list[tuple[Any, Any]]:
    """What the effects of one side need, beside what stands for it on the other side."""
    every = []
    for effect in effects:
        guard = Tensor(True) if effect.guard is None else effect.guard
        every += [(guard, Tensor(False)), *[(value, Blank(value)) for value in effect.values]]
    return every if place == 0 else [pair[::-1] for pair in every]


def refuse_assignments(regions: list[Any]) -> None:
    """Raises: LoopError where a gradient would set a parameter again."""
    if recording.tapes and is_watched(captured_by(regions)):
        for one in regions:
            if one.inner.assigned:
                raise LoopError("a parameter", "a branch or loop sets it, and has a gradient")


def nothing(*values: Any) -> None:
    """What has no names to set."""


NO_NAMES = Names((), (), tuple, nothing, tuple, nothing)


def choice(around: Names, test: Any, then: Run, other: Run) -> Any:
    """`then if test else other`, in a function that has the names `around`."""
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
    names = Names(value, value, lambda: (*box,), put, around.seen, around.see)
    branch(test, into(then), into(other), names)
    return box[0]
