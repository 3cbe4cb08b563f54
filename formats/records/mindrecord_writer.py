"""Writes MindRecord files: pages as rows come, header and index when all are there."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import MsconvertError
from .fields import Field, joined
from .messagepack import packed

HEADER, PAGE = 16 << 20, 32 << 20
"""MindSpore's own sizes."""

COLUMNS = "ROW_ID PAGE_ID_RAW PAGE_OFFSET_RAW PAGE_OFFSET_RAW_END ROW_GROUP_ID PAGE_ID_BLOB "
COLUMNS += "PAGE_OFFSET_BLOB PAGE_OFFSET_BLOB_END"
SQL_TYPES = {"string": "TEXT", "float32": "NUMERIC", "float64": "NUMERIC"}


@dataclass
class Page:
    """A page that is being filled, as the header describes it."""

    kind: str
    number: int
    type_number: int
    first: int = 0
    size: int = 0
    last: int = 0
    groups: list[tuple[int, int]] = field(default_factory=list)

    def described(self, shard: int) -> dict[str, Any]:
        return {
            "end_row_id": self.last if self.kind == "BLOB_DATA" else 0,
            "page_id": self.number,
            "page_size": self.size,
            "page_type": self.kind,
            "page_type_id": self.type_number,
            "row_group_ids": [{"id": n, "offset": place} for n, place in self.groups],
            "shard_id": shard,
            "start_row_id": self.first if self.kind == "BLOB_DATA" else 0,
        }


class Shard:
    """One file while it is written: under another name, until it is whole."""

    def __init__(self, path: str, number: int, sizes: tuple[int, int]) -> None:
        self.path, self.number, self.sizes = path, number, sizes
        self.partial = f"{path}.partial"
        try:
            self.file: BinaryIO = open(self.partial, "wb")  # noqa: SIM115 - closed by `finish`
        except OSError as error:
            problem = f"cannot be written ({error.strerror})"
            raise MsconvertError("MS107", path, problem) from error
        self.pages: list[Page] = []
        self.index: list[tuple[Any, ...]] = []
        self.saved = 0

    def page_for(self, kind: str, length: int) -> Page:
        """The page of a kind that has room for so many bytes."""
        own = [page for page in self.pages if page.kind == kind]
        if own and own[-1].size + length <= self.sizes[1]:
            return own[-1]
        if length > self.sizes[1]:
            got, expected = f"{length} bytes", f"at most {self.sizes[1]}, the size of a page"
            raise MsconvertError(
                "MS305",
                self.path,
                "a row is too large",
                got=got,
                expected=expected,
                advice="set_page_size with more",
            )
        page = Page(kind, len(self.pages), len(own), first=len(self.index), last=len(self.index))
        self.pages.append(page)
        return page

    def write(
        self,
        fields: Sequence[Field],
        blobs: Sequence[Field],
        indexed: Sequence[Field],
        row: Mapping[str, Any],
    ) -> None:
        """Writes a row."""
        small = {f.name: row[f.name] for f in fields if not f.is_blob}
        raw, blob = packed(small), joined(blobs, row)
        for entry in blobs:
            if entry.is_packed:
                self.saved += self.saving(entry, row[entry.name])
        places: list[int] = []
        blob_page = self.page_for("BLOB_DATA", len(blob) + 8)
        raw_page = self.page_for("RAW_DATA", len(raw) + 8)
        group = blob_page.type_number
        for page, data in ((raw_page, raw), (blob_page, blob)):
            if not page.groups or page.groups[-1][0] != group:
                page.groups.append((group, page.size))
            self.file.seek(self.sizes[0] + page.number * self.sizes[1] + page.size)
            self.file.write(struct.pack("<Q", len(data)) + data)
            places += [page.number, page.size, page.size + len(data) + 8]
            page.size += len(data) + 8
        blob_page.last = len(self.index) + 1
        searched = [value for entry in indexed for value in (0, row[entry.name])]
        self.index.append((len(self.index), *places[:3], group, *places[3:], *searched))

    def saving(self, entry: Field, value: Any) -> int:
        """How many bytes packing has saved."""
        whole = len(memoryview(value).cast("B")) if hasattr(value, "dtype") else 0
        return whole - len(joined([entry], {entry.name: value}))

    def finish(self, header: Mapping[str, Any], indexed: Sequence[Field]) -> dict[str, str]:
        """Writes header and index. Gives where both files are, by the names that they shall get."""
        whole = {
            "header_size": self.sizes[0],
            **header,
            "page": [page.described(self.number) for page in self.pages],
            "page_size": self.sizes[1],
            "compression_size": self.saved,
            "shard_id": self.number,
            "statistics": None,
            "version": "3.0",
        }
        text = json.dumps(whole, separators=(",", ":")).encode()
        if len(text) + 8 > self.sizes[0]:
            problem = "there is no room for the header"
            raise MsconvertError("MS305", self.path, problem, advice="set_header_size with more")
        self.file.seek(0)
        self.file.write(struct.pack("<Q", len(text)) + text)
        end = self.sizes[0] + max(
            (page.number * self.sizes[1] + page.size for page in self.pages), default=0
        )
        self.file.truncate(end)
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        base = Path(f"{self.path}.db.partial")
        base.unlink(missing_ok=True)
        write_index(base, Path(self.path).name, self.index, indexed)
        for partial in (str(base), self.partial):
            os.chmod(partial, 0o600)
        return {f"{self.path}.db": str(base), self.path: self.partial}

    def drop(self) -> None:
        """Leaves nothing behind."""
        self.file.close()
        Path(self.partial).unlink(missing_ok=True)


def write_index(
    path: Path, name: str, rows: Sequence[tuple[Any, ...]], indexed: Sequence[Field]
) -> None:
    """Writes the data base that tells where each row is, and its fields to search for."""
    fixed = [f"{column} INT NOT NULL" for column in COLUMNS.split()]
    extra, keys = [], ["ROW_ID"]
    for number, entry in enumerate(indexed):
        kind = SQL_TYPES.get(entry.kind, "INTEGER")
        extra += [f"INC_{number} INT", f"{entry.name}_0 {kind}"]
        keys.append(f"INC_{number}")
    base = sqlite3.connect(path)
    try:
        columns = ", ".join([*fixed, *extra, f"PRIMARY KEY({','.join(keys)})"])
        base.execute(f"CREATE TABLE INDEXES({columns})")
        base.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        base.execute("INSERT INTO SHARD_NAME VALUES(?)", (name,))
        marks = ",".join("?" * (len(fixed) + len(extra)))
        base.executemany(
            f"INSERT INTO INDEXES VALUES({marks})",
            rows,
        )
        base.commit()
    finally:
        base.close()
