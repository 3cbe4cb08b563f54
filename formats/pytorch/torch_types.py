"""PyTorch's element types, as its files call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ..element_types import element_type_of


@dataclass(frozen=True)
class TorchType:
    """An element type: its name in `torch`, its storage class ("": none), NumPy's dtype."""

    name: str
    storage: str
    dtype: np.dtype[Any]

    @property
    def shown(self) -> str:
        """MindSpore's name, also of what it can write and not read; else PyTorch's."""
        kind = element_type_of(self.dtype)
        return kind.mindspore if kind is not None else ONLY_WRITTEN.get(self.name, self.name)


ONLY_WRITTEN = {
    "complex64": "Complex64",
    "complex128": "Complex128",
    "float8_e4m3fn": "Float8E4M3FN",
    "float8_e5m2": "Float8E5M2",
}

TORCH_TYPES = (
    TorchType("float32", "FloatStorage", np.dtype("<f4")),
    TorchType("float64", "DoubleStorage", np.dtype("<f8")),
    TorchType("float16", "HalfStorage", np.dtype("<f2")),
    TorchType("bfloat16", "BFloat16Storage", np.dtype(ml_dtypes.bfloat16)),
    TorchType("int64", "LongStorage", np.dtype("<i8")),
    TorchType("int32", "IntStorage", np.dtype("<i4")),
    TorchType("int16", "ShortStorage", np.dtype("<i2")),
    TorchType("int8", "CharStorage", np.dtype("i1")),
    TorchType("uint8", "ByteStorage", np.dtype("u1")),
    TorchType("bool", "BoolStorage", np.dtype(np.bool_)),
    TorchType("complex64", "ComplexFloatStorage", np.dtype("<c8")),
    TorchType("complex128", "ComplexDoubleStorage", np.dtype("<c16")),
    TorchType("uint16", "", np.dtype("<u2")),
    TorchType("uint32", "", np.dtype("<u4")),
    TorchType("uint64", "", np.dtype("<u8")),
    TorchType("float8_e4m3fn", "", np.dtype(ml_dtypes.float8_e4m3fn)),
    TorchType("float8_e5m2", "", np.dtype(ml_dtypes.float8_e5m2)),
    TorchType("float8_e4m3fnuz", "", np.dtype(ml_dtypes.float8_e4m3fnuz)),
    TorchType("float8_e5m2fnuz", "", np.dtype(ml_dtypes.float8_e5m2fnuz)),
)

BY_NAME = {row.name: row for row in TORCH_TYPES}
BY_STORAGE = {row.storage: row for row in TORCH_TYPES if row.storage}
BY_DTYPE = {row.dtype: row for row in TORCH_TYPES}

ALIASES = {"float": "float32", "double": "float64", "half": "float16", "cfloat": "complex64"}
ALIASES |= {"long": "int64", "int": "int32", "short": "int16", "cdouble": "complex128"}


def torch_type_of(dtype: np.dtype[Any]) -> TorchType | None:
    """The row of a NumPy dtype of any byte order; None if PyTorch has no such elements."""
    return BY_DTYPE.get(dtype.newbyteorder("<"))
