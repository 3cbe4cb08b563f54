"""Values as JSON and a file of arrays, for the way from one process to another; no pickle."""

from __future__ import annotations

import io
import json
import os
import stat
import struct
import zipfile
import zlib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .messages import KINDS, Array

PLAIN = (bool, int, str, type(None))

MAX_TREE = 1 << 28
"""Bytes of the JSON; the arrays are in a file of their own."""
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
OPEN_FLAGS |= getattr(os, "O_BINARY", 0)
DAMAGES = (
    *(OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError),
    *(RecursionError, MemoryError, OverflowError, NotImplementedError, struct.error, zlib.error),
    zipfile.BadZipFile,
)
"""What reading may raise where `write` has not written."""


class DamagedError(ValueError):
    """What lies there has not been written by `write`, or is too large to be read."""


def write(path: str, value: Any) -> None:
    """Keeps `value` at `path` (.json) and, if it holds arrays, beside it (.npz)."""
    arrays: list[Array] = []
    text = json.dumps(packed(value, arrays))
    if arrays:
        with Path(f"{path}.npz").open("wb") as file:
            np.savez(file, *arrays)  # named arr_0, arr_1, ...
    Path(f"{path}.json").write_text(text, encoding="utf-8")


def read(path: str) -> Any:
    """What `write` has kept at `path`, whose files are removed.

    The user's code may have put anything there. Raises: DamagedError
    """
    try:
        tree = json.loads(content(f"{path}.json", MAX_TREE))
        arrays: list[Array] = []
        if os.path.lexists(f"{path}.npz"):
            arrays = arrays_in(f"{path}.npz")
            os.unlink(f"{path}.npz")
        os.unlink(f"{path}.json")
        return unpacked(tree, arrays)
    except DAMAGES as error:
        raise DamagedError(f"{type(error).__name__}: {error}"[:300]) from error


def opened(path: str) -> int:
    """A descriptor of a file, no link and no pipe. Raises: OSError"""
    descriptor = os.open(path, OPEN_FLAGS)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(0, "it is no regular file")


def content(path: str, limit: int, *, end: bool = False) -> bytes:
    """The bytes of a file; of a larger one only its `end`. Raises: OSError"""
    with os.fdopen(opened(path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit and not end:
            raise OSError(0, f"it has {size} bytes, more than {limit}")
        file.seek(max(size - limit, 0))
        return file.read(limit)


def arrays_in(path: str) -> list[Array]:
    """The arrays in a file that `np.savez` has written. Raises: one of DAMAGES"""
    with os.fdopen(opened(path), "rb") as file, zipfile.ZipFile(file) as archive:
        size = os.fstat(file.fileno()).st_size
        if size > most_bytes():
            raise OSError(0, f"it has {size} bytes, more than fit into memory")
        names = archive.namelist()
        return [member(archive, f"arr_{i}.npy", size) for i in range(len(names))]


def member(archive: zipfile.ZipFile, name: str, limit: int) -> Array:
    info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > limit:
        raise ValueError(f"{name} is packed")
    data = io.BytesIO(archive.read(info))
    version = np.lib.format.read_magic(data)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    shape, _fortran, dtype = read[version](data)
    if not dtype.hasobject and np.prod(shape, dtype=object) * dtype.itemsize > info.file_size:
        raise ValueError(f"{name} is too short")
    data.seek(0)
    return np.asarray(np.lib.format.read_array(data, allow_pickle=False))


def most_bytes() -> int:
    """Half of the machine's memory."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):  # not this system
        return 1 << 36


def packed(value: Any, arrays: list[Array]) -> Any:
    """JSON for `value`, whose arrays are put into the list.

    Raises: TypeError for what cannot travel
    """
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [packed(item, arrays) for item in value]}
    if isinstance(value, dict):
        pairs = [[packed(k, arrays), packed(v, arrays)] for k, v in value.items()]
        return {"dict": pairs}
    if is_dataclass(value) and type(value).__name__ in KINDS:
        parts = [packed(getattr(value, part.name), arrays) for part in fields(value)]
        return {type(value).__name__: parts}
    raise TypeError(f"a {type(value).__name__} cannot be handed to another process")


def unpacked(tree: Any, arrays: list[Array]) -> Any:
    """The value of which `packed` made `tree`."""
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "float":
        return float.fromhex(content)
    if kind == "complex":
        return complex(*[float.fromhex(part) for part in content])
    if kind == "array":
        return arrays[content]
    if kind == "dict":
        return {unpacked(k, arrays): unpacked(v, arrays) for k, v in content}
    items = [unpacked(item, arrays) for item in content]
    if kind == "list":
        return items
    return tuple(items) if kind == "tuple" else KINDS[kind](*items)
