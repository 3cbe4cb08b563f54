"""Rows of files of records: MindRecord and TFRecord."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import MsconvertError
from ....formats.records.fields import Field
from ....formats.records.mindrecord import opened, rows_of
from ....formats.records.tfrecord import PACKINGS, Values, example, records
from ...engine.argument import check_choice, check_range, check_type
from ...engine.failure import ShapeError
from ..faults import DataError, refuse_given
from ..node import Row
from ..samplers import BuiltinSampler, PKSampler, Shuffle
from .record_order import in_records
from .schema import Column, Schema
from .source import MappableDataset, Sampling
from .text_files import FileRows, Reading, matching


class MindDataset(MappableDataset):
    """The rows of MindRecord files; padded ones fill up the last share."""

    def __init__(
        self,
        dataset_files: Any,
        columns_list: list[str] | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        sampler: Any = None,
        padded_sample: dict[str, Any] | None = None,
        num_padded: int | None = None,
        num_samples: int | None = None,
        cache: Any = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache)
        where = "MindDataset"
        check_type(where, "dataset_files", dataset_files, str, list)
        if columns_list is not None:
            check_type(where, "columns_list", columns_list, list)
        try:
            self.files = opened(dataset_files)
        except MsconvertError as error:
            got = f"{error.where}: {error.problem} {error.got}"
            kind = ShapeError if "No such file" in error.problem else DataError
            raise kind(where, "a file cannot be read", got=got, expected=error.expected) from error
        every = {field.name: field for field in self.files[0].fields}
        names = columns_list or list(every)
        for name in names:
            if name not in every:
                expected = ", ".join(every)
                raise DataError(where, "there is no such field", got=name, expected=expected)
        self.fields = [every[name] for name in names]
        self.padding = self.checked_padding(padded_sample, num_padded, num_shards)
        self.ends = np.cumsum([len(file) for file in self.files])
        sampling = Sampling(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        )
        sizes = [len(file) for file in self.files]
        sampling.sampler = in_records(sampling.sampler, shuffle, sizes)
        count = int(self.ends[-1]) + (num_padded or 0)
        self.begin(names, count, self.fetch, sampling, self.labels)

    def labels(self) -> np.ndarray | None:
        """The class of every row, as text, if a sampler chooses by it; MindSpore sorts text."""
        sampler: BuiltinSampler | None = self.node.sampler
        while sampler is not None and not isinstance(sampler, PKSampler):
            sampler = sampler.child_sampler
        if sampler is None:
            return None
        column = sampler.class_column
        for file in self.files:
            if column not in file.indexed:
                expected = ", ".join(file.indexed) or "an index: FileWriter.add_index"
                problem = "class_column is no field with an index"
                raise DataError("PKSampler", problem, got=column, expected=expected)
        return np.array([str(row[column]) for row in rows_of(self.files, [column])])

    def checked_padding(self, sample: Any, count: Any, shards: Any) -> dict[str, Any]:
        """The padded row. Raises: ValueError, TypeError or RuntimeError"""
        where = "MindDataset"
        if (sample is None) != (count is None):
            raise ShapeError(where, "padded_sample and num_padded go together")
        if sample is None:
            return {}
        check_type(where, "padded_sample", sample, dict)
        check_range(where, "num_padded", check_type(where, "num_padded", count, int), 0)
        if shards is None:
            raise DataError(where, "padded rows are there for shares only", advice="num_shards")
        for field in self.fields:
            if field.name not in sample:
                raise ShapeError(where, "padded_sample lacks a column", got=field.name)
        return dict(sample)

    def fetch(self, number: int) -> Row:
        if number >= self.ends[-1]:
            return tuple(as_value(field, self.padding[field.name]) for field in self.fields)
        file = int(np.searchsorted(self.ends, number, side="right"))
        place = number - (int(self.ends[file - 1]) if file else 0)
        row = self.files[file].row(place, [field.name for field in self.fields])
        return tuple(as_value(field, row[field.name]) for field in self.fields)

    def __getitem__(self, index: int) -> list[np.ndarray]:
        check_type("MindDataset", "index", index, int)
        check_range("MindDataset", "index", index, 0, int(self.ends[-1]) - 1)
        return list(self.fetch(index))


def as_value(field: Field, value: Any) -> np.ndarray:
    """A field's value as an array of its element type."""
    if field.kind == "bytes":
        return np.array([bytes(value)], f"S{max(1, len(value))}")
    if field.kind == "string":
        return np.array(str(value))
    return np.asarray(value, field.kind)


