"""Data sets as pipelines: each step reads the rows of the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.tensor import Tensor
from .config import STATE

Row = tuple[np.ndarray, ...]
Names = str | Sequence[str] | None


class Dataset:
    """A data set whose rows are arrays under names.

    `rows` begins to read anew each time; `size` is the number of rows, None if only reading tells.
    """

    def __init__(
        self, columns: Sequence[str], rows: Callable[[], Iterator[Row]], size: int | None
    ) -> None:
        self.columns = list(columns)
        self.rows = rows
        self.size = size
        self.batch_size = 1
        self.repeats = 1

    def step(
        self,
        rows: Callable[[], Iterator[Row]],
        size: int | None,
        columns: Sequence[str] | None = None,
    ) -> Dataset:
        """A data set behind this one."""
        found = Dataset(self.columns if columns is None else columns, rows, size)
        found.batch_size, found.repeats = self.batch_size, self.repeats
        return found

    # reading

    def __iter__(self) -> Iterator[list[Any]]:
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self) -> int:
        return self.get_dataset_size()

    def create_tuple_iterator(
        self,
        columns: Names = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> Iterator[list[Any]]:
        """The rows as lists of Tensors, or of arrays."""
        places = [self.columns.index(name) for name in as_list(columns) or self.columns]
        for row in self.rows():
            yield [given(row[place], output_numpy) for place in places]

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries of Tensors, or of arrays, by the names of columns."""
        for row in self.rows():
            yield {n: given(v, output_numpy) for n, v in zip(self.columns, row, strict=True)}

    def get_dataset_size(self) -> int:
        """The number of rows."""
        if self.size is None:
            self.size = sum(1 for _ in self.rows())
        return self.size

    def get_col_names(self) -> list[str]:
        return list(self.columns)

    def get_batch_size(self) -> int:
        return self.batch_size

    def get_repeat_count(self) -> int:
        return self.repeats

    def output_shapes(self, estimate: bool = False) -> list[list[int]]:
        """The shapes of the first row."""
        return [list(value.shape) for value in next(self.rows())]

    def output_types(self) -> list[np.dtype]:
        """The element types of the first row."""
        return [value.dtype for value in next(self.rows())]

    # steps

    def batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Rows of as many stacked ones; `per_batch_map` makes the columns of each anew."""
        function = kwargs.get("per_batch_map")
        names = as_list(kwargs.get("input_columns")) or self.columns
        places = [self.columns.index(name) for name in names]

        def rows() -> Iterator[Row]:
            held: list[Row] = []
            count = 0
            for row in self.rows():
                held.append(row)
                if len(held) == batch_size:
                    yield batched(held, function, places, count)
                    held, count = [], count + 1
            if held and not drop_remainder:
                yield batched(held, function, places, count)

        full, rest = divmod(self.size or 0, batch_size)
        size = None if self.size is None else full + (rest > 0 and not drop_remainder)
        found = self.step(rows, size, as_list(kwargs.get("output_columns")) or None)
        found.batch_size = batch_size
        return found

    def shuffle(self, buffer_size: int) -> Dataset:
        """The rows in random order, drawn from a buffer of so many."""

        def rows() -> Iterator[Row]:
            buffer: list[Row] = []
            for row in self.rows():
                buffer.append(row)
                if len(buffer) == buffer_size:
                    yield buffer.pop(STATE.randint(buffer_size))
            for place in STATE.permutation(len(buffer)):
                yield buffer[place]

        return self.step(rows, self.size)

    def map(
        self,
        operations: Any,
        input_columns: Names = None,
        output_columns: Names = None,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """The rows with columns that functions have made anew."""
        functions = operations if isinstance(operations, list | tuple) else [operations]
        names = as_list(input_columns) or self.columns[:1]
        new = as_list(output_columns) or names
        places = [self.columns.index(name) for name in names]
        others = [n for n, name in enumerate(self.columns) if name not in names]
        columns = self.columns if new == names else [*new, *(self.columns[n] for n in others)]

        def rows() -> Iterator[Row]:
            for row in self.rows():
                values = as_row(mapped(functions, [row[place] for place in places]))
                if columns is self.columns:
                    kept = dict(zip(places, values, strict=True))
                    yield tuple(kept.get(n, value) for n, value in enumerate(row))
                else:
                    yield (*values, *(row[n] for n in others))

        return self.step(rows, self.size, columns)

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows so many times; for ever if no number is given."""
        times = None if count is None or count < 0 else count

        def rows() -> Iterator[Row]:
            done = 0
            while times is None or done < times:
                yield from self.rows()
                done += 1

        size = None if times is None or self.size is None else self.size * times
        found = self.step(rows, size)
        found.repeats = self.repeats * (times or 1)
        return found

    def take(self, count: int = -1) -> Dataset:
        """The first rows; all of them for -1."""

        def rows() -> Iterator[Row]:
            for number, row in enumerate(self.rows()):
                if 0 <= count <= number:
                    return
                yield row

        return self.step(
            rows, self.size if count < 0 or self.size is None else min(count, self.size)
        )

    def skip(self, count: int) -> Dataset:
        """The rows without the first ones."""

        def rows() -> Iterator[Row]:
            return (row for number, row in enumerate(self.rows()) if number >= count)

        return self.step(rows, None if self.size is None else max(0, self.size - count))

    def project(self, columns: Names) -> Dataset:
        """The rows with some of the columns, in this order."""
        names = as_list(columns)
        places = [self.columns.index(name) for name in names]
        return self.step(
            lambda: (tuple(r[p] for p in places) for r in self.rows()), self.size, names
        )

    def rename(self, input_columns: Names, output_columns: Names) -> Dataset:
        """The rows under other names."""
        new = dict(zip(as_list(input_columns), as_list(output_columns), strict=True))
        return self.step(self.rows, self.size, [new.get(name, name) for name in self.columns])


