"""Sources in memory: Python objects that give rows, arrays that are sliced, random rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...engine.argument import check_range, check_type
from ...engine.failure import ElementTypeError, ShapeError
from .. import chance
from ..batching import BatchInfo, stacked
from ..dataset import Dataset
from ..faults import DataError, Told, refuse_given
from ..mapping import check_workers
from ..node import Names, Row, Run, as_list, as_row, checked_names
from ..samplers import SequentialSampler, checked_count
from ..transforms.arrays import numpy_type
from .schema import Schema
from .source import MappableDataset, Sampling, StreamNode


class GeneratorDataset(MappableDataset):
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
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: Any = None,
        batch_sampler: Any = None,
        collate_fn: Callable[..., Any] | None = None,
    ) -> None:
        if not callable(source) and not is_numbered(source) and not isinstance(source, Iterable):
            got, expected = (
                f"a {type(source).__name__}",
                "an iterable, a function, or rows by number",
            )
            raise ElementTypeError(
                "GeneratorDataset", "source gives no rows", got=got, expected=expected
            )
        names = self.checked_columns(column_names, schema)
        kinds = None if column_types is None else list(column_types)
        self.kinds = kinds and [numpy_type("GeneratorDataset", kind) for kind in kinds]
        self.source = source
        if batch_sampler is not None:
            self.check_batches(num_samples, shuffle, sampler, num_shards)
            Dataset.__init__(self, StreamNode(names, self.batches, self.batch_count))
            self.batch_sampler, self.collate = batch_sampler, collate_fn
            return
        sampling = Sampling(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        )
        if is_numbered(source):
            self.begin(names, len(source), self.fetch, sampling)
            self.node.in_processes = python_multiprocessing
            return
        if sampler is not None or num_shards is not None:
            problem = "rows that come one after another have no sampler and no shards"
            raise ShapeError("GeneratorDataset", problem, advice="give source a __getitem__")
        self.limit = checked_count("GeneratorDataset", num_samples) or None
        Dataset.__init__(self, StreamNode(names, self.in_turn, lambda: None))

    def checked_columns(self, column_names: Any, schema: Any) -> list[str]:
        if column_names is None and schema is None:
            raise ShapeError("GeneratorDataset", "there are neither column_names nor a schema")
        if column_names is None:
            return Schema.of(schema).names()
        return checked_names("GeneratorDataset", "column_names", column_names)

    def check_batches(self, *others: Any) -> None:
        """Raises: ValueError (MS304) for what does not go with batch_sampler."""
        if any(other is not None for other in others):
            problem = "batch_sampler goes with none of num_samples, shuffle, sampler, num_shards"
            raise ShapeError("GeneratorDataset", problem)

    def row(self, values: Any) -> Row:
        """A row, of the element types that were asked for."""
        found = as_row("GeneratorDataset", tuple(values) if isinstance(values, list) else values)
        if self.kinds is not None:
            self.check_kinds(found, self.kinds)
        if len(found) != len(self.node.columns):
            got, expected = f"{len(found)} values", f"{len(self.node.columns)}, one for each column"
            problem = "source gives another number of values"
            raise DataError("GeneratorDataset", problem, got=got, expected=expected)
        return found

    def check_kinds(self, row: Row, kinds: list[np.dtype[Any]]) -> None:
        """Raises: RuntimeError (MS314) for values of other types than column_types says."""
        for name, value, kind in zip(self.node.columns, row, kinds, strict=True):
            if value.dtype != kind:
                problem = "a value is of another type than column_types says"
                got, expected = f"{name}: {value.dtype}", kind.name
                raise DataError("GeneratorDataset", problem, got=got, expected=expected)

    def fetch(self, number: int) -> Row:
        with Told(f"GeneratorDataset, row {number}", "source[...] failed"):
            values = self.source[number]
        return self.row(values)

    def in_turn(self, run: Run) -> Iterator[Row]:
        with Told("GeneratorDataset", "source failed"):
            source = self.source() if callable(self.source) else self.source
            for values in itertools.islice(source, self.limit):
                yield self.row(values)

    def batches(self, run: Run) -> Iterator[Row]:
        for number, indices in enumerate(self.batch_sampler):
            rows = [self.fetch(int(index)) for index in indices]
            columns = [list(column) for column in zip(*rows, strict=True)]
            if self.collate is not None:
                with Told("collate_fn", "it failed"):
                    made = self.collate(*columns, BatchInfo(number))
                columns = list(made) if isinstance(made, tuple) else [made]
            yield tuple(map(stacked, map(arrays, columns), self.node.columns))

    def batch_count(self) -> int:
        return len(list(self.batch_sampler))


def arrays(column: Iterable[Any]) -> list[np.ndarray]:
    return [np.asarray(value) for value in column]


def is_numbered(source: Any) -> bool:
    """Whether an object gives its rows by number."""
    return hasattr(source, "__getitem__") and hasattr(source, "__len__")


class NumpySlicesDataset(MappableDataset):
    """The slices of arrays along their first axis; in random order unless `shuffle` is False."""

    def __init__(
        self,
        data: Any,
        column_names: Names = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        self.arrays, names = columns_of(data, column_names)
        sampling = Sampling(num_samples, None, shuffle, sampler, num_shards, shard_id)
        self.begin(names, len(self.arrays[0]), self.slice_of, sampling)

    def slice_of(self, number: int) -> Row:
        return tuple(np.asarray(array[number]) for array in self.arrays)


def columns_of(data: Any, names: Names) -> tuple[list[Any], list[str]]:
    """Arrays or lists of one length, and their names; of one, a tuple or a dictionary of such."""
    where = "NumpySlicesDataset"
    check_type(where, "data", data, list, tuple, dict, np.ndarray)
    given = [] if names is None else checked_names(where, "column_names", names)
    if len(data) == 0:
        raise ShapeError(where, "data are empty")
    if isinstance(data, Mapping):
        values, found = list(data.values()), given or list(data)
    else:
        values = list(data) if isinstance(data, tuple) else [data]
        found = given or [f"column_{n}" for n in range(len(values))]
    if len(found) != len(values):
        got, expected = f"{len(found)} names", str(len(values))
        raise ShapeError(
            where, "the names are not as many as the columns", got=got, expected=expected
        )
    if len({len(value) for value in values}) > 1:
        got = ", ".join(str(len(value)) for value in values)
        raise ShapeError(where, "the columns differ in length", got=got)
    return values, found


class PaddedDataset(MappableDataset):
    """Rows that fill up another data set, so that it can be shared out evenly."""

    def __init__(self, padded_samples: list[dict[str, Any]]) -> None:
        check_type("PaddedDataset", "padded_samples", padded_samples, list)
        if not padded_samples:
            raise ShapeError("PaddedDataset", "padded_samples are empty")
        for row in padded_samples:
            check_type("PaddedDataset", "padded_samples", row, dict)
        self.padded_samples = padded_samples
        names = list(padded_samples[0])
        sampling = Sampling(None, None, None, SequentialSampler(), None, None)
        self.begin(names, len(padded_samples), self.fetch, sampling)

    def fetch(self, number: int) -> Row:
        row = self.padded_samples[number]
        return tuple(np.asarray(row[name]) for name in self.node.columns)


class RandomDataset(Dataset):
    """Rows of random numbers, of the columns of a schema."""

    def __init__(
        self,
        total_rows: int | None = None,
        schema: Any = None,
        columns_list: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
        shuffle: bool | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache)
        where = "RandomDataset"
        check_workers(where, num_parallel_workers)
        if total_rows is not None:
            check_range(where, "total_rows", check_type(where, "total_rows", total_rows, int), 1)
        self.schema = Schema.of(schema) if schema is not None else None
        names = self.schema.names() if self.schema else as_list(columns_list) or ["c0"]
        self.total = total_rows or (self.schema and self.schema.num_rows) or 16
        limit = checked_count(where, num_samples)
        self.total = min(self.total, limit) if limit else self.total
        super().__init__(StreamNode(names, self.drawn, lambda: self.total))

    def drawn(self, run: Run) -> Iterator[Row]:
        columns = self.schema.columns if self.schema else []
        for number in range(self.total):
            with chance.of_row(run.seed, 0, number):
                row = [drawn(c.kind, c.shape or ()) for c in columns]
            yield tuple(row) or (np.zeros((), np.int32),) * len(self.node.columns)


def drawn(kind: np.dtype[Any], shape: Sequence[int]) -> np.ndarray:
    """A random array of bytes, whole numbers or shares."""
    source = chance.current()
    if kind.kind == "f":
        return np.asarray(source.random_sample(shape)).astype(kind)
    return np.asarray(source.randint(0, 2 if kind.kind == "b" else 128, shape)).astype(kind)
