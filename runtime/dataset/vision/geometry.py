"""Where pixels are: images resized, cut, padded, flipped."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import ElementTypeError, RefusedError, ShapeError
from ..images import borders, resizing
from ..transforms.operation import takes
from . import checks
from .operation import ImageOperation, PillowOperation, filter_of, pillow, refuse_interpolation
from .settings import Border, Inter, SliceMode

HOW = {
    Inter.NEAREST: "nearest",
    Inter.LINEAR: "linear",
    Inter.CUBIC: "cubic",
    Inter.AREA: "area",
}


def resized(where: str, x: np.ndarray, size: tuple[int, int], interpolation: Inter) -> np.ndarray:
    """An array in another size. Shapes: (h, w), (h, w, c) or (n, h, w, c)"""
    if interpolation == Inter.ANTIALIAS:
        refuse_interpolation(where, interpolation, "arrays")
    if x.ndim == 4:
        return np.stack([resized(where, image, size, interpolation) for image in x])
    if interpolation != Inter.PILCUBIC:
        return resizing.resized(x, size, HOW[interpolation])
    if x.ndim != 3 or x.shape[2] != 3 or x.dtype != np.uint8:
        got = f"{x.dtype} of shape {x.shape}"
        expected = "uint8 of shape (h, w, 3)"
        raise RefusedError(where, "PILCUBIC is for colour images", got=got, expected=expected)
    image = pillow().fromarray(x)
    return np.asarray(image.resize(size[::-1], filter_of(where, Inter.CUBIC)))


def resized_image(where: str, x: Any, size: tuple[int, int], interpolation: Inter) -> Any:
    """An image of Pillow's in another size: height, width."""
    return x.resize(size[::-1], filter_of(where, interpolation))


class Resize(ImageOperation):
    """The image in another size; one number is the length of the shorter side."""

    takes = takes("2 3 4", "", "-int8 int32 uint32 int64 uint64 float16")

    def __init__(self, size: Any, interpolation: Inter = Inter.LINEAR) -> None:
        if interpolation is None:
            raise KeyError("interpolation must not be None")
        self.shorter = size if isinstance(size, int) else None
        self.size = checks.size(self.name, size)
        self.interpolation = checks.choice(self.name, "interpolation", interpolation, Inter)

    def array(self, x: np.ndarray) -> np.ndarray:
        h, w = x.shape[-3:-1] if x.ndim > 2 else x.shape
        return resized(self.name, x, self.wanted(h, w), self.interpolation)

    @property
    def asked(self) -> tuple[int, ...]:
        """Height and width, or the length of the shorter side."""
        return self.size if self.shorter is None else (self.shorter,)

    def wanted(self, h: int, w: int) -> tuple[int, int]:
        if self.shorter is None:
            return self.size
        if h < w:
            return self.shorter, int(np.float32(self.shorter) / np.float32(h) * np.float32(w))
        return int(np.float32(self.shorter) / np.float32(w) * np.float32(h)), self.shorter

    def image(self, x: Any) -> Any:
        w, h = x.size
        if self.shorter is None:
            return resized_image(self.name, x, self.size, self.interpolation)
        if min(h, w) == self.shorter:
            return x
        ratio = w / h
        size = (
            (int(self.shorter / ratio), self.shorter)
            if w < h
            else (self.shorter, int(self.shorter * ratio))
        )
        return resized_image(self.name, x, size, self.interpolation)


class ResizedCrop(ImageOperation):
    """A part of the image in another size."""

    takes = takes("2 3", "", "-int8 int32 uint32 int64 uint64 float16")

    def __init__(
        self,
        top: int,
        left: int,
        height: int,
        width: int,
        size: Any,
        interpolation: Inter = Inter.BILINEAR,
    ) -> None:
        self.place = (
            checks.whole(self.name, "top", top),
            checks.whole(self.name, "left", left),
            checks.whole(self.name, "height", height, 1),
            checks.whole(self.name, "width", width, 1),
        )
        self.size = checks.size(self.name, size)
        self.interpolation = checks.choice(self.name, "interpolation", interpolation, Inter)

    def array(self, x: np.ndarray) -> np.ndarray:
        part = inside(self.name, x, *self.place)
        return resized(self.name, part, self.size, self.interpolation)


