"""Sources of rows that are read by number, and those that give one row after another."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import ElementTypeError
from .. import config, workers
from ..dataset import Dataset, split_sizes
from ..faults import DataError
from ..mapping import check_workers
from ..mersenne import Mersenne
from ..node import Node, Row, Run
from ..samplers import (
    BuiltinSampler,
    RandomSampler,
    SequentialSampler,
    Shuffle,
    selected,
    size_of,
)


class NumberedNode(Node):
    """The rows that a function gives by their number, in a sampler's order.

    labels: the class of each row, if there are classes. is_slow: rows are made in threads.
    """

    def __init__(
        self,
        columns: Sequence[str],
        count: int,
        fetch: Callable[[int], Row],
        sampler: BuiltinSampler,
        labels: Callable[[], np.ndarray | None] | None = None,
    ) -> None:
        super().__init__()
        self.columns = list(columns)
        self.count, self.fetch, self.sampler, self.labels = count, fetch, sampler, labels
        self.workers = 1
        self.in_processes = False
        self.indexing: dict[str, Any] = {}
        self.class_number: int | None = None

    def every_label(self) -> np.ndarray | None:
        return None if self.labels is None else self.labels()

    def rows(self, run: Run) -> Iterator[Row]:
        if self.count < 1:
            raise DataError("a data set", "it has no rows")
        orders = run.state(self, lambda: self.sampler.orders(self.count, self.every_label()))
        order = iter(next(orders))
        if self.workers > 1 and self.in_processes:
            return workers.in_processes("GeneratorDataset", order, self.fetch, self.workers)
        if self.workers > 1 and not config.get_debug_mode():
            return run.threads(self, self.workers).results(order, self.fetch_in)
        return map(self.fetch, order)

    def fetch_in(self, _thread: int, number: int) -> Row:
        """A row, in whichever thread."""
        return self.fetch(number)

    def size(self) -> int | None:
        return size_of(self.sampler, self.count, self.every_label()) if self.count else 0

    def classes(self) -> dict[str, Any]:
        return self.indexing

    def class_count(self) -> int | None:
        return self.class_number


class MappableDataset(Dataset):
    """A data set whose rows are read by number, and so in the order of a sampler."""

    node: NumberedNode

    def begin(
        self,
        columns: Sequence[str],
        count: int,
        fetch: Callable[[int], Row],
        sampling: Sampling,
        labels: Callable[[], np.ndarray | None] | None = None,
    ) -> None:
        """Makes the node of a source."""
        node = NumberedNode(columns, count, fetch, sampling.sampler, labels)
        node.workers = sampling.workers
        Dataset.__init__(self, node)

    @property
    def sampler(self) -> BuiltinSampler:
        return self.node.sampler

    def add_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Puts a sampler above that which is there: it chooses of what that one gives."""
        check_type("add_sampler", "new_sampler", new_sampler, BuiltinSampler)
        new_sampler.add_child(self.node.sampler)
        self.node.sampler = new_sampler

    def use_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Puts a sampler in the place of that which is there."""
        if not isinstance(new_sampler, BuiltinSampler):
            got = repr(new_sampler)
            raise ElementTypeError("use_sampler", "it is no sampler", got=got)
        new_sampler.add_child(self.node.sampler.child_sampler)
        self.node.sampler = new_sampler

    def split(self, sizes: list[int] | list[float], randomize: bool = True) -> tuple[Dataset, ...]:
        """Data sets of these sizes, or shares, that have no row in common; each can be sampled."""
        check_type("split", "randomize", randomize, bool)
        if self.is_sharded():
            raise DataError("split", "a part of the rows is read only", advice="split first")
        found: list[Dataset] = []
        first, seed = 0, config.new_seed()
        for size in split_sizes(sizes, self.get_dataset_size()):
            part = copy.copy(self)
            part.node = self.node.twin()
            if randomize:
                part.put(FixedOrder(seed))
            part.put(SequentialSampler(first, size))
            part.put(SequentialSampler())  # use_sampler takes the place of this one
            found.append(part)
            first += size
        return tuple(found)

    def put(self, sampler: BuiltinSampler) -> None:
        sampler.add_child(self.node.sampler)
        self.node.sampler = sampler


class FixedOrder(RandomSampler):
    """One random order for all epochs, and for all parts of a data set."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed, self.reshuffle_each_epoch = seed, False

    def own_orders(self, count: int, labels: np.ndarray | None) -> Iterator[list[int]]:
        order = list(range(count))
        Mersenne(self.seed).shuffle(order)
        while True:
            yield order


class Sampling:
    """What the arguments of a source say of its order: the sampler, and how many threads."""

    def __init__(
        self,
        num_samples: int | None,
        num_parallel_workers: int | None,
        shuffle: bool | Shuffle | None,
        sampler: Any,
        num_shards: int | None,
        shard_id: int | None,
    ) -> None:
        check_workers("a data set", num_parallel_workers)
        if shuffle is not None:
            check_type("a data set", "shuffle", shuffle, bool, Shuffle)
        self.sampler = selected(sampler, shuffle, num_samples, num_shards, shard_id)
        self.workers = num_parallel_workers or 1


class StreamNode(Node):
    """The rows that a function gives one after another, from its beginning in each epoch."""

    def __init__(
        self,
        columns: Sequence[str],
        begin: Callable[[Run], Iterator[Row]],
        count: Callable[[], int | None],
    ) -> None:
        super().__init__()
        self.columns, self.begin, self.count = list(columns), begin, count

    def rows(self, run: Run) -> Iterator[Row]:
        return self.begin(run)

    def size(self) -> int | None:
        return self.count()
