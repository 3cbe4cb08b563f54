"""Images with boxes around what is in them: both are flipped, cropped and resized together.

A box is x, y, width, height of a row; further columns stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import RefusedError
from .. import chance
from ..images import borders
from . import checks
from .geometry import Resize, resized
from .operation import ImageOperation
from .random_geometry import RandomCrop, RandomResizedCrop
from .settings import Border, Inter

Pair = tuple[np.ndarray, np.ndarray]


class BoxOperation(ImageOperation):
    """An operation on an image and its boxes."""

    def __call__(self, *values: Any) -> Any:
        if len(values) != 2:
            got, expected = f"{len(values)} columns", "an image and its boxes"
            raise RefusedError(self.name, "it takes two columns", got=got, expected=expected)
        image, boxes = map(np.asarray, values)
        self.check(image, boxes)
        return self.changed(image, boxes.copy())

    def check(self, image: np.ndarray, boxes: np.ndarray) -> None:
        """Raises: RuntimeError (MS304) for boxes that do not lie in the image."""
        if boxes.ndim != 2 or boxes.shape[1] < 4 or boxes.dtype.kind not in "fiu":
            got, expected = f"{boxes.dtype} of shape {boxes.shape}", "numbers of shape (n, 4)"
            raise RefusedError(self.name, "they are no boxes", got=got, expected=expected)
        if image.ndim not in (2, 3):
            got = f"shape {image.shape}"
            raise RefusedError(self.name, "it is no image", got=got, expected="2 or 3 axes")
        h, w = image.shape[:2]
        x, y, wide, high = boxes[:, :4].T
        if (x < 0).any() or (y < 0).any() or (x + wide > w).any() or (y + high > h).any():
            expected = f"within {w} x {h} pixels"
            raise RefusedError(
                self.name,
                "a box leaves the image",
                got=str(boxes[0, :4].tolist()),
                expected=expected,
            )

    def changed(self, image: np.ndarray, boxes: np.ndarray) -> Pair:
        raise NotImplementedError(self.name)


class RandomHorizontalFlipWithBBox(BoxOperation):
    """The image and its boxes, or what a mirror shows of them."""

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.probability(self.name, prob)

    def changed(self, image: np.ndarray, boxes: np.ndarray) -> Pair:
        if not chance.happens(self.prob):
            return image, boxes
        boxes[:, 0] = image.shape[1] - boxes[:, 0] - boxes[:, 2]
        return np.ascontiguousarray(image[:, ::-1]), boxes


class RandomVerticalFlipWithBBox(BoxOperation):
    """The image and its boxes, or both upside down."""

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = checks.probability(self.name, prob)

    def changed(self, image: np.ndarray, boxes: np.ndarray) -> Pair:
        if not chance.happens(self.prob):
            return image, boxes
        boxes[:, 1] = image.shape[0] - boxes[:, 1] - boxes[:, 3]
        return np.ascontiguousarray(image[::-1]), boxes


class ResizeWithBBox(BoxOperation):
    """The image in another size, and its boxes with it."""

    def __init__(self, size: Any, interpolation: Inter = Inter.LINEAR) -> None:
        self.resize = Resize(size, interpolation)

    def changed(self, image: np.ndarray, boxes: np.ndarray) -> Pair:
        return scaled(image, self.resize.array(image), boxes)


def scaled(old: np.ndarray, new: np.ndarray, boxes: np.ndarray) -> Pair:
    """The new image, and the boxes of the old one in it."""
    down, across = (np.float32(new.shape[k]) / np.float32(old.shape[k]) for k in (0, 1))
    boxes[:, :4] = (boxes[:, :4] * np.array([across, down, across, down])).astype(boxes.dtype)
    return new, boxes


class RandomResizeWithBBox(BoxOperation):
    """The image in another size, by any interpolation, and its boxes with it."""

    def __init__(self, size: Any) -> None:
        kinds = (Inter.NEAREST, Inter.LINEAR, Inter.CUBIC, Inter.AREA)
        self.choices = [Resize(size, kind) for kind in kinds]

    def changed(self, image: np.ndarray, boxes: np.ndarray) -> Pair:
        return scaled(image, self.choices[chance.whole(0, 3)].array(image), boxes)


def within(boxes: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """What a part of the image holds of its boxes; one empty box if it holds none."""
    x, y, wide, high = boxes[:, :4].astype(np.float64).T
    low_x, high_x = np.clip(x - left, 0, width), np.clip(x + wide - left, 0, width)
    low_y, high_y = np.clip(y - top, 0, height), np.clip(y + high - top, 0, height)
    found = boxes.copy()
    found[:, :4] = np.stack([low_x, low_y, high_x - low_x, high_y - low_y], axis=1)
    found = found[(high_x > low_x) & (high_y > low_y)]
    return found if len(found) else np.zeros((1, boxes.shape[1]), boxes.dtype)


class RandomCropWithBBox(BoxOperation):
    """A part of the image, anywhere in it or in its border, and what it holds of the boxes."""

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill_value: Any = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.crop = RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)

    def changed(self, image: np.ndarray, boxes: np.ndarray) -> Pair:
        crop = self.crop
        sides = crop.sides(*image.shape[:2])
        wide = borders.padded(image, sides, crop.padding_mode.value, crop.fill_value)
        boxes[:, 0] += boxes.dtype.type(sides[0])
        boxes[:, 1] += boxes.dtype.type(sides[1])
        place = (*crop.place(*wide.shape[:2]), *crop.size)
        return borders.cut(wide, *place).copy(), within(boxes, *place)


class RandomResizedCropWithBBox(BoxOperation):
    """A part of the image in another size, and what it holds of the boxes."""

    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Any = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        self.crop = RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)

    def changed(self, image: np.ndarray, boxes: np.ndarray) -> Pair:
        place = self.crop.part(*image.shape[:2])
        part = borders.cut(image, *place)
        new = resized(self.name, part, self.crop.size, self.crop.interpolation)
        return scaled(part, new, within(boxes, *place))


class BoundingBoxAugment(BoxOperation):
    """The image with an operation done to what is in some of its boxes."""

    def __init__(self, transform: Any, ratio: float = 0.3) -> None:
        self.ratio = checks.probability(self.name, ratio, "ratio")
        if not callable(transform):
            check_type(self.name, "transform", transform, ImageOperation)
        self.transform = transform

    def changed(self, image: np.ndarray, boxes: np.ndarray) -> Pair:
        count = int(np.ceil(len(boxes) * self.ratio))
        found = image.copy()
        for place in chance.order(len(boxes))[:count]:
            x, y, wide, high = (int(n) for n in boxes[place, :4])
            if wide > 0 and high > 0:
                part = np.ascontiguousarray(found[y : y + high, x : x + wide])
                changed = self.transform(part)
                if changed.shape[:2] != part.shape[:2]:
                    changed = resized(self.name, changed, part.shape[:2], Inter.LINEAR)
                found[y : y + high, x : x + wide] = changed
        return found, boxes
