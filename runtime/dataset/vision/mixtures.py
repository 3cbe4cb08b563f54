"""Batches whose images are mixed with one another, and their labels with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import RefusedError
from .. import chance
from . import checks
from .operation import ImageOperation
from .settings import ImageBatchFormat

Pair = tuple[np.ndarray, np.ndarray]


class BatchOperation(ImageOperation):
    """An operation on a batch of images and one of labels."""

    def __call__(self, *values: Any) -> Any:
        if len(values) != 2:
            got, expected = f"{len(values)} columns", "images and labels"
            raise RefusedError(self.name, "it takes two columns", got=got, expected=expected)
        images, labels = map(np.asarray, values)
        if images.ndim != 4 or labels.ndim not in (2, 3) or len(images) != len(labels):
            got = f"shapes {images.shape} and {labels.shape}"
            expected = "(n, h, w, c) or (n, c, h, w) and one-hot labels (n, classes)"
            advice = "batch(...) before it, and OneHot on the labels before that"
            raise RefusedError(
                self.name, "it is no batch", got=got, expected=expected, advice=advice
            )
        return self.mixed(images, labels)

    def mixed(self, images: np.ndarray, labels: np.ndarray) -> Pair:
        raise NotImplementedError(self.name)


def blended(x: np.ndarray, y: np.ndarray, share: np.ndarray | float) -> np.ndarray:
    """`share` of x and the rest of y, as float32."""
    return np.asarray(x * share + y * (1 - np.asarray(share)), np.float32)


class MixUpBatch(BatchOperation):
    """Each image mixed with another of its batch, by one share for all."""

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = checks.positive(self.name, "alpha", alpha)

    def mixed(self, images: np.ndarray, labels: np.ndarray) -> Pair:
        if images.shape[1] not in (1, 3) and images.shape[3] not in (1, 3):
            got, expected = f"shape {images.shape}", "1 or 3 channels"
            raise RefusedError(self.name, "they are no images", got=got, expected=expected)
        source = chance.current()
        share = float(source.beta(self.alpha, self.alpha))
        other = source.permutation(len(images))
        found = blended(images, images[other], share)
        if images.dtype.kind in "iu":
            found = np.rint(found)
        return found.astype(images.dtype), blended(labels, labels[other], share)


class CutMixBatch(BatchOperation):
    """Each image with a part of another of its batch."""

    def __init__(
        self, image_batch_format: ImageBatchFormat, alpha: float = 1.0, prob: float = 1.0
    ) -> None:
        check_type(self.name, "image_batch_format", image_batch_format, ImageBatchFormat)
        self.is_nhwc = image_batch_format == ImageBatchFormat.NHWC
        self.alpha = checks.positive(self.name, "alpha", alpha)
        self.prob = checks.probability(self.name, prob)

    def mixed(self, images: np.ndarray, labels: np.ndarray) -> Pair:
        found, mixed_labels = images.copy(), labels.astype(np.float32)
        other = chance.order(len(images))
        planes = found if self.is_nhwc else found.transpose(0, 2, 3, 1)
        sources = images if self.is_nhwc else images.transpose(0, 2, 3, 1)
        if planes.shape[3] not in (1, 3):
            got, expected = f"shape {images.shape}", "1 or 3 channels"
            raise RefusedError(self.name, "they are no images", got=got, expected=expected)
        for n, m in enumerate(other):
            if not chance.happens(self.prob):
                continue
            rows, columns = self.part(*planes.shape[1:3])
            planes[n][rows, columns] = sources[m][rows, columns]
            cut = (rows.stop - rows.start) * (columns.stop - columns.start)
            share = 1 - cut / (planes.shape[1] * planes.shape[2])
            mixed_labels[n] = blended(labels[n], labels[m], share)
        return found, mixed_labels

    def part(self, h: int, w: int) -> tuple[slice, slice]:
        """A random box, whose area is a random share of the image's."""
        side = math.sqrt(1 - float(chance.current().beta(self.alpha, self.alpha)))
        height, width = int(h * side), int(w * side)
        y, x = chance.whole(0, h - 1), chance.whole(0, w - 1)
        top, left = max(0, y - height // 2), max(0, x - width // 2)
        return slice(top, min(h, y + height // 2)), slice(left, min(w, x + width // 2))


class MixUp(ImageOperation):
    """Each image of a batch mixed with the next, or with the same one of the batch before."""

    def __init__(self, batch_size: int, alpha: float, is_single: bool = True) -> None:
        self.batch_size = checks.whole(self.name, "batch_size", batch_size, 1, checks.LARGEST)
        self.alpha = checks.positive(self.name, "alpha", alpha)
        self.is_single = check_type(self.name, "is_single", is_single, bool)
        self.before: Pair | None = None

    def __call__(self, *values: Any) -> Any:
        image, label = map(np.asarray, values)
        share = chance.current().beta(self.alpha, self.alpha, self.batch_size)
        other_image, other_label = np.roll(image, -1, 0), np.roll(label, -1, 0)
        if not self.is_single:
            if self.before is None:
                share[:] = 1
            other_image, other_label = self.before or (image, label)
        of_image, of_label = share.reshape(-1, 1, 1, 1), share.reshape(-1, 1)
        found = (
            of_image * image + (1 - of_image) * other_image,
            of_label * label + (1 - of_label) * other_label,
        )
        self.before = found
        return found
