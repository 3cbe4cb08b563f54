"""Collections of text under the names of their files: reviews, news, questions, sentences."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....formats.storage.opening import json_in
from ...engine.argument import check_choice, check_type
from ..faults import DataError, refuse_given
from ..node import Row
from ..samplers import Shuffle
from .image_files import checked_folder, checked_usage
from .source import MappableDataset, Sampling
from .text_files import FileRows, Reading, lines_of, matching, text_rows

Files = dict[str, tuple[str, ...]]
"""The files of each part of a corpus."""


class Corpus(FileRows):
    """Rows of the files of a folder. `files`: those of each usage; `names`: the columns."""

    files_of: ClassVar[Files]
    names: ClassVar[tuple[str, ...]] = ("text",)

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        where = type(self).__name__
        refuse_given(where, cache=cache)
        folder = checked_folder(where, dataset_dir)
        self.usage = self.part_of(usage)
        files = [folder / name for name in self.files_of[self.usage]]
        for path in files:
            if not path.is_file():
                raise DataError(where, "a file of it is not there", got=str(path))
        reading = Reading(num_samples, num_parallel_workers, shuffle, num_shards, shard_id)
        self.begin_with(self.columns(), files, self.rows_of_file, reading)

    def part_of(self, usage: str | None) -> str:
        return checked_usage(type(self).__name__, usage, list(self.files_of))

    def columns(self) -> Sequence[str]:
        return self.names

    def rows_of_file(self, path: Path) -> Iterator[Row]:
        return text_rows(path)


BOTH = {"train": ("train.csv",), "test": ("test.csv",), "all": ("test.csv", "train.csv")}
TRAIN_FIRST = {**BOTH, "all": ("train.csv", "test.csv")}


class Table(Corpus):
    """Rows of text between commas."""

    files_of: ClassVar[Files] = BOTH

    def rows_of_file(self, path: Path) -> Iterator[Row]:
        where = type(self).__name__
        for number, cells in enumerate(csv.reader(lines_of(where, path))):
            if len(cells) not in (0, len(self.names)):
                got, expected = f"{path}, row {number}: {len(cells)} cells", f"{len(self.names)}"
                problem = "a row has another number of cells"
                raise DataError(where, problem, got=got, expected=expected)
            if cells:
                yield tuple(map(np.array, cells))


class AGNewsDataset(Table):
    """News of four kinds."""

    names = ("index", "title", "description")


class AmazonReviewDataset(Table):
    """Reviews of things that were bought."""

    names = ("label", "title", "content")


class DBpediaDataset(Table):
    """Entries of DBpedia of fourteen kinds."""

    names = ("class", "title", "content")


class SogouNewsDataset(Table):
    """News of five kinds."""

    names = ("index", "title", "content")
    files_of: ClassVar[Files] = TRAIN_FIRST


class YahooAnswersDataset(Table):
    """Questions of ten kinds with their answers."""

    names = ("class", "title", "content", "answer")


class YelpReviewDataset(Table):
    """Reviews of places."""

    names = ("label", "text")
    files_of: ClassVar[Files] = TRAIN_FIRST


def thirds(pattern: str) -> Files:
    """The files of a corpus in three parts."""
    known = {part: (pattern.format(part),) for part in ("train", "test", "valid")}
    return {**known, "all": tuple(path for paths in known.values() for path in paths)}


class PennTreebankDataset(Corpus):
    """Sentences of a newspaper."""

    files_of: ClassVar[Files] = {part: tuple(sorted(n)) for part, n in thirds("ptb.{}.txt").items()}


class WikiTextDataset(Corpus):
    """Lines of Wikipedia's articles."""

    files_of: ClassVar[Files] = {
        part: tuple(sorted(n)) for part, n in thirds("wiki.{}.tokens").items()
    }


