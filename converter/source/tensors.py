"""Tensors of an ONNX file as arrays: views of the mapped files wherever the bytes allow it."""

from __future__ import annotations

import hashlib
import math
import mmap
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ...errors import MsconvertError
from ...formats.inside import instead_of_file, target_of
from ...formats.storage.opening import opened
from ...formats.stored import let_go
from ..graph.proto import dtype_of, name_of
from .wire import OWN_FILE

Array = np.ndarray[Any, Any]

NUMBER = re.compile("[0-9]{1,19}")
"""An offset or a length in a file; Python's `int` takes far more."""

SHA1 = re.compile("[0-9A-Fa-f]{40}")

MAX_DENSE = 1 << 28
"""Bytes: a sparse tensor that would be bigger when dense is refused."""


@dataclass(eq=False)
class TensorFiles:
    """The model file and the external data files beside it, each mapped once."""

    path: Path
    model: memoryview
    opened: dict[str, memoryview] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)

    def bytes_of(self, tensor: TensorProto, needed: int) -> memoryview:
        """The payload of a tensor whose data_location is EXTERNAL. Raises: MS103, MS104."""
        said = tensor.external_data
        entries = {name_of(entry.key): name_of(entry.value) for entry in said}
        location = entries.get("location", "")
        source = self.model if location == OWN_FILE else self._open(location, tensor.name)
        if not all(NUMBER.fullmatch(entries.get(key) or "0") for key in ("offset", "length")):
            raise self.refusal(
                "MS103", f"weight {tensor.name!r}: offset or length is not a number of bytes"
            )
        offset, length = int(entries.get("offset") or 0), int(entries.get("length") or needed)
        self._check_sum(name_of(tensor.name), location, entries.get("checksum", ""), source)
        if offset + length > len(source):
            raise self.refusal(
                "MS103",
                f"external data of weight {tensor.name!r} is shorter than declared",
                got=f"{location}: {len(source)} bytes",
                expected=f"at least {offset + length} bytes",
                advice="copy the data file again, or export the model again",
            )
        return source[offset : offset + length]

    def _check_sum(self, name: str, location: str, wanted: str, source: memoryview) -> None:
        """Raises: MS103 for a file that has another SHA-1 than the model says."""
        if not SHA1.fullmatch(wanted) or location == OWN_FILE:
            return
        if location not in self.sums:
            self.sums[location] = hashlib.sha1(source, usedforsecurity=False).hexdigest()
        if self.sums[location] != wanted.lower():
            raise self.refusal(
                "MS103",
                f"the file with the data of weight {name!r} is not the one that was written",
                got=f"{location}: SHA-1 {self.sums[location]}",
                expected=f"SHA-1 {wanted.lower()}",
                advice="copy the data file again, or export the model again",
            )

    def refusal(
        self,
        code: str,
        problem: str,
        got: str = "",
        expected: str = "",
        advice: str = "the file is damaged: export the model again",
    ) -> MsconvertError:
        return MsconvertError(
            code, str(self.path), problem, got=got, expected=expected, advice=advice
        )

    def _open(self, location: str, name: str) -> memoryview:
        if location not in self.opened:
            self.opened[location] = mapped(self._inside(location, name))
        return self.opened[location]

    @property
    def paths(self) -> list[str]:
        """The model, and the files of external data that were opened for it."""
        return [str(self.path), *(str(self.path.parent / location) for location in self.opened)]

    def _inside(self, location: str, name: str) -> Path:
        """The path of an external data file. Raises: MS103 if missing or outside the folder."""
        target, outside = target_of(self.path.absolute().parent, location)
        if outside:
            raise self.refusal(
                "MS103",
                f"weight {name!r} lies outside the model's folder",
                got=repr(location),
                expected="a file in the model's folder, given by a relative path, not a link",
                advice="copy the data file itself beside the model and export or edit the location",
            )
        if target is not None and target.stat().st_nlink > 1:
            raise self.refusal(
                "MS103",
                f"the data of weight {name!r} is a hard link, perhaps to a file outside the folder",
                got=repr(location),
                expected="a file of its own, as onnx wants it, too",
                advice="put a copy of it in its place",
            )
        if target is None:
            raise self.refusal(
                "MS103",
                f"the file with the data of weight {name!r} is missing",
                got=instead_of_file(self.path.parent, location),
                expected="every data file that was written with the model",
                advice="copy all files of the export into one folder",
            )
        return target


def mapped(path: Path) -> memoryview:
    """The file's bytes, memory-mapped and read-only. Raises: OSError."""
    descriptor, size = opened(path)
    try:
        return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) if size > 0 else b"")
    finally:
        os.close(descriptor)