class TFRecordDataset(FileRows):
    """The Examples in TFRecord files: a column for each list, or for each of a schema."""

    def __init__(
        self,
        dataset_files: Any,
        schema: Any = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = False,
        cache: Any = None,
        compression_type: str | None = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache)
        where = "TFRecordDataset"
        files = matching(where, dataset_files)
        if schema is not None:
            check_type(where, "schema", schema, str, Schema)
        if columns_list is not None:
            check_type(where, "columns_list", columns_list, list)
        self.packing = compression_type or ""
        check_choice(where, "compression_type", self.packing, ("", *PACKINGS))
        if schema is None:
            first = next(self.examples(files[0]), {})
            columns = [Column(name, list_type(first[name])) for name in sorted(first)]
        else:
            columns = Schema.of(schema).columns
        by_name = {column.name: column for column in columns}
        for name in columns_list or ():
            if name not in by_name:
                raise DataError(
                    where, "there is no such column", got=name, expected=", ".join(by_name)
                )
        self.described = [by_name[name] for name in columns_list or by_name]
        reading = Reading(num_samples, num_parallel_workers, shuffle, num_shards, shard_id)
        reading.by_rows = check_type(where, "shard_equal_rows", shard_equal_rows, bool)
        if num_shards is not None and not reading.by_rows and num_shards > len(files):
            got, expected = f"{num_shards} shards", f"at most {len(files)}, as many as files"
            advice = "TFRecordDataset(..., shard_equal_rows=True)"
            problem = "there are more shards than files"
            raise DataError(where, problem, got=got, expected=expected, advice=advice)
        self.begin_with(
            [column.name for column in self.described], files, self.example_rows, reading
        )

    def examples(self, path: Path) -> Iterator[dict[str, Values]]:
        try:
            for record in records(str(path), self.packing):
                yield example(str(path), record)
        except MsconvertError as error:
            got = f"{error.where}: {error.problem} {error.got}"
            raise DataError(
                "TFRecordDataset", "a file cannot be read", got=got, expected=error.expected
            ) from error

    def example_rows(self, path: Path) -> Iterator[Row]:
        for found in self.examples(path):
            for column in self.described:
                if column.name not in found:
                    raise DataError("TFRecordDataset", "a record lacks a column", got=column.name)
            yield tuple(shaped(column, found[column.name]) for column in self.described)


def list_type(values: Values) -> np.dtype[Any]:
    return np.dtype(np.uint8) if isinstance(values, list) else values.dtype


def shaped(column: Column, values: Values) -> np.ndarray:
    """A list as an array of its column. Raises: RuntimeError (MS314)"""
    if isinstance(values, list) and column.kind == np.uint8:
        found = np.frombuffer(b"".join(values), np.uint8)
    elif isinstance(values, list):
        found = np.array(values, f"S{max(1, *map(len, values))}" if values else "S1")
    else:
        found = values.astype(column.kind, copy=False)
    if column.shape is None:
        return found
    try:
        return found.reshape(column.shape)
    except ValueError as error:
        got, expected = f"{column.name}: {found.size} values", f"shape {column.shape}"
        raise DataError(
            "TFRecordDataset", "a list does not fit its shape", got=got, expected=expected
        ) from error