class SST2Dataset(Corpus):
    """Sentences of film reviews, and whether they praise."""

    files_of: ClassVar[Files] = {part: (f"{part}.tsv",) for part in ("train", "test", "dev")}

    def part_of(self, usage: str | None) -> str:
        return super().part_of("train" if usage is None else usage)

    def columns(self) -> Sequence[str]:
        return ("sentence",) if self.usage == "test" else ("sentence", "label")

    def rows_of_file(self, path: Path) -> Iterator[Row]:
        where = type(self).__name__
        for number, line in enumerate(lines_of(where, path)):
            cells = line.split("\t")
            if len(cells) != 2:
                got = f"{path}, line {number}: {len(cells)} cells"
                raise DataError(where, "a line is damaged", got=got, expected="2")
            if number:
                kept = cells[1:] if self.usage == "test" else cells
                yield tuple(map(np.array, kept))


class IMDBDataset(MappableDataset):
    """Film reviews, one a file, and whether they praise: text, label."""

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        where = "IMDBDataset"
        refuse_given(where, cache=cache)
        folder = checked_folder(where, dataset_dir)
        part = checked_usage(where, usage, ("train", "test", "all"))
        parts = ("train", "test") if part == "all" else (part,)
        folders = [(folder / name / kind, kind == "pos") for name in parts for kind in KINDS]
        found = [(path, label) for one, label in folders for path in sorted(one.glob("*.txt"))]
        if not found:
            expected = "train and test, each with pos and neg"
            raise DataError(where, "there are no texts in it", got=dataset_dir, expected=expected)
        self.paths = [path for path, _ in found]
        self.labels = np.array([label for _, label in found], np.int32)
        sampling = Sampling(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        )
        self.begin(["text", "label"], len(found), self.fetch, sampling, lambda: self.labels)

    def fetch(self, number: int) -> Row:
        """A text, of which the last line counts, as in MindSpore; there is only one."""
        lines = [*lines_of("IMDBDataset", self.paths[number])]
        return np.array(lines[-1] if lines else ""), self.labels[number]


KINDS = ("pos", "neg")

PAIRS = "sentence1 sentence2"
PLACES = "span1_index span2_index span1_text span2_text idx text"
TASKS = {
    "AFQMC": {"train": f"{PAIRS} label", "test": f"id {PAIRS}"},
    "CMNLI": {"train": f"{PAIRS} label", "test": f"id {PAIRS}"},
    "TNEWS": {"train": "label label_desc sentence keywords", "test": "id sentence keywords"},
    "IFLYTEK": {"train": "label label_des sentence", "test": "id sentence"},
    "WSC": {"train": f"{PLACES} label", "test": PLACES},
    "CSL": {"train": "id abst keyword label", "test": "id abst keyword"},
}
"""The columns of each task of CLUE. `eval` has those of `train`."""
INSIDE = {"span1_index", "span2_index", "span1_text", "span2_text"}
"""Columns that stand in the entry `target`."""


class CLUEDataset(FileRows):
    """Tasks of Chinese text, in files of a JSON entry a line."""

    def __init__(
        self,
        dataset_files: Any,
        task: str = "AFQMC",
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        where = "CLUEDataset"
        refuse_given(where, cache=cache)
        files = matching(where, dataset_files)
        check_choice(where, "task", check_type(where, "task", task, str), list(TASKS))
        check_choice(where, "usage", check_type(where, "usage", usage, str), USAGES)
        self.names = sorted(TASKS[task]["test" if usage == "test" else "train"].split())
        reading = Reading(num_samples, num_parallel_workers, shuffle, num_shards, shard_id)
        self.begin_with(self.names, files, self.json_rows, reading)

    def json_rows(self, path: Path) -> Iterator[Row]:
        for number, line in enumerate(lines_of("CLUEDataset", path)):
            if line:
                yield tuple(self.value(path, number, line, name) for name in self.names)

    def value(self, path: Path, number: int, line: str, name: str) -> np.ndarray:
        """A text, a number or a list of texts of a line. Raises: RuntimeError (MS314)"""
        try:
            content = json_in(line.encode())
            found = (content["target"] if name in INSIDE else content)[name]
            return (
                np.array(found, np.uint32) if isinstance(found, int) else np.array(found, np.str_)
            )
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            got = f"{path}, line {number}: {type(error).__name__} {error}"
            raise DataError("CLUEDataset", f"a line has no {name}", got=got) from error


USAGES = ("train", "test", "eval")
