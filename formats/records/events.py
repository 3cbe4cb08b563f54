"""Event files of TensorBoard: TFRecords of messages, written and read without protobuf.

Source: TensorBoard, compat/proto/event.proto, summary.proto, histogram.proto, tensor.proto
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MsconvertError
from ..wire import BYTES, FIXED32, FIXED64, VARINT, Field, WireError, fields
from .tfrecord import masked, next_record, opened

VERSION = "brain.Event:2"

TYPES = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7,
    "int64": 9, "bool": 10, "uint16": 17, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip
"""TensorFlow's numbers of element types."""


# messages


def varint(number: int) -> bytes:
    number %= 1 << 64
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def part(number: int, value: int | float | str | bytes) -> bytes:
    """A field: of text and bytes behind their length, a float as a double."""
    if isinstance(value, float):
        return varint(number << 3 | FIXED64) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    content = value.encode(errors="replace") if isinstance(value, str) else value
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def single(number: int, value: float) -> bytes:
    """A field of float32; what is too large for it is infinite."""
    with np.errstate(over="ignore"):
        return varint(number << 3 | FIXED32) + struct.pack("<f", np.float32(value))


def scalar(tag: str, value: float) -> bytes:
    return part(1, tag) + single(2, value)


def image(tag: str, pixels: np.ndarray) -> bytes:
    """Shapes: pixels (h, w, c) of uint8, c 1, 3 or 4."""
    from .png import png_of

    height, width, colours = pixels.shape
    whole = part(1, height) + part(2, width) + part(3, colours) + part(4, png_of(pixels))
    return part(1, tag) + part(4, whole)


def histogram(tag: str, values: np.ndarray, bins: int = 0) -> bytes:
    """Of the finite numbers; `bins` 0 is as many as MindSpore takes for so many numbers."""
    wide = np.asarray(values).reshape(-1).astype(np.float64)
    wide = wide[np.isfinite(wide)]
    if not len(wide):
        wide = np.zeros(1)
    counts, edges = np.histogram(wide, bins or bins_of(len(wide)))
    facts = (wide.min(), wide.max(), float(len(wide)), wide.sum(), np.square(wide).sum())
    whole = b"".join(part(k, float(fact)) for k, fact in enumerate(facts, 1))
    whole += part(6, edges[1:].astype("<f8").tobytes())
    whole += part(7, counts.astype("<f8").tobytes())
    return part(1, tag) + part(5, whole)


def bins_of(count: int) -> int:
    """How many bins MindSpore draws so many numbers with."""
    if count <= 10:
        return 2 if count <= 5 else 3
    return count // 10 + 1 if count <= 880 else 90


def tensor(tag: str, array: np.ndarray) -> bytes:
    """An array as it is; what TensorBoard has no element type for as float32."""
    held = array if array.dtype.name in TYPES else array.astype(np.float32)
    shape = b"".join(part(2, part(1, int(n))) for n in held.shape)
    little = held.astype(held.dtype.newbyteorder("<"))
    whole = part(1, TYPES[held.dtype.name]) + part(2, shape) + part(4, little.tobytes())
    return part(1, tag) + part(8, whole)


def text(tag: str, words: str) -> bytes:
    """Text, as TensorBoard's text plugin shows it (Markdown)."""
    whole = part(1, TYPES["string"]) + part(2, part(2, part(1, 1))) + part(8, words)
    return part(1, tag) + part(8, whole) + part(9, part(1, part(1, "text")))


@dataclass(frozen=True)
class Node:
    """A node of a graph that TensorBoard draws."""

    name: str
    op: str
    inputs: tuple[str, ...] = ()
    label: str = ""


def graph(nodes: Iterable[Node]) -> bytes:
    """A GraphDef of TensorFlow's."""
    found = b""
    for node in nodes:
        whole = part(1, node.name) + part(2, node.op)
        whole += b"".join(part(3, name) for name in node.inputs)
        if node.label:
            whole += part(5, part(1, "label") + part(2, part(2, node.label)))
        found += part(1, whole)
    return found + part(4, part(1, 22))


