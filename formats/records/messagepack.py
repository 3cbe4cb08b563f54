"""MessagePack, as far as MindRecord has it: maps of text to numbers, text and nothing deeper.

Source: the MessagePack specification; nlohmann's JSON library chooses the shortest form, and
float32 for a number that it holds exactly.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

Scalar = int | float | str | bool | None


class PackError(ValueError):
    """Not the format, or a part of it that no record has."""


def packed(values: Mapping[str, Scalar]) -> bytes:
    """A map, its keys in their order in the alphabet."""
    if len(values) < 16:
        head = bytes([0x80 | len(values)])
    else:
        head = b"\xde" + struct.pack(">H", len(values))
    body = b"".join(scalar(name) + scalar(values[name]) for name in sorted(values))
    return head + body


def scalar(value: Scalar) -> bytes:
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return whole(value)
    if isinstance(value, float):
        short = struct.pack(">f", value) if abs(value) <= 3.4e38 else b""
        is_exact = bool(short) and struct.unpack(">f", short)[0] == value
        return b"\xca" + short if is_exact else b"\xcb" + struct.pack(">d", value)
    data = value.encode()
    if len(data) < 32:
        return bytes([0xA0 | len(data)]) + data
    for code, form, most in ((0xD9, ">B", 0xFF), (0xDA, ">H", 0xFFFF), (0xDB, ">I", 0xFFFFFFFF)):
        if len(data) <= most:
            return bytes([code]) + struct.pack(form, len(data)) + data
    raise PackError("a text is too long")


def whole(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack(">b" if value < 0 else ">B", value)
    unsigned = ((0xCC, ">B"), (0xCD, ">H"), (0xCE, ">I"), (0xCF, ">Q"))
    signed = ((0xD0, ">b"), (0xD1, ">h"), (0xD2, ">i"), (0xD3, ">q"))
    for code, form in signed if value < 0 else unsigned:
        try:
            return bytes([code]) + struct.pack(form, value)
        except struct.error:
            continue
    raise PackError(f"{value} has more than 64 bits")


NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}


def unpacked(data: bytes) -> dict[str, Scalar]:
    """The map in some bytes. Raises: PackError"""
    count, place = head_of(data)
    found: dict[str, Scalar] = {}
    for _ in range(count):
        name, place = read(data, place)
        if not isinstance(name, str):
            raise PackError("a key is no text")
        found[name], place = read(data, place)
    if place != len(data):
        raise PackError(f"{len(data) - place} bytes are left over")
    return found


def head_of(data: bytes) -> tuple[int, int]:
    """How many entries a map has, and where they begin."""
    if not data:
        raise PackError("it is empty")
    if data[0] & 0xF0 == 0x80:
        return data[0] & 0x0F, 1
    if data[0] == 0xDE:
        return number(data, 1, ">H"), 3
    raise PackError(f"it is no map, but begins with {data[0]:#x}")


def read(data: bytes, place: int) -> tuple[Scalar, int]:
    """A value and where it ends. Raises: PackError"""
    if place >= len(data):
        raise PackError("it is cut off")
    code = data[place]
    place += 1
    if code < 0x80 or code >= 0xE0:
        return (code if code < 0x80 else code - 256), place
    if code in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[code], place
    if code in NUMBERS:
        return number(data, place, NUMBERS[code]), place + struct.calcsize(NUMBERS[code])
    if code & 0xE0 == 0xA0:
        return text(data, place, code & 0x1F)
    if code in LENGTHS:
        size = struct.calcsize(LENGTHS[code])
        return text(data, place + size, number(data, place, LENGTHS[code]))
    raise PackError(f"there is no value that begins with {code:#x}")


def number(data: bytes, place: int, form: str) -> Any:
    if place + struct.calcsize(form) > len(data):
        raise PackError("it is cut off")
    return struct.unpack_from(form, data, place)[0]


def text(data: bytes, place: int, length: int) -> tuple[str, int]:
    if place + length > len(data):
        raise PackError("it is cut off")
    try:
        return data[place : place + length].decode(), place + length
    except UnicodeDecodeError as error:
        raise PackError("a text is not UTF-8") from error