def as_list(names: Names) -> list[str]:
    """Names of columns as a list; empty if none are given."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


def as_array(value: Any) -> np.ndarray:
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def as_row(values: Any) -> Row:
    """What a source or a function gives, as a row."""
    if isinstance(values, tuple):
        return tuple(map(as_array, values))
    return (as_array(values),)


def given(value: np.ndarray, as_numpy: bool) -> Any:
    """An array as those who read get it; text is never a Tensor."""
    return value if as_numpy or value.dtype.kind in "US" else Tensor(value)


def mapped(functions: Iterable[Callable[..., Any]], values: Sequence[Any]) -> Any:
    """The results of functions, each called with those of the one before."""
    found: Any = tuple(values)
    for function in functions:
        found = function(*(found if isinstance(found, tuple) else (found,)))
    return found


def batched(
    rows: Sequence[Row], function: Callable[..., Any] | None, places: Sequence[int], number: int
) -> Row:
    """One row of stacked ones."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    if function is not None:
        made = function(*(columns[place] for place in places), BatchInfo(number))
        made = made if isinstance(made, tuple) else (made,)
        if len(made) != len(places):
            return tuple(np.stack([as_array(v) for v in column]) for column in made)
        for place, column in zip(places, made, strict=True):
            columns[place] = list(column)
    return tuple(np.stack([as_array(value) for value in column]) for column in columns)


class BatchInfo:
    """What a `per_batch_map` learns of its batch."""

    def __init__(self, number: int) -> None:
        self.number = number

    def get_batch_num(self) -> int:
        return self.number

    def get_epoch_num(self) -> int:
        return 0


def columns_of(data: Any, names: Names) -> tuple[list[np.ndarray], list[str]]:
    """Arrays of equal length and their names, of an array, a tuple or a dictionary of such."""
    if isinstance(data, Mapping):
        return [np.asarray(value) for value in data.values()], as_list(names) or list(data)
    values = [np.asarray(v) for v in data] if isinstance(data, tuple) else [np.asarray(data)]
    return values, as_list(names) or [f"column_{n}" for n in range(len(values))]
