"""Protobuf's wire format: the fields of a message and their places, found without protobuf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """Not the wire format; if cut off, `needed` bytes were declared where only `left` remain."""

    def __init__(self, problem: str, needed: int = 0, left: int = 0) -> None:
        super().__init__(problem)
        self.needed = needed
        self.left = left


class Field(NamedTuple):
    """One field: its bytes are [start, end) of the buffer, its content [content, end).

    The content of a VARINT field is the number itself.
    """

    number: int
    wire: int
    start: int
    content: int
    end: int


def fields(buffer: memoryview, start: int, end: int) -> Iterator[Field]:
    """The fields of the message in [start, end). Raises: WireError."""
    while start < end:
        key, position = varint(buffer, start, end)
        number, wire = key >> 3, key & 7
        content, size = position, 0
        if wire == VARINT:
            size = varint(buffer, position, end)[1] - position
        elif wire == BYTES:
            size, content = varint(buffer, position, end)
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
        else:
            raise WireError(f"byte {start} starts no field")
        if number == 0:
            raise WireError(f"byte {start} starts no field")
        if content + size > end:
            raise WireError(f"field {number} at byte {start} is cut off", size, end - content)
        yield Field(number, wire, start, content, content + size)
        start = content + size


def varint(buffer: memoryview, start: int, end: int) -> tuple[int, int]:
    """The number at `start` and the position after it."""
    if start < end and buffer[start] < 0x80:
        return buffer[start], start + 1
    value = 0
    for index in range(10):
        if start + index >= end:
            raise WireError("the last field is cut off", 1, 0)
        byte = buffer[start + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, start + index + 1
    raise WireError(f"byte {start} starts no number")
