"""Operations on arrays of any kind: cast, filled, cut, joined, compared."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from ...engine import dtype as mstype
from ...engine.argument import check_range, check_type
from ...engine.dtype import DType
from ...engine.failure import ElementTypeError, MissingNameError, RefusedError, ShapeError
from .operation import TensorOperation, takes

CONSTANTS = (str, float, bool, int, bytes)


class Relational(IntEnum):
    """How two numbers are compared."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


COMPARISONS = {
    Relational.EQ: np.equal,
    Relational.NE: np.not_equal,
    Relational.GT: np.greater,
    Relational.GE: np.greater_equal,
    Relational.LT: np.less,
    Relational.LE: np.less_equal,
}


def numpy_type(where: str, given: Any) -> np.dtype[Any]:
    """NumPy's element type for one of MindSpore's, or for NumPy's. Raises: TypeError (MS304)"""
    if isinstance(given, DType):
        return np.dtype(given.numpy)
    try:
        if given is not None:
            found: np.dtype[Any] = np.dtype(given)
            return found
    except TypeError:
        pass  # refused below
    raise ElementTypeError(where, "it is no element type", got=repr(given))


class TypeCast(TensorOperation):
    """The array in another element type."""

    def __init__(self, data_type: Any) -> None:
        self.data_type = numpy_type(self.name, data_type)

    def array(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", over="ignore"):
            return x.astype(self.data_type)


class OneHot(TensorOperation):
    """A row of zeros with a one at each label; smoothed, a part of it is shared by all.

    Shapes: () or (1,) -> (num_classes,); (n,) or more axes with n labels in all -> (n, num_classes)
    """

    takes = takes("", "", "int8 uint8 int16 uint16 int32 uint32 int64 uint64")

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        check_type(self.name, "smoothing_rate", smoothing_rate, int, float)
        check_type(self.name, "num_classes", num_classes, int)
        check_range(self.name, "num_classes", num_classes, 1)
        check_range(self.name, "smoothing_rate", smoothing_rate, 0, 1)
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.size and (x.min() < 0 or x.max() >= self.num_classes):
            got, expected = str(x.min() if x.min() < 0 else x.max()), f"0..{self.num_classes - 1}"
            raise RefusedError(self.name, "a label is no class", got=got, expected=expected)
        labels = x.reshape(-1) if x.size != 1 else x.reshape(())
        if self.smoothing_rate == 0:
            return np.asarray(np.eye(self.num_classes, dtype=x.dtype)[labels])
        rest = self.smoothing_rate / self.num_classes
        hot = np.eye(self.num_classes) * (1 - self.smoothing_rate) + rest
        return np.asarray(hot[labels])


class Fill(TensorOperation):
    """The array with one value everywhere."""

    def __init__(self, fill_value: Any) -> None:
        self.fill_value = check_type(self.name, "fill_value", fill_value, *CONSTANTS)

    def array(self, x: np.ndarray) -> np.ndarray:
        if (x.dtype.kind in "US") != isinstance(self.fill_value, str | bytes):
            got, expected = repr(self.fill_value), f"a value of {x.dtype}"
            raise RefusedError(
                self.name, "the value is of another kind", got=got, expected=expected
            )
        if x.dtype.kind in "US":
            return np.full(x.shape, self.fill_value)
        return np.full(x.shape, np.asarray(self.fill_value).astype(x.dtype))


class Mask(TensorOperation):
    """Where a comparison with a constant is true."""

    def __init__(self, operator: Relational, constant: Any, dtype: Any = mstype.bool_) -> None:
        self.operator = check_type(self.name, "operator", operator, Relational)
        self.constant = check_type(self.name, "constant", constant, *CONSTANTS)
        check_type(self.name, "dtype", dtype, DType)
        self.dtype = numpy_type(self.name, dtype)

    def array(self, x: np.ndarray) -> np.ndarray:
        if (x.dtype.kind in "US") != isinstance(self.constant, str | bytes):
            got, expected = repr(self.constant), f"a value of {x.dtype}"
            raise RefusedError(
                self.name, "the constant is of another kind", got=got, expected=expected
            )
        constant = np.asarray(self.constant)
        constant = constant if x.dtype.kind in "US" else constant.astype(x.dtype)
        return np.asarray(COMPARISONS[self.operator](x, constant).astype(self.dtype))


class PadEnd(TensorOperation):
    """The array in a larger shape, or cut to a smaller one; None leaves an axis as it is."""

    def __init__(self, pad_shape: Any, pad_value: Any = None) -> None:
        if pad_value is not None:
            check_type(self.name, "pad_value", pad_value, *CONSTANTS)
        check_type(self.name, "pad_shape", pad_shape, list)
        for length in pad_shape:
            if length is not None:
                check_range(
                    self.name, "pad_shape", check_type(self.name, "pad_shape", length, int), 1
                )
        self.pad_shape, self.pad_value = pad_shape, pad_value

    def array(self, x: np.ndarray) -> np.ndarray:
        if len(self.pad_shape) != x.ndim:
            got, expected = f"shape {x.shape}", f"{len(self.pad_shape)} axes"
            raise RefusedError(self.name, "the shapes differ in rank", got=got, expected=expected)
        is_text = x.dtype.kind in "US"
        if self.pad_value is not None and is_text != isinstance(self.pad_value, str | bytes):
            raise RefusedError(self.name, "the value is of another kind", got=repr(self.pad_value))
        pairs = zip(self.pad_shape, x.shape, strict=True)
        shape = [old if new is None else new for new, old in pairs]
        value = ("" if is_text else 0) if self.pad_value is None else self.pad_value
        kind = np.result_type(x.dtype, np.asarray(value).dtype) if is_text else x.dtype
        found = np.full(shape, np.asarray(value).astype(kind), kind)
        part = tuple(slice(min(new, old)) for new, old in zip(shape, x.shape, strict=True))
        found[part] = x[part]
        return found


class Unique(TensorOperation):
    """The values that occur in their order, which each element is, and how often each occurs."""

    takes = takes("", "", "-bool float16")

    def checked(self, value: Any) -> np.ndarray:
        x = super().checked(value)
        if x.ndim < 2:
            got = f"shape {x.shape}"
            raise RefusedError(self.name, "it has too few axes", got=got, expected="two or more")
        return x

    def array(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        values, first, places, counts = np.unique(
            x.reshape(-1), return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)
        rank = np.argsort(order)
        index = rank[places].astype(np.int32)
        return values[order], index, counts[order].astype(np.int32)


class Slice(TensorOperation):
    """A part of the array: a number, list, slice, `...` or None for each axis."""

    def __init__(self, *slices: Any) -> None:
        for entry in slices:
            if entry is not None:
                check_type(self.name, "slice", entry, int, list, slice, bool, type(Ellipsis))
            for number in entry if isinstance(entry, list) else ():
                check_type(self.name, "slice", number, int)
        self.slices = slices

    def array(self, x: np.ndarray) -> np.ndarray:
        if len(self.slices) > x.ndim:
            got, expected = f"{len(self.slices)} slices", f"at most {x.ndim}"
            raise RefusedError(self.name, "more slices than axes", got=got, expected=expected)
        if len(self.slices) == 1 and is_all(self.slices[0]):
            return x.copy()
        for axis, entry in enumerate(self.slices):
            x = x.take(self.places(entry, x.shape[axis]), axis=axis)
        return x

    def places(self, entry: Any, length: int) -> list[int]:
        if is_all(entry):
            return list(range(length))
        if isinstance(entry, slice) and entry.stop is None:
            advice = f"slice({entry.start}, {length})"
            raise RefusedError(self.name, "a slice has no end", got=repr(entry), advice=advice)
        if isinstance(entry, slice):
            return list(range(length))[entry]
        numbers = entry if isinstance(entry, list) else [entry]
        for number in numbers:
            if not -length <= number < length:
                got, expected = str(number), f"{-length}..{length - 1}"
                raise RefusedError(self.name, "no such place", got=got, expected=expected)
        return [number % length for number in numbers]


def is_all(entry: Any) -> bool:
    """Whether a slice stands for a whole axis."""
    return entry is None or entry is Ellipsis or entry is True


class Concatenate(TensorOperation):
    """The columns one after another, between two arrays if they are given."""

    def __init__(self, axis: int = 0, prepend: Any = None, append: Any = None) -> None:
        check_type(self.name, "axis", axis, int)
        if axis not in (0, -1):
            raise ShapeError(self.name, "axis is not known", got=str(axis), expected="0 or -1")
        for name, value in (("prepend", prepend), ("append", append)):
            if value is not None:
                check_type(self.name, name, value, np.ndarray)
                if value.ndim != 1:
                    raise ShapeError(
                        self.name, f"{name} has more than one axis", got=f"shape {value.shape}"
                    )
        self.axis, self.prepend, self.append = axis, prepend, append

    def __call__(self, *values: Any) -> Any:
        parts = [self.prepend, *map(self.checked, values), self.append]
        parts = [part for part in parts if part is not None]
        kinds = {part.dtype.kind if part.dtype.kind in "US" else part.dtype for part in parts}
        if len(kinds) > 1 or any(part.ndim != 1 for part in parts):
            got = ", ".join(f"{part.dtype} of shape {part.shape}" for part in parts)
            raise RefusedError(
                self.name,
                "the arrays cannot be joined",
                got=got,
                expected="one axis, one element type",
            )
        return np.concatenate(parts)


class Duplicate(TensorOperation):
    """The array, twice."""

    def array(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x, x.copy()


class Plugin(TensorOperation):
    """Compiled code of a user's: the runtime loads none. Raises: MS301"""

    def __init__(self, lib_path: str, func_name: str, user_args: Any = None) -> None:
        advice = "write it as a Python function, which map takes as it is"
        problem = "the runtime loads no compiled operations"
        raise MissingNameError("mindspore.dataset.transforms.Plugin", problem, advice=advice)
