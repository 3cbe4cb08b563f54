"""Data sets: a pipeline, and what can be put behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..engine.argument import check_range, check_type
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from . import batching, mapping, ordering, saving
from .callback import checked_callbacks
from .faults import DataError, Told, refuse_given
from .iterators import DictIterator, RowIterator, TupleIterator
from .node import Names, Node, Run, Source, as_list, checked_function, checked_names
from .samplers import DistributedSampler, RandomSampler


class Dataset:
    """A data set whose rows are arrays under names."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.counted: int | None = None
        self.first_row: Any = None
        self.init_step = 0
        self.dataset_size: int | None = None
        self.input_indexs: Any = ()

    # reading

    def __iter__(self) -> RowIterator:
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self) -> int:
        return self.get_dataset_size()

    def __add__(self, datasets: Dataset) -> Dataset:
        return self.concat(datasets)

    def create_tuple_iterator(
        self,
        columns: Names = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> RowIterator:
        """The rows as lists of Tensors, or of arrays."""
        names = None if columns is None else as_list(columns)
        return TupleIterator(self.node.tree(), names, num_epochs, bool(output_numpy))

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> RowIterator:
        """The rows as dictionaries of Tensors, or of arrays, by the names of columns."""
        return DictIterator(self.node.tree(), num_epochs, bool(output_numpy))

    def made_of(self, arguments: dict[str, Any], workers: int | None) -> None:
        """Keeps of a source what it was made of."""
        self.node.source = Source(type(self).__name__, arguments, workers)

    def get_dataset_size(self) -> int:
        """The number of rows; they are read if nothing else tells."""
        size = self.node.tree().size()
        if size is None:
            size = self.counted
        if size is None:
            size = self.counted = sum(1 for _ in self.node.rows(Run()))
        self.dataset_size = size
        return size

    def get_col_names(self) -> list[str]:
        return list(self.node.tree().columns)

    def get_batch_size(self) -> int:
        return self.node.tree().batch_size()

    def get_repeat_count(self) -> int:
        return self.node.tree().repeats()

    def get_class_indexing(self) -> dict[str, Any]:
        """The classes and their numbers, of sources that have some."""
        return self.node.classes()

    def num_classes(self) -> int | None:
        return self.node.tree().class_count()

    def first(self) -> Any:
        """The first row."""
        if self.first_row is None:
            self.first_row = next(iter(self.node.tree().rows(Run())), None)
        if self.first_row is None:
            raise DataError("a data set", "it has no rows, so nothing is known of them")
        return self.first_row

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """The shapes of the first row; with `estimate`, None where those of others differ."""
        check_type("output_shapes", "estimate", estimate, bool)
        shapes: list[list[int | None]] = [list(np.shape(value)) for value in self.first()]
        for row in self.node.rows(Run()) if estimate else ():
            for known, value in zip(shapes, row, strict=True):
                for axis, length in enumerate(np.shape(value)):
                    known[axis] = length if known[axis] == length else None
        return shapes

    def output_types(self) -> list[np.dtype]:
        """The element types of the first row."""
        kinds = [np.asarray(value).dtype for value in self.first()]
        return [np.dtype(kind.kind) if kind.kind in "US" else kind for kind in kinds]

    def is_shuffled(self) -> bool:
        """Whether the order of the rows is random."""
        every = list(self.node.every())
        found = [n.sampler.is_shuffled() for n in every if hasattr(n, "sampler")]
        return any(found) or any(isinstance(n, ordering.ShuffleNode) for n in every)

    def is_sharded(self) -> bool:
        """Whether a part of the rows is read only."""
        return any(n.sampler.is_sharded() for n in self.node.every() if hasattr(n, "sampler"))

    def reset(self) -> None:
        """Nothing is kept between two iterators."""

    def set_init_step(self, init_step: int) -> None:
        self.init_step = init_step

    def get_init_step(self) -> int:
        return self.init_step

    # steps

    def map(
        self,
        operations: Any,
        input_columns: Names = None,
        output_columns: Names = None,
        num_parallel_workers: int | None = None,
        python_multiprocessing: bool = False,
        max_rowsize: Any = None,
        cache: Any = None,
        callbacks: Any = None,
        offload: bool | None = None,
    ) -> Dataset:
        """The rows with columns that functions have made anew."""
        refuse_given("map", cache=cache)
        check_type("map", "python_multiprocessing", python_multiprocessing, bool)
        if offload is not None:
            check_type("map", "offload", offload, bool)
        node = mapping.mapped(
            self.node,
            operations,
            input_columns,
            output_columns,
            num_parallel_workers,
            python_multiprocessing,
        )
        if callbacks is not None:
            node.call(checked_callbacks(callbacks))
        return Dataset(node)

    def filter(
        self,
        predicate: Callable[..., Any],
        input_columns: Names = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """The rows for which a function is true."""
        checked_function("filter", "predicate", predicate)
        mapping.check_workers("filter", num_parallel_workers)
        names = (
            [] if input_columns is None else checked_names("filter", "input_columns", input_columns)
        )
        return Dataset(mapping.FilterNode(self.node, predicate, names))

    def flat_map(self, func: Callable[..., Dataset]) -> Dataset:
        """The rows of the data sets that a function makes of each row."""
        checked_function("flat_map", "func", func)
        found: Dataset | None = None
        for row in self.node.rows(Run()):
            with Told("flat_map", "its function failed"):
                made = func(*row)
            if not isinstance(made, Dataset):
                raise ElementTypeError("flat_map", "func gives no data set", got=repr(made))
            found = made if found is None else found + made
        if found is None:
            raise ElementTypeError("flat_map", "there are no rows, so there is no data set")
        return found

    def batch(
        self,
        batch_size: int | Callable[[Any], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        per_batch_map: Callable[..., Any] | None = None,
        input_columns: Names = None,
        output_columns: Names = None,
        python_multiprocessing: bool = False,
        max_rowsize: Any = None,
    ) -> Dataset:
        """Rows of as many stacked ones; `per_batch_map` makes the columns of each anew."""
        mapping.check_workers("batch", num_parallel_workers)
        node = batching.batched(
            self.node, batch_size, drop_remainder, per_batch_map, input_columns, output_columns
        )
        for below in node.every():
            if isinstance(below, ordering.WaitNode) and isinstance(batch_size, int):
                below.unit = batch_size
        return Dataset(node)

    def padded_batch(
        self,
        batch_size: int | Callable[[Any], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: Any = None,
    ) -> Dataset:
        """Rows stacked after the columns in `pad_info` are padded to one shape."""
        batching.check_size("padded_batch", batch_size)
        check_type("padded_batch", "drop_remainder", drop_remainder, bool)
        padding: batching.Padding = {}
        if pad_info is not None:
            padding = batching.checked_padding(self.node, "padded_batch", pad_info)
        return Dataset(batching.PaddedBatchNode(self.node, batch_size, drop_remainder, padding))

    def bucket_batch_by_length(
        self,
        column_names: Names,
        bucket_boundaries: list[int],
        bucket_batch_sizes: list[int],
        element_length_function: Callable[..., Any] | None = None,
        pad_info: Any = None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset:
        """Batches of rows of about the same length, padded to one shape."""
        options = (element_length_function, pad_info, pad_to_bucket_boundary, drop_remainder)
        return Dataset(
            batching.bucketed(
                self.node, column_names, bucket_boundaries, bucket_batch_sizes, options
            )
        )

    def shuffle(self, buffer_size: int) -> Dataset:
        """The rows in random order, drawn from a buffer of so many."""
        check_type("shuffle", "buffer_size", buffer_size, int)
        check_range("shuffle", "buffer_size", buffer_size, 2, 2**31 - 1)
        return Dataset(ordering.ShuffleNode(self.node, buffer_size))

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows so many times; for ever if no number is given."""
        if count is not None and count != -1:
            check_type("repeat", "count", count, int)
            check_range("repeat", "count", count, 1, 2**31 - 1)
        return Dataset(ordering.RepeatNode(self.node, None if count in (None, -1) else count))

    def take(self, count: int = -1) -> Dataset:
        """The first rows; all of them for -1."""
        check_type("take", "count", count, int)
        if count != -1:
            check_range("take", "count", count, 1, 2**31 - 1)
        return Dataset(ordering.TakeNode(self.node, None if count == -1 else count))

    def skip(self, count: int) -> Dataset:
        """The rows without the first ones."""
        check_range("skip", "count", check_type("skip", "count", count, int), 0, 2**31 - 1)
        return Dataset(ordering.SkipNode(self.node, count))

    def zip(self, datasets: Dataset | tuple[Dataset, ...]) -> Dataset:
        """The rows with those of others beside them."""
        if isinstance(datasets, Dataset):
            datasets = (datasets,)
        check_type("zip", "datasets", datasets, tuple)
        return zipped((self, *datasets))

    def concat(self, datasets: Dataset | list[Dataset]) -> Dataset:
        """The rows, then those of others."""
        if isinstance(datasets, Dataset):
            datasets = [datasets]
        check_type("concat", "datasets", datasets, list)
        for one in datasets:
            check_type("concat", "datasets", one, Dataset)
        return ConcatDataset(ordering.ConcatNode(self.node, *(one.node for one in datasets)))

    def project(self, columns: Names) -> Dataset:
        """The rows with some of the columns, in this order."""
        names = checked_names("project", "columns", columns)
        return Dataset(ordering.ProjectNode(self.node, names))

    def rename(self, input_columns: Names, output_columns: Names) -> Dataset:
        """The rows under other names."""
        old = checked_names("rename", "input_columns", input_columns)
        new = checked_names("rename", "output_columns", output_columns)
        if len(old) != len(new):
            got = f"{len(old)} and {len(new)} names"
            raise ShapeError("rename", "the names are not as many", got=got)
        return Dataset(ordering.RenameNode(self.node, old, new))

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of the data set."""
        checked_function("apply", "apply_func", apply_func)
        return checked(apply_func(self), "apply", "apply_func")

    def to_json(self, filename: str = "") -> dict[str, Any]:
        """The pipeline as a dictionary, which is written into a file, too, if one is named."""
        from .serialization.pipelines import serialize  # which makes data sets, too

        return serialize(self, filename)

    def build_vocab(
        self,
        columns: Names,
        freq_range: tuple[int | None, int | None] | None,
        top_k: int | None,
        special_tokens: list[str] | None,
        special_first: bool,
    ) -> Any:
        """The vocabulary of the words in some columns: `text.Vocab.from_dataset`."""
        from .text.vocabulary import Vocab  # which reads data sets

        given = (columns, freq_range, top_k, special_tokens, special_first)
        return Vocab.from_dataset(self, *given)

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Writes the rows of one epoch into MindRecord files, as many as are wanted."""
        saving.save(self.node.tree(), file_name, num_files, file_type)

    def split(self, sizes: list[int] | list[float], randomize: bool = True) -> tuple[Dataset, ...]:
        """Data sets of these sizes, or shares, that have no row in common."""
        check_type("split", "randomize", randomize, bool)
        found, first = [], 0
        for size in split_sizes(sizes, self.get_dataset_size()):
            found.append(self.part(first, size, randomize))
            first += size
        return tuple(found)

    def part(self, first: int, size: int, randomize: bool) -> Dataset:
        """Some of the rows; of a random order that is the same for all parts."""
        node = self.node.twin()
        if randomize:
            node = ordering.ShuffleNode(node, 10000)
            node.reshuffle = False
        return Dataset(ordering.TakeNode(ordering.SkipNode(node, first), size))

    def sync_wait(
        self, condition_name: str, num_batch: int = 1, callback: Callable[[Any], Any] | None = None
    ) -> Dataset:
        """The rows, of which so many batches may pass before `sync_update` is called."""
        check_type("sync_wait", "condition_name", condition_name, str)
        check_range(
            "sync_wait", "num_batch", check_type("sync_wait", "num_batch", num_batch, int), 1
        )
        if condition_name in self.waiting():
            raise DataError("sync_wait", "the condition is there already", got=condition_name)
        return Dataset(ordering.WaitNode(self.node, condition_name, num_batch, callback))

    def sync_update(
        self, condition_name: str, num_batch: int | None = None, data: Any = None
    ) -> None:
        """Lets as many more batches pass, after its callback was called with `data`."""
        is_count = isinstance(num_batch, int) and num_batch > 0
        if (num_batch is not None and not is_count) or condition_name not in self.waiting():
            self.disable_sync()
            got = f"{condition_name!r}, {num_batch!r}"
            expected = f"one of {sorted(self.waiting())}, a number above 0"
            raise RefusedError(
                "sync_update", "there is nothing so named", got=got, expected=expected
            )
        rows = None if num_batch is None else num_batch * self.get_batch_size()
        self.waiting()[condition_name].update(rows, data)

    def waiting(self) -> dict[str, ordering.WaitNode]:
        """The conditions that rows wait for."""
        found = [n for n in self.node.every() if isinstance(n, ordering.WaitNode)]
        return {node.condition: node for node in found}

    def disable_sync(self) -> None:
        """Lets all rows pass."""
        for node in self.waiting().values():
            node.let_all()


class ConcatDataset(Dataset):
    """Data sets one after another, which can be shared out, or shuffled, together."""

    node: ordering.ConcatNode

    def use_sampler(self, sampler: DistributedSampler | RandomSampler) -> None:
        """Reads a share of all the rows, or all in random order."""
        where = "concat"
        check_type(where, "sampler", sampler, DistributedSampler, RandomSampler)
        if isinstance(sampler, DistributedSampler) and (sampler.shuffle or sampler.num_samples):
            problem = "a DistributedSampler neither shuffles here nor has num_samples"
            raise ShapeError(where, problem, advice="DistributedSampler(..., shuffle=False)")
        self.node.choice = sampler


def checked(value: Any, where: str, name: str) -> Dataset:
    """Raises: TypeError (MS304) for what is no data set."""
    if not isinstance(value, Dataset):
        raise ElementTypeError(where, f"{name} gives no data set", got=repr(value))
    return value


def zipped(datasets: Iterable[Dataset]) -> Dataset:
    """The rows of several data sets side by side."""
    found = list(datasets)
    if len(found) < 2:
        raise ShapeError("zip", "there is only one data set", got=str(len(found)), expected="2")
    for one in found:
        check_type("zip", "datasets", one, Dataset)
    return Dataset(ordering.ZipNode(*(one.node for one in found)))


def split_sizes(sizes: Any, count: int) -> list[int]:
    """The numbers of rows that sizes, or shares, mean. Raises: ValueError or RuntimeError"""
    check_type("split", "sizes", sizes, list)
    if not sizes:
        raise ShapeError("split", "sizes are empty")
    if all(isinstance(size, int) for size in sizes):
        for size in sizes:
            check_range("split", "sizes", size, 1, 2**31 - 1)
        if sum(sizes) != count:
            got, expected = str(sum(sizes)), str(count)
            raise RefusedError("split", "the sizes are not all rows", got=got, expected=expected)
        return list(sizes)
    if not all(isinstance(size, float) for size in sizes) or abs(sum(sizes) - 1) > 1e-9:
        expected = "numbers of rows, or shares whose sum is 1"
        raise ShapeError("split", "sizes are of a wrong kind", got=repr(sizes), expected=expected)
    found = [round(size * count) for size in sizes]
    if 0 in found:
        raise RefusedError("split", "a share is less than a row", got=repr(sizes))
    rest = count - sum(found)
    place = 0 if rest > 0 else next((n for n, f in enumerate(found) if f + rest > 0), 0)
    found[place] += rest
    return found