def inside(where: str, x: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """A part of the image. Raises: RuntimeError (MS304) if it does not lie in the image."""
    h, w = x.shape[:2]
    if top + height > h or left + width > w:
        got = f"rows {top}..{top + height}, columns {left}..{left + width}"
        expected = f"within {h} rows and {w} columns"
        raise RefusedError(where, "the part is not in the image", got=got, expected=expected)
    return borders.cut(x, top, left, height, width)


class Crop(ImageOperation):
    """The part of the image that begins at a place (row, column)."""

    takes = takes("2 3", "", "-uint32 int64 uint64")

    def __init__(self, coordinates: Any, size: Any) -> None:
        checks.pair(self.name, "coordinates", coordinates, int)
        self.coordinates = [checks.whole(self.name, "coordinates", c) for c in coordinates]
        self.size = checks.size(self.name, size)

    def array(self, x: np.ndarray) -> np.ndarray:
        (top, left), (height, width) = self.coordinates, self.size
        return inside(self.name, x, top, left, height, width).copy()


class CenterCrop(ImageOperation):
    """The middle of the image; black around it where the image is smaller."""

    takes = takes("2 3 4", "1 3", "-uint32 int64 uint64")

    def __init__(self, size: Any) -> None:
        self.size = checks.size(self.name, size)

    def array(self, x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(borders.centred(x, *self.size))

    def image(self, x: Any) -> Any:
        return central(x, self.size)


def central(x: Any, size: tuple[int, int]) -> Any:
    """The middle of an image of Pillow's."""
    (w, h), (height, width) = x.size, size
    top, left = round((h - height) / 2.0), round((w - width) / 2.0)
    return x.crop((left, top, left + width, top + height))


class Pad(ImageOperation):
    """The image with a border."""

    takes = takes("2 3", "1 3", "-uint32 int64 uint64")

    def __init__(
        self, padding: Any, fill_value: Any = 0, padding_mode: Border = Border.CONSTANT
    ) -> None:
        self.padding = checks.padding(self.name, padding)
        self.fill_value = checks.fill(self.name, fill_value)
        self.padding_mode = checks.choice(self.name, "padding_mode", padding_mode, Border)

    def array(self, x: np.ndarray) -> np.ndarray:
        return borders.padded(x, self.padding, self.padding_mode.value, self.fill_value)

    def image(self, x: Any) -> Any:
        return padded_image(x, self.padding, self.padding_mode, self.fill_value)


def padded_image(
    x: Any, sides: tuple[int, int, int, int], mode: Border, fill: tuple[int, ...]
) -> Any:
    """An image of Pillow's with a border."""
    if mode == Border.CONSTANT:
        levels = fill[:1] if x.mode in ("L", "1") else fill
        return pillow("ImageOps").expand(x, border=sides, fill=levels)
    return pillow().fromarray(borders.padded(np.asarray(x), sides, mode.value, fill))


class PadToSize(ImageOperation):
    """The image in a larger frame, at an offset or in its middle."""

    takes = takes("2 3", "1 3", "-uint32 int64 uint64")

    def __init__(
        self,
        size: Any,
        offset: Any = None,
        fill_value: Any = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        if isinstance(size, tuple | list) and len(size) != 2:
            raise ShapeError(self.name, "size is of a wrong length", got=repr(size), expected="2")
        self.size = checks.size(self.name, size)
        self.offset = self.checked_offset(offset)
        self.fill_value = checks.fill(self.name, fill_value)
        self.padding_mode = checks.choice(self.name, "padding_mode", padding_mode, Border)

    def checked_offset(self, offset: Any) -> tuple[int, ...]:
        if offset is None:
            return ()
        offset = (offset, offset) if isinstance(offset, int) else offset
        check_type(self.name, "offset", offset, tuple, list)
        if len(offset) not in (0, 2):
            raise ShapeError(self.name, "offset is of a wrong length", got=repr(offset))
        return tuple(checks.whole(self.name, "offset", o) for o in offset)

    def array(self, x: np.ndarray) -> np.ndarray:
        more = [new - old for new, old in zip(self.size, x.shape[:2], strict=True)]
        top, left = self.offset or (more[0] // 2, more[1] // 2)
        if min(more[0] - top, more[1] - left, *more) < 0:
            got = f"an image of {x.shape[:2]} at {(top, left)}"
            expected = f"one that fits into {self.size}"
            raise RefusedError(self.name, "the image is too large", got=got, expected=expected)
        sides = left, top, more[1] - left, more[0] - top
        return borders.padded(x, sides, self.padding_mode.value, self.fill_value)


class HorizontalFlip(ImageOperation):
    """The image as a mirror shows it."""

    takes = takes("2 3 4", "", "-uint32 int64 uint64")

    def array(self, x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self.mirrored(x))

    def mirrored(self, x: np.ndarray) -> np.ndarray:
        """What a mirror shows, as a view."""
        return x[:, ::-1] if x.ndim == 2 else x[..., ::-1, :]

    def image(self, x: Any) -> Any:
        return np.asarray(x)[:, ::-1].copy()


class VerticalFlip(ImageOperation):
    """The image upside down."""

    takes = takes("2 3 4", "", "-uint32 int64 uint64")

    def array(self, x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(x[::-1] if x.ndim == 2 else x[..., ::-1, :, :])

    def image(self, x: Any) -> Any:
        return np.asarray(x)[::-1].copy()


class FiveCrop(PillowOperation):
    """The four corners of the image, and its middle."""

    def __init__(self, size: Any) -> None:
        self.size = checks.size(self.name, size)

    def image(self, x: Any) -> tuple[Any, ...]:
        return five(self.name, x, self.size)


def five(where: str, x: Any, size: tuple[int, int]) -> tuple[Any, ...]:
    """Corners and middle. Raises: ValueError (MS304) if the image is smaller than one of them."""
    (w, h), (height, width) = x.size, size
    if height > h or width > w:
        raise ShapeError(where, "the image is too small", got=f"{(h, w)}", expected=f"{size}")
    corners = [(top, left) for top in (0, h - height) for left in (0, w - width)]
    boxes = [(left, top, left + width, top + height) for top, left in corners]
    return (*map(x.crop, boxes), central(x, size))


class TenCrop(PillowOperation):
    """`FiveCrop` of the image, and of its mirror image."""

    def __init__(self, size: Any, use_vertical_flip: bool = False) -> None:
        self.size = checks.size(self.name, size)
        check_type(self.name, "use_vertical_flip", use_vertical_flip, bool)
        self.flip = "FLIP_TOP_BOTTOM" if use_vertical_flip else "FLIP_LEFT_RIGHT"

    def image(self, x: Any) -> tuple[Any, ...]:
        turned = x.transpose(getattr(pillow().Transpose, self.flip))
        return five(self.name, x, self.size) + five(self.name, turned, self.size)


class HWC2CHW(ImageOperation):
    """The image with its channels in the first axis."""

    takes = takes("2 3", "", "-float16 uint32 int64 uint64")

    def array(self, x: np.ndarray) -> np.ndarray:
        return x if x.ndim == 2 else np.ascontiguousarray(x.transpose(2, 0, 1))


class Erase(ImageOperation):
    """The image with a part of it in one colour."""

    takes = takes("3", "3", "-uint32 int64 uint64")

    def __init__(
        self,
        top: int,
        left: int,
        height: int,
        width: int,
        value: Any = 0.0,
        inplace: bool = False,
    ) -> None:
        self.top = checks.whole(self.name, "top", top)
        self.left = checks.whole(self.name, "left", left)
        self.height = checks.whole(self.name, "height", height, 1)
        self.width = checks.whole(self.name, "width", width, 1)
        value = (value,) if isinstance(value, int | float) else value
        check_type(self.name, "value", value, tuple)
        if len(value) not in (1, 3):
            raise ElementTypeError(self.name, "value is of a wrong length", got=repr(value))
        self.value = [checks.number(self.name, "value", v, 0, 255) for v in value]
        self.inplace = check_type(self.name, "inplace", inplace, bool)

    def array(self, x: np.ndarray) -> np.ndarray:
        h, w = x.shape[:2]
        if self.top + self.height > h or self.left + self.width > w:
            inside(self.name, x, self.top, self.left, self.height, self.width)
        found = x if self.inplace else x.copy()
        part = np.s_[self.top : self.top + self.height, self.left : self.left + self.width]
        found[part] = np.asarray(self.value).astype(x.dtype)
        return found


class SlicePatches(ImageOperation):
    """The patches of the image, row after row; each is an output."""

    takes = takes("2 3", "", "-uint32 int64 uint64 float16")

    def __init__(
        self,
        num_height: int = 1,
        num_width: int = 1,
        slice_mode: SliceMode = SliceMode.PAD,
        fill_value: int = 0,
    ) -> None:
        self.counts = (
            checks.whole(self.name, "num_height", num_height, 1),
            checks.whole(self.name, "num_width", num_width, 1),
        )
        self.slice_mode = checks.choice(self.name, "slice_mode", slice_mode, SliceMode)
        self.fill_value = checks.whole(self.name, "fill_value", fill_value, 0, 255)

    def array(self, x: np.ndarray) -> Any:
        (h, w), (rows, columns) = x.shape[:2], self.counts
        if rows > h or columns > w:
            got, expected = f"{rows} x {columns}", f"at most {h} x {w}"
            raise RefusedError(self.name, "more patches than pixels", got=got, expected=expected)
        if self.slice_mode == SliceMode.PAD:
            sides = 0, 0, -w % columns, -h % rows
            x = borders.padded(x, sides, "constant", (self.fill_value,) * max(3, x.shape[-1]))
        high, wide = x.shape[0] // rows, x.shape[1] // columns
        places = [(r * high, c * wide) for r in range(rows) for c in range(columns)]
        patches = tuple(borders.cut(x, *place, high, wide).copy() for place in places)
        return patches if len(patches) > 1 else patches[0]
