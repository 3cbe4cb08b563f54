"""Lines of text files, and rows of tables of text."""

from __future__ import annotations

import csv
import glob
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ....formats.storage.opening import opened
from ...engine.argument import check_type
from ...engine.failure import ShapeError
from .. import config
from ..dataset import Dataset
from ..faults import DataError, refuse_given
from ..mapping import Counter, check_workers
from ..mersenne import Mersenne
from ..node import Node, Row, Run
from ..ordering import ShuffleNode
from ..samplers import Shuffle, check_shards, checked_count
from .source import StreamNode

LONGEST = 1 << 27
"""Of a line: a file without line ends is not read into memory."""
BUFFER = 10_000
"""How many rows are shuffled at once at most."""
Part = tuple[Path, int, int | None]
"""A file, and from which row to which it is read."""


def matching(where: str, patterns: Any) -> list[Path]:
    """The files that patterns name. Raises: ValueError (MS304) for one that names none."""
    check_type(where, "dataset_files", patterns, str, list)
    found = []
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        check_type(where, "dataset_files", pattern, str)
        matches = sorted(p for p in glob.glob(pattern, recursive=True) if Path(p).is_file())
        if not matches:
            raise ShapeError(where, "there is no such file", got=pattern)
        found += matches
    if not found:
        raise ShapeError(where, "there are no files")
    return sorted(Path(path) for path in found)


def lines_of(where: str, path: Path) -> Iterator[str]:
    """The lines of a file without their ends. Raises: RuntimeError (MS314)"""
    try:
        with os.fdopen(opened(path)[0], encoding="utf-8", newline="\n") as file:
            for line in iter(partial(file.readline, LONGEST), ""):
                yield checked_line(where, path, line).removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(where, "a file cannot be read", got=f"{path}: {error}") from error


def checked_line(where: str, path: Path, line: str) -> str:
    if len(line) == LONGEST:
        raise DataError(where, "a line is too long", got=str(path))
    return line


