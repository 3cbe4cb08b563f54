"""FileWriter: rows of a schema into MindRecord files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MsconvertError
from ...formats.records.fields import ARRAYS, SCALARS, Field
from ...formats.records.mindrecord import HEADERS, PAGES, MindRecord
from ...formats.records.mindrecord_writer import HEADER, PAGE, Shard
from ...formats.storage.atomic import Transaction
from .. import log
from ..engine.failure import RefusedError
from .exceptions import (
    MRMAddSchemaError,
    MRMDefineIndexError,
    MRMGetMetaError,
    MRMInvalidSchemaError,
    ParamTypeError,
    ParamValueError,
)

FORBIDDEN = set("\\/:*?\"<>|`&';")
MOST_SHARDS = 1000

KINDS = {
    "int": ("int32", "int64"),
    "float": ("float32", "float64"),
    "str": ("string",),
    "bytes": ("bytes",),
    "ndarray": ARRAYS,
    **{name: (name,) for name in ARRAYS},
}
"""The types of fields that a value of Python's, or NumPy's, may stand in."""


BITS = {"int32": 31, "int64": 63}


def checked_name(where: str, given: Any) -> str:
    """Raises: ParamValueError for what is no name of a file."""
    is_name = isinstance(given, str) and given and not given.endswith("/")
    name = Path(given).name if is_name else ""
    if not name or FORBIDDEN & set(name) or name != name.strip(" "):
        expected = "a path whose last part has none of " + "".join(sorted(FORBIDDEN))
        raise ParamValueError(where, "it is no name of a file", got=repr(given), expected=expected)
    return str(given)


class FileWriter:
    """Writes rows into a file, or shares them out among several; nothing is there before commit."""

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        checked_name("FileWriter", file_name)
        is_count = isinstance(shard_num, int) and not isinstance(shard_num, bool)
        if not is_count or not 1 <= shard_num <= MOST_SHARDS:
            expected = f"1..{MOST_SHARDS}"
            raise ParamValueError(
                "FileWriter", "shard_num is out of range", got=repr(shard_num), expected=expected
            )
        if not isinstance(overwrite, bool):
            raise ParamValueError("FileWriter", "overwrite is no bool", got=repr(overwrite))
        width = len(str(shard_num - 1))
        ends = [""] if shard_num == 1 else [str(n).rjust(width, "0") for n in range(shard_num)]
        self.paths = [file_name + end for end in ends]
        self.overwrite = overwrite
        self.sizes = [HEADER, PAGE]
        self.fields: list[Field] = []
        self.desc = ""
        self.indexed: list[str] = []
        self.shards: list[Shard] = []
        self.is_done = False

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """A writer whose file has the rows of one that is there, before those that are added."""
        checked_name("FileWriter", file_name)
        file = MindRecord(file_name)
        found = cls(file_name, 1, True)
        found.fields, found.desc = file.fields, file.desc
        found.sizes = [file.header["header_size"], file.header["page_size"]]
        entries = file.header.get("index_fields", [])
        found.indexed = [entry["index_field"] for entry in entries]
        found.begin()
        for number in range(len(file)):
            found.write_row(found.shards[0], file.row(number))
        file.close()
        return found

    def add_schema(self, content: dict[str, Any], desc: str | None = None) -> None:
        """Says which fields a row has: a type for each, and of arrays a shape."""
        if not isinstance(content, dict) or not content:
            expected = "a dictionary of fields"
            raise MRMInvalidSchemaError(
                "add_schema", "there are no fields", got=repr(content), expected=expected
            )
        if self.fields:
            advice = "a FileWriter of its own for other rows"
            raise MRMAddSchemaError("add_schema", "there is a schema already", advice=advice)
        self.fields = [self.checked_field(name, entry) for name, entry in sorted(content.items())]
        self.desc = desc or ""

    def checked_field(self, name: Any, entry: Any) -> Field:
        if not isinstance(name, str) or not re.fullmatch(r"[0-9a-zA-Z_]+", name):
            expected = "letters, digits and _"
            raise MRMInvalidSchemaError(
                "add_schema", "it is no name of a field", got=repr(name), expected=expected
            )
        is_entry = isinstance(entry, dict) and set(entry) in ({"type"}, {"type", "shape"})
        shape = entry.get("shape") if is_entry else None
        known = SCALARS if shape is None else ARRAYS
        is_shape = shape is None or isinstance(shape, list)
        if not is_entry or not is_shape or entry["type"] not in known:
            expected = f"a type of {', '.join(known)}, and of arrays a list as shape"
            raise MRMInvalidSchemaError(
                "add_schema",
                "a field is not described",
                got=f"{name}: {entry!r}",
                expected=expected,
            )
        return Field(name, entry["type"], None if shape is None else tuple(shape))

    def add_index(self, index_fields: list[str]) -> None:
        """Says which fields can be searched for; without it, the first that can be."""
        if not isinstance(index_fields, list) or not index_fields:
            raise ParamTypeError("add_index", "index_fields is no list", got=repr(index_fields))
        if not self.fields:
            raise MRMGetMetaError("add_index", "there is no schema yet", advice="add_schema first")
        searchable = [f.name for f in self.fields if not f.is_blob]
        for name in index_fields:
            if name not in searchable:
                expected = ", ".join(searchable)
                raise MRMDefineIndexError(
                    "add_index", "it is no field to search for", got=repr(name), expected=expected
                )
        self.indexed = list(index_fields)

    def set_header_size(self, header_size: int) -> None:
        """How many bytes are kept for the header."""
        self.sizes[0] = checked_size("set_header_size", header_size, HEADERS)

    def set_page_size(self, page_size: int) -> None:
        """How many bytes a page has: no row can be larger."""
        self.sizes[1] = checked_size("set_page_size", page_size, PAGES)

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Writes rows; those that do not fit the schema are left out, and told."""
        if not isinstance(parallel_writer, bool):
            raise TypeError("write_raw_data: parallel_writer must be a bool")
        if not isinstance(raw_data, list):
            raise ParamTypeError("write_raw_data", "raw_data is no list", got=repr(raw_data)[:80])
        if self.is_done:
            raise RuntimeError("FileWriter: commit was called already; open_for_append adds rows")
        for row in raw_data:
            if not isinstance(row, dict):
                raise ParamTypeError("write_raw_data", "a row is no dictionary", got=repr(row)[:80])
        self.begin()
        kept = [row for number, row in enumerate(raw_data) if self.fits(number, row)]
        if not kept:
            got = f"{len(raw_data)} rows, of which none fits"
            raise RefusedError("write_raw_data", "no row fits the schema", got=got)
        for number, shard in enumerate(self.shards):
            first, last = (len(kept) * n // len(self.shards) for n in (number, number + 1))
            for row in kept[first:last]:
                self.write_row(shard, row)

    def fits(self, number: int, row: Mapping[str, Any]) -> bool:
        """Whether a row has the fields of the schema."""
        for field in self.fields:
            problem = mismatch(field, row)
            if problem:
                log.warning(f"row {number} is left out: {problem}")
                return False
        return True

    def begin(self) -> None:
        """Opens the files, which get their names by `commit`. Raises: MS107 if they are there"""
        if self.shards:
            return
        if not self.fields:
            raise RefusedError("FileWriter", "there is no schema", advice="add_schema")
        for path in self.paths:
            if not self.overwrite and (Path(path).exists() or Path(f"{path}.db").exists()):
                advice = "FileWriter(..., overwrite=True)"
                raise MsconvertError("MS107", path, "it is there already", advice=advice)
        sizes = self.sizes[0], self.sizes[1]
        self.shards = [Shard(path, number, sizes) for number, path in enumerate(self.paths)]

    def write_row(self, shard: Shard, row: Mapping[str, Any]) -> None:
        blobs = [field for field in self.fields if field.is_blob]
        values = {f.name: plain(row[f.name]) if not f.is_blob else row[f.name] for f in self.fields}
        shard.write(self.fields, blobs, self.searched(), values)

    def searched(self) -> list[Field]:
        """The fields of the index."""
        small = [field for field in self.fields if not field.is_blob]
        by_name = {field.name: field for field in small}
        return [by_name[name] for name in self.indexed] if self.indexed else small[:1]

    def commit(self) -> None:
        """Writes what is left, and gives the files their names: all of them, or none."""
        self.begin()
        header = {
            "index_fields": [{"index_field": f.name, "schema_id": 0} for f in self.searched()],
            "schema": [
                {
                    "blob_fields": [f.name for f in self.fields if f.is_blob],
                    "desc": self.desc,
                    "schema": {f.name: f.described() for f in self.fields},
                }
            ],
            "shard_addresses": [Path(path).name for path in self.paths],
        }
        with Transaction(force=True) as transaction:  # `begin` has asked whether they may go
            for shard in self.shards:
                for name, made in shard.finish(header, self.searched()).items():
                    transaction.adopt(Path(made), Path(name))
        self.is_done = True

    def __del__(self) -> None:
        if not getattr(self, "is_done", True):
            for shard in self.shards:
                shard.drop()


def checked_size(where: str, size: Any, limits: tuple[int, int]) -> int:
    if not isinstance(size, int) or not limits[0] <= size <= limits[1] or size % 4:
        expected = f"a multiple of 4 of {limits[0]}..{limits[1]}"
        raise ParamValueError(where, "the size is out of range", got=repr(size), expected=expected)
    return size


def mismatch(field: Field, row: Mapping[str, Any]) -> str:
    """Why a row does not have a field, if it does not."""
    if field.name not in row:
        return f"there is no {field.name}"
    value = row[field.name]
    kind = type(value).__name__
    if field.kind not in KINDS.get(kind, ()) or (kind == "ndarray") != (field.shape is not None):
        return f"{field.name} is a {kind}, not {field.kind}"
    if isinstance(value, int) and not -(1 << BITS[field.kind]) <= value < 1 << BITS[field.kind]:
        return f"{field.name} is {value}, more than {field.kind} holds"
    if isinstance(value, np.ndarray):
        if value.dtype != field.kind:
            return f"{field.name} is of {value.dtype}, not {field.kind}"
        try:
            value.reshape(field.shape)
        except ValueError:
            return f"{field.name} is of shape {value.shape}, not {field.shape}"
    return ""


def plain(value: Any) -> Any:
    """A number of NumPy's as one of Python's."""
    return value.item() if isinstance(value, np.generic) else value
