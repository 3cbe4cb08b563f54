"""What levels become as numbers: normalized, rescaled, tensors, images of Pillow's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.argument import check_choice, check_type
from ...engine.failure import ElementTypeError, RefusedError, ShapeError
from ..transforms.arrays import TypeCast, numpy_type
from ..transforms.operation import TensorOperation, is_image, takes
from . import checks
from .operation import ImageOperation, pillow

SINGLE = "bool int8 int16 int32 uint8 uint16 uint32 float32 float64"
"""Element types of images of one channel that Pillow may be asked for."""


def checked_levels(where: str, name: str, values: Any, lowest: str = "both") -> np.ndarray:
    """Means or deviations, in levels. Shapes: -> (c,) of float32"""
    check_type(where, name, values, list, tuple)
    found = [checks.number(where, name, value, 0, 255) for value in values]
    if lowest == "right" and 0 in found:
        raise ShapeError(where, f"{name} is out of range", got="0", expected="above 0")
    return np.array(found, np.float32)


class Normalize(ImageOperation):
    """The image less a mean, by a deviation: one number for all channels or one for each."""

    takes = takes("2 3 4")

    def __init__(self, mean: Any, std: Any, is_hwc: bool = True) -> None:
        self.mean = checked_levels(self.name, "mean", mean)
        self.std = checked_levels(self.name, "std", std, "right")
        if len(self.mean) != len(self.std):
            got = f"{len(self.mean)} and {len(self.std)}"
            raise ShapeError(self.name, "mean and std differ in length", got=got)
        self.is_hwc = check_type(self.name, "is_hwc", is_hwc, bool)

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.ndim == 2:
            return self.normalized(x[..., None] if self.is_hwc else x[None]).reshape(x.shape)
        return self.normalized(x)

    def normalized(self, x: np.ndarray) -> np.ndarray:
        channels = x.shape[-1 if self.is_hwc else -3]
        if len(self.mean) not in (1, channels):
            got, expected = f"{channels} channels", f"{len(self.mean)}"
            raise RefusedError(self.name, "mean is of another length", got=got, expected=expected)
        if not self.is_hwc:
            found = np.subtract(x, self.mean[:, None, None], dtype=np.float32)
            found /= self.std[:, None, None]
            return np.asarray(found)
        # By whole rows: loops over three channels each take five times as long.
        width = x.shape[-2] if len(self.mean) > 1 else 1
        flat = np.ascontiguousarray(x).reshape(*x.shape[:-2], -1)
        found = np.subtract(flat, np.tile(self.mean, width), dtype=np.float32)
        found /= np.tile(self.std, width)
        return np.asarray(found.reshape(x.shape))


class NormalizePad(Normalize):
    """`Normalize`, with one more channel of zeros."""

    takes = takes("3", "3")

    def __init__(self, mean: Any, std: Any, dtype: str = "float32", is_hwc: bool = True) -> None:
        super().__init__(mean, std, is_hwc)
        check_type(self.name, "dtype", dtype, str)
        check_choice(self.name, "dtype", dtype, ("float32", "float16"))
        self.dtype = dtype

    def checked(self, value: Any) -> np.ndarray:
        return np.asarray(value) if not self.is_hwc else super().checked(value)

    def array(self, x: np.ndarray) -> np.ndarray:
        edges = [(0, 0)] * 3
        edges[2 if self.is_hwc else 0] = 0, 1
        return np.pad(self.normalized(x), edges).astype(self.dtype)


class Rescale(ImageOperation):
    """The levels times a factor, plus a shift, as float32."""

    takes = takes("", "", "-uint32 int64 uint64")

    def __init__(self, rescale: float, shift: float) -> None:
        self.rescale = checks.number(self.name, "rescale", rescale, -checks.LARGEST)
        self.shift = checks.number(self.name, "shift", shift, -checks.LARGEST)

    def array(self, x: np.ndarray) -> np.ndarray:
        found = np.multiply(x, np.float32(self.rescale), dtype=np.float32)
        found += np.float32(self.shift)
        return np.asarray(found)


class ToTensor(ImageOperation):
    """The levels divided by 255, channels first."""

    takes = takes("2 3", "", "-uint32 int64 uint64")

    def __init__(self, output_type: Any = np.float32) -> None:
        self.output_type = numpy_type(self.name, output_type)

    def array(self, x: np.ndarray) -> np.ndarray:
        x = x[..., None] if x.ndim == 2 else x
        first = np.ascontiguousarray(x.transpose(2, 0, 1))
        return np.asarray(
            np.multiply(first, np.float32(1 / 255), dtype=np.float32).astype(
                self.output_type, copy=False
            )
        )


class ToPIL(TensorOperation):
    """The array as an image of Pillow's."""

    def __call__(self, *values: Any) -> Any:
        return values[0] if len(values) == 1 and is_image(values[0]) else super().__call__(*values)

    def checked(self, value: Any) -> np.ndarray:
        if not isinstance(value, np.ndarray):
            raise ElementTypeError(self.name, "it is no array", got=f"a {type(value).__name__}")
        if value.ndim not in (2, 3) or (value.ndim == 3 and value.shape[2] > 4):
            got, expected = f"shape {value.shape}", "(h, w) or (h, w, c) of at most 4 channels"
            raise ShapeError(self.name, "it is no image", got=got, expected=expected)
        is_single = value.ndim == 2 or value.shape[2] == 1
        if value.dtype.name not in (SINGLE.split() if is_single else ("uint8",)):
            raise ElementTypeError(self.name, "Pillow has no such images", got=value.dtype.name)
        return value

    def array(self, x: np.ndarray) -> Any:
        return pillow().fromarray(x[..., 0] if x.ndim == 3 and x.shape[2] == 1 else x)


class ToNumpy(TensorOperation):
    """The image of Pillow's as an array."""

    def __call__(self, *values: Any) -> Any:
        return np.array(values[0])


class ToType(TypeCast):
    """The array in another element type."""


class LinearTransformation(TensorOperation):
    """The array less a mean, all of its numbers times a square matrix."""

    def __init__(self, transformation_matrix: Any, mean_vector: Any) -> None:
        for name, value in (
            ("transformation_matrix", transformation_matrix),
            ("mean_vector", mean_vector),
        ):
            check_type(self.name, name, value, np.ndarray)
        (rows, columns), length = transformation_matrix.shape, mean_vector.shape[0]
        if rows != columns or length != rows:
            got, expected = f"{(rows, columns)} and {length}", "a square matrix, a row of it"
            raise ShapeError(self.name, "matrix and mean do not fit", got=got, expected=expected)
        self.matrix, self.mean = transformation_matrix, mean_vector

    def checked(self, value: Any) -> np.ndarray:
        if not isinstance(value, np.ndarray):
            raise ElementTypeError(self.name, "it is no array", got=f"a {type(value).__name__}")
        if value.size != len(self.matrix):
            got, expected = f"shape {value.shape}", f"{len(self.matrix)} numbers"
            raise ShapeError(self.name, "the array is of another size", got=got, expected=expected)
        return value

    def array(self, x: np.ndarray) -> np.ndarray:
        found: np.ndarray = (x.reshape(1, -1) - self.mean) @ self.matrix
        return found.reshape(x.shape)
