"""`while` and `for` whose end is known only when the graph runs: a Loop node over what turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ....errors import MsconvertError
from ..failure import LoopError
from ..tensor import Tensor
from ..trace import Trace, active
from .branches import NO_NAMES, branch, free_names, is_unknown, truth
from .conversions import both_true, integer, opposite
from .leaves import Target, aligned, blank, common, is_same, leaves_of, target_of, with_leaves
from .looping import Loop
from .number import Number
from .state import Memory, Names, Slot, State, touched_since

Run = Callable[[], Any]
UNROLLED = 8
"""So many turns that a flag may end are branches one after the other; more are a Loop node."""
LONG = 32
"""From so many turns on a loop of known length is a Loop node."""
FAILURES = (MsconvertError, TypeError, ValueError, AttributeError, LookupError, RuntimeError)
"""What a turn may raise where its number is not known: each turn is then traced by itself."""
ATTEMPTS = 12


class WidenedError(Exception):
    """A value that was taken for a constant changes from turn to turn."""


def loop(test: Run, body: Run, names: Names) -> None:
    """`while test(): body()`."""
    go = test()
    while not is_unknown(go):
        if not go:
            return
        body()
        go = test()
    Turns(test, body, names).run(go)


@dataclass
class Turns:
    """A Loop under construction: which values it carries is found out by tracing a turn."""

    test: Run
    body: Run
    names: Names
    touched: list[Tensor] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    targets: list[Target | None] = field(default_factory=list)
    go: Any = None

    def run(self, go: Any) -> None:
        trace = active()
        assert trace is not None
        self.trace: Trace = trace
        self.state = State.of(trace, self.names)
        self.before = Memory.of(self.state)
        self.look()
        for _ in range(ATTEMPTS):
            try:
                carried = self.carried()
                if not carried:
                    carried = [truth(go)]
                ys = Loop(lambda _: self.go, self.turn, carried).result(truth(go))
            except WidenedError:
                continue
            finally:
                self.before.restore()
            self.state.restore(with_leaves(self.slots, self.leaves(ys)), self.touched)
            return
        raise LoopError("a loop", "its values change their types from turn to turn")

    def look(self) -> None:
        """What is there before the first turn; Tensors of names may change."""
        self.slots = self.state.now(self.touched)
        count = len(self.names.names)
        self.targets = [
            target_of(leaf) if k < count and isinstance(leaf, Tensor) else None
            for k, slot in enumerate(self.slots)
            for leaf in slot.leaves
        ]
        for k, _ in enumerate(self.touched):
            at = k - len(self.touched)
            self.targets[at] = target_of(self.slots[at].leaves[0])

    def carried(self) -> list[Tensor]:
        pairs = zip(leaves_of(self.slots), self.targets, strict=True)
        return [target.tensor(leaf) for leaf, target in pairs if target is not None]

    def leaves(self, values: Sequence[Tensor]) -> list[Any]:
        """The leaves, with these values for those that are carried."""
        rest = iter(values)
        pairs = zip(leaves_of(self.slots), self.targets, strict=True)
        return [leaf if target is None else target.leaf(next(rest)) for leaf, target in pairs]

    def turn(self, values: Any) -> Any:
        """One turn: the values after it; notes whether there is another one."""
        keep = Memory.of(self.state)
        self.before.restore()
        try:
            given = self.leaves(values)
            self.state.restore(with_leaves(self.slots, given), self.touched)
            start = Memory.of(self.state)
            self.body()
            self.check_touched(touched_since(self.state, start))
            ends = self.state.now(self.touched)
            self.check_slots(ends)
            after = self.ends(given, leaves_of(ends))
            self.go = truth(self.test())
        finally:
            keep.restore()
        return after if after else [*values]

    def check_touched(self, touched: list[Tensor]) -> None:
        known = {id(x) for x in self.touched}
        new = [x for x in touched if id(x) not in known]
        if new:
            self.touched += new
            self.before.restore()
            self.look_again()

    def look_again(self) -> None:
        self.look()
        raise WidenedError

    def check_slots(self, ends: list[Slot]) -> None:
        """Raises: WidenedError if a name that no turn reads first is set by a turn."""
        free = free_names(self.names)
        for k, (slot, end) in enumerate(zip(self.slots, ends, strict=True)):
            if k < len(free) and free[k] and slot.is_unset and not end.is_unset:
                at = sum(len(one.leaves) for one in self.slots[:k])
                self.slots[k] = blank(end)
                self.targets[at : at + 1] = [target_of(leaf) for leaf in end.leaves]
                raise WidenedError
        aligned(ends, self.slots, free)

    def ends(self, given: list[Any], leaves: list[Any]) -> list[Tensor]:
        """The carried values after a turn. Raises: WidenedError if another one has changed."""
        widened = False
        start = leaves_of(self.slots)
        for k, (first, old, new) in enumerate(zip(start, given, leaves, strict=True)):
            target = self.targets[k]
            if target is None and is_same(old, new):
                continue
            wanted = common(first, new) if target is None else target
            if wanted is not None and wanted.kind is not None and target is not None:
                after = target_of(new)
                wanted = after if after.kind is None and not after.shape else wanted
            if wanted != target:
                self.targets[k], widened = wanted, True
        if widened:
            raise WidenedError
        pairs = zip(leaves, self.targets, strict=True)
        return [target.tensor(leaf) for leaf, target in pairs if target is not None]


@dataclass(frozen=True)
class Counting:
    """`range` with a bound that is known only when the graph runs."""

    start: Any
    stop: Any
    step: int

    @staticmethod
    def of(*bounds: Any) -> Any:
        """As `range`. Raises: LoopError for a step that is not known."""
        if not any(is_unknown(bound) for bound in bounds):
            return range(*bounds)
        start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2] if len(bounds) == 3 else 1
        if is_unknown(step) or step == 0:
            raise LoopError("range", "its step is not known")
        return Counting(whole(start), whole(stop), step)


def whole(x: Any) -> Any:
    """A bound as a number. Raises: TypeError if it is none."""
    if isinstance(x, Tensor) and (x.size != 1 or x.content.dtype.kind not in "iu"):
        raise TypeError("Only integer tensors of a single element can be converted to an index.")
    return integer(x)


def each(items: Any, body: Callable[[Any], Any], stop: Run | None, names: Names) -> None:
    """`for item in items: body(item)`, until `stop()`."""
    Passing(items, body, stop, names).run()


def same(k: Any) -> Any:
    return k


@dataclass(frozen=True)
class Passing:
    """A `for` over `items`, until `stop()`."""

    items: Any
    body: Callable[[Any], Any]
    stop: Run | None
    names: Names

    def run(self) -> None:
        if isinstance(self.items, Counting):
            self.counted(self.items, same, at_once=False)
            return
        every = self.items if isinstance(self.items, range) else [*self.items]
        if len(every) >= LONG and self.as_loop(0):
            return
        for k, item in enumerate(every):
            over = False if self.stop is None else self.stop()
            if not is_unknown(over):
                if over:
                    return
                self.body(item)
            elif len(every) - k > UNROLLED and self.as_loop(k):
                return
            else:
                branch(over, nothing, partial(self.body, item), self.names)

    def as_loop(self, first: int) -> bool:
        """Makes the turns from `first` on a Loop node; False if a turn must know its number."""
        trace = active()
        if trace is None or not isinstance(self.items, (range, Tensor)):
            return False
        memory = Memory.of(State.of(trace, self.names))
        try:
            if isinstance(self.items, range):
                left = self.items[first:]
                self.counted(Counting(left.start, left.stop, left.step), same)
            else:
                rows = Counting(first, len(self.items), 1)
                self.counted(rows, partial(row, self.items))
        except FAILURES:
            memory.restore()
            return False
        return True

    def counted(self, turns: Counting, item: Callable[[Any], Any], at_once: bool = True) -> None:
        """body(item(k)) for each k of `turns`, which is a value of the loop.

        `at_once`: there is a first turn, if no flag says otherwise.
        """
        own = "_flow_counter"
        names, box = self.names, [turns.start]

        def put(values: tuple[Any, ...]) -> None:
            box[0] = values[-1]
            names.put(values[:-1])

        def more() -> Any:
            return box[0] < turns.stop if turns.step > 0 else box[0] > turns.stop

        def test() -> Any:
            over = False if self.stop is None else self.stop()
            return both_true(NO_NAMES, opposite(over), more)

        def turn() -> None:
            self.body(item(box[0]))
            box[0] = box[0] + turns.step

        every = Names(
            (*names.names, own), {*names.live, own}, lambda: (*names.get(), box[0]), put,
            names.seen, names.see,
        )  # fmt: skip
        if at_once:
            Turns(test, turn, every).run(test())
        else:
            loop(test, turn, every)


def nothing() -> None:
    """What a turn does that a flag has ended."""


def row(x: Tensor, k: Any) -> Tensor:
    return x[k.tensor if isinstance(k, Number) else k]
