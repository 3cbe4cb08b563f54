"""The weights in an ONNX file, read without onnx: initialisers, and the values of Constant nodes.

Only the places of the tensors are parsed; their bytes stay in the mapped file, or in the external
data files beside it. Source: onnx.proto3 of ONNX 1.19 (field numbers, element types).
"""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path as PathOf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MsconvertError
from .element_types import ONNX_TYPES, type_name_of
from .inside import instead_of_file, target_of
from .parts import joined, tensor_in
from .stored import (
    MAX_RANK,
    Array,
    Checkpoint,
    Stored,
    StoredTensor,
    is_possible,
    map_file,
    refuse_many,
)
from .wire import BYTES, VARINT, Field, WireError, fields, varint

if TYPE_CHECKING:
    from .storage.atomic import Path

GRAPH, FUNCTION = 7, 25
NODE, INITIALISER, SPARSE = 1, 5, 15
OUTPUT, NODE_NAME, OP_TYPE, ATTRIBUTE, DOMAIN = 2, 3, 4, 5, 7
DIMS, DATA_TYPE, SEGMENT, NAME, RAW, EXTERNAL, LOCATION = 1, 2, 3, 8, 9, 13, 14
FLOATS, INT32S, INT64S, DOUBLES, UINT64S = 4, 5, 7, 10, 11
VALUES = frozenset({FLOATS, INT32S, INT64S, RAW, DOUBLES, UINT64S})
VALUE = 5
"""Numbers of fields: ModelProto, GraphProto, NodeProto, TensorProto, AttributeProto."""

TYPED = {1: FLOATS, 7: INT64S, 11: DOUBLES, 12: UINT64S, 13: UINT64S, 14: FLOATS, 15: DOUBLES}
"""Where elements that are not raw stand, by data_type; all others: int32_data."""
FIXED = frozenset({FLOATS, DOUBLES})

HALF_BYTES = {21: ("uint4", np.dtype("u1")), 22: ("int4", np.dtype("i1"))}
"""Element types of four bits by data_type: their names, and what they are read as."""

HOLD_GRAPHS = frozenset({"If", "Loop", "Scan", "SequenceMap"})
MAX_PARTS = 1000
"""Elements that are not packed, each a field of its own: only small tensors have such."""


def read_onnx(path: Path, *, comparing: bool = False) -> Checkpoint:
    """The tensors of an ONNX model's graph by their names, in the file's order, memory-mapped.

    What lies in graphs within nodes and in functions is not read; `others` names these. With
    `comparing`, a tensor that cannot be read is one in `unreadable`.
    Raises: MS102 for everything damaged, MS103 for external data that is missing, too short or
    not in the model's folder
    """
    where = os.fspath(path)
    model = Model(where, map_file(path))
    entries: dict[str, Stored] = {}
    unreadable: dict[str, MsconvertError] = {}
    try:
        for count, (name, tensor) in enumerate(model.tensors(), 1):
            refuse_many(where, count)
            if isinstance(tensor, MsconvertError) or name in entries:
                twice = model.damage(f"'{name}' is stored twice")
                unreadable[name] = tensor if isinstance(tensor, MsconvertError) else twice
                entries.pop(name, None)
            elif name not in unreadable:
                entries[name] = tensor
    except WireError as error:
        raise model.damage(f"the file is damaged or cut off: {error}") from error
    if not comparing:
        for reason in unreadable.values():
            raise reason
    if not entries and not unreadable:
        raise model.damage("the model has no weights")
    found = Checkpoint(where, entries, None, False, model.source, unreadable, model.others)
    found.files = [os.path.join(os.path.dirname(where), file) for file in model.files]
    return found


@dataclass
class Facts:
    """What a TensorProto says, and where its elements lie."""

    name: str = ""
    dims: list[int] = field(default_factory=list)
    data_type: int = 0
    parts: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    external: dict[str, str] = field(default_factory=dict)
    is_external: bool = False
    is_segment: bool = False


