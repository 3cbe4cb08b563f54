"""MindSpore's .ckpt: one protobuf message per parameter, written and read without protobuf.

    message Checkpoint { message Value { required string tag = 1;
                         oneof value { TensorProto tensor = 2; MapTensorProto maptensor = 3; } }
                         repeated Value value = 1; }
    message TensorProto { repeated int64 dims = 1; required string tensor_type = 2;
                          required bytes tensor_content = 3; }

Source: mindspore/train/serialization.py, mindspore/train/checkpoint_pb2.py of MindSpore 2.10.
"""

from __future__ import annotations

import math
import mmap
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from ..errors import MsconvertError
from .blocks import BLOCK_BYTES, Content, byte_blocks
from .element_types import BY_MINDSPORE, TO_COMPARE, ElementType
from .limits import holdable_type, take_name, unholdable
from .parts import tensor_in
from .storage.atomic import Path, Transaction
from .stored import (
    MAX_RANK,
    MOST_TENSORS,
    Checkpoint,
    Stored,
    Value,
    WeightFileError,
    damage,
    is_possible,
    map_file,
    refuse_many,
    unreadable_type,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer  # collections.abc.Buffer is of Python 3.12

STRUCTURE = "structure"
"""The name of a text that says where the tensors stood in a file of PyTorch's."""

CHUNK_BYTES = 512 << 20
"""A parameter of more bytes is stored as several elements of this size."""

VALUE, TAG, TENSOR, MAP_TENSOR = 0x0A, 0x0A, 0x12, 0x1A
DIM, TYPE, CONTENT = 0x08, 0x12, 0x1A
"""Keys of the fields: number << 3 | wire type (0 varint, 2 length and bytes)."""

CRC_MARK, CRC_BYTES = b"crc_num", 17
CIPHER_MAGIC = {
    (magic).to_bytes(4, "little"): mode
    for magic, mode in ((0x7F3A5ED8, "AES-GCM"), (0x7F3A5ED9, "AES-CBC"), (0x7F3A5EDA, "SM4-CBC"))
}
FOREIGN_STARTS = {
    b"PK\x03\x04": "a zip archive, as PyTorch and NumPy write",
    b"\x80": "a Python pickle, as older PyTorch writes",
    b"\x89HDF": "an HDF5 file, as Keras writes",
    b"\x08": "perhaps an ONNX model",
}
VARINT_BYTES = 10


def write_ckpt(
    target: BinaryIO | Path,
    items: Iterable[tuple[str, Value]],
    *,
    force: bool = False,
    crc: bool = False,
    chunk_bytes: int = CHUNK_BYTES,
) -> None:
    """Write `items` to a stream, or atomically to a path (existing: only with `force`).

    `crc` appends MindSpore's CRC-32 of all that stands before it. Arrays of any
    layout (memory-mapped, transposed, broadcast) go out in blocks and are never
    copied whole. A str is stored as MindSpore's append_dict does.
    Raises: MS305 for what MindSpore would not read back: no items at all, zero-size tensors,
    complex and float8 elements, empty or repeated names; MS107 if the path cannot be written.
    """
    if isinstance(target, str | os.PathLike):
        with Transaction(force=force) as transaction:
            write_ckpt(transaction.open(target), items, crc=crc, chunk_bytes=chunk_bytes)
        return
    counted = CrcStream(target)
    stream = counted if crc else target
    names: set[str] = set()
    for name, value in items:
        take_name(name, names)
        if isinstance(value, str):
            write_text(stream, name, value)
        else:
            write_tensor(stream, name, value, chunk_bytes)
    if not names:
        raise unholdable("the checkpoint", "it has no parameters", "write none")
    if crc:
        target.write(CRC_MARK + counted.crc.to_bytes(CRC_BYTES - len(CRC_MARK), "big"))


class Stream(Protocol):
    """What a checkpoint is written to."""

    def write(self, data: Buffer, /) -> Any: ...


class CrcStream:
    """Passes on what is written, and knows its CRC-32."""

    def __init__(self, target: BinaryIO) -> None:
        self.target = target
        self.crc = 0

    def write(self, data: Buffer, /) -> None:
        self.crc = zlib.crc32(data, self.crc)
        self.target.write(data)


def write_tensor(stream: Stream, name: str, array: Content, chunk_bytes: int) -> None:
    """Write one parameter, as one element or several of exactly `chunk_bytes` and a rest."""
    kind = holdable_type(name, array)
    if array.size == 0:
        raise unholdable(
            f"parameter '{name}'",
            f"its shape {array.shape} has no elements: MindSpore drops it on saving",
            "leave it out, or --format safetensors",
        )
    left, room = array.nbytes, 0
    for block in byte_blocks(array):
        while len(block) > 0:
            if room == 0:
                room = min(left, chunk_bytes)
                stream.write(element_head(name, array.shape, kind.mindspore, room))
            part = block[:room]
            stream.write(part)
            block = block[len(part) :]
            room -= len(part)
            left -= len(part)


def write_text(stream: Stream, name: str, text: str) -> None:
    """Write one string: dims [0], type `str`, UTF-32 code points as NumPy pads them."""
    try:
        content = (text or "\0").encode("utf-32-le")
    except UnicodeEncodeError as error:
        raise unholdable(f"text '{name}'", "it is not valid Unicode", "repair it") from error
    if text.endswith("\0"):
        raise unholdable(f"text '{name}'", "it ends in a NUL, which is lost", "strip it")
    stream.write(element_head(name, (0,), "str", len(content)) + content)


def element_head(name: str, dims: tuple[int, ...], type_name: str, content_bytes: int) -> bytes:
    """What stands in front of an element's content."""
    fields = b"".join(bytes([DIM]) + varint(dim) for dim in dims)
    fields += delimited(TYPE, type_name.encode()) + bytes([CONTENT]) + varint(content_bytes)
    tag = delimited(TAG, name.encode())
    tensor = bytes([TENSOR]) + varint(len(fields) + content_bytes) + fields
    return bytes([VALUE]) + varint(len(tag) + len(tensor) + content_bytes) + tag + tensor


def delimited(key: int, content: bytes) -> bytes:
    """A field of wire type 2."""
    return bytes([key]) + varint(len(content)) + content


@lru_cache(maxsize=4096)
def varint(number: int) -> bytes:
    """A number >= 0 in protobuf's variable length: 7 bits a byte, the lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


@dataclass(frozen=True)
class Element:
    """One element of the file; `start` is its first byte, `offset` that of its content."""

    start: int
    tag: str
    dims: tuple[int, ...]
    type_name: str
    offset: int
    size: int


def read_ckpt(path: Path, *, aligned: bool = True, comparing: bool = False) -> Checkpoint:
    """The parameters of a .ckpt, in its order, memory-mapped: nothing is read before it is used.

    Arrays are views where their bytes are aligned, else copies; with `aligned` False, always views.
    With `comparing`, elements that MindSpore writes and does not read are read, and a parameter
    that cannot be read is one in `unreadable`.

    The structure is checked whole, sizes before anything is allocated, and the CRC if there is
    one (crc_check=True; reads the file once). What the format itself cannot show: a file cut
    exactly between two parameters (use `Checkpoint.require`), changed bits in data, names.
    Raises: MS302, with byte offset and parameter, for everything damaged, encrypted or unknown
    """
    where = os.fspath(path)
    source = map_file(path)
    refuse_other_kinds(where, source)
    walk = Walk(where, source, aligned, TO_COMPARE if comparing else BY_MINDSPORE)
    entries: dict[str, Stored] = {}
    unreadable: dict[str, MsconvertError] = {}
    for tag, group in groupby(walk.elements(), key=lambda element: element.tag):
        try:
            found = walk.joined(list(group), tag in entries or tag in unreadable)
        except WeightFileError as error:
            if not comparing or walk.count > MOST_TENSORS:
                raise
            entries.pop(tag, None)
            unreadable[tag] = error
        else:
            entries[tag] = found
    if not entries and not unreadable:
        raise damage(where, "the file has no parameters")
    return Checkpoint(where, entries, None, walk.has_crc, source, unreadable)


def refuse_other_kinds(where: str, source: mmap.mmap) -> None:
    """Tell an encrypted checkpoint and other programs' files from a damaged one. Raises: MS302"""
    mode = CIPHER_MAGIC.get(source[:4])
    if mode is not None:
        problem = f"the checkpoint is encrypted ({mode})"
        advice = "in MindSpore, load it with dec_key and save it without enc_key"
        raise WeightFileError("MS302", where, problem, advice=advice)
    for start, what in FOREIGN_STARTS.items():
        if source[: len(start)] == start:
            problem = "not a MindSpore checkpoint"
            raise WeightFileError("MS302", where, problem, got=what, advice="check the path")
    if source[0] != VALUE and source[8:9] == b"{":
        problem = "this looks like a safetensors file"
        raise WeightFileError("MS302", where, problem, advice="name it NAME.safetensors")


class Walk:
    """The structure of a mapped .ckpt, read from front to back."""

    def __init__(
        self, path: str, source: mmap.mmap, aligned: bool, kinds: Mapping[str, ElementType]
    ) -> None:
        self.path = path
        self.source = source
        self.aligned = aligned
        self.kinds = kinds
        self.has_crc = False
        self.count = 0
        """How many elements were begun."""

    def damage(
        self, offset: int, problem: str, got: str = "", expected: str = ""
    ) -> WeightFileError:
        """The MS302 error about byte `offset`."""
        return damage(f"{self.path} at byte {offset}", problem, got, expected)

    def elements(self) -> Iterator[Element]:
        """Every element of the file, checked but for what concerns several of them."""
        offset, size = 0, len(self.source)
        while offset < size:
            self.count += 1
            refuse_many(self.path, self.count)
            if size - offset == CRC_BYTES and self.source[offset : offset + 7] == CRC_MARK:
                self.check_crc(offset)
                return
            start, end = self.field(offset, size, VALUE, "a parameter")
            yield self.element(offset, start, end)
            offset = end

    def element(self, first: int, start: int, end: int) -> Element:
        """The element whose key is at byte `first` and whose fields are bytes start to end."""
        tag_start, tag_end = self.field(start, end, TAG, "the name of a parameter")
        tag = self.text(tag_start, tag_end)
        if not tag:
            raise self.damage(first, "a parameter has an empty name")
        if tag_end == end:
            raise self.damage(first, f"parameter '{tag}' has a name but no tensor")
        if self.source[tag_end] == MAP_TENSOR:
            raise WeightFileError(
                "MS302",
                f"{self.path} at byte {first}",
                f"'{tag}' is a MapParameter (a hash table), which only MindSpore reads",
                advice="in MindSpore, save its keys and values as tensors",
            )
        dims_start, tensor_end = self.field(tag_end, end, TENSOR, f"the tensor of '{tag}'")
        self.require_end(tensor_end, end, tag)
        dims, type_key = self.dims(dims_start, end, tag)
        type_start, type_end = self.field(type_key, end, TYPE, f"the element type of '{tag}'")
        content, content_end = self.field(type_end, end, CONTENT, f"the content of '{tag}'")
        self.require_end(content_end, end, tag)
        type_name = self.text(type_start, type_end)
        return Element(first, tag, dims, type_name, content, content_end - content)

    def dims(self, offset: int, end: int, tag: str) -> tuple[tuple[int, ...], int]:
        """The dims that stand at byte `offset`, and the byte after them."""
        dims: list[int] = []
        while offset < end and self.source[offset] == DIM:
            dim, following = self.varint(offset + 1, end)
            if dim >= 1 << 63 or len(dims) == MAX_RANK:
                got = f"dimension {len(dims)} is {dim if dim < 1 << 63 else dim - (1 << 64)}"
                raise self.damage(offset, f"the shape of '{tag}' is impossible", got)
            dims.append(dim)
            offset = following
        return tuple(dims), offset

    def field(self, offset: int, end: int, key: int, what: str) -> tuple[int, int]:
        """First byte and end of the content of the field `key` at `offset`, within `end`."""
        if offset >= end:
            raise self.damage(offset, f"{what} is missing")
        if self.source[offset] != key:
            got = f"byte 0x{self.source[offset]:02x}"
            raise self.damage(offset, f"{what} does not start here", got, f"byte 0x{key:02x}")
        size, start = self.varint(offset + 1, end)
        if size > end - start:
            got = f"{end - start} bytes up to the end of the file or element"
            raise self.damage(offset, f"{what} is cut short", got, f"{size} bytes")
        return start, start + size

    def varint(self, offset: int, end: int) -> tuple[int, int]:
        """The number at byte `offset`, less than 2**64, and the byte after it."""
        if offset < end and self.source[offset] < 0x80:
            return self.source[offset], offset + 1
        number = 0
        for place, byte in enumerate(self.source[offset : min(end, offset + VARINT_BYTES)]):
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80 and number < 1 << 64:
                return number, offset + place + 1
        raise self.damage(offset, "a number is cut short or has more than 64 bits")

    def text(self, start: int, end: int) -> str:
        """The UTF-8 text of these bytes."""
        try:
            return self.source[start:end].decode()
        except UnicodeDecodeError as error:
            raise self.damage(start, "a name is not valid UTF-8") from error

    def require_end(self, offset: int, end: int, tag: str) -> None:
        """Refuse bytes that follow the last field known."""
        if offset != end:
            raise self.damage(offset, f"unknown data after the tensor of '{tag}'")

    def check_crc(self, offset: int) -> None:
        """Compare the CRC-32 stored at `offset` with that of all bytes before it."""
        stored = int.from_bytes(self.source[offset + len(CRC_MARK) :], "big")
        actual = 0
        for start in range(0, offset, BLOCK_BYTES):
            actual = zlib.crc32(self.source[start : min(offset, start + BLOCK_BYTES)], actual)
        if actual != stored:
            problem = "the data does not fit the stored CRC-32"
            raise self.damage(offset, problem, f"0x{actual:08x}", f"0x{stored:08x}")
        self.has_crc = True

    def joined(self, chunks: list[Element], is_known: bool = False) -> Stored:
        """The parameter that adjacent elements of one name make up, sizes checked."""
        first = chunks[0]
        if is_known:
            raise self.damage(first.start, f"parameter '{first.tag}' is stored twice")
        for chunk in chunks[1:]:
            if (chunk.dims, chunk.type_name) != (first.dims, first.type_name):
                got = f"{chunk.type_name} {list(chunk.dims)}"
                problem = f"the parts of '{first.tag}' differ in type or shape"
                raise self.damage(
                    chunk.start, problem, got, f"{first.type_name} {list(first.dims)}"
                )
        if first.type_name == "str":
            return self.joined_text(chunks)
        kind = self.kinds.get(first.type_name)
        if kind is None:
            where = f"{self.path} at byte {first.start}"
            raise unreadable_type(where, first.tag, first.type_name, self.kinds)
        shape = () if first.dims == (0,) else first.dims
        size, needed = sum(chunk.size for chunk in chunks), math.prod(shape) * kind.dtype.itemsize
        if size != needed or not is_possible(shape):
            parts = "" if len(chunks) == 1 else f" in {len(chunks)} parts"
            raise self.damage(
                first.start,
                f"'{first.tag}' does not have the size of its shape {list(shape)}",
                f"{size} bytes{parts}",
                f"{needed} bytes ({kind.mindspore})",
            )
        places = [(chunk.offset, chunk.size) for chunk in chunks]
        what = (first.tag, kind.mindspore, shape, kind.dtype)
        return tensor_in(self.source, places, *what, self.aligned)

    def joined_text(self, chunks: list[Element]) -> str:
        """The string that a `str` element holds."""
        first = chunks[0]
        if len(chunks) > 1 or first.dims != (0,) or first.size % 4 != 0:
            raise self.damage(first.start, f"text '{first.tag}' is not stored as a text")
        try:
            content = self.source[first.offset : first.offset + first.size]
            return content.decode("utf-32-le").rstrip("\0")
        except UnicodeDecodeError as error:
            raise self.damage(first.offset, f"text '{first.tag}' is not valid Unicode") from error
