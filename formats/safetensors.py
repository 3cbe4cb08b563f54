"""MindSpore's .safetensors: read through the safetensors library, written in blocks.

The library checks every header that is read. It writes from whole arrays only, so that a
broadcast view of 400 MB would first become 400 MB; the writer here makes the same bytes.
Source: huggingface/safetensors 0.8; mindspore/train/serialization.py of MindSpore 2.10.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Iterable, Mapping
from typing import BinaryIO

from safetensors import SafetensorError, safe_open

from ..errors import MsconvertError
from .blocks import Content, byte_blocks
from .element_types import (
    BY_SAFETENSORS,
    ELEMENT_TYPES,
    PACKED_INT4,
    SAFETENSORS_TO_COMPARE,
    ElementType,
)
from .limits import holdable_type, take_name, unholdable
from .parts import tensor_in
from .storage.atomic import Path, Transaction
from .stored import (
    Checkpoint,
    StoredTensor,
    Value,
    damage,
    is_possible,
    map_file,
    refuse_many,
    unreadable_type,
)

METADATA = "__metadata__"
LENGTH_BYTES = ALIGNMENT = 8
MAX_HEADER_BYTES = 100_000_000
"""Longer headers are refused by every reader."""

BITS = {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}
"""Bits of the elements of less than a byte, which NumPy does not have."""

PLACES = {kind.safetensors: place for place, kind in enumerate(reversed(ELEMENT_TYPES))}
"""Which types stand first in a file."""

Entry = tuple[str, ElementType, Content]


def write_safetensors(
    target: BinaryIO | Path,
    items: Iterable[tuple[str, Value]],
    *,
    force: bool = False,
    crc: bool = False,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write `items` to a stream, or atomically to a path (existing: only with `force`).

    `metadata` is added to MindSpore's own, and with `crc` the CRC-32 of names and data.
    The header stands first, so all arrays are held (views and memory maps cost nothing) and
    then written in blocks, sorted by element type and name as the library does.
    Raises: MS305 for strings, complex and float8 elements, empty or repeated names, no items
    at all; MS107 if the path cannot be written
    """
    if isinstance(target, str | os.PathLike):
        with Transaction(force=force) as transaction:
            stream = transaction.open(target)
            write_safetensors(stream, items, crc=crc, metadata=metadata)
        return
    entries = sorted_entries(items)
    facts = {"format": "ms"} | dict(metadata or {})
    if crc:
        facts["crc_num"] = str(crc_of({name: array for name, _kind, array in entries}))
    target.write(header(entries, facts))
    for _name, _kind, array in entries:
        for block in byte_blocks(array):
            target.write(block)


def sorted_entries(items: Iterable[tuple[str, Value]]) -> list[Entry]:
    """The checked items, in the order of the file."""
    entries: list[Entry] = []
    names = {METADATA}
    for name, value in items:
        take_name(name, names)
        if isinstance(value, str):
            raise unholdable(f"text '{name}'", "safetensors holds no texts", "--format ckpt")
        entries.append((name, holdable_type(name, value), value))
    if not entries:
        raise unholdable("the checkpoint", "it has no parameters", "write none")
    return sorted(entries, key=lambda entry: (PLACES[entry[1].safetensors], entry[0]))


def header(entries: list[Entry], metadata: Mapping[str, str]) -> bytes:
    """The length and the JSON text in front of the data, which start at a multiple of 8."""
    described: dict[str, object] = {METADATA: metadata}
    offset = 0
    for name, kind, array in entries:
        described[name] = {
            "dtype": kind.safetensors,
            "shape": array.shape,
            "data_offsets": (offset, offset + array.nbytes),
        }
        offset += array.nbytes
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    if len(text) > MAX_HEADER_BYTES:
        raise unholdable("the checkpoint", "its names take over 100 MB", "--format ckpt")
    return len(text).to_bytes(LENGTH_BYTES, "little") + text


def read_safetensors(path: Path, *, comparing: bool = False) -> Checkpoint:
    """The tensors of a .safetensors file, in the order of their data, memory-mapped.

    The header is checked by the safetensors library (sizes, overlaps, gaps, text), the CRC if
    MindSpore stored one (crc_check=True; reads the file once). With `comparing`, elements that
    MindSpore does not read are read, and those that NumPy does not know make no damage: such
    tensors are in `unreadable`.
    Raises: MS302 for everything damaged or unknown
    """
    where = os.fspath(path)
    source = map_file(path)
    try:
        with safe_open(path, framework="numpy") as opened:
            metadata: dict[str, str] = opened.metadata() or {}
            names = opened.offset_keys()
            refuse_many(where, len(names))
            described = [(name, opened.get_slice(name)) for name in names]
            shapes = [(name, s.get_dtype(), tuple(s.get_shape())) for name, s in described]
    except SafetensorError as error:
        raise damage(where, f"not a whole safetensors file ({error})") from error
    entries: dict[str, StoredTensor] = {}
    unreadable: dict[str, MsconvertError] = {}
    kinds = SAFETENSORS_TO_COMPARE if comparing else BY_SAFETENSORS
    offset = LENGTH_BYTES + int.from_bytes(source[:LENGTH_BYTES], "little")
    for name, type_name, shape in shapes:
        kind = kinds.get(type_name)
        if kind is None:
            unreadable[name] = unreadable_type(where, name, type_name, kinds)
            if not comparing or type_name not in BITS:
                raise unreadable[name]
            offset += math.prod(shape) * BITS[type_name] // 8
            continue
        if not is_possible(shape):
            raise damage(where, f"the shape of '{name}' is impossible", str(shape))
        packed = metadata.get(name) == PACKED_INT4.mindspore
        shown = PACKED_INT4.mindspore if packed else kind.mindspore
        size = math.prod(shape) * kind.dtype.itemsize
        entries[name] = tensor_in(source, [(offset, size)], name, shown, shape, kind.dtype)
        offset += size
    if not entries and not unreadable:
        raise damage(where, "the file has no parameters")
    if "crc_num" in metadata:
        actual = str(crc_of({name: stored.array() for name, stored in entries.items()}))
        if actual != metadata["crc_num"]:
            problem = "the data does not fit the stored CRC-32"
            raise damage(where, problem, actual, metadata["crc_num"])
    return Checkpoint(where, entries, metadata, source=source, unreadable=unreadable)


def crc_of(arrays: Mapping[str, Content]) -> int:
    """MindSpore's CRC-32, over names and data in the order of the names."""
    crc = 0
    for name in sorted(arrays):
        crc = zlib.crc32(name.encode(), crc)
        for block in byte_blocks(arrays[name]):
            crc = zlib.crc32(block, crc)
    return crc
