"""PyTorch's .pth, as torch.save(state_dict) writes it: `torch.load(weights_only=True)` reads it.

An uncompressed zip archive: a pickle, a member for each tensor at a multiple of 64 bytes, the byte
order and the version of the format. Source: torch/serialization.py of PyTorch 2.13.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from ..blocks import BLOCK_BYTES, Content, Streamed, byte_blocks
from ..limits import take_name, unholdable
from ..storage.atomic import Path, Transaction
from ..stored import Value
from .torch_types import TorchType, torch_type_of

FOLDER = "archive"
ALIGNMENT = 64
DOS_DATE = 0x21
"""1980-01-01: the same weights make the same bytes."""
PADDING_ID = b"FB"
MAX32 = 0xFFFFFFFF


def write_pth(
    target: BinaryIO | Path,
    items: Iterable[tuple[str, Value]],
    *,
    force: bool = False,
    tied: Mapping[str, str] | None = None,
) -> None:
    """Write `items` to a seekable stream, or atomically to a path (existing: with `force`).

    `tied`: further names and the item whose storage they share. Arrays of any layout go out in
    blocks.
    Raises: MS305 for texts, elements that PyTorch has not, empty or repeated names, no items at
    all; MS107 if the path cannot be written
    """
    if isinstance(target, str | os.PathLike):
        with Transaction(force=force) as transaction:
            write_pth(transaction.open(target), items, tied=tied)
        return
    with ThreadPoolExecutor(1) as beside:
        write_archive(ZipWriter(target, beside), items, tied or {})


def write_archive(
    archive: ZipWriter, items: Iterable[tuple[str, Value]], tied: Mapping[str, str]
) -> None:
    """Writes the members of a state dict. Raises: MS305"""
    names: set[str] = set()
    written: dict[str, bytes] = {}
    for name, value in items:
        take_name(name, names)
        if isinstance(value, str):
            raise unholdable(f"text '{name}'", "a state dict holds tensors only", "leave it out")
        key = str(len(written))
        written[name] = tensor(value, torch_type(name, value), key)
        archive.add(f"{FOLDER}/data/{key}", value)
    if not written:
        raise unholdable("the checkpoint", "it has no parameters", "write none")
    for name, other in tied.items():
        take_name(name, names)
        written[name] = written[other]
    archive.add(f"{FOLDER}/data.pkl", as_array(state_dict(written)))
    archive.add(f"{FOLDER}/byteorder", as_array(b"little"))
    archive.add(f"{FOLDER}/version", as_array(b"3\n"))
    archive.finish()


def as_array(data: bytes) -> np.ndarray[Any, Any]:
    return np.frombuffer(data, np.uint8)


def torch_type(name: str, array: Content) -> TorchType:
    """The element type of a parameter. Raises: MS305 if PyTorch has no such elements"""
    found = torch_type_of(array.dtype)
    if found is None:
        problem = f"PyTorch has no {array.dtype} elements"
        raise unholdable(f"parameter '{name}'", problem, "cast it to float32")
    return found


# the pickle


def state_dict(tensors: Mapping[str, bytes]) -> bytes:
    """The pickle of an OrderedDict of tensors, each given as its instructions."""
    items = b"".join(text(name) + value for name, value in tensors.items())
    return b"\x80\x02" + EMPTY_ORDERED + b"(" + items + b"u."


def tensor(array: Content, kind: TorchType, key: str) -> bytes:
    """The instructions that rebuild a contiguous tensor over the storage `key`."""
    size = array.size if kind.storage else array.nbytes
    storage = named("torch", kind.storage) if kind.storage else UNTYPED
    reference = b"(" + text("storage") + storage + text(key) + text("cpu") + whole(size) + b"tQ"
    shape = array.shape
    steps = [int(np.prod(shape[axis + 1 :], dtype=object)) for axis in range(len(shape))]
    view = reference + whole(0) + sizes(shape) + sizes(steps) + b"\x89" + EMPTY_ORDERED
    if kind.storage:
        return named("torch._utils", "_rebuild_tensor_v2") + b"(" + view + b"tR"
    typed = view + named("torch", kind.name)
    return named("torch._utils", "_rebuild_tensor_v3") + b"(" + typed + b"tR"


def named(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()


def text(value: str) -> bytes:
    raw = value.encode()
    return b"X" + struct.pack("<I", len(raw)) + raw


def whole(number: int) -> bytes:
    """An integer >= 0."""
    if number < 1 << 31:
        return b"J" + struct.pack("<i", number)
    raw = number.to_bytes(number.bit_length() // 8 + 1, "little")
    return b"\x8a" + bytes([len(raw)]) + raw


def sizes(values: Iterable[int]) -> bytes:
    return b"(" + b"".join(map(whole, values)) + b"t"


EMPTY_ORDERED = named("collections", "OrderedDict") + b")R"
UNTYPED = named("torch.storage", "UntypedStorage")


# the archive


@dataclass(frozen=True)
class Written:
    """A member that stands in the archive: its header at byte `start`."""

    name: bytes
    start: int
    size: int
    crc: int


class ZipWriter:
    """Writes members one behind the other; the CRC-32 is put into the header afterwards.

    `beside` makes that of a large member while it is written.
    """

    def __init__(self, stream: BinaryIO, beside: ThreadPoolExecutor) -> None:
        self.stream = stream
        self.beside = beside
        self.base = stream.tell()
        self.place = 0
        self.members: list[Written] = []

    def add(self, name: str, array: Content) -> None:
        """Writes the elements as a member."""
        raw, start, size = name.encode(), self.place, array.nbytes
        wide = zip64(size, size) if size >= MAX32 else b""
        free = -(start + 30 + len(raw) + len(wide) + 4) % ALIGNMENT
        extra = wide + PADDING_ID + struct.pack("<H", free) + b"Z" * free
        self.write(header(raw, size, 0, extra) + raw + extra)
        at_once = isinstance(array, Streamed) or size <= BLOCK_BYTES
        awaited = None if at_once else self.beside.submit(crc_of, array)
        crc = 0
        for block in byte_blocks(array):
            if awaited is None:
                crc = zlib.crc32(block, crc)
            self.write(block)
        if awaited is not None:
            crc = awaited.result()
        self.stream.seek(self.base + start + 14)
        self.stream.write(struct.pack("<I", crc))
        self.stream.seek(self.base + self.place)
        self.members.append(Written(raw, start, size, crc))

    def write(self, data: Any) -> None:
        self.stream.write(data)
        self.place += len(data)

    def finish(self) -> None:
        """Writes the directory."""
        start = self.place
        for member in self.members:
            self.write(entry(member))
        size, count = self.place - start, len(self.members)
        if start >= MAX32 or count >= 0xFFFF:
            sums = (count, count, size, start)
            end = self.place
            self.write(b"PK\x06\x06" + struct.pack("<Q2H2I4Q", 44, 45, 45, 0, 0, *sums))
            self.write(b"PK\x06\x07" + struct.pack("<IQI", 0, end, 1))
        short = (min(count, 0xFFFF), min(count, 0xFFFF), size, min(start, MAX32))
        self.write(b"PK\x05\x06" + struct.pack("<4H2IH", 0, 0, *short, 0))


def crc_of(content: Content) -> int:
    """The CRC-32 of the bytes."""
    crc = 0
    for block in byte_blocks(content):
        crc = zlib.crc32(block, crc)
    return crc


def header(name: bytes, size: int, crc: int, extra: bytes) -> bytes:
    """What stands before the data of a member."""
    short = min(size, MAX32)
    fields = (45, 0x800, 0, 0, DOS_DATE, crc, short, short, len(name), len(extra))
    return b"PK\x03\x04" + struct.pack("<5H3I2H", *fields)


def entry(member: Written) -> bytes:
    """What the directory says of a member."""
    large, far = member.size >= MAX32, member.start >= MAX32
    wide = [*((member.size, member.size) if large else ()), *((member.start,) if far else ())]
    extra = zip64(*wide) if wide else b""
    short, start = min(member.size, MAX32), min(member.start, MAX32)
    fields = (45, 45, 0x800, 0, 0, DOS_DATE, member.crc, short, short, len(member.name))
    rest = (len(extra), 0, 0, 0, 0, start)
    return b"PK\x01\x02" + struct.pack("<6H3IH4H2I", *fields, *rest) + member.name + extra


def zip64(*values: int) -> bytes:
    """The extra field with sizes of 64 bits."""
    return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values)
