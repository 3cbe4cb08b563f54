"""Tables of numbers as text: what MindSpore's dumps say of tensors, and .csv of numbers alone."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .storage import opening
from .stored import Array, Checkpoint, StoredTensor, cannot_read, damage

if TYPE_CHECKING:
    from .storage.atomic import Path

MAX_BYTES = 64 << 20
STATISTICS = "statistic.csv"
OPERATOR = ("Op Type", "Op Name", "IO", "Slot")
"""Columns that say which tensor a row of `statistic.csv` is about.

Source: MindSpore 2.10, dumps with "statistic" as their data
"""

TIME = "Timestamp"
FIGURES = {
    "max": ("Max Value", "MaxValue"),
    "min": ("Min Value", "MinValue"),
    "mean": ("Avg Value", "AvgValue"),
    "norm": ("L2Norm Value", "L2Norm"),
}
"""What is told of a tensor, by the columns that may hold it."""

NOT_NUMBERS = ("NaN Count", "NanCount")


def read_csv(path: Path, *, comparing: bool = False) -> Checkpoint:
    """The figures of each tensor in a `statistic.csv`, in the order of execution; of another
    .csv its numbers, under a first line of names or without one.

    Raises: MS302 for what is too large, no text, or holds other things than numbers
    """
    where = os.fspath(path)
    try:
        lines = list(csv.reader(io.StringIO(opening.text_of(path, MAX_BYTES))))
    except OSError as error:
        raise cannot_read(where, error) from error
    except (ValueError, csv.Error) as error:
        raise damage(where, "no table", str(error)) from error
    lines = [line for line in lines if line]
    if lines and set(OPERATOR) <= {cell.strip() for cell in lines[0]}:
        tensors = dict(statistics(where, lines))
    else:
        name = os.path.splitext(os.path.basename(where))[0]
        tensors = {name: tensor_of(name, numbers_of(where, lines))}
    return Checkpoint(where, tensors)


def statistics(where: str, lines: list[list[str]]) -> Iterator[tuple[str, StoredTensor]]:
    """A tensor's figures as an array, by the names that dumps of whole tensors have."""
    heads = [cell.strip() for cell in lines[0]]
    rows = [dict(zip(heads, line, strict=False)) for line in lines[1:]]
    if any(set(OPERATOR) - row.keys() for row in rows):
        raise damage(where, "a row has too few columns", "")
    columns = [next((c for c in names if c in heads), "") for names in FIGURES.values()]
    taken = [column for column in columns if column]
    runs: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: time_of(row.get(TIME, ""))):
        kind, operator, place, slot = (row[column].strip() for column in OPERATOR)
        name = f"{kind}.{operator}.{place}.{slot}"
        runs[name] = runs.get(name, 0) + 1
        name = name if runs[name] == 1 else f"{name}.{runs[name]}"
        found = np.array([number(where, row[c]) for c in taken], np.float32)
        if any(number(where, row.get(column) or "0") for column in NOT_NUMBERS):
            found[:] = np.nan
        yield name, tensor_of(name, found)


def tensor_of(name: str, array: Array) -> StoredTensor:
    kind = "Float32" if array.dtype == np.float32 else "Float64"
    return StoredTensor(name, kind, array.shape, array.dtype, lambda: array)


def time_of(text: str) -> int:
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) < 30 else 0


def number(where: str, text: str) -> float:
    text = text.strip().lower()
    try:
        return float({"true": "1", "false": "0", "": "nan"}.get(text, text))
    except ValueError as error:
        raise damage(where, "not a table of numbers", text[:40]) from error


def numbers_of(where: str, lines: list[list[str]]) -> Array:
    """The lines as rows of one array; a first line that holds names is left out."""
    if lines and not all(map(is_number, lines[0])):
        lines = lines[1:]
    widths = {len(line) for line in lines}
    if len(widths) != 1:
        problem = "the lines have different numbers of columns" if widths else "no numbers in it"
        raise damage(where, problem, ", ".join(map(str, sorted(widths)[:5])))
    try:
        found = np.array(lines, np.float64)
    except ValueError:  # empty cells, words for truth, or no number
        found = np.array([[number(where, cell) for cell in line] for line in lines])
    return found[:, 0] if found.shape[1] == 1 else found


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
