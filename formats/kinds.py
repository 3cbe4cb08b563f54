"""The kind of a weight file: by its name, else by its first bytes."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from ..errors import MsconvertError
from . import INDEX, READ
from .npy import MAGIC
from .stored import map_file, opened
from .wire import WireError, fields

if TYPE_CHECKING:
    from .storage.atomic import Path

ZIP, LEGACY = b"PK\x03\x04", b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""How PyTorch's files begin; .npz files are zip archives, too."""
START_BYTES = 512
INDEX_ENDING, INDEX_OF_MINDSPORE = ".index.json", "param_name_map.json"
NPZ_MEMBER = b".npy"
MAX_SAFETENSORS_HEADER = 100_000_000
ONNX_VERSION, ONNX_GRAPH, ONNX_OPSETS = 1, 7, 8
ONNX_FIELDS = frozenset({ONNX_VERSION, 2, 3, 4, 5, 6, ONNX_GRAPH, ONNX_OPSETS, 14, 20, 25, 26})
"""Numbers of the fields of an ONNX model."""
MAX_FIELDS = 10_000


def kind_of(path: Path) -> str | None:
    """One of READ, or None for what is no weight file.

    A .ckpt may be PyTorch's (Lightning names them so); a name with another ending says nothing.
    """
    where = os.fspath(path)
    if where.endswith(".npy"):
        return "npy"  # of which there are thousands
    name = os.path.basename(where)
    if name.endswith(INDEX_ENDING) or name == INDEX_OF_MINDSPORE:
        return INDEX
    ending = os.path.splitext(name)[1].removeprefix(".").lower()
    if ending == "ckpt":
        return "pth" if start_of(where).startswith((ZIP, LEGACY)) else ending
    if ending == "pkl":  # which PyTorch's files are called, too
        return "pth" if start_of(where).startswith((ZIP, LEGACY)) else ending
    if ending in READ:
        return ending
    start = start_of(where)
    return kind_of_content(start) or ("onnx" if is_onnx(where, start) else None)


def start_of(where: str) -> bytes:
    """The first bytes of a file; none if it cannot be read."""
    try:
        descriptor, _size = opened(where)
    except MsconvertError:
        return b""
    try:
        return os.read(descriptor, START_BYTES)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def kind_of_content(start: bytes) -> str | None:
    """The kind of a file that begins so; None if it is no weight file, or not clearly one."""
    if start.startswith(MAGIC):
        return "npy"
    if start.startswith(ZIP):
        size = int.from_bytes(start[26:28], "little")
        return "npz" if start[30 : 30 + size].endswith(NPZ_MEMBER) else "pth"
    if start.startswith(LEGACY):
        return "pth"
    if start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= MAX_SAFETENSORS_HEADER:
        return "safetensors"
    return "ckpt" if is_ckpt(start) else None


def is_ckpt(start: bytes) -> bool:
    """Whether these bytes are an element's key, its length, and the key of its name."""
    if start[:1] != b"\x0a":
        return False
    length = next((place for place, byte in enumerate(start[1:11], 1) if byte < 0x80), 0)
    return length > 0 and start[length + 1 : length + 2] == b"\x0a"


def is_onnx(where: str, start: bytes) -> bool:
    """Whether a file is a message with the fields of an ONNX model, a graph among them."""
    if start[:1] != bytes([ONNX_VERSION << 3]):
        return False
    buffer = memoryview(map_file(where))
    try:
        found = {item.number for item in islice(fields(buffer, 0, len(buffer)), MAX_FIELDS)}
    except WireError:
        return False
    return {ONNX_GRAPH, ONNX_OPSETS} <= found <= ONNX_FIELDS