def let_go_of(arrays: Iterable[Array]) -> None:
    """Lets go of the memory of the mapped files that arrays are views of: while others run beside
    this process it is not needed, and it is read again if it is."""
    files: dict[int, mmap.mmap] = {}
    for array in arrays:
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        source = base.obj if isinstance(base, memoryview) else base
        if isinstance(source, mmap.mmap):
            files[id(source)] = source
    for source in files.values():
        let_go(source, 0, len(source))


def array_of(tensor: TensorProto, files: TensorFiles) -> Array:
    """The tensor's values; a read-only view of the file for big ones. Raises: MS103, MS104."""
    dtype = dtype_of(tensor.data_type)
    if dtype is None or tensor.HasField("segment"):
        raise files.refusal(
            "MS104",
            f"tensor {tensor.name!r} has an element type that onnx {onnx.__version__} cannot read",
            got=f"data_type {tensor.data_type}",
        )
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape):
        raise files.refusal("MS104", f"tensor {tensor.name!r} has a negative size", got=str(shape))
    if tensor.data_type == TensorProto.STRING:
        return _strings(tensor, shape, files)
    if tensor.data_location != TensorProto.EXTERNAL and not tensor.HasField("raw_data"):
        return _typed(tensor, files)
    return _raw(tensor, dtype, shape, files)


def dense(sparse: onnx.SparseTensorProto, files: TensorFiles) -> Array:
    """A sparse tensor with its zeros written out. Raises: MS104."""
    values = array_of(sparse.values, files)
    indices = array_of(sparse.indices, files).astype(np.int64)
    shape = tuple(sparse.dims)
    name = sparse.values.name
    if min(shape, default=0) < 0 or math.prod(shape) * values.itemsize > MAX_DENSE:
        raise files.refusal("MS104", f"sparse tensor {name!r} is too big", got=str(shape))
    flat = indices
    if indices.ndim == 2:
        strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        fits = indices.shape[1] == len(shape)
        flat = indices @ np.array(strides, np.int64) if fits else np.array([-1])
    if flat.shape != values.shape or np.any((flat < 0) | (flat >= math.prod(shape))):
        raise files.refusal("MS104", f"sparse tensor {name!r} has an index outside its shape")
    out = np.zeros(math.prod(shape), values.dtype)
    out[flat] = values
    return out.reshape(shape)


def _raw(
    tensor: TensorProto, dtype: np.dtype[Any], shape: tuple[int, ...], files: TensorFiles
) -> Array:
    count = math.prod(shape)
    bits = _bits(tensor.data_type, dtype)
    needed = (count * bits + 7) // 8
    external = tensor.data_location == TensorProto.EXTERNAL
    raw = files.bytes_of(tensor, needed) if external else memoryview(tensor.raw_data)
    _check_size(tensor, len(raw), needed, files)
    if bits >= 8 and sys.byteorder == "little":
        return np.frombuffer(raw, dtype).reshape(shape)
    packed = TensorProto(data_type=tensor.data_type, dims=shape, raw_data=bytes(raw))
    return numpy_helper.to_array(packed)


def _typed(tensor: TensorProto, files: TensorFiles) -> Array:
    """Values from float_data, int32_data and so on."""
    dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
    data = getattr(tensor, helper.tensor_dtype_to_field(tensor.data_type))
    count = math.prod(tensor.dims)
    bits = _bits(tensor.data_type, np.dtype(dtype))
    per_item = 8 // bits if bits < 8 and bits != 6 else 1
    complex_pair = 2 if np.dtype(dtype).kind == "c" else 1
    _check_size(tensor, len(data), math.ceil(count * complex_pair / per_item), files)
    return numpy_helper.to_array(tensor)


def _bits(data_type: int, dtype: np.dtype[Any]) -> int:
    """Bits that one element takes in a file."""
    name = TensorProto.DataType.Name(data_type)
    for digit in ("2", "4", "6"):
        if name in (f"INT{digit}", f"UINT{digit}") or name.startswith(f"FLOAT{digit}E"):
            return int(digit)
    return dtype.itemsize * 8


def _check_size(tensor: TensorProto, got: int, needed: int, files: TensorFiles) -> None:
    if got != needed:
        raise files.refusal(
            "MS104",
            f"tensor {tensor.name!r} does not hold what its shape says",
            got=f"{got} bytes or elements",
            expected=f"{needed} for shape {tuple(tensor.dims)}",
        )


def _strings(tensor: TensorProto, shape: tuple[int, ...], files: TensorFiles) -> Array:
    _check_size(tensor, len(tensor.string_data), math.prod(shape), files)
    out = np.empty(len(tensor.string_data), object)
    out[:] = _decoded(tensor.string_data)
    return out.reshape(shape)


def _decoded(items: Iterable[bytes]) -> list[str]:
    return [item.decode("utf-8", "surrogateescape") for item in items]
