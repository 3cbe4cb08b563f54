"""Steps that stack rows: batches, padded ones, and batches of rows of about the same length."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..engine.argument import check_range, check_type
from ..engine.failure import ElementTypeError, ShapeError
from . import chance
from .buffers import Buffers
from .faults import DataError, Told
from .mapping import Counter
from .node import Node, Row, Run, as_array, checked_names

Padding = Mapping[str, tuple[Any, Any]]


class BatchInfo:
    """What a `per_batch_map`, or a function for the size of a batch, learns of its batch."""

    def __init__(self, number: int = 0, epoch: int = 0) -> None:
        self.number, self.epoch = number, epoch

    def get_batch_num(self) -> int:
        return self.number

    def get_epoch_num(self) -> int:
        return self.epoch


def stacked(values: Sequence[Any], name: str, buffers: Buffers | None = None) -> Any:
    """Values of a column as one array. Raises: RuntimeError (MS314) if their shapes differ."""
    first = values[0]
    if isinstance(first, Mapping):
        return {k: stacked([np.asarray(v[k]) for v in values], f"{name}[{k!r}]") for k in first}
    for value in values:
        if value.shape != first.shape or (value.dtype != first.dtype and value.dtype.kind != "U"):
            got = f"{first.dtype} {first.shape} and {value.dtype} {value.shape}"
            advice = "map the column to one shape first, or use padded_batch"
            problem = "values of a column differ in shape or element type"
            raise DataError(f"batch of {name}", problem, got=got, advice=advice)
    if buffers is None or first.dtype.kind in "SU":
        return np.stack(values)
    return np.stack(values, out=buffers.take((len(values), *first.shape), first.dtype))


class BatchNode(Node):
    """Rows of as many stacked ones; a function may make the columns of each anew."""

    def __init__(
        self,
        child: Node,
        size: int | Callable[[BatchInfo], int],
        drop_remainder: bool,
        function: Callable[..., Any] | None = None,
        names: Sequence[str] = (),
        new: Sequence[str] = (),
    ) -> None:
        super().__init__(child)
        self.wanted, self.drop_remainder, self.function = size, drop_remainder, function
        names = list(names) or child.columns
        self.taken = child.places("batch", names)
        self.kept = [n for n, name in enumerate(child.columns) if name not in names]
        self.is_renamed = bool(new) and list(new) != names
        self.new = list(new) or list(names)
        if self.is_renamed:
            self.columns = [*self.new, *(child.columns[n] for n in self.kept)]

    def rows(self, run: Run) -> Iterator[Row]:
        epoch = run.state(self, Counter).next()
        held: list[Row] = []
        number = 0
        wanted = self.length(BatchInfo(0, epoch))
        for row in self.children[0].rows(run):
            held.append(row)
            if len(held) == wanted:
                yield self.batched(held, BatchInfo(number, epoch), run)
                held, number = [], number + 1
                wanted = self.length(BatchInfo(number, epoch))
        if held and not self.drop_remainder:
            yield self.batched(held, BatchInfo(number, epoch), run)

    def length(self, info: BatchInfo) -> int:
        """How many rows the next batch has."""
        if isinstance(self.wanted, int):
            return self.wanted
        with Told("batch", "the function for its size failed"):
            found = self.wanted(info)
        if not isinstance(found, int) or found < 1:
            raise DataError(
                "batch",
                "the size of a batch is no number",
                got=repr(found),
                expected="an int above 0",
            )
        return found

    def batched(self, rows: Sequence[Row], info: BatchInfo, run: Run) -> Row:
        columns = [list(column) for column in zip(*rows, strict=True)]
        below = self.children[0].columns
        if self.function is None:
            buffers = run.state((self, "buffers"), lambda: [Buffers() for _ in below])
            return tuple(map(stacked, columns, below, buffers))
        made = self.called([columns[place] for place in self.taken], info, run.seed)
        if not self.is_renamed:
            for place, column in zip(self.taken, made, strict=True):
                columns[place] = column
            return tuple(map(stacked, columns, below))
        kept = [stacked(columns[place], below[place]) for place in self.kept]
        return (*map(stacked, made, self.new), *kept)

    def called(self, columns: list[list[Any]], info: BatchInfo, seed: int) -> list[list[Any]]:
        """The columns that the function makes."""
        assert self.function is not None
        with chance.of_row(seed, info.epoch, info.number), Told("per_batch_map", "it failed"):
            found = self.function(*columns, info)
        made = found if isinstance(found, tuple) else (found,)
        if len(made) != len(self.new):
            got, expected = f"{len(made)} columns", f"a tuple of {len(self.new)}"
            problem = "it gives another number of columns"
            raise DataError("per_batch_map", problem, got=got, expected=expected)
        return [[as_array("per_batch_map", value) for value in column] for column in made]

    def size(self) -> int | None:
        rows = super().size()
        if rows is None or not isinstance(self.wanted, int):
            return None
        full, rest = divmod(rows, self.wanted)
        return full + (rest > 0 and not self.drop_remainder)

    def batch_size(self) -> int:
        return self.wanted if isinstance(self.wanted, int) else 1


def batched(
    child: Node,
    batch_size: Any,
    drop_remainder: bool,
    function: Any,
    input_columns: Any,
    output_columns: Any,
) -> BatchNode:
    """The node of a call of `batch`. Raises: TypeError or ValueError (MS304)"""
    check_size("batch", batch_size)
    check_type("batch", "drop_remainder", drop_remainder, bool)
    names: list[str] = []
    if input_columns is not None:
        if function is None:
            raise ShapeError("batch", "input_columns are there for per_batch_map only")
        names = checked_names("batch", "input_columns", input_columns)
        if len(inspect.signature(function).parameters) != len(names) + 1:
            expected = f"{len(names)} columns and BatchInfo"
            problem = "per_batch_map takes another number of columns"
            raise ShapeError("batch", problem, expected=expected)
    new: list[str] = []
    if output_columns is not None:
        new = checked_names("batch", "output_columns", output_columns)
    if function is not None and not callable(function):
        raise ElementTypeError("batch", "per_batch_map cannot be called", got=repr(function))
    return BatchNode(child, batch_size, drop_remainder, function, names, new)


def check_size(where: str, batch_size: Any) -> None:
    if callable(batch_size):
        if len(inspect.signature(batch_size).parameters) != 1:
            expected = "one parameter, BatchInfo"
            raise ShapeError(where, "the function for its size takes others", expected=expected)
        return
    check_type(where, "batch_size", batch_size, int)
    check_range(where, "batch_size", batch_size, 1, 2**31 - 1)


def checked_padding(child: Node, where: str, given: Any) -> Padding:
    """pad_info: for columns, a shape and a value. Raises: TypeError (MS304)"""
    check_type(where, "pad_info", given, dict)
    child.places(where, list(given))
    for name, entry in given.items():
        if entry is not None and (not isinstance(entry, tuple) or len(entry) != 2):
            expected = "(shape, value)"
            raise ElementTypeError(
                where, f"pad_info of {name} is of a wrong type", got=repr(entry), expected=expected
            )
    found: Padding = given or dict.fromkeys(child.columns, (None, None))
    return found


def padded(
    rows: Sequence[Row], columns: Sequence[str], padding: Padding, bound: int | None = None
) -> Row:
    """Rows stacked, those columns padded of which a shape is given; None in it is the longest."""
    found = []
    for place, name in enumerate(columns):
        values = [row[place] for row in rows]
        if name in padding:
            values = lengthened(values, padding[name] or (None, None), bound)
        found.append(stacked(values, name))
    return tuple(found)


def lengthened(
    values: Sequence[np.ndarray], wanted: tuple[Any, Any], bound: int | None
) -> list[np.ndarray]:
    shape, filling = wanted
    longest = np.max([value.shape for value in values], axis=0)
    shape = [None] * values[0].ndim if shape is None else list(shape)
    if len(shape) != values[0].ndim:
        got, expected = f"shape {values[0].shape}", f"{len(shape)} axes"
        raise DataError("pad_info", "the shapes differ in rank", got=got, expected=expected)
    free = [int(n) if bound is None else bound for n in longest]
    full = [f if s is None or s == -1 else s for s, f in zip(shape, free, strict=True)]
    found = []
    for value in values:
        is_text = value.dtype.kind in "US"
        start = ("" if is_text else 0) if filling is None else filling
        new = np.full(full, start, value.dtype if not is_text else np.array(values).dtype)
        part = tuple(slice(min(n, m)) for n, m in zip(full, value.shape, strict=True))
        new[part] = value[part]
        found.append(new)
    return found


class PaddedBatchNode(BatchNode):
    """Rows stacked after they are padded to one shape."""

    def __init__(self, child: Node, size: Any, drop_remainder: bool, padding: Padding) -> None:
        super().__init__(child, size, drop_remainder)
        self.padding = padding

    def batched(self, rows: Sequence[Row], info: BatchInfo, run: Run) -> Row:
        return padded(rows, self.columns, self.padding)


class BucketNode(Node):
    """Batches of rows whose length lies between the same bounds, padded to one shape."""

    def __init__(
        self,
        child: Node,
        names: list[str],
        bounds: list[int],
        sizes: list[int],
        function: Callable[..., Any] | None,
        padding: Padding | None,
        to_bound: bool,
        drop_remainder: bool,
    ) -> None:
        super().__init__(child)
        self.taken = child.places("bucket_batch_by_length", names)
        self.bounds, self.sizes, self.function = bounds, sizes, function
        self.padding, self.to_bound = padding, to_bound
        self.drop_remainder = drop_remainder

    def rows(self, run: Run) -> Iterator[Row]:
        buckets: list[list[Row]] = [[] for _ in self.sizes]
        for row in self.children[0].rows(run):
            place = int(np.searchsorted(self.bounds, self.length(row), side="right"))
            buckets[place].append(row)
            if len(buckets[place]) == self.sizes[place]:
                yield self.batched(buckets[place], place)
                buckets[place] = []
        for place, rows in enumerate(buckets):
            if rows and not self.drop_remainder:
                yield self.batched(rows, place)

    def length(self, row: Row) -> int:
        if self.function is None:
            return int(row[self.taken[0]].shape[0]) if row[self.taken[0]].ndim else 0
        with Told("bucket_batch_by_length", "element_length_function failed"):
            return int(self.function(*(row[place] for place in self.taken)))

    def batched(self, rows: list[Row], place: int) -> Row:
        bound = None
        if self.to_bound:
            if place == len(self.bounds):
                problem = "a row is longer than all bounds, to which it cannot be padded"
                raise DataError("bucket_batch_by_length", problem)
            bound = self.bounds[place] - 1
        padding = self.padding
        if padding is None:
            padding = dict.fromkeys(self.columns, (None, None))
        return padded(rows, self.columns, padding, bound)

    def size(self) -> int | None:
        return None


def bucketed(
    child: Node, names: Any, bounds: Any, sizes: Any, options: tuple[Any, Any, bool, bool]
) -> BucketNode:
    """The node of a call of `bucket_batch_by_length`; options: function, padding, to the bound,
    drop the remainder. Raises: TypeError or ValueError (MS304)"""
    where = "bucket_batch_by_length"
    function, padding, to_bound, drop_remainder = options
    names = checked_names(where, "column_names", names)
    if function is None and len(names) != 1:
        problem = "several columns need element_length_function"
        raise ShapeError(where, problem, got=repr(names))
    for name, numbers in (("bucket_boundaries", bounds), ("bucket_batch_sizes", sizes)):
        check_type(where, name, numbers, list)
        if not numbers:
            raise ShapeError(where, f"{name} is empty")
        for number in numbers:
            check_range(where, name, check_type(where, name, number, int), 1)
    if any(low >= high for low, high in pairwise(bounds)):
        raise ShapeError(where, "bucket_boundaries do not rise", got=repr(bounds))
    if len(sizes) != len(bounds) + 1:
        expected = f"{len(bounds) + 1}, one more than bounds"
        raise ShapeError(
            where, "bucket_batch_sizes are too few or many", got=str(len(sizes)), expected=expected
        )
    check_type(where, "pad_to_bucket_boundary", to_bound, bool)
    check_type(where, "drop_remainder", drop_remainder, bool)
    to_bound = to_bound and bool(padding)  # as in MindSpore: else there is nothing to pad to it
    padding = None if padding is None else checked_padding(child, where, padding)
    return BucketNode(child, names, bounds, sizes, function, padding, to_bound, drop_remainder)
