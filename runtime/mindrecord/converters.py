"""Data sets in other files, as MindRecord files."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...formats.storage.opening import bytes_of, opened, text_of
from ..dataset.faults import DataError
from ..dataset.sources.image_files import Cifar10Dataset, Cifar100Dataset, MnistDataset
from ..dataset.vision.codec import encode_jpeg, encode_png
from .writer import FileWriter

ROWS_AT_ONCE = 256
LARGEST = 1 << 30
"""Bytes of a list, or of an image."""


class Converter:
    """Writes the rows of a data set into MindRecord files."""

    kinds: Mapping[str, str] = MappingProxyType({})
    indexed: tuple[str, ...] = ()
    desc = ""

    def run(self) -> None:
        """`transform`, under its former name."""
        self.transform()

    def transform(self) -> None:
        """Writes the files."""
        raise NotImplementedError

    def schema(self) -> dict[str, dict[str, Any]]:
        """The fields."""
        return {name: {"type": kind} for name, kind in self.kinds.items()}

    def write(self, path: str, count: int, rows: Iterator[dict[str, Any]]) -> None:
        writer = FileWriter(path, count)
        writer.add_schema(self.schema(), self.desc)
        if self.indexed:
            writer.add_index(list(self.indexed))
        held: list[dict[str, Any]] = []
        for row in rows:
            held.append(row)
            if len(held) == ROWS_AT_ONCE:
                writer.write_raw_data(held)
                held = []
        writer.write_raw_data(held)
        writer.commit()


class MnistToMR(Converter):
    """MNIST: a file for training, one for tests, with images as JPEG."""

    kinds = MappingProxyType({"label": "int64", "data": "bytes"})
    indexed = ("label",)
    desc = "mnist_schema"

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        self.source, self.destination, self.count = source, destination, partition_number

    def transform(self) -> None:
        for part in ("train", "test"):
            data = MnistDataset(self.source, part, shuffle=False)
            rows = (
                {"label": int(label), "data": encode_jpeg(image).tobytes()}
                for image, label in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
            )
            self.write(f"{self.destination}_{part}.mindrecord", self.count, rows)


class Cifar10ToMR(Converter):
    """CIFAR-10's binary files: a file for training, one for tests, with images as PNG."""

    kinds = MappingProxyType({"id": "int64", "label": "int64", "data": "bytes"})
    indexed: tuple[str, ...] = ("id", "label")
    source_class: type = Cifar10Dataset
    labels: tuple[str, ...] = ("label",)

    def __init__(self, source: str, destination: str) -> None:
        self.source, self.destination = source, destination

    def transform(self, fields: list[str] | None = None) -> None:
        self.indexed = tuple(fields or self.indexed)
        for part, ending in (("train", ""), ("test", "_test")):
            data = self.source_class(self.source, part, shuffle=False)
            self.write(self.destination + ending, 1, self.rows(data))

    def rows(self, data: Any) -> Iterator[dict[str, Any]]:
        rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        for number, (image, *labels) in enumerate(rows):
            named = dict(zip(self.labels, map(int, labels), strict=True))
            yield {"id": number, **named, "data": encode_png(image).tobytes()}


class Cifar100ToMR(Cifar10ToMR):
    """CIFAR-100's binary files, in the same way."""

    kinds = MappingProxyType(
        {"id": "int64", "coarse_label": "int64", "fine_label": "int64", "data": "bytes"}
    )
    indexed = ("id", "fine_label", "coarse_label")
    source_class = Cifar100Dataset
    labels = ("coarse_label", "fine_label")


class CsvToMR(Converter):
    """A table of text: each column is a field, of the type that its first cell has."""

    def __init__(
        self,
        source: str,
        destination: str,
        columns_list: list[str] | None = None,
        partition_number: int = 1,
    ) -> None:
        self.source, self.destination = source, destination
        self.columns, self.count = columns_list, partition_number

    def transform(self) -> None:
        try:
            with os.fdopen(opened(Path(self.source))[0], encoding="utf-8", newline="") as file:
                reader = csv.DictReader(file)
                first = next(reader, None)
                if first is None:
                    raise DataError("CsvToMR", "the table has no rows", got=self.source)
                names = self.columns or list(reader.fieldnames or ())
                missing = [name for name in names if name not in first]
                if missing:
                    raise DataError("CsvToMR", "there is no such column", got=missing[0])
                kinds = {name: kind_of(first[name]) for name in names}
                self.kinds = {name: kinds[name][0] for name in names}
                self.indexed = tuple(names[:1])
                file.seek(0)
                rows = ({n: kinds[n][1](r[n]) for n in names} for r in csv.DictReader(file))
                self.write(self.destination, self.count, rows)
        except (OSError, UnicodeDecodeError, ValueError) as error:
            problem = "the table cannot be read"
            raise DataError("CsvToMR", problem, got=f"{self.source}: {error}") from error


def kind_of(cell: str) -> tuple[str, Any]:
    """The type of a field for a cell, and what makes a value of a text."""
    for kind, name in ((int, "int64"), (float, "float64")):
        try:
            kind(cell)
        except ValueError:
            continue
        return name, kind
    return "string", str


class ImageNetToMR(Converter):
    """Images in folders, and a list of folders and their numbers: `n01440764 0`, a line each."""

    kinds = MappingProxyType({"label": "int32", "image": "bytes", "file_name": "string"})
    indexed = ("label", "file_name")

    def __init__(
        self, map_file: str, image_dir: str, destination: str, partition_number: int = 1
    ) -> None:
        self.map_file, self.folder = map_file, Path(image_dir)
        self.destination, self.count = destination, partition_number

    def transform(self) -> None:
        self.write(self.destination, self.count, self.rows())

    def rows(self) -> Iterator[dict[str, Any]]:
        try:
            lines = text_of(Path(self.map_file), LARGEST).splitlines()
        except (OSError, ValueError) as error:
            problem = "the list cannot be read"
            raise DataError("ImageNetToMR", problem, got=f"{self.map_file}: {error}") from error
        for line in filter(None, map(str.strip, lines)):
            name, _, number = line.partition(" ")
            if not number.strip().isdigit() or not (self.folder / name).is_dir():
                expected = "the name of a folder, and a number"
                raise DataError(
                    "ImageNetToMR",
                    "a line of the list names no folder",
                    got=line,
                    expected=expected,
                )
            for path in sorted((self.folder / name).iterdir()):
                image = bytes_of(path, LARGEST)
                yield {"label": int(number), "image": image, "file_name": path.name}