class FileRows(Dataset):
    """Rows of files that are read from their beginnings, all of them or a share."""

    def begin_with(
        self,
        columns: Sequence[str],
        files: Sequence[Path],
        rows: Callable[[Path], Iterator[Row]],
        reading: Reading,
    ) -> None:
        """Makes the nodes of a source."""
        self.files, self.rows_of, self.reading = list(files), rows, reading
        self.counts: dict[Path, int] = {}
        node: Node = StreamNode(columns, self.all_rows, self.count)
        if reading.shuffle == Shuffle.GLOBAL:
            node = ShuffleNode(node, max(2, self.buffer_size()))
        Dataset.__init__(self, node)

    def buffer_size(self) -> int:
        """How many rows are shuffled at once: those of four files of the average length.

        Where files have less than one each, as many as ever.
        """
        rows = self.share()
        rows = min(rows, self.reading.limit or rows)
        return min(BUFFER, rows // len(self.files) * 4 or BUFFER)

    def all_rows(self, run: Run) -> Iterator[Row]:
        files = run.state(self, lambda: list(self.files))
        self.put_in_order(files, run.state((self, "epoch"), Counter).next(), run.seed)
        parts = self.parts(files)
        count = min(self.reading.workers or config.get_num_parallel_workers(), len(parts))
        rows = in_turn([self.rows_in(parts[n::count]) for n in range(count)])
        return islice(rows, self.reading.limit)

    def put_in_order(self, files: list[Path], epoch: int, seed: int) -> None:
        """Puts the files into the order of an epoch, if they are shuffled."""
        if self.reading.shuffle in (Shuffle.GLOBAL, Shuffle.FILES):
            is_share = self.reading.num_shards is not None
            Mersenne(epoch + 1 if is_share else seed).shuffle(files)

    def rows_in(self, parts: Sequence[Part]) -> Iterator[Row]:
        """The rows of parts of files, one part after another."""
        for path, first, last in parts:
            yield from islice(self.rows_of(path), first, last)

    def parts(self, files: Sequence[Path]) -> list[Part]:
        """What is read of the files: all of it, or a share, which begins anew behind the last."""
        if self.reading.num_shards is None or self.reading.shard_id is None:
            return [(path, 0, None) for path in files]
        if not self.reading.by_rows:
            return [
                (path, 0, None) for path in files[self.reading.shard_id :: self.reading.num_shards]
            ]
        length = self.share()
        start = self.reading.shard_id * length
        found: list[Part] = []
        place = 0
        for path in (*files, *files):
            end = place + self.count_of(path)
            first, last = max(start, place), min(start + length, end)
            if first < last:
                found.append((path, first - place, last - place))
            place = end
        return found

    def count_of(self, path: Path) -> int:
        """How many rows a file has."""
        if path not in self.counts:
            self.counts[path] = sum(1 for _ in self.rows_of(path))
        return self.counts[path]

    def total(self) -> int:
        """How many rows all files have."""
        return sum(map(self.count_of, self.files))

    def share(self) -> int:
        """How many rows are read: all of them, or as many as in each of `num_shards`."""
        if not self.reading.by_rows and self.reading.num_shards is not None:
            files = list(self.files)
            self.put_in_order(files, 0, config.get_seed())
            return sum(self.count_of(path) for path, _, _ in self.parts(files))
        return -(-self.total() // (self.reading.num_shards or 1))

    def count(self) -> int:
        return min(self.share(), self.reading.limit or self.share())


def in_turn(lanes: Sequence[Iterator[Row]]) -> Iterator[Row]:
    """A row of each lane in turn, as those come whom MindSpore lets read at the same time."""
    left = list(lanes)
    while left:
        for lane in tuple(left):
            for row in islice(lane, 1):
                yield row
                break
            else:
                left.remove(lane)


class Reading:
    """What the arguments of such a source say: the order, and which share of the rows."""

    def __init__(
        self,
        num_samples: Any,
        num_parallel_workers: Any,
        shuffle: Any,
        num_shards: Any,
        shard_id: Any,
    ) -> None:
        where = "a data set"
        check_workers(where, num_parallel_workers)
        check_shards(num_shards, shard_id)
        self.workers: int | None = num_parallel_workers
        self.limit = checked_count(where, num_samples) or None
        self.num_shards, self.shard_id = num_shards, shard_id
        self.by_rows = True
        if shuffle is not None:
            check_type(where, "shuffle", shuffle, bool, Shuffle)
        known = {None: Shuffle.GLOBAL, True: Shuffle.GLOBAL, False: Shuffle.FALSE}
        self.shuffle = shuffle if isinstance(shuffle, Shuffle) else known[shuffle]

    def written(self, files: Sequence[Path]) -> dict[str, Any]:
        """The files, and how they are read, as JSON."""
        return {
            "dataset_files": [str(path) for path in files],
            "num_samples": self.limit or 0,
            "num_shards": self.num_shards or 1,
            "shard_id": self.shard_id or 0,
            "shuffle": {Shuffle.FALSE: 0, Shuffle.FILES: 1}.get(self.shuffle, 2),
        }


class TextFileDataset(FileRows):
    """The lines of text files that are not empty: text."""

    def __init__(
        self,
        dataset_files: Any,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache)
        files = matching("TextFileDataset", dataset_files)
        reading = Reading(num_samples, num_parallel_workers, shuffle, num_shards, shard_id)
        self.begin_with(["text"], files, text_rows, reading)
        self.made_of(reading.written(files), num_parallel_workers)


def text_rows(path: Path) -> Iterator[Row]:
    return ((np.array(line),) for line in lines_of("TextFileDataset", path) if line)


class CSVDataset(FileRows):
    """The rows of tables of text: a column each, of the type of its default."""

    def __init__(
        self,
        dataset_files: Any,
        field_delim: str = ",",
        column_defaults: Any = None,
        column_names: Any = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache)
        where = "CSVDataset"
        files = matching(where, dataset_files)
        check_type(where, "field_delim", field_delim, str)
        if len(field_delim) != 1 or field_delim in '"\r\n':
            raise ShapeError(where, "field_delim is no delimiter", got=repr(field_delim))
        self.delimiter, self.defaults = field_delim, column_defaults
        if column_defaults is not None:
            check_type(where, "column_defaults", column_defaults, list)
            for default in column_defaults:
                check_type(where, "column_defaults", default, str, int, float)
        self.has_header = column_names is None
        if column_names is not None:
            check_type(where, "column_names", column_names, list)
            for name in column_names:
                check_type(where, "column_names", name, str)
        names = column_names or self.header(files[0])
        if column_defaults is not None and len(column_defaults) != len(names):
            got, expected = f"{len(column_defaults)} defaults", f"{len(names)} columns"
            raise DataError(
                where, "the defaults are not as many as the columns", got=got, expected=expected
            )
        self.names = names
        reading = Reading(num_samples, num_parallel_workers, shuffle, num_shards, shard_id)
        self.begin_with(names, files, self.table_rows, reading)
        arguments = {"column_names": column_names or [], "field_delim": field_delim}
        arguments |= reading.written(files)
        if column_defaults is not None:  # MindSpore writes none, and so reads text only
            arguments["column_defaults"] = column_defaults
        self.made_of(arguments, num_parallel_workers)

    def cells(self, path: Path) -> Iterator[list[str]]:
        lines = lines_of("CSVDataset", path)
        return csv.reader((line.removesuffix("\r") for line in lines), delimiter=self.delimiter)

    def header(self, path: Path) -> list[str]:
        found = next(self.cells(path), None)
        if not found or len(set(found)) < len(found):
            raise DataError(
                "CSVDataset",
                "the first line holds no names of columns",
                got=str(path),
                advice="column_names=[...]",
            )
        return found

    def table_rows(self, path: Path) -> Iterator[Row]:
        cells = self.cells(path)
        if self.has_header:
            next(cells, None)
        for number, row in enumerate(cells):
            if not row:
                continue
            if len(row) != len(self.names):
                got, expected = f"{path}, row {number}: {len(row)} cells", f"{len(self.names)}"
                raise DataError(
                    "CSVDataset", "a row has another number of cells", got=got, expected=expected
                )
            yield tuple(self.cell(text, place) for place, text in enumerate(row))

    def cell(self, text: str, place: int) -> np.ndarray:
        """A cell in the type of its column. Raises: RuntimeError (MS314)"""
        default = "" if self.defaults is None else self.defaults[place]
        if isinstance(default, str):
            return np.array(text or default)
        kind = np.float32 if isinstance(default, float) else np.int32
        try:
            return np.array(type(default)(text) if text else default, kind)
        except (ValueError, OverflowError) as error:
            got, expected = repr(text), f"a number, for {self.names[place]}"
            raise DataError(
                "CSVDataset", "a cell is no number", got=got, expected=expected
            ) from error
