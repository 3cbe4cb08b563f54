"""Element types: one row each, as NumPy, MindSpore's checkpoints and safetensors call them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class ElementType:
    """An element type of stored tensors; `dtype` is little-endian, as in the files."""

    dtype: np.dtype[Any]
    mindspore: str
    safetensors: str


ELEMENT_TYPES = (
    ElementType(np.dtype(np.bool_), "Bool", "BOOL"),
    ElementType(np.dtype("u1"), "UInt8", "U8"),
    ElementType(np.dtype("i1"), "Int8", "I8"),
    ElementType(np.dtype("<i2"), "Int16", "I16"),
    ElementType(np.dtype("<u2"), "UInt16", "U16"),
    ElementType(np.dtype("<f2"), "Float16", "F16"),
    ElementType(np.dtype(ml_dtypes.bfloat16), "BFloat16", "BF16"),
    ElementType(np.dtype("<i4"), "Int32", "I32"),
    ElementType(np.dtype("<u4"), "UInt32", "U32"),
    ElementType(np.dtype("<f4"), "Float32", "F32"),
    ElementType(np.dtype("<f8"), "Float64", "F64"),
    ElementType(np.dtype("<i8"), "Int64", "I64"),
    ElementType(np.dtype("<u8"), "UInt64", "U64"),
)
"""What both formats hold and MindSpore 2.10 reads; safetensors stores the last types first."""

BFLOAT16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)

ONLY_COMPARED = (
    ElementType(np.dtype("<c8"), "Complex64", "C64"),
    ElementType(np.dtype("<c16"), "Complex128", ""),
    ElementType(np.dtype(ml_dtypes.float8_e4m3fn), "Float8E4M3FN", "F8_E4M3"),
    ElementType(np.dtype(ml_dtypes.float8_e5m2), "Float8E5M2", "F8_E5M2"),
    ElementType(np.dtype(ml_dtypes.float8_e4m3fnuz), "", "F8_E4M3FNUZ"),
    ElementType(np.dtype(ml_dtypes.float8_e5m2fnuz), "", "F8_E5M2FNUZ"),
    ElementType(np.dtype(ml_dtypes.float8_e8m0fnu), "", "F8_E8M0"),
)
"""What MindSpore reads from no checkpoint, though it writes the first four. "": it has no name."""

PACKED_INT4 = ElementType(np.dtype("i1"), "Int4", "I8")
"""MindSpore's qint4x2: a byte per stored element; read as int8, never written."""

BY_MINDSPORE = {row.mindspore: row for row in (*ELEMENT_TYPES, PACKED_INT4)}
BY_SAFETENSORS = {row.safetensors: row for row in ELEMENT_TYPES}
TO_COMPARE = BY_MINDSPORE | {row.mindspore: row for row in ONLY_COMPARED if row.mindspore}
SAFETENSORS_TO_COMPARE = BY_SAFETENSORS | {
    row.safetensors: row for row in ONLY_COMPARED if row.safetensors
}
BY_DTYPE = {row.dtype: row for row in ELEMENT_TYPES}
ONNX_TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
    4: np.dtype("<u2"),
    5: np.dtype("<i2"),
    6: np.dtype("<i4"),
    7: np.dtype("<i8"),
    9: np.dtype(np.bool_),
    10: np.dtype("<f2"),
    11: np.dtype("<f8"),
    12: np.dtype("<u4"),
    13: np.dtype("<u8"),
    14: np.dtype("<c8"),
    15: np.dtype("<c16"),
    16: BFLOAT16,
    17: np.dtype(ml_dtypes.float8_e4m3fn),
    18: np.dtype(ml_dtypes.float8_e4m3fnuz),
    19: np.dtype(ml_dtypes.float8_e5m2),
    20: np.dtype(ml_dtypes.float8_e5m2fnuz),
    24: np.dtype(ml_dtypes.float8_e8m0fnu),
}
"""TensorProto.DataType, but for texts and elements of less than a byte."""

NAMES = {row.dtype: row.mindspore for row in (*ELEMENT_TYPES, *ONLY_COMPARED) if row.mindspore}


@lru_cache(maxsize=1024)
def little_endian(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same elements, their bytes in the order that files have them in."""
    return dtype.newbyteorder("<")


def element_type_of(dtype: np.dtype[Any]) -> ElementType | None:
    """The row of a NumPy dtype of any byte order; None if no format holds it."""
    return BY_DTYPE.get(little_endian(dtype))


def type_name_of(dtype: np.dtype[Any]) -> str:
    """MindSpore's name of a little-endian type; NumPy's where MindSpore has none."""
    return NAMES.get(dtype) or TEXTS.get(dtype.kind) or dtype.name


TEXTS = {"U": "str", "S": "bytes"}
"""Kinds of NumPy's texts, of any length."""