class Model:
    """A mapped ONNX file, and its external data files, each mapped once."""

    def __init__(self, where: str, source: mmap.mmap) -> None:
        self.where = where
        self.source = source
        self.buffer = memoryview(source)
        self.files: dict[str, mmap.mmap] = {}
        self.others: list[str] = []

    def damage(self, problem: str, got: str = "", expected: str = "") -> MsconvertError:
        """The MS102 error about the file."""
        advice = "export or download the model again"
        return MsconvertError(
            "MS102", self.where, problem, got=got, expected=expected, advice=advice
        )

    def tensors(self) -> Iterator[tuple[str, StoredTensor | MsconvertError]]:
        """Each weight of the graph with its name, or why it cannot be read."""
        graphs = []
        for item in fields(self.buffer, 0, len(self.buffer)):
            if item.number == GRAPH and item.wire == BYTES:
                graphs.append(item)
            elif item.number == FUNCTION and item.wire == BYTES:
                self.others.append("a function")
        if len(graphs) != 1:
            raise self.damage("this is not an ONNX model: it has no graph, or several")
        for item in self.inside(graphs[0]):
            if item.wire != BYTES:
                continue
            if item.number == INITIALISER:
                facts = self.facts(item)
                yield facts.name, self.told(facts)
            elif item.number == NODE:
                yield from self.constant(item)
            elif item.number == SPARSE:
                self.others.append("a sparse initialiser")

    def inside(self, item: Field) -> Iterator[Field]:
        """The fields of the message that a field holds."""
        return fields(self.buffer, item.content, item.end)

    def constant(self, node: Field) -> Iterator[tuple[str, StoredTensor | MsconvertError]]:
        """The value of a node, if it is a Constant whose value is a tensor."""
        texts = {OUTPUT: "", NODE_NAME: "", OP_TYPE: "", DOMAIN: ""}
        attributes = []
        for item in self.inside(node):
            if item.wire == BYTES and item.number == ATTRIBUTE:
                attributes.append(item)
            elif item.wire == BYTES and item.number in texts and not texts[item.number]:
                texts[item.number] = self.text(item)
        if texts[DOMAIN] not in ("", "ai.onnx"):
            return
        if texts[OP_TYPE] in HOLD_GRAPHS:
            self.others.append(f"the graphs in {texts[OP_TYPE]} '{texts[NODE_NAME]}'")
        if texts[OP_TYPE] != "Constant":
            return
        for attribute in attributes:
            for item in self.inside(attribute):
                if item.number == VALUE and item.wire == BYTES:
                    facts = self.facts(item)
                    facts.name = texts[OUTPUT]
                    yield facts.name, self.told(facts)

    def text(self, item: Field) -> str:
        return bytes(self.buffer[item.content : item.end]).decode("utf-8", "backslashreplace")

    def facts(self, tensor: Field) -> Facts:
        """What a TensorProto says."""
        found = Facts()
        for item in self.inside(tensor):
            size = item.end - item.content
            if item.number == DIMS:
                found.dims += self.numbers(item, MAX_RANK + 1 - len(found.dims))
            elif item.number == DATA_TYPE and item.wire == VARINT:
                found.data_type = self.numbers(item)[0]
            elif item.number == SEGMENT:
                found.is_segment = True
            elif item.number == NAME and item.wire == BYTES:
                found.name = self.text(item)
            elif item.number == LOCATION and item.wire == VARINT:
                found.is_external = self.numbers(item)[0] == 1
            elif item.number == EXTERNAL and item.wire == BYTES:
                key, value = (self.text(part) for part in self.pair(item))
                found.external[key] = value
            elif item.number in VALUES:
                parts = found.parts.setdefault(item.number, [])
                parts.append((item.content, size))
                if len(parts) > MAX_PARTS:
                    raise self.damage(f"the elements of '{found.name}' are not packed")
        return found

    def pair(self, item: Field) -> tuple[Field, Field]:
        """The fields of a StringStringEntryProto."""
        both = {part.number: part for part in self.inside(item) if part.wire == BYTES}
        if both.keys() != {1, 2}:
            raise self.damage("an entry of external data has no key or no value")
        return both[1], both[2]

    def numbers(self, item: Field, most: int = 1) -> list[int]:
        """The first varints in a field, packed or not; negative ones are 2**63 and more."""
        found: list[int] = []
        place = item.content
        while place < item.end and len(found) < most:
            number, place = varint(self.buffer, place, item.end)
            found.append(number)
        return found

    def told(self, facts: Facts) -> StoredTensor | MsconvertError:
        """The tensor, or why it cannot be read."""
        try:
            return self.tensor(facts)
        except MsconvertError as error:
            return error

    def tensor(self, facts: Facts) -> StoredTensor:
        """The tensor, its size checked. Raises: MS102, MS103"""
        shape = tuple(facts.dims)
        if not facts.name or facts.is_segment:
            raise self.damage("a tensor has no name, or is a part of one")
        if not is_possible(shape):
            raise self.damage(f"the shape of '{facts.name}' is impossible", str(shape))
        if facts.data_type in HALF_BYTES:
            type_name, dtype = HALF_BYTES[facts.data_type]
            pairs = self.elements(facts, np.dtype("u1"), ((math.prod(shape) + 1) // 2,))
            load = partial(halves, pairs.load, dtype, shape)
            return StoredTensor(facts.name, type_name, shape, dtype, load, release=pairs.release)
        if facts.data_type not in ONNX_TYPES:
            got = f"data_type {facts.data_type}"
            raise self.damage(f"'{facts.name}' has elements that are not read", got, "numbers")
        return self.elements(facts, ONNX_TYPES[facts.data_type], shape)

    def elements(self, facts: Facts, dtype: np.dtype[Any], shape: tuple[int, ...]) -> StoredTensor:
        """The tensor of this type and shape, wherever its elements stand. Raises: MS102, MS103"""
        count = math.prod(shape)
        what = (facts.name, type_name_of(dtype), shape, dtype)
        source, parts = self.source, facts.parts.get(RAW, [])
        if facts.is_external:
            source, parts = self.external(facts, count * dtype.itemsize)
        elif not parts:
            number = TYPED.get(facts.data_type, INT32S)
            parts = facts.parts.get(number, [])
            if number not in FIXED:
                return self.from_varints(facts.name, parts, dtype, shape)
        size = sum(size for _start, size in parts)
        if size != count * dtype.itemsize:
            problem = f"'{facts.name}' does not have the size of its shape {list(shape)}"
            raise self.damage(problem, f"{size} bytes", f"{count * dtype.itemsize} bytes")
        return tensor_in(source, parts or [(0, 0)], *what)

    def from_varints(
        self, name: str, parts: list[tuple[int, int]], dtype: np.dtype[Any], shape: tuple[int, ...]
    ) -> StoredTensor:
        """A tensor whose elements are packed numbers of one to ten bytes, decoded when loaded."""
        count, size = math.prod(shape), sum(size for _start, size in parts)
        if not count <= size <= 10 * count:
            problem = f"'{name}' does not have the size of its shape {list(shape)}"
            raise self.damage(problem, f"{size} bytes", f"{count} numbers of 1 to 10 bytes")

        def load() -> Array:
            packed = joined(self.source, parts, np.dtype("u1"), (size,))
            values = decoded(packed, dtype)
            if values is None or values.size != count:
                raise self.damage(f"the elements of '{name}' are damaged")
            values.flags.writeable = False
            return values.reshape(shape)

        return StoredTensor(name, type_name_of(dtype), shape, dtype, load)

    def external(self, facts: Facts, needed: int) -> tuple[mmap.mmap, list[tuple[int, int]]]:
        """The file that a tensor's elements lie in, and where. Raises: MS103"""
        location = facts.external.get("location", "")
        if location not in self.files:
            self.files[location] = map_file(self.beside(facts.name, location))
        source = self.files[location]
        place = [facts.external.get(key, default) for key, default in external_defaults(needed)]
        if not all(text.isascii() and text.isdigit() and len(text) < 20 for text in place):
            problem = f"offset or length of '{facts.name}' is not a number of bytes"
            raise self.outside(problem, str(place)[:80])
        offset, length = map(int, place)
        if offset + length > len(source):
            problem = f"the external data of '{facts.name}' is shorter than declared"
            raise self.outside(problem, f"{len(source)} bytes", f"{offset + length} bytes")
        return source, [(offset, length)]

    def beside(self, name: str, location: str) -> PathOf:
        """The path of an external data file. Raises: MS103"""
        target, is_outside = target_of(PathOf(self.where).absolute().parent, location)
        if is_outside:
            problem = f"'{name}' lies outside the model's folder"
            raise self.outside(problem, repr(location), "a relative path, not a link")
        if target is None:
            problem = f"the file with the data of '{name}' is missing"
            raise self.outside(problem, instead_of_file(PathOf(self.where).parent, location))
        return target

    def outside(self, problem: str, got: str, expected: str = "") -> MsconvertError:
        """The MS103 error about external data."""
        advice = "copy all files of the export into one folder"
        return MsconvertError(
            "MS103", self.where, problem, got=got, expected=expected, advice=advice
        )


def external_defaults(needed: int) -> tuple[tuple[str, str], ...]:
    """What offset and length are if the file does not say."""
    return ("offset", "0"), ("length", str(needed))


def halves(pairs: Callable[[], Array], dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """The elements of four bits that stand two to a byte, the first in the lower half."""
    packed = pairs()
    values = np.empty(2 * packed.size, dtype)
    values[0::2], values[1::2] = packed & 0xF, packed >> 4
    if dtype.kind == "i":
        values[values > 7] -= 16
    values.flags.writeable = False
    return values[: math.prod(shape)].reshape(shape)


def decoded(packed: Array, dtype: np.dtype[Any]) -> Array | None:
    """The elements that varints stand for; None if one is damaged or beyond the type."""
    last = packed < 0x80
    ends = np.flatnonzero(last)
    if packed.size == 0 or not last[-1]:
        return np.zeros(0, dtype) if packed.size == 0 else None
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if lengths.max() > 10:
        return None
    values = np.zeros(ends.size, np.uint64)
    for place in range(int(lengths.max())):
        longer = np.flatnonzero(lengths > place)
        bits = packed[starts[longer] + place].astype(np.uint64) & np.uint64(0x7F)
        values[longer] |= bits << np.uint64(7 * place)
    return narrowed(values, dtype)


def narrowed(values: Array, dtype: np.dtype[Any]) -> Array | None:
    """64-bit patterns as elements of `dtype`; floats are stored as their bits."""
    if dtype.kind == "i":
        signed = values.view(np.int64)
        found = signed.astype(dtype)
        return found if np.array_equal(found, signed) else None
    if dtype.kind == "b":
        return values.astype(np.bool_) if values.max() <= 1 else None
    bits = values.astype(f"u{dtype.itemsize}")
    return bits.view(dtype) if np.array_equal(bits, values) else None
