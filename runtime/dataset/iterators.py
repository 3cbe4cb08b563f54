"""How a pipeline is read: row after row, epoch after epoch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..engine.argument import check_type
from ..engine.observation import Timer, spending, watching
from ..engine.tensor import Tensor
from . import config, workers
from .faults import DataError
from .metering import Meter
from .node import Node, Row, Run

AHEAD = 2
"""How many rows, or batches, are made before they are asked for."""


def read(node: Node, run: Run) -> Iterator[Row]:
    """The rows of one epoch, in another thread if making them takes long."""
    every = list(node.every())
    is_slow = any(n.is_slow for n in every) and not any(n.waits for n in every)
    is_ahead = is_slow and not config.get_debug_mode()
    if watching.timer is not None:
        return metered(node, run, watching.timer, AHEAD if is_ahead else 0)
    return workers.ahead(node.rows(run), AHEAD) if is_ahead else node.rows(run)


def metered(node: Node, run: Run, timer: Timer, room: int) -> Iterator[Row]:
    """The same rows; the timer has the times of each stage, and how full the queue was."""
    meter = Meter(node)
    meter.room = room
    timer.metered(meter)
    try:
        rows = node.rows(run)
        yield from workers.ahead(rows, room, meter.asked) if room else rows
    finally:
        meter.ended()


def given(value: Any, as_numpy: bool) -> Any:
    """A value as those who read get it; text is never a Tensor."""
    if isinstance(value, Mapping):
        return {name: inner(one, as_numpy) for name, one in value.items()}
    if as_numpy or not hasattr(value, "dtype") or value.dtype.kind in "US":
        return value
    found = Tensor(value)
    found.is_numpy = True
    return found


def inner(value: Any, as_numpy: bool) -> Any:
    """What is inside of a dictionary of a user's: numbers and text in it become arrays, too."""
    if isinstance(value, list | tuple):
        return type(value)(inner(one, as_numpy) for one in value)
    if isinstance(value, int | float | str | np.generic) and not isinstance(value, bytes):
        value = np.array(value)
    return given(value, as_numpy)


class RowIterator:
    """The rows of a pipeline: a loop over it is one epoch, the next loop the next one."""

    def __init__(self, node: Node, num_epochs: int, output_numpy: bool) -> None:
        where = "an iterator of a data set"
        check_type(where, "num_epochs", num_epochs, int)
        if num_epochs != -1 and num_epochs < 1:
            raise DataError(
                where,
                "num_epochs is out of range",
                got=str(num_epochs),
                expected="-1, or a number above 0",
            )
        self.node, self.run, self.left = node, Run(), num_epochs
        self.output_numpy = output_numpy
        self.rows: Iterator[Row] | None = None

    def __iter__(self) -> RowIterator:
        return self

    def __next__(self) -> Any:
        if self.rows is None:
            if self.left == 0:
                advice = "create_tuple_iterator(num_epochs=...) with more of them, or -1"
                raise DataError("an iterator of a data set", "all epochs are read", advice=advice)
            self.rows = read(self.node, self.run)
        try:
            with spending("data", "rows"):
                row = next(self.rows, None)
        except BaseException:
            self.release()
            raise
        if row is None:
            self.rows = None
            self.left -= 1 if self.left > 0 else 0
            if self.left == 0:
                self.run.close()
            raise StopIteration
        return self.shown(row)

    def shown(self, row: Row) -> Any:
        """A row as this iterator gives it."""
        raise NotImplementedError

    def release(self) -> None:
        """Ends what still works on rows."""
        close = getattr(self.rows, "close", None)
        if close is not None:
            close()
        self.rows = None
        self.run.close()

    stop = release

    def __del__(self) -> None:
        if hasattr(self, "rows"):
            self.release()

    def get_col_names(self) -> list[str]:
        return list(self.node.columns)


def seen(columns: list[str]) -> list[str]:
    """The columns that are given; those of `extra_metadata` are not, until they are renamed."""
    return [name for name in columns if not name.startswith("_meta-")]


class TupleIterator(RowIterator):
    """Rows as lists."""

    def __init__(
        self, node: Node, columns: list[str] | None, num_epochs: int, output_numpy: bool
    ) -> None:
        super().__init__(node, num_epochs, output_numpy)
        names = seen(node.columns) if columns is None else columns
        self.places = node.places("an iterator of a data set", names)

    def shown(self, row: Row) -> list[Any]:
        return [given(row[place], self.output_numpy) for place in self.places]


class DictIterator(RowIterator):
    """Rows as dictionaries."""

    def shown(self, row: Row) -> dict[str, Any]:
        pairs = dict(zip(self.node.columns, row, strict=True))
        return {name: given(pairs[name], self.output_numpy) for name in seen(self.node.columns)}
