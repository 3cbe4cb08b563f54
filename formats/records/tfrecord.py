"""TFRecord files: records behind their lengths, each an Example of named lists.

A record is its length (8 bytes, the lowest first), a masked CRC-32C of that, its bytes, and a
masked CRC-32C of those. An Example is a message of Protobuf: a map of names to lists of bytes, of
float32 or of int64.
Source: TensorFlow, core/lib/io/record_writer.h and core/example/feature.proto
"""

from __future__ import annotations

import itertools
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from ...errors import MsconvertError
from ..storage import opening
from ..wire import BYTES, Field, WireError, fields

Values = list[bytes] | np.ndarray
LARGEST = 1 << 30
"""Of a record."""


def damaged(path: str, problem: str, got: str = "") -> MsconvertError:
    return MsconvertError("MS302", path, problem, got=got, expected="a whole TFRecord file")


def records(path: str, packing: str = "") -> Iterator[bytes]:
    """The records of a file, the checksums of their lengths compared. Raises: MS302

    Those of their bytes are not, as in MindSpore: in Python that takes longer than to decode them.
    """
    with opened(path) as file:
        source: Source = Unpacked(path, file, packing) if packing else file
        for number in itertools.count():
            body = next_record(path, source, number)
            if body is None:
                return
            yield body


class Source(Protocol):
    """What records are read from."""

    def read(self, size: int, /) -> bytes: ...


PACKINGS = {"GZIP": 31, "ZLIB": 15}
"""How a file can be compressed, and what zlib calls it."""
BLOCK = 1 << 16
"""So many compressed bytes are read at once."""
LARGEST_UNPACKED = 1 << 28
"""Of a record in a compressed file, which can be a thousand times as long as the file."""


class Unpacked:
    """The bytes of a compressed file, which may be several behind one another."""

    def __init__(self, path: str, file: BinaryIO, packing: str) -> None:
        self.path, self.file, self.packing, self.packed = path, file, packing, b""
        self.unpacker = zlib.decompressobj(PACKINGS[packing])

    def read(self, size: int, /) -> bytes:
        """So many bytes; fewer at the end. Raises: MS302"""
        if size > LARGEST_UNPACKED:
            raise damaged(self.path, "a record is too large", f"{size} bytes in a compressed file")
        found = bytearray()
        while len(found) < size and (piece := self.piece(size - len(found))):
            found += piece
        return bytes(found)

    def piece(self, size: int) -> bytes:
        """Some of the next bytes, none at the end. Raises: MS302"""
        while True:
            if self.unpacker.eof:
                self.packed = self.unpacker.unused_data or self.file.read(BLOCK)
                if not self.packed:
                    return b""
                self.unpacker = zlib.decompressobj(PACKINGS[self.packing])
            packed = self.packed or self.file.read(BLOCK)
            try:
                found = self.unpacker.decompress(packed, size)
            except zlib.error as error:
                problem = f"it cannot be unpacked as {self.packing}"
                raise damaged(self.path, problem, str(error)) from error
            self.packed = self.unpacker.unconsumed_tail
            if found:
                return found
            if not packed and not self.unpacker.eof:
                raise damaged(self.path, f"it is cut off, as a file of {self.packing}")


def opened(path: str) -> BinaryIO:
    """The file. Raises: MS302 if it cannot be opened"""
    try:
        return os.fdopen(opening.opened(Path(path))[0], "rb")
    except OSError as error:
        raise damaged(path, f"it cannot be opened ({opening.reason(error)})") from error


def next_record(path: str, file: Source, number: int) -> bytes | None:
    """A record; None where the file ends. Raises: MS302"""
    head = file.read(12)
    if not head:
        return None
    length = length_of(path, head, number)
    body = file.read(length + 4)
    if len(body) < length + 4:
        raise damaged(path, "a record is cut off", f"record {number}: {length} bytes")
    return body[:-4]


def length_of(path: str, head: bytes, number: int) -> int:
    """The length of a record. Raises: MS302"""
    if number and len(head) < 12:
        raise damaged(path, "a record is cut off", f"record {number}: {len(head)} bytes")
    if len(head) < 12 or masked(head[:8]) != struct.unpack("<I", head[8:])[0]:
        raise damaged(path, "it is no TFRecord file", f"record {number}")
    length = int.from_bytes(head[:8], "little")
    if length > LARGEST:
        raise damaged(path, "a record is too large", f"record {number}: {length} bytes")
    return length


def crc_table() -> np.ndarray:
    """What CRC-32C adds for each byte. Shapes: -> (256,)"""
    found = np.arange(256, dtype=np.uint64)
    for _ in range(8):
        found = np.where(found & 1, found >> 1 ^ 0x82F63B78, found >> 1)
    return found


TABLE = crc_table().tolist()


def masked(data: bytes) -> int:
    """The masked CRC-32C of some bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def example(path: str, record: bytes) -> dict[str, Values]:
    """The lists of an Example by their names. Raises: MS302"""
    view = memoryview(record)
    found: dict[str, Values] = {}
    try:
        for features in messages(view, Field(1, BYTES, 0, 0, len(record)), 1):
            for entry in messages(view, features, 1):
                parts = {part.number: part for part in fields(view, entry.content, entry.end)}
                name = bytes(view[parts[1].content : parts[1].end]).decode()
                found[name] = feature(view, parts[2])
    except (WireError, KeyError, UnicodeDecodeError, ValueError) as error:
        raise damaged(path, "a record is no Example", str(error)) from error
    return found


def messages(view: memoryview, within: Field, number: int) -> Iterator[Field]:
    """The messages of one number in another."""
    return (
        f
        for f in fields(view, within.content, within.end)
        if f.number == number and f.wire == BYTES
    )


def feature(view: memoryview, within: Field) -> Values:
    """A list of bytes (1), float32 (2) or int64 (3)."""
    for part in fields(view, within.content, within.end):
        values = list(fields(view, part.content, part.end))
        if part.number == 1:
            return [bytes(view[v.content : v.end]) for v in values]
        if part.number == 2:
            whole = b"".join(bytes(view[v.content : v.end]) for v in values)
            return np.frombuffer(whole, "<f4")
        return whole_numbers(view, values)
    return []


def whole_numbers(view: memoryview, values: list[Field]) -> np.ndarray:
    """int64 of varints, packed or one by one."""
    found: list[int] = []
    number = shift = 0
    for byte in (byte for value in values for byte in view[value.content : value.end]):
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(number % 2**64)
            number = shift = 0
        elif shift > 63:
            raise WireError("a number has more than 64 bits")
    return np.array(found, np.uint64).view(np.int64)


def described(values: Any) -> tuple[str, int]:
    """The element type of a list, and its length."""
    kind = "bytes" if isinstance(values, list) else values.dtype.name
    return kind, len(values)
