"""Where pixels are, by chance: images cropped, flipped, turned, erased at random."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import ElementTypeError, RefusedError, ShapeError
from .. import chance
from ..images import borders, warping
from ..transforms.operation import TensorOperation, takes
from . import checks
from .codec import Decode, pixels
from .geometry import HorizontalFlip, Resize, VerticalFlip, padded_image, resized, resized_image
from .operation import ImageOperation, PillowOperation, filter_of, pillow
from .settings import Border, Inter
from .turns import (
    affine_matrix,
    checked_center,
    kernel_of,
    perspective_image,
    rotated,
)


class RandomHorizontalFlip(HorizontalFlip):
    """The image, or what a mirror shows of it."""

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.probability(self.name, prob)

    def mirrored(self, x: np.ndarray) -> np.ndarray:
        return super().mirrored(x) if chance.happens(self.prob) else x

    def image(self, x: Any) -> Any:
        return flipped_image(x, "FLIP_LEFT_RIGHT") if chance.happens(self.prob) else x


class RandomVerticalFlip(VerticalFlip):
    """The image, or the image upside down."""

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.probability(self.name, prob)

    def array(self, x: np.ndarray) -> np.ndarray:
        return super().array(x) if chance.happens(self.prob) else x

    def image(self, x: Any) -> Any:
        return flipped_image(x, "FLIP_TOP_BOTTOM") if chance.happens(self.prob) else x


def flipped_image(x: Any, how: str) -> Any:
    return x.transpose(getattr(pillow().Transpose, how))


class RandomCrop(ImageOperation):
    """A part of the image, anywhere in it or in its border."""

    takes = takes("2 3 4", "1 3", "-uint32 int64 uint64")

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill_value: Any = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.size = checks.size(self.name, size)
        self.padding = checks.padding(self.name, 0 if padding is None else padding)
        self.pad_if_needed = check_type(self.name, "pad_if_needed", pad_if_needed, bool)
        self.fill_value = checks.fill(self.name, fill_value)
        self.padding_mode = checks.choice(self.name, "padding_mode", padding_mode, Border)

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.ndim == 4:
            return np.stack([self.array(image) for image in x])
        x = borders.padded(x, self.sides(*x.shape[:2]), self.padding_mode.value, self.fill_value)
        top, left = self.place(*x.shape[:2])
        return borders.cut(x, top, left, *self.size).copy()

    def image(self, x: Any) -> Any:
        x = padded_image(x, self.sides(x.height, x.width), self.padding_mode, self.fill_value)
        top, left = self.place(x.height, x.width)
        return x.crop((left, top, left + self.size[1], top + self.size[0]))

    def sides(self, h: int, w: int) -> tuple[int, int, int, int]:
        """What is put around an image of this size: left, top, right, bottom."""
        left, top, right, bottom = self.padding
        high = max(0, self.size[0] - h - top - bottom) if self.pad_if_needed else 0
        wide = max(0, self.size[1] - w - left - right) if self.pad_if_needed else 0
        return left + wide, top + high, right + wide, bottom + high

    def place(self, h: int, w: int) -> tuple[int, int]:
        """Where the part begins. Raises: RuntimeError (MS304) for an image too small."""
        if self.size[0] > h or self.size[1] > w:
            advice = "pad_if_needed=True, or a padding"
            raise RefusedError(
                self.name,
                "the image is too small",
                got=f"{(h, w)}",
                expected=f"at least {self.size}",
                advice=advice,
            )
        left = chance.whole(0, w - self.size[1])  # MindSpore draws it first
        return chance.whole(0, h - self.size[0]), left


class RandomResizedCrop(ImageOperation):
    """A part of the image, of random area and proportions, in another size."""

    takes = takes("2 3 4", "", "-int8 int32 uint32 int64 uint64 float16")

    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Any = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        self.size = checks.size(self.name, size)
        self.scale = checks.span(self.name, "scale", scale)
        checks.positive(self.name, "scale[1]", scale[1])
        self.ratio = checks.span(self.name, "ratio", ratio)
        checks.positive(self.name, "ratio[0]", ratio[0])
        self.interpolation = checks.choice(self.name, "interpolation", interpolation, Inter)
        self.max_attempts = checks.whole(self.name, "max_attempts", max_attempts, 1)

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.ndim == 4:
            return np.stack([self.array(image) for image in x])
        part = borders.cut(x, *self.part(*x.shape[:2]))
        return resized(self.name, part, self.size, self.interpolation)

    def image(self, x: Any) -> Any:
        top, left, height, width = self.part(x.height, x.width)
        cut = x.crop((left, top, left + width, top + height))
        return resized_image(self.name, cut, self.size, self.interpolation)

    def part(self, h: int, w: int) -> tuple[int, int, int, int]:
        """Top, left, height, width; the middle if no try has fitted into the image."""
        for _ in range(self.max_attempts):
            wanted = chance.uniform(*self.scale) * h * w
            ratio = math.exp(chance.uniform(*map(math.log, self.ratio)))
            width = max(1, nearest(math.sqrt(wanted * ratio)))
            height = max(1, nearest(width / ratio))
            if width <= w and height <= h:
                left = chance.whole(0, w - width)
                return chance.whole(0, h - height), left, height, width
        low, high = self.ratio
        width, height = w, h
        if w / h < low:
            height = max(1, round(w / low))
        elif w / h > high:
            width = max(1, round(h * high))
        return (h - height) // 2, (w - width) // 2, height, width


def nearest(x: float) -> int:
    """The whole number next to one that is not below 0; halves go up, as in C++."""
    return math.floor(x + 0.5)


class RandomCropDecodeResize(RandomResizedCrop):
    """`RandomResizedCrop` of an encoded image."""

    takes = takes("1", "", "uint8")

    def checked(self, value: Any) -> np.ndarray:
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype != np.uint8:
            got = f"a {type(value).__name__}"
            expected = "the bytes of a file: uint8 of shape (n,)"
            raise ElementTypeError(self.name, "it is no encoded image", got=got, expected=expected)
        return value

    def array(self, x: np.ndarray) -> np.ndarray:
        return super().array(pixels(Decode.__name__, x.tobytes()))


class RandomResize(ImageOperation):
    """The image in another size, by any interpolation."""

    takes = takes("2 3", "", "-int8 int32 uint32 int64 uint64 float16")

    def __init__(self, size: Any) -> None:
        kinds = (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)  # as C++ numbers them
        self.choices = [Resize(size, kind) for kind in kinds]

    def array(self, x: np.ndarray) -> np.ndarray:
        return self.choices[chance.whole(0, 3)].array(x)


class RandomRotation(ImageOperation):
    """The image turned by a random angle."""

    takes = takes("2 3 4", "", "-float16 uint32 int64 uint64")

    def __init__(
        self,
        degrees: Any,
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: Any = None,
        fill_value: Any = 0,
    ) -> None:
        self.degrees = checked_degrees(self.name, degrees)
        self.resample = checks.choice(self.name, "resample", resample, Inter)
        self.expand = check_type(self.name, "expand", expand, bool)
        self.center = checked_center(self.name, center)
        self.fill_value = checks.fill(self.name, fill_value)

    def array(self, x: np.ndarray) -> np.ndarray:
        kernel = kernel_of(self.name, self.resample)
        turn = chance.uniform(*self.degrees)
        images = x if x.ndim == 4 else x[None]
        fill = self.fill_value[::-1]
        found = [rotated(i, turn, kernel, self.expand, self.center, fill) for i in images]
        return np.stack(found) if x.ndim == 4 else found[0]

    def image(self, x: Any) -> Any:
        turn = chance.uniform(*self.degrees) % 360
        kernel = filter_of(self.name, self.resample)
        return x.rotate(turn, kernel, self.expand, self.center, fillcolor=self.fill_value)


def checked_degrees(where: str, degrees: Any) -> tuple[float, float]:
    """The least and the largest angle, of one number or two."""
    if isinstance(degrees, int | float) and not isinstance(degrees, bool):
        turn = checks.number(where, "degrees", degrees) % 360
        return -turn, turn
    low, high = checks.span(where, "degrees", degrees, -checks.LARGEST)
    if high - low >= 360:
        return -180, 180
    low, high = low % 360, high % 360
    return low, high + 360 if low > high else high


class RandomAffine(ImageOperation):
    """The image turned, moved, scaled and sheared at random."""

    takes = takes("2 3", "", "-float16 uint32 int64 uint64")

    def __init__(
        self,
        degrees: Any,
        translate: Any = None,
        scale: Any = None,
        shear: Any = None,
        resample: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        if isinstance(degrees, int | float) and not isinstance(degrees, bool):
            degrees = -checks.number(self.name, "degrees", degrees), degrees
        self.degrees = checks.span(self.name, "degrees", degrees, -checks.LARGEST)
        moves = (0.0,) * 4 if translate is None else translate
        checks.pair(self.name, "translate", moves, lengths=(2, 4))
        moves = [checks.number(self.name, "translate", m, -1, 1) for m in moves]
        self.translate = [*moves, 0.0, 0.0][:4]
        self.scale = checks.span(self.name, "scale", (1.0, 1.0) if scale is None else scale)
        self.shear = checked_shear(self.name, shear)
        self.resample = checks.choice(self.name, "resample", resample, Inter)
        self.fill_value = checks.fill(self.name, fill_value)

    def array(self, x: np.ndarray) -> np.ndarray:
        kernel = kernel_of(self.name, self.resample)
        matrix = self.matrix(*x.shape[:2])
        return warping.affine(x, matrix, x.shape[:2], kernel, self.fill_value)

    def image(self, x: Any) -> Any:
        back = warping.inverse(self.matrix(x.height, x.width)).reshape(6).tolist()
        kernel = filter_of(self.name, self.resample)
        how = pillow().Transform.AFFINE
        fill = self.fill_value if len(x.getbands()) == 3 else self.fill_value[0]
        return x.transform(x.size, how, back, kernel, fillcolor=fill)

    def matrix(self, h: int, w: int) -> np.ndarray:
        left, right, up, down = self.translate
        turn = chance.uniform(*self.degrees)  # in MindSpore's order
        shift = chance.uniform(left * w, right * w), chance.uniform(up * h, down * h)
        scale = chance.uniform(*self.scale)
        shear = chance.uniform(*self.shear[:2]), chance.uniform(*self.shear[2:])
        return affine_matrix(turn, shift, scale, shear, (h, w))


def checked_shear(where: str, shear: Any) -> list[float]:
    """Least and largest angle along x, then along y, of one, two or four numbers."""
    if shear is None:
        return [0.0] * 4
    if isinstance(shear, int | float) and not isinstance(shear, bool):
        checks.positive(where, "shear", shear)
        return [-shear, shear, 0.0, 0.0]
    checks.pair(where, "shear", shear, lengths=(2, 4))
    found = [*map(float, shear), 0.0, 0.0][:4]
    if found[0] > found[1] or found[2] > found[3]:
        raise ShapeError(where, "shear is no range", got=repr(shear), expected="(least, most)")
    return found


class RandomPerspective(PillowOperation):
    """The image seen from elsewhere, or as it is."""

    def __init__(
        self,
        distortion_scale: float = 0.5,
        prob: float = 0.5,
        interpolation: Inter = Inter.BICUBIC,
    ) -> None:
        for name, value in (("distortion_scale", distortion_scale), ("prob", prob)):
            check_type(self.name, name, value, float)
            checks.probability(self.name, value, name)
        self.distortion, self.prob = distortion_scale, prob
        self.interpolation = checks.choice(self.name, "interpolation", interpolation, Inter)

    def image(self, x: Any) -> Any:
        if not chance.happens(self.prob):
            return x
        w, h = x.size
        far = int(w / 2 * self.distortion), int(h / 2 * self.distortion)
        start = [(0, 0), (w - 1, 0), (w - 1, h - 1), (0, h - 1)]
        end = [
            (abs(px - chance.whole(0, far[0])), abs(py - chance.whole(0, far[1])))
            for px, py in start
        ]
        return perspective_image(self.name, x, start, end, self.interpolation)


class RandomErasing(TensorOperation):
    """The image (c, h, w) with a random part of it in one colour, or in noise."""

    def __init__(
        self,
        prob: float = 0.5,
        scale: Any = (0.02, 0.33),
        ratio: Any = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:
        self.prob = checks.probability(self.name, prob)
        self.scale = checks.span(self.name, "scale", scale)
        self.ratio = checks.span(self.name, "ratio", ratio)
        checks.positive(self.name, "scale[1]", scale[1])
        checks.positive(self.name, "ratio[0]", ratio[0])
        self.value = self.checked_value(value)
        self.inplace = check_type(self.name, "inplace", inplace, bool)
        self.max_attempts = checks.whole(self.name, "max_attempts", max_attempts, 1)

    def checked_value(self, value: Any) -> Any:
        if isinstance(value, str) and value != "random":
            expected = "a level, three of them or 'random'"
            raise ShapeError(self.name, "value is not known", got=repr(value), expected=expected)
        if isinstance(value, str):
            return value
        levels = value if isinstance(value, tuple | list) else (value,)
        if len(levels) not in (1, 3):
            raise ShapeError(self.name, "value is of a wrong length", got=repr(value))
        return np.array([checks.whole(self.name, "value", v, 0, 255) for v in levels])

    def checked(self, value: Any) -> np.ndarray:
        if not isinstance(value, np.ndarray) or value.ndim != 3:
            got = f"a {type(value).__name__}"
            advice = "put ToTensor() before it"
            raise ElementTypeError(self.name, "it is no array (c, h, w)", got=got, advice=advice)
        return value

    def array(self, x: np.ndarray) -> np.ndarray:
        if not chance.happens(self.prob):
            return x
        c, h, w = x.shape
        for _ in range(self.max_attempts):
            wanted, ratio = chance.uniform(*self.scale) * h * w, chance.uniform(*self.ratio)
            width = round(math.sqrt(wanted * ratio))
            height = round(width / ratio)
            if height < h and width < w:
                top, left = chance.whole(0, h - height), chance.whole(0, w - width)
                found = x if self.inplace else x.copy()
                found[:, top : top + height, left : left + width] = self.filling(c, height, width)
                return found
        return x

    def filling(self, c: int, height: int, width: int) -> np.ndarray:
        if isinstance(self.value, str):
            return chance.current().normal(size=(c, height, width))
        levels: np.ndarray = self.value[:, None, None]
        return levels


class CutOut(ImageOperation):
    """The image with square holes of zeros in random places."""

    takes = takes("3")

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        self.length = checks.whole(self.name, "length", length, 1, checks.LARGEST)
        self.num_patches = checks.whole(self.name, "num_patches", num_patches, 1, checks.LARGEST)
        self.is_hwc = check_type(self.name, "is_hwc", is_hwc, bool)

    def array(self, x: np.ndarray) -> np.ndarray:
        found = x.copy()
        plane = found if self.is_hwc else found.transpose(1, 2, 0)
        h, w = plane.shape[:2]
        if min(h, w) < self.length:
            got, expected = f"{(h, w)}", f"at least {self.length} pixels each way"
            raise RefusedError(self.name, "the image is too small", got=got, expected=expected)
        for _ in range(self.num_patches):
            top, left = chance.whole(-self.length, h), chance.whole(-self.length, w)
            rows = slice(max(0, top), max(0, top + self.length))
            plane[rows, max(0, left) : max(0, left + self.length)] = 0
        return found
