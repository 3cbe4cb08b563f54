"""`msconvert data`: what is in a file of records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import MsconvertError, printable
from .outputs import say

SHOWN = 70
"""Characters of a value."""


@click.command(
    short_help="Tells what is in a MindRecord or TFRecord file.",
    help="Tells what is in a MindRecord or TFRecord file: fields, counts, first rows.",
)
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--show", type=click.IntRange(min=0), default=3, help="How many rows are printed.")
def data(path: Path, show: int) -> None:
    """Prints what is in a file. Raises: MS302"""
    say(text_of(path, show))


def text_of(path: Path, show: int) -> str:
    """What is in a file, as text."""
    try:
        with path.open("rb") as file:
            start = file.read(12)
    except OSError as error:
        raise MsconvertError("MS302", str(path), f"cannot be opened ({error.strerror})") from error
    return of_mindrecord(path, show) if start[8:9] == b"{" else of_tfrecord(path, show)


def of_mindrecord(path: Path, show: int) -> str:
    from ..formats.records.mindrecord import MindRecord

    file = MindRecord(str(path))
    lines = [f"{path.name}: MindRecord, {counted(len(file), 'row')}"]
    if len(file.shards) > 1:
        lines.append(f"one of {len(file.shards)} files: {', '.join(file.shards)}")
    if file.desc:
        lines.append(f"described as: {file.desc}")
    for field in file.fields:
        shape = "" if field.shape is None else f" {list(field.shape)}"
        lines.append(f"  {field.name}: {field.kind}{shape}")
    for number in range(min(show, len(file))):
        lines += ["", f"row {number}", *shown(file.row(number))]
    return "\n".join(map(line, lines))


def of_tfrecord(path: Path, show: int) -> str:
    from ..formats.records.tfrecord import described, example, records

    count = 0
    first: list[dict[str, Any]] = []
    for record in records(str(path)):
        if count < max(show, 1):
            first.append(example(str(path), record))
        count += 1
    lines = [f"{path.name}: TFRecord, {counted(count, 'row')}"]
    for name, values in sorted(first[0].items()) if first else ():
        kind, length = described(values)
        lines.append(f"  {name}: {kind}, {counted(length, 'value')} in the first row")
    for number, row in enumerate(first[:show]):
        lines += ["", f"row {number}", *shown(row)]
    return "\n".join(map(line, lines))


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def shown(row: dict[str, Any]) -> list[str]:
    """The values of a row, a line each."""
    return [f"  {name}: {short(value)}" for name, value in sorted(row.items())]


def short(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(short, value[:4])) + (", ..." if len(value) > 4 else "")
    if isinstance(value, bytes):
        return f"{counted(len(value), 'byte')} that begin with {value[:8].hex(' ') or 'nothing'}"
    if hasattr(value, "tolist"):
        flat = value.reshape(-1)[:8].tolist()
        more = ", ..." if value.size > 8 else ""
        return f"{value.dtype} {list(value.shape)}: {', '.join(map(str, flat))}{more}"
    return printable(str(value), SHOWN)


def line(text: str) -> str:
    """One line, harmless to a terminal."""
    return printable(text) if text else ""