def event(wall_time: float, step: int, values: Iterable[bytes] = (), graph: bytes = b"") -> bytes:
    """An event of values (of `scalar`, `image`...) and a graph, as a message."""
    summary = b"".join(part(1, value) for value in values)
    whole = part(1, float(wall_time)) + part(2, int(step))
    return whole + (part(4, graph) if graph else b"") + (part(5, summary) if summary else b"")


def first_event(wall_time: float) -> bytes:
    """What an event file begins with."""
    return part(1, float(wall_time)) + part(3, VERSION)


def framed(body: bytes) -> bytes:
    """A record of a TFRecord file."""
    head = struct.pack("<Q", len(body))
    return b"".join((head, struct.pack("<I", masked(head)), body, struct.pack("<I", masked(body))))


# reading


@dataclass(frozen=True, eq=False)
class Value:
    """One value of a file: a number, an array, text, or (histograms, images) its message."""

    tag: str
    kind: str
    step: int
    wall_time: float
    content: Any


@dataclass(eq=False)
class Events:
    """What is in an event file; `cut` says what is wrong at its end, if anything is."""

    values: list[Value] = field(default_factory=list)
    cut: str = ""
    has_graph: bool = False

    def scalars(self) -> dict[str, list[tuple[int, float]]]:
        """The steps and numbers of each tag."""
        found: dict[str, list[tuple[int, float]]] = {}
        for value in self.values:
            if value.kind == "scalar":
                found.setdefault(value.tag, []).append((value.step, value.content))
        return found


def read_events(path: str) -> Events:
    """All whole records of an event file, up to the first that is not whole.

    Raises: MS302 if it cannot be opened, or does not begin as an event file
    """
    found = Events()
    number = 0
    with opened(path) as file:
        try:
            while (body := next_record(path, file, number)) is not None:
                add(found, body)
                number += 1
        except (MsconvertError, WireError, struct.error, ValueError) as error:
            found.cut = error.problem if isinstance(error, MsconvertError) else str(error)
        if number == 0 and os.fstat(file.fileno()).st_size:
            raise MsconvertError(
                "MS302", path, "it is no event file of TensorBoard, or cut in its first record",
                got=found.cut, expected="a file whose name has 'events' in it",
            )  # fmt: skip
    return found


def add(found: Events, body: bytes) -> None:
    """Adds what an event holds. Raises: WireError"""
    view = memoryview(body)
    wall_time, step, values = 0.0, 0, list[Field]()
    for one in fields(view, 0, len(body)):
        if one.number == 1 and one.wire == FIXED64:
            (wall_time,) = struct.unpack_from("<d", view, one.content)
        elif one.number == 2 and one.wire == VARINT:
            step = signed(number_at(view, one))
        elif one.number == 4:
            found.has_graph = True
        elif one.number == 5 and one.wire == BYTES:
            values += [v for v in fields(view, one.content, one.end) if v.number == 1]
    found.values += [value_of(view, one, step, wall_time) for one in values]


def value_of(view: memoryview, within: Field, step: int, wall_time: float) -> Value:
    parts = {one.number: one for one in fields(view, within.content, within.end)}
    tag = str(view[parts[1].content : parts[1].end], "utf-8", "replace") if 1 in parts else ""
    if 2 in parts:
        (number,) = struct.unpack_from("<f", view, parts[2].content)
        return Value(tag, "scalar", step, wall_time, number)
    kinds = {4: "image", 5: "histogram", 8: "tensor"}
    key = next((k for k in kinds if k in parts), 0)
    if not key:
        return Value(tag, "", step, wall_time, None)
    content = bytes(view[parts[key].content : parts[key].end])
    return Value(tag, kinds[key], step, wall_time, content)


def number_at(view: memoryview, one: Field) -> int:
    """The number of a VARINT field."""
    bytes_ = view[one.content : one.end]
    return sum((byte & 0x7F) << 7 * k for k, byte in enumerate(bytes_))


def signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def event_files(folder: Path) -> Iterator[Path]:
    """The event files in a folder, in the order of their names."""
    yield from sorted(p for p in folder.iterdir() if "events" in p.name and p.is_file())
