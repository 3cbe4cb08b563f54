"""MindSpore's element types, and how each is called by NumPy and ONNX."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .failure import ElementTypeError

Array = np.ndarray[Any, np.dtype[Any]]


class DType:
    """An element type: `str` gives MindSpore's label ("Float32"), `repr` "mindspore.float32".

    `numpy` is the array type that holds it, `onnx` its number in ONNX's TensorProto.DataType.
    """

    def __init__(self, name: str, label: str, array_type: Any, onnx: int) -> None:
        self.name = name
        self.label = label
        self.numpy: np.dtype[Any] = np.dtype(array_type)
        self.onnx = onnx

    @property
    def itemsize(self) -> int:
        return self.numpy.itemsize

    @property
    def is_floating_point(self) -> bool:
        return self in FLOATS

    @property
    def is_complex(self) -> bool:
        return self.numpy.kind == "c"

    @property
    def limits(self) -> Any:
        """The largest number and others, of bfloat16 too, which NumPy's own finfo refuses."""
        of_floats: Any = ml_dtypes.finfo
        return of_floats(self.numpy) if self in FLOATS else np.iinfo(self.numpy)

    @property
    def is_signed(self) -> bool:
        return self.numpy.kind not in "bu"

    def __repr__(self) -> str:
        return f"mindspore.{self.name}"

    def __str__(self) -> str:
        return self.label

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _named, (self.name,)

    def __deepcopy__(self, memo: Any) -> DType:
        return self


Type = DType
"""What `mindspore.Type` names: the class of element types."""

bool_ = DType("bool", "Bool", np.bool_, 9)
int8 = DType("int8", "Int8", np.int8, 3)
int16 = DType("int16", "Int16", np.int16, 5)
int32 = DType("int32", "Int32", np.int32, 6)
int64 = DType("int64", "Int64", np.int64, 7)
uint8 = DType("uint8", "UInt8", np.uint8, 2)
uint16 = DType("uint16", "UInt16", np.uint16, 4)
uint32 = DType("uint32", "UInt32", np.uint32, 12)
uint64 = DType("uint64", "UInt64", np.uint64, 13)
float16 = DType("float16", "Float16", np.float16, 10)
bfloat16 = DType("bfloat16", "BFloat16", ml_dtypes.bfloat16, 16)
float32 = DType("float32", "Float32", np.float32, 1)
float64 = DType("float64", "Float64", np.float64, 11)
complex64 = DType("complex64", "Complex64", np.complex64, 14)
complex128 = DType("complex128", "Complex128", np.complex128, 15)
int_ = int64
uint = uint64
float_ = float64
half = float16
double = float64

DTYPES = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, bfloat16, float32, float64, complex64, complex128,
)  # fmt: skip
INTEGERS = frozenset({int8, int16, int32, int64, uint8, uint16, uint32, uint64})
FLOATS = frozenset({float16, bfloat16, float32, float64})
OF_NUMPY: dict[np.dtype[Any], DType] = {d.numpy: d for d in DTYPES}
OF_ONNX: dict[int, DType] = {d.onnx: d for d in DTYPES}
OF_PYTHON: dict[type, DType] = {bool: bool_, int: int64, float: float32, complex: complex64}


def _named(name: str) -> DType:
    return next(d for d in DTYPES if d.name == name)


def from_numpy(array_type: Any) -> DType:
    """The element type of arrays of `array_type`. Raises: MS304 if MindSpore has none."""
    found = OF_NUMPY.get(np.dtype(array_type))
    if found is None:
        raise ElementTypeError(
            "Tensor",
            "an array whose element type is not one of MindSpore's",
            got=str(np.dtype(array_type)),
            expected=", ".join(d.name for d in DTYPES),
        )
    return found


def as_dtype(value: Any) -> DType:
    """`value` (an element type, a Python or NumPy type, or a name) as an element type."""
    if isinstance(value, DType):
        return value
    if isinstance(value, type) and value in OF_PYTHON:
        return OF_PYTHON[value]
    return from_numpy(value)


def dtype_to_nptype(type_: DType) -> Any:
    """The NumPy scalar type of an element type, as `mindspore.dtype_to_nptype`."""
    return type_.numpy.type


def dtype_to_pytype(type_: DType) -> type:
    """The Python type that an element of `type_` becomes."""
    kinds = {"b": bool, "i": int, "u": int, "c": complex}
    return kinds.get(type_.numpy.kind, float)


def pytype_to_dtype(obj: type) -> DType:
    """The element type that `mindspore.pytype_to_dtype` gives for a Python or NumPy type."""
    return float64 if obj is float else as_dtype(obj)


byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
single, cfloat, cdouble = float32, complex64, complex128
int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16)
complex_type = (complex64, complex128)
signed_type = (*int_type, *float_type, *complex_type)
number_type = (*int_type, *uint_type, *float_type, *complex_type)
all_types = (bool_, *number_type)


class Family:
    """Element types under one name: no Tensor is of it, but checks ask what belongs to it."""

    def __init__(self, name: str, members: tuple[DType, ...]) -> None:
        self.name, self.members = name, members

    def __repr__(self) -> str:
        return f"mindspore.{self.name}"


number = Family("number", all_types)


def _issubclass_(type_: Any, dtype: Any) -> bool:
    """Whether an element type is `dtype`, or belongs to that family."""
    return type_ in dtype.members if isinstance(dtype, Family) else type_ is dtype


AS_BUILTIN = {"bool": bool_, "int": int32, "float": float32}
"""Element types that MindSpore calls as Python calls its own."""


def __getattr__(name: str) -> DType:
    if name in AS_BUILTIN:
        return AS_BUILTIN[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
