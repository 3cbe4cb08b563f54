"""Where data sets begin: Python objects that give rows, and arrays that are sliced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .config import STATE
from .pipeline import Dataset, Names, Row, as_list, as_row, columns_of


class GeneratorDataset(Dataset):
    """The rows that a Python object gives: by number, or one after another.

    source: an object with `__getitem__` and `__len__`, an iterable, or a function that makes one.
    The order is random for the first kind, unless `shuffle` or a sampler says another.
    """

    def __init__(
        self,
        source: Any,
        column_names: Names = None,
        column_types: Any = None,
        schema: Any = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: Any = None,
        batch_sampler: Iterable[Sequence[int]] | None = None,
        collate_fn: Any = None,
    ) -> None:
        self.source = source
        self.types = None if column_types is None else list(column_types)
        names = as_list(column_names)
        if not hasattr(source, "__getitem__") or not hasattr(source, "__len__"):
            super().__init__(names, self.in_turn, None)
            self.limit = num_samples
            return
        self.order = Order(len(source), shuffle, sampler, num_samples, (num_shards, shard_id))
        super().__init__(names, self.by_number, self.order.size)
        if batch_sampler is not None:
            self.batches, self.collate = batch_sampler, collate_fn
            self.rows = self.by_batch
            self.size = len(list(batch_sampler))

    def row(self, values: Any) -> Row:
        """A row, in the element types that were asked for."""
        found = as_row(tuple(values) if isinstance(values, list) else values)
        if self.types is None:
            return found
        numpy_types = [getattr(t, "numpy_type", t) for t in self.types]
        return tuple(v.astype(t) for v, t in zip(found, numpy_types, strict=True))

    def in_turn(self) -> Iterator[Row]:
        source = self.source() if callable(self.source) else self.source
        for number, values in enumerate(source):
            if self.limit is not None and number >= self.limit:
                return
            yield self.row(values)

    def by_number(self) -> Iterator[Row]:
        return (self.row(self.source[index]) for index in self.order.indices())

    def by_batch(self) -> Iterator[Row]:
        for indices in self.batches:
            rows = [self.row(self.source[index]) for index in indices]
            yield tuple(np.stack(column) for column in zip(*rows, strict=True))


class NumpySlicesDataset(Dataset):
    """The slices of arrays along their first axis; in random order unless `shuffle` is False."""

    def __init__(
        self,
        data: Any,
        column_names: Names = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        self.arrays, names = columns_of(data, column_names)
        shard = num_shards, shard_id
        self.order = Order(len(self.arrays[0]), shuffle, sampler, num_samples, shard)
        super().__init__(names, self.slices, self.order.size)

    def slices(self) -> Iterator[Row]:
        indices = self.order.indices()
        return (tuple(np.asarray(a[index]) for a in self.arrays) for index in indices)


class Order:
    """In which order rows are read: random, a sampler's, or as they are; of a shard, a part."""

    def __init__(
        self,
        length: int,
        shuffle: bool | None,
        sampler: Iterable[int] | None,
        limit: int | None,
        shard: tuple[int | None, int | None],
    ) -> None:
        self.length, self.sampler, self.limit = length, sampler, limit
        self.is_random = sampler is None and shuffle is not False
        self.shards, self.shard = shard

    @property
    def size(self) -> int:
        whole = self.length if self.sampler is None else len(list(self.sampler))
        whole = whole if self.shards is None else -(-whole // self.shards)
        return whole if self.limit is None else min(whole, self.limit)

    def indices(self) -> Iterator[int]:
        """The numbers of the rows of one epoch."""
        if self.sampler is not None:
            found = [int(index) for index in self.sampler]
        else:
            found = list(range(self.length))
        if self.is_random:
            found = STATE.permutation(found).tolist()
        if self.shards is not None and self.shard is not None:
            found = np.resize(found, self.size * self.shards).tolist()[self.shard :: self.shards]
        return iter(found[: self.limit])
