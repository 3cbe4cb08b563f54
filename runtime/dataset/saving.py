"""Rows of a pipeline into MindRecord files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..engine.argument import check_choice, check_range, check_type
from .faults import DataError
from .node import Node, Row, Run

KINDS = {
    "bool": "int32",
    "int8": "int32",
    "uint8": "int32",
    "int16": "int32",
    "uint16": "int32",
    "int32": "int32",
    "uint32": "int64",
    "int64": "int64",
    "uint64": "int64",
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
}
"""The element types of MindRecord that numbers become, as MindSpore writes them."""
PIECE = 256
"""Rows that are handed to the writer at once."""


def save(node: Node, file_name: Any, count: Any, file_type: Any) -> None:
    """Writes the rows of one epoch. Raises: TypeError, ValueError, RuntimeError"""
    from ..mindrecord.writer import FileWriter  # its package has converters, which read data sets

    where = "save"
    check_type(where, "file_name", file_name, str)
    check_range(where, "num_files", check_type(where, "num_files", count, int), 1, 1000)
    check_choice(where, "file_type", file_type, ("mindrecord",))
    ends = [""] if count == 1 else [str(number) for number in range(count)]
    there = [name for name in (f"{file_name}{end}" for end in ends) if Path(name).exists()]
    if there:
        problem = "a file is there already"
        raise DataError(where, problem, got=there[0], advice="remove it, or give another name")
    if not Path(file_name).parent.is_dir():
        raise DataError(where, "there is no such folder", got=str(Path(file_name).parent))
    rows = node.rows(Run())
    first = next(rows, None)
    if first is None:
        raise DataError(where, "the data set has no rows")
    writer = FileWriter(file_name, count)
    schema = {name: field_of(name, value) for name, value in zip(node.columns, first, strict=True)}
    writer.add_schema(schema)
    known = dict(zip(node.columns, first, strict=True))
    held = [named(schema, known, first)]
    for row in rows:
        held.append(named(schema, known, row))
        if len(held) == PIECE:
            writer.write_raw_data(held)
            held = []
    if held:
        writer.write_raw_data(held)
    writer.commit()


def field_of(name: str, value: Any) -> dict[str, Any]:
    """What a schema says of a column. Raises: RuntimeError (MS314)"""
    x = np.asarray(value)
    if x.dtype.kind in "US" and x.ndim == 0:
        return {"type": "string"}
    if x.dtype.name not in KINDS:
        got = f"{name}: {x.dtype} of shape {x.shape}"
        expected = "numbers, or one text for each row"
        raise DataError("save", "MindRecord has nothing for it", got=got, expected=expected)
    kind = {"type": KINDS[x.dtype.name]}
    return kind | ({"shape": [-1, *x.shape[1:]]} if x.ndim else {})


def named(schema: dict[str, Any], first: dict[str, Any], row: Row) -> dict[str, Any]:
    """A row as the writer takes it. Raises: RuntimeError (MS314) for what does not fit."""
    found: dict[str, Any] = {}
    for name, value in zip(schema, row, strict=True):
        x, kind = np.asarray(value), schema[name]["type"]
        if kind == "string":
            found[name] = str(x)
            continue
        if x.ndim != np.ndim(first[name]) or x.shape[1:] != np.shape(first[name])[1:]:
            got, expected = f"{name}: {x.shape}", f"as in the first row, {np.shape(first[name])}"
            problem = "MindRecord holds arrays of one shape, but for the length of the first axis"
            raise DataError("save", problem, got=got, expected=expected)
        wide = x.astype(kind)
        if x.dtype == np.uint64 and (wide < 0).any():
            got = f"{name}: {x.max()}"
            raise DataError("save", "a number is too large for int64", got=got)
        found[name] = wide if x.ndim else wide.item()
    return found
