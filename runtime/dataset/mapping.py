"""Steps that make rows anew, or leave some out, by functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ...errors import MsconvertError
from .. import log
from ..engine.argument import check_range, check_type
from ..engine.failure import ShapeError
from . import chance, config, workers
from .callback import Calls, DSCallback, WaitedDSCallback
from .debug import hooked
from .faults import DataError, Told
from .node import Node, Row, Run, as_row, checked_names
from .transforms.composed import Compound, checked_function
from .transforms.operation import TensorOperation
from .vision.fused import fused

Numbered = tuple[int, Row]


class MapNode(Node):
    """Some columns of each row made anew, by functions one after another."""

    def __init__(
        self,
        child: Node,
        functions: Sequence[Callable[..., Any]],
        names: list[str],
        new: list[str],
        count: int | None,
        in_processes: bool,
    ) -> None:
        super().__init__(child)
        self.functions, self.named = fused(functions), functions
        self.names, self.new = names, new
        self.taken = child.places("map", names)
        replaced = {*names, *new}
        others = [n for n, name in enumerate(child.columns) if name not in replaced]
        self.new_count = len(new)
        self.kept = others
        if len(new) == len(names):
            fresh = dict(zip(names, new, strict=True))
            replaced -= set(names)
            left = [n for n, c in enumerate(child.columns) if c in fresh or c not in replaced]
            self.order = [self.source_of(place) for place in left]
            self.columns = [fresh.get(child.columns[n], child.columns[n]) for n in left]
        else:
            self.order = list(range(len(new) + len(others)))
            self.columns = [*new, *(child.columns[n] for n in others)]
        is_ours = all(map(is_own, functions))
        self.in_processes = in_processes and not is_ours  # as in MindSpore
        self.workers = count or (config.get_num_parallel_workers() if is_ours else 1)
        self.is_slow = is_ours or self.workers > 1 or self.in_processes
        self.callbacks: list[DSCallback] = []

    def call(self, callbacks: list[DSCallback]) -> None:
        """Calls these from now on; those that wait for a training need rows one by one."""
        self.callbacks = callbacks
        if any(isinstance(callback, WaitedDSCallback) for callback in callbacks):
            self.waits, self.is_slow = True, False

    def source_of(self, place: int) -> int:
        """Where a column is among the new ones and those that are kept."""
        if place in self.taken:
            return self.taken.index(place)
        return self.new_count + self.kept.index(place)

    def rows(self, run: Run) -> Iterator[Row]:
        rows = self.children[0].rows(run)
        if not self.callbacks:
            return self.made_of(rows, run)
        calls = run.state((self, "calls"), lambda: Calls(self.callbacks))
        return calls.given(self.made_of(calls.taken(rows), run))

    def made_of(self, rows: Iterator[Row], run: Run) -> Iterator[Row]:
        """The rows made anew; those that fail as `set_error_samples_mode` asks for."""
        epoch = run.state(self, Counter).next()
        mode = config.get_error_samples_mode()
        if mode == config.ErrorSamplesMode.RETURN:
            return self.every_row(rows, partial(self.made, run, epoch), run)
        is_replaced = mode == config.ErrorSamplesMode.REPLACE
        turn = run.state((self, "turn"), Counter) if is_replaced else None
        every = self.every_row(rows, partial(self.tried, run, epoch), run)
        return without_faults(every, turn)

    def every_row(
        self, rows: Iterator[Row], function: Callable[[int | None, Numbered], Any], run: Run
    ) -> Iterator[Any]:
        """What the function makes of each row, in threads or processes if it is worth it."""
        numbered = enumerate(rows)
        if config.get_debug_mode() or not self.is_slow:
            return map(partial(function, 0), numbered)
        if self.in_processes:
            return workers.in_processes("map", numbered, partial(function, None), self.workers)
        return run.threads(self, self.workers).results(numbered, function)

    def tried(self, run: Run, epoch: int, thread: int | None, numbered: Numbered) -> Row | None:
        """One row made anew; None if a function fails, which is told."""
        try:
            values = self.called(run, epoch, thread, numbered)
        except MsconvertError as error:
            log.warning(f"{error}\nThe row is left out, as set_error_samples_mode asks for.")
            return None
        return self.placed(numbered, values)

    def made(self, run: Run, epoch: int, thread: int | None, numbered: Numbered) -> Row:
        """One row made anew."""
        return self.placed(numbered, self.called(run, epoch, thread, numbered))

    def where(self, number: int) -> str:
        names = ", ".join(self.children[0].columns[place] for place in self.taken)
        return f"map of {names}, row {number}"

    def called(
        self, run: Run, epoch: int, thread: int | None, numbered: Numbered
    ) -> tuple[Any, ...]:
        """What the functions give for a row. thread: its number, None in a process."""
        number, row = numbered
        values: tuple[Any, ...] = tuple(row[place] for place in self.taken)
        where = self.where(number)
        engines = run.state((self, "engines"), lambda: chance.Engines(run.seed))
        with chance.of_row(run.seed, epoch, number), Told(where, "its function failed", True):
            for place, function in enumerate(self.every_function()):
                if thread is not None:
                    engines.put((thread, thread, place))
                found = function(*values)
                values = found if isinstance(found, tuple) else (found,)
        return values

    def every_function(self) -> Sequence[Callable[..., Any]]:
        """The functions, in debug mode each by itself with what looks on."""
        hooks = config.debug_hooks()
        return hooked(self.named, hooks) if hooks else self.functions

    def placed(self, numbered: Numbered, values: tuple[Any, ...]) -> Row:
        """A row with the new values where its columns are."""
        number, row = numbered
        where = self.where(number)
        new = as_row(where, values)
        if len(new) != self.new_count:
            got, expected = f"{len(new)} values", f"{self.new_count}"
            advice = "name them in output_columns"
            problem = "its function gives another number of values"
            raise DataError(where, problem, got=got, expected=expected, advice=advice)
        both = (*new, *(row[place] for place in self.kept))
        return tuple(both[place] for place in self.order)


REPLACEMENTS = 16
"""As many rows of an epoch stand in for those that cannot be made."""


def without_faults(rows: Iterator[Row | None], turn: Counter | None) -> Iterator[Row]:
    """The rows that could be made; with `turn`, as many of them again behind the others."""
    good: list[Row] = []
    missing = 0
    for row in rows:
        if row is None:
            missing += 1
            continue
        if turn is not None and len(good) < REPLACEMENTS:
            good.append(row)
        yield row
    if turn is not None and missing and not good:
        problem = "there is no row that could stand in for those that cannot be made"
        raise DataError("map", problem)
    for _ in range(missing if turn is not None else 0):
        assert turn is not None
        yield good[turn.next() % len(good)]


class Counter:
    """Counts epochs."""

    def __init__(self) -> None:
        self.count = -1

    def next(self) -> int:
        self.count += 1
        return self.count


def is_own(function: Callable[..., Any]) -> bool:
    """Whether a function is an operation of this package, all the way down."""
    if isinstance(function, Compound):
        return all(map(is_own, function.transforms))
    return isinstance(function, TensorOperation)


def mapped(
    child: Node,
    operations: Any,
    input_columns: Any,
    output_columns: Any,
    num_parallel_workers: int | None,
    in_processes: bool,
) -> MapNode:
    """The node of a call of `map`. Raises: TypeError, ValueError or RuntimeError"""
    given = list(operations) if isinstance(operations, list | tuple) else [operations]
    if not given:
        raise DataError("map", "there are no operations")
    for function in given:
        if not callable(function):
            raise ShapeError("map", "an operation cannot be called", got=repr(function))
    functions = [checked_function("map", "operations", function) for function in given]
    check_workers("map", num_parallel_workers)
    names = child.columns[:1]
    if input_columns is not None:
        names = checked_names("map", "input_columns", input_columns)
    new = names
    if output_columns is not None:
        new = checked_names("map", "output_columns", output_columns)
    return MapNode(child, functions, names, new, num_parallel_workers, in_processes)


MOST_WORKERS = 1 << 10
"""MindSpore takes as many as there are cores; a script may be written for another machine."""


def check_workers(where: str, count: Any) -> None:
    """Raises: TypeError or ValueError (MS304) for a number of workers that is none."""
    if count is not None:
        check_type(where, "num_parallel_workers", count, int)
        check_range(where, "num_parallel_workers", count, 1, MOST_WORKERS)


class FilterNode(Node):
    """The rows for which a function is true."""

    def __init__(self, child: Node, predicate: Callable[..., Any], names: list[str]) -> None:
        super().__init__(child)
        self.predicate = predicate
        self.taken = child.places("filter", names or child.columns)

    def rows(self, run: Run) -> Iterator[Row]:
        for row in self.children[0].rows(run):
            with Told("filter", "its function failed"):
                is_wanted = bool(self.predicate(*(row[place] for place in self.taken)))
            if is_wanted:
                yield row

    def size(self) -> int | None:
        return None
