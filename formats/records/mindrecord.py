"""MindRecord files: MindSpore's own format for data sets.

The length of a header (8 bytes, the lowest first) and the header, JSON, fill the first
`header_size` bytes; then come pages of `page_size` bytes. A page holds rows, each behind its
length: of RAW_DATA maps in MessagePack, of BLOB_DATA arrays and bytes. Row n of all raw pages and
row n of all blob pages are one row. Beside it lies an index, a data base of SQLite, which is not
needed here.
Source: MindSpore 2.10, minddata/mindrecord/io/shard_writer.cc
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MsconvertError
from ..storage import opening
from ..storage.recovery import settled
from .fields import Field, damaged, fields_of, parted
from .messagepack import PackError, unpacked

HEADERS = 16 << 10, 128 << 20
PAGES = 32 << 10, 256 << 20
"""The least and the largest size of a header, and of a page."""
MOST_ROWS = 1 << 31


class MindRecord:
    """One file, whose rows are read by number."""

    def __init__(self, path: str) -> None:
        self.path = path
        settled(path)
        try:
            descriptor, size = opening.opened(Path(path))
            try:
                self.data = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) if size else b""
            finally:
                os.close(descriptor)
        except OSError as error:
            problem = f"it cannot be opened ({opening.reason(error)})"
            raise MsconvertError("MS302", path, problem) from error
        self.header = self.read_header()
        schema = self.header["schema"][0]
        self.desc = str(schema.get("desc", ""))
        every = {field.name: field for field in fields_of(path, schema.get("schema"))}
        blobs = schema.get("blob_fields")
        if not isinstance(blobs, list) or any(name not in every for name in blobs):
            raise damaged(path, "its schema names other fields", str(blobs)[:100])
        self.fields: list[Field] = list(every.values())
        self.blobs = [every[name] for name in blobs]
        self.starts = {kind: self.scanned(kind) for kind in ("RAW_DATA", "BLOB_DATA")}
        raw, blob = (len(found) for found in self.starts.values())
        if raw != blob:
            raise damaged(path, "its pages differ in rows", f"{raw} raw, {blob} blob")

    def read_header(self) -> dict[str, Any]:
        """The header. Raises: MS302 for a file that is not one."""
        data = self.data
        length = int.from_bytes(data[:8], "little")
        if len(data) < HEADERS[0] or not 2 <= length <= min(HEADERS[1], len(data)) - 8:
            raise damaged(self.path, "it is no MindRecord file", f"{len(data)} bytes")
        try:
            header = opening.json_in(bytes(data[8 : 8 + length]))
        except ValueError as error:
            raise damaged(self.path, "its header is no JSON", str(error)) from error
        wanted = {"header_size": int, "page_size": int, "page": list, "schema": list}
        is_whole = isinstance(header, dict) and all(
            type(header.get(name)) is kind for name, kind in wanted.items()
        )
        if not is_whole or not header["schema"] or not isinstance(header["schema"][0], dict):
            raise damaged(self.path, "its header lacks something", str(header)[:100])
        sizes = header["header_size"], header["page_size"]
        for size, (low, high) in zip(sizes, (HEADERS, PAGES), strict=True):
            if not low <= size <= high:
                raise damaged(self.path, "its header names sizes that cannot be", str(sizes))
        if header["header_size"] < length + 8:
            raise damaged(self.path, "its header is larger than it says", str(sizes))
        found: dict[str, Any] = header
        return found

    def scanned(self, kind: str) -> np.ndarray:
        """Where the rows of all pages of a kind begin. Shapes: -> (n,)"""
        pages = [page for page in self.header["page"] if self.checked(page)["page_type"] == kind]
        pages.sort(key=lambda page: page["page_type_id"])
        found: list[int] = []
        for page in pages:
            place = self.header["header_size"] + page["page_id"] * self.header["page_size"]
            end = place + page["page_size"]
            if end > len(self.data):
                raise damaged(self.path, "a page is cut off", f"page {page['page_id']}")
            while place < end:
                length = int.from_bytes(self.data[place : place + 8], "little")
                if place + 8 + length > end:
                    raise damaged(self.path, "a row is longer than its page", f"{length} bytes")
                found.append(place)
                place += 8 + length
        return np.array(found, np.int64)

    def checked(self, page: Any) -> dict[str, Any]:
        """An entry of a page. Raises: MS302"""
        names = ("page_id", "page_type_id", "page_size")
        limits = (len(self.data), len(self.data), self.header["page_size"])
        is_page = isinstance(page, dict) and all(
            type(page.get(name)) is int and 0 <= page[name] <= most
            for name, most in zip(names, limits, strict=True)
        )
        if not is_page or page.get("page_type") not in ("RAW_DATA", "BLOB_DATA"):
            raise damaged(self.path, "a page is not described", str(page)[:100])
        found: dict[str, Any] = page
        return found

    def __len__(self) -> int:
        return len(self.starts["RAW_DATA"])

    def content(self, kind: str, number: int) -> bytes:
        place = int(self.starts[kind][number])
        length = int.from_bytes(self.data[place : place + 8], "little")
        return bytes(self.data[place + 8 : place + 8 + length])

    def row(self, number: int, names: Sequence[str] | None = None) -> dict[str, Any]:
        """The fields of a row, or some of them. Raises: MS302"""
        try:
            raw = unpacked(self.content("RAW_DATA", number))
        except PackError as error:
            raise damaged(self.path, "a row cannot be read", f"row {number}: {error}") from error
        small = {f.name: raw[f.name] for f in self.fields if not f.is_blob and f.name in raw}
        found = dict(sorted(small.items()))
        if names is None or any(field.name in names for field in self.blobs):
            found |= parted(self.path, self.blobs, self.content("BLOB_DATA", number))
        return found if names is None else {n: v for n, v in found.items() if n in names}

    @property
    def indexed(self) -> list[str]:
        """The names of the fields that its index has."""
        entries = self.header.get("index_fields")
        found = entries if isinstance(entries, list) else []
        names = [one.get("index_field") for one in found if isinstance(one, dict)]
        return [field.name for field in self.fields if field.name in names and not field.is_blob]

    @property
    def shards(self) -> list[str]:
        """The names of the files that belong together."""
        names = self.header.get("shard_addresses")
        return [str(name) for name in names] if isinstance(names, list) else []

    def close(self) -> None:
        if isinstance(self.data, mmap.mmap):
            self.data.close()


def opened(paths: str | Sequence[str]) -> list[MindRecord]:
    """The files, with those that belong to a single one. Raises: MS302"""
    if not isinstance(paths, str):
        return [MindRecord(path) for path in paths]
    first = MindRecord(paths)
    if len(first.shards) < 2:
        return [first]
    folder = Path(paths).parent
    plain = [Path(name).name for name in first.shards]
    first.close()
    return [MindRecord(str(folder / name)) for name in plain]


def rows_of(files: Sequence[MindRecord], names: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """All rows of some files."""
    for file in files:
        for number in range(len(file)):
            yield file.row(number, names)
