"""The fields of a MindRecord's rows: small ones in a map, arrays and bytes behind one another.

An array of whole numbers is packed: how many there are (4 bytes, the highest first); for each, in
two bits, the first in the highest of a byte, the logarithm of its size; the numbers themselves, the
lowest byte first. Several fields each have their length before them (8 bytes, the highest first).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import MsconvertError

SCALARS = ("int32", "int64", "float32", "float64", "string", "bytes")
ARRAYS = ("int32", "int64", "float32", "float64")


@dataclass(frozen=True)
class Field:
    """A field's name, type and, of an array, its shape; -1 in it is what is left."""

    name: str
    kind: str
    shape: tuple[int, ...] | None = None

    @property
    def is_blob(self) -> bool:
        return self.shape is not None or self.kind == "bytes"

    @property
    def is_packed(self) -> bool:
        return self.shape is not None and self.kind in ("int32", "int64")

    def described(self) -> dict[str, Any]:
        """The field as a schema has it."""
        if self.shape is None:
            return {"type": self.kind}
        return {"shape": list(self.shape), "type": self.kind}


def fields_of(where: str, schema: Any) -> list[Field]:
    """The fields of a schema. Raises: MS302 for what is none."""
    if not isinstance(schema, Mapping) or not schema:
        raise damaged(where, "its schema has no fields")
    found = []
    for name, entry in schema.items():
        kind = entry.get("type") if isinstance(entry, Mapping) else None
        shape = entry.get("shape") if isinstance(entry, Mapping) else None
        is_shape = isinstance(shape, list) and all(
            isinstance(n, int) and not isinstance(n, bool) and n >= -1 for n in shape
        )
        if kind not in (SCALARS if shape is None else ARRAYS) or (
            shape is not None and not is_shape
        ):
            raise damaged(where, "its schema is of another kind", f"{name}: {entry}")
        found.append(Field(str(name), str(kind), None if shape is None else tuple(shape)))
    return found


def damaged(where: str, problem: str, got: str = "") -> MsconvertError:
    return MsconvertError("MS302", where, problem, got=got, expected="a whole MindRecord file")


def joined(fields: Sequence[Field], row: Mapping[str, Any]) -> bytes:
    """The arrays and bytes of a row; four zeros if it has none."""
    parts = [bytes_of(field, row[field.name]) for field in fields]
    if not parts:
        return b"\0\0\0\0"
    if len(parts) == 1:
        return parts[0]
    return b"".join(struct.pack(">Q", len(part)) + part for part in parts)


def bytes_of(field: Field, value: Any) -> bytes:
    if field.shape is None:
        return bytes(value)
    array = np.ascontiguousarray(value, dtype=field.kind)
    return pack(array.reshape(-1)) if field.is_packed else array.tobytes()


def pack(numbers: np.ndarray) -> bytes:
    """Whole numbers, each in as few bytes as it needs."""
    wide = numbers.astype(np.int64)
    codes = sum(
        ((wide < -(1 << bits)) | (wide >= 1 << bits)).astype(np.int64) for bits in (7, 15, 31)
    )
    codes = np.asarray(codes, np.int64) if len(wide) else np.zeros(0, np.int64)
    padded = np.append(codes, np.zeros(-len(codes) % 4, np.int64)).reshape(-1, 4)
    flags = (padded << np.array([6, 4, 2, 0])).sum(axis=1).astype(np.uint8)
    sizes = 1 << codes
    every = wide.astype("<i8").view(np.uint8).reshape(-1, 8)
    body = every[np.arange(8) < sizes[:, None]]
    found: bytes = struct.pack(">I", len(wide)) + flags.tobytes() + body.tobytes()
    return found


def unpack(where: str, data: bytes, kind: str) -> np.ndarray:
    """The whole numbers in some bytes. Raises: MS302"""
    count = struct.unpack(">I", data[:4])[0] if len(data) >= 4 else -1
    flags = np.frombuffer(data[4 : 4 + -(-max(count, 0) // 4)], np.uint8)
    if count < 0 or len(flags) * 4 < count:
        raise damaged(where, "an array is cut off", f"{len(data)} bytes")
    codes = (flags[:, None] >> np.array([6, 4, 2, 0]) & 3).reshape(-1)[:count]
    sizes = 1 << codes.astype(np.int64)
    ends = np.cumsum(sizes)
    body = np.frombuffer(data, np.uint8)[4 + len(flags) :]
    if len(body) != (int(ends[-1]) if count else 0):
        got = f"{len(body)} bytes for {count} numbers"
        raise damaged(where, "an array has another length", got)
    found = np.zeros(count, kind)
    for code, small in enumerate(("<i1", "<i2", "<i4", "<i8")):
        chosen = np.flatnonzero(codes == code)
        places = (ends - sizes)[chosen, None] + np.arange(1 << code)
        found[chosen] = np.ascontiguousarray(body[places]).view(small).reshape(-1)
    return found


def parted(where: str, fields: Sequence[Field], data: bytes) -> dict[str, Any]:
    """The arrays and bytes of a row by their names. Raises: MS302"""
    if not fields:
        return {}
    if len(fields) == 1:
        return {fields[0].name: value_of(where, fields[0], data)}
    found, place = {}, 0
    for field in fields:
        length = int.from_bytes(data[place : place + 8], "big")
        place += 8
        if place + length > len(data):
            raise damaged(where, "a field is cut off", f"{field.name}: {length} bytes")
        found[field.name] = value_of(where, field, data[place : place + length])
        place += length
    return found


def value_of(where: str, field: Field, data: bytes) -> Any:
    if field.shape is None:
        return data
    if not field.is_packed and len(data) % np.dtype(field.kind).itemsize:
        raise damaged(where, "an array is cut off", f"{field.name}: {len(data)} bytes")
    flat = unpack(where, data, field.kind) if field.is_packed else np.frombuffer(data, field.kind)
    try:
        return flat.reshape(field.shape)
    except ValueError as error:
        got = f"{field.name}: {len(flat)} numbers for {list(field.shape)}"
        raise damaged(where, "an array does not fit its shape", got) from error
