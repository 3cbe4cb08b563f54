"""Protobuf without its weights: big payloads stay in the mapped file, their places are parsed.

`onnx.load` holds a model two to three times over. Here the file is memory-mapped, the wire format
is walked (only into messages big enough to hold weights), and each big payload is replaced by a
reference in the form of ONNX external data whose location is `OWN_FILE`.
Source: protobuf wire format; onnx.proto3 (field numbers).
"""

from __future__ import annotations

from itertools import islice

from ...formats.wire import BYTES, fields

OWN_FILE = "\0own file"
"""Location of a payload that lies in the model file itself; no file can have this name."""

BIG = 1024
"""Bytes: what is smaller is parsed as it stands."""

MOST_FIELDS = 1000
"""A tensor of more fields is not packed: it is parsed as it stands."""

EXTERNAL_DATA = 13

MAX_DEPTH = 100
"""Nested messages; protobuf's own limit."""

CHILDREN = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {},
}
"""Field number -> kind of message, for the fields on the way to a tensor."""

PAYLOADS = frozenset({4, 9, 10})
"""TensorProto's float_data, raw_data, double_data: when packed, all are little-endian arrays."""


def stripped(buffer: memoryview) -> bytes:
    """The serialised model in `buffer` without its big payloads. Raises: WireError."""
    return _message(buffer, 0, len(buffer), "model", 0)


def _message(buffer: memoryview, start: int, end: int, kind: str, depth: int) -> bytes:
    if kind == "tensor":
        return _tensor(buffer, start, end)
    children = CHILDREN[kind]
    pieces: list[bytes | memoryview] = []
    for item in fields(buffer, start, end):
        child = children.get(item.number) if item.wire == BYTES else None
        if child is None or item.end - item.content < BIG or depth >= MAX_DEPTH:
            pieces.append(buffer[item.start : item.end])
        else:
            inner = _message(buffer, item.content, item.end, child, depth + 1)
            pieces.append(_length_delimited(item.number, inner))
    return b"".join(pieces)


def _tensor(buffer: memoryview, start: int, end: int) -> bytes:
    items = list(islice(fields(buffer, start, end), MOST_FIELDS))
    if items[-1].end < end or any(item.number == EXTERNAL_DATA for item in items):
        return bytes(buffer[start:end])
    payloads = [item for item in items if item.number in PAYLOADS and item.wire == BYTES]
    big = [item for item in payloads if item.end - item.content >= BIG]
    moved = big if len(payloads) == 1 else []
    pieces: list[bytes | memoryview] = [
        buffer[item.start : item.end] for item in items if item not in moved
    ]
    pieces.extend(_reference(item.content, item.end - item.content) for item in moved)
    return b"".join(pieces)


def _reference(offset: int, length: int) -> bytes:
    """TensorProto fields external_data (13) and data_location (14) = EXTERNAL (1)."""
    facts = {"location": OWN_FILE, "offset": str(offset), "length": str(length)}
    entries = [
        _length_delimited(1, key.encode()) + _length_delimited(2, value.encode())
        for key, value in facts.items()
    ]
    return b"".join(_length_delimited(13, entry) for entry in entries) + bytes((14 << 3, 1))


def _length_delimited(number: int, content: bytes) -> bytes:
    return _number(number << 3 | BYTES) + _number(len(content)) + content


def _number(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
