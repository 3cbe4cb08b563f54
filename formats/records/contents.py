"""What is in a MindRecord or TFRecord file: fields, how many rows, the first of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import MsconvertError
from ..storage import opening
from .mindrecord import MindRecord
from .tfrecord import described, example, records


@dataclass(frozen=True)
class Contents:
    """fields: their names with what they hold. rows: the first ones, values by field."""

    kind: str
    count: int
    notes: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]
    rows: tuple[dict[str, Any], ...]


def contents(path: Path, show: int) -> Contents:
    """What is in a file, with `show` rows. Raises: MS302"""
    try:
        start = opening.start_of(path, 12)
    except OSError as error:
        problem = f"cannot be opened ({opening.reason(error)})"
        raise MsconvertError("MS302", str(path), problem) from error
    return of_mindrecord(path, show) if start[8:9] == b"{" else of_tfrecord(path, show)


def of_mindrecord(path: Path, show: int) -> Contents:
    file = MindRecord(str(path))
    notes = []
    if len(file.shards) > 1:
        notes.append(f"one of {len(file.shards)} files: {', '.join(file.shards)}")
    if file.desc:
        notes.append(f"described as: {file.desc}")
    shapes = ("" if field.shape is None else f" {list(field.shape)}" for field in file.fields)
    fields = tuple((f.name, f"{f.kind}{s}") for f, s in zip(file.fields, shapes, strict=True))
    rows = tuple(file.row(number) for number in range(min(show, len(file))))
    return Contents("MindRecord", len(file), tuple(notes), fields, rows)


def of_tfrecord(path: Path, show: int) -> Contents:
    count = 0
    first: list[dict[str, Any]] = []
    for record in records(str(path)):
        if count < max(show, 1):
            first.append(example(str(path), record))
        count += 1
    fields = []
    for name, values in sorted(first[0].items()) if first else ():
        kind, length = described(values)
        fields.append((name, f"{kind}, {counted(length, 'value')} in the first row"))
    return Contents("TFRecord", count, (), tuple(fields), tuple(first[:show]))


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
