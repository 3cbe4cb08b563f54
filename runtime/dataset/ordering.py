"""Steps that change which rows come, and in which order; and those that rename columns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from . import config
from .faults import DataError, Told
from .mersenne import WideMersenne
from .node import Node, Row, Run
from .samplers import DistributedSampler, RandomSampler


class ShuffleNode(Node):
    """The rows in random order, drawn from a buffer of so many, as MindSpore draws them."""

    def __init__(self, child: Node, buffer_size: int) -> None:
        super().__init__(child)
        self.buffer_size = buffer_size
        self.reshuffle = True

    def rows(self, run: Run) -> Iterator[Row]:
        source = WideMersenne(run.seed)
        if self.reshuffle:
            source = run.state(self, lambda: WideMersenne(config.new_seed()))
        buffer: list[Row] = []
        for row in self.children[0].rows(run):
            if len(buffer) < self.buffer_size:
                buffer.append(row)
                continue
            place = source.raw() % len(buffer)
            yield buffer[place]
            buffer[place] = buffer[-1]
            buffer[-1] = row
        while buffer:
            place = source.raw() % len(buffer)
            yield buffer[place]
            buffer[place] = buffer[-1]
            buffer.pop()


class RepeatNode(Node):
    """The rows so many times; for ever if no number is given."""

    def __init__(self, child: Node, count: int | None) -> None:
        super().__init__(child)
        self.count = count

    def rows(self, run: Run) -> Iterator[Row]:
        done = 0
        while self.count is None or done < self.count:
            empty = True
            for row in self.children[0].rows(run):
                empty = False
                yield row
            if empty:
                return
            done += 1

    def size(self) -> int | None:
        size = super().size()
        return None if size is None else size * (self.count or 1)

    def repeats(self) -> int:
        return super().repeats() * (self.count or 1)


class TakeNode(Node):
    """The first rows; all of them if no number is given."""

    def __init__(self, child: Node, count: int | None) -> None:
        super().__init__(child)
        self.count = count

    def rows(self, run: Run) -> Iterator[Row]:
        rows = self.children[0].rows(run)
        return rows if self.count is None else self.first(rows, self.count)

    def first(self, rows: Iterator[Row], count: int) -> Iterator[Row]:
        for _ in range(count):
            row = next(rows, None)
            if row is None:
                return
            yield row

    def size(self) -> int | None:
        size = super().size()
        return size if size is None or self.count is None else min(size, self.count)


class SkipNode(Node):
    """The rows without the first ones."""

    def __init__(self, child: Node, count: int) -> None:
        super().__init__(child)
        self.count = count

    def rows(self, run: Run) -> Iterator[Row]:
        for number, row in enumerate(self.children[0].rows(run)):
            if number >= self.count:
                yield row

    def size(self) -> int | None:
        size = super().size()
        return None if size is None else max(0, size - self.count)


class ZipNode(Node):
    """The rows of several data sets side by side, as long as all have some."""

    def __init__(self, *children: Node) -> None:
        super().__init__(*children)
        self.columns = [name for child in children for name in child.columns]
        for name in self.columns:
            if self.columns.count(name) > 1:
                advice = "rename(...) one of them first"
                raise DataError("zip", "a column is there twice", got=name, advice=advice)

    def rows(self, run: Run) -> Iterator[Row]:
        for parts in zip(*(child.rows(run) for child in self.children), strict=False):
            yield tuple(value for part in parts for value in part)

    def size(self) -> int | None:
        sizes = [child.size() for child in self.children]
        known = [size for size in sizes if size is not None]
        return min(known) if len(known) == len(sizes) else None


class ConcatNode(Node):
    """The rows of several data sets one after another."""

    def __init__(self, *children: Node) -> None:
        super().__init__(*children)
        for child in children[1:]:
            if child.columns != self.columns:
                expected = ", ".join(self.columns)
                got = ", ".join(child.columns)
                raise DataError("concat", "the columns differ", got=got, expected=expected)
        self.choice: RandomSampler | DistributedSampler | None = None

    def rows(self, run: Run) -> Iterator[Row]:
        joined = self.joined(run)
        if self.choice is None:
            return joined
        if isinstance(self.choice, DistributedSampler):
            return islice(joined, self.choice.shard_id, None, self.choice.num_shards)
        return self.shuffled(joined, self.choice, run)

    def joined(self, run: Run) -> Iterator[Row]:
        known: Row | None = None
        for child in self.children:
            for number, row in enumerate(child.rows(run)):
                known = row if known is None else known
                if number == 0:
                    self.check_alike(known, row)
                yield row

    def check_alike(self, known: Row, row: Row) -> None:
        """Raises: RuntimeError (MS314) for values of other element types or numbers of axes."""
        for name, one, other in zip(self.columns, known, row, strict=True):
            if type_of(one) != type_of(other):
                got, expected = (
                    f"{name}: {kind}, {axes} axes" for kind, axes in (type_of(other), type_of(one))
                )
                problem = "the data sets differ in element type or number of axes"
                raise DataError("concat", problem, got=got, expected=expected)

    def shuffled(self, joined: Iterator[Row], choice: RandomSampler, run: Run) -> Iterator[Row]:
        rows = list(joined)
        orders = run.state(self, lambda: choice.orders(len(rows)))
        return (rows[place] for place in next(orders))

    def size(self) -> int | None:
        sizes = [child.size() for child in self.children]
        known = [size for size in sizes if size is not None]
        if len(known) < len(sizes):
            return None
        if isinstance(self.choice, DistributedSampler):
            return len(range(self.choice.shard_id, sum(known), self.choice.num_shards))
        return sum(known)


def type_of(value: Any) -> tuple[str, int]:
    """The element type of a value, and how many axes it has; text of any length is text."""
    if not isinstance(value, np.ndarray | np.generic):
        return type(value).__name__, 0
    return ("text" if value.dtype.kind in "US" else value.dtype.name), value.ndim


class ProjectNode(Node):
    """The rows with some of the columns, in this order."""

    def __init__(self, child: Node, names: list[str]) -> None:
        super().__init__(child)
        self.taken = child.places("project", names)
        self.columns = names

    def rows(self, run: Run) -> Iterator[Row]:
        return (tuple(row[p] for p in self.taken) for row in self.children[0].rows(run))


class RenameNode(Node):
    """The rows under other names."""

    def __init__(self, child: Node, old: list[str], new: list[str]) -> None:
        super().__init__(child)
        child.places("rename", old)
        self.old, self.new = old, new
        names = dict(zip(old, new, strict=True))
        self.columns = [names.get(name, name) for name in child.columns]
        if len(set(self.columns)) < len(self.columns):
            got = ", ".join(self.columns)
            raise DataError("rename", "a column would be there twice", got=got)

    def rows(self, run: Run) -> Iterator[Row]:
        return self.children[0].rows(run)


class WaitNode(Node):
    """The rows, of which so many may pass before `sync_update` is called."""

    waits = True

    def __init__(
        self, child: Node, condition: str, count: int, callback: Callable[[Any], Any] | None
    ) -> None:
        super().__init__(child)
        self.condition, self.count, self.callback = condition, count, callback
        self.changed = threading.Condition()
        self.unit = 1
        self.left = count
        self.is_open = False

    def rows(self, run: Run) -> Iterator[Row]:
        self.left = self.count * self.unit
        for row in self.children[0].rows(run):
            yield self.passed(row)

    def passed(self, row: Row) -> Row:
        """The row, as soon as it may pass. Raises: RuntimeError (MS314) if nobody lets it."""
        with self.changed:
            seconds = config.get_callback_timeout() if self.left <= 0 else 0
            if not self.changed.wait_for(lambda: self.left > 0 or self.is_open, seconds):
                advice = f"data_set.sync_update({self.condition!r}) in the loop"
                problem = f"nobody has called sync_update for {seconds} seconds"
                raise DataError("sync_wait", problem, advice=advice)
            self.left -= 1
        return row

    def update(self, count: int | None, data: Any) -> None:
        """Lets so many more rows pass."""
        with self.changed:
            if self.callback is not None:
                with Told("sync_wait", "its callback failed"):
                    self.callback(data)
            self.left += self.count * self.unit if count is None else count
            self.changed.notify_all()

    def let_all(self) -> None:
        """Lets all rows pass from now on."""
        with self.changed:
            self.is_open = True
            self.changed.notify_all()
