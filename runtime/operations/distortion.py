"""A random region of an image that keeps enough of its objects."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.argument import check_range, check_type
from ..engine.dtype import Array
from ..engine.failure import ShapeError
from ..engine.tensor import Tensor
from ..ops.random import source_of
from .operation import operation

NAME = "SampleDistortedBoundingBoxV2"


def check_ranges(**attrs: Any) -> None:
    for name, high in (("aspect_ratio_range", math.inf), ("area_range", 1.0)):
        for number in attrs[name]:
            check_range(NAME, name, check_type(NAME, name, number, float), 0.0, high, "right")
        if len(attrs[name]) != 2 or attrs[name][0] >= attrs[name][1]:
            raise ShapeError(NAME, f"{name} must be two rising numbers", got=str(attrs[name]))


def region(
    source: np.random.Generator, sizes: tuple[int, int], ratios: Any, areas: Any
) -> Array | None:
    """Top, left, bottom and right in pixels; None if the region does not fit the image."""
    ratio, (high, wide) = source.uniform(*ratios), sizes
    low, most = (math.sqrt(area * high * wide / ratio) for area in areas)
    height = min(round(source.uniform(low, most)), high)
    width = round(height * ratio)
    if height < 1 or not 1 <= width <= wide:
        return None
    if not areas[0] * high * wide <= height * width <= areas[1] * high * wide:
        return None
    top, left = source.integers(high - height + 1), source.integers(wide - width + 1)
    return np.array([top, left, top + height, left + width])


def covers(box: Array, objects: Array, least: float) -> bool:
    """Whether the share `least` of one of the objects lies in the box."""
    if least <= 0:
        return True
    sides = np.minimum(box[2:], objects[:, 2:]) - np.maximum(box[:2], objects[:, :2])
    shared = np.clip(sides, 0, None).prod(1)
    return bool((shared >= least * (objects[:, 2:] - objects[:, :2]).prod(1)).any())


@operation(NAME, check_ranges)
def sample_distorted_bounding_box(
    image_size: Tensor,
    bounding_boxes: Tensor,
    min_object_covered: Tensor,
    *,
    seed: int = 0,
    seed2: int = 0,
    aspect_ratio_range: tuple[float, ...] | list[float] = (0.75, 1.33),
    area_range: tuple[float, ...] | list[float] = (0.05, 1.0),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> Any:
    """Where the region begins, its sizes, and the region in [0, 1]; the numbers are drawn anew."""
    for x in (image_size, bounding_boxes, min_object_covered):
        check_type(NAME, "the inputs", x, Tensor)
    if image_size.shape != (3,) or bounding_boxes.ndim != 3 or bounding_boxes.shape[2] != 4:
        got = f"{image_size.shape}, {bounding_boxes.shape}"
        raise ShapeError(NAME, "needs (3) and (batch, n, 4)", got=got)
    high, wide = (int(n) for n in image_size.asnumpy()[:2])
    scale = np.array([high, wide, high, wide])
    objects = bounding_boxes.asnumpy().reshape(-1, 4) * scale
    if not len(objects):
        if not use_image_if_no_bounding_boxes:
            raise ShapeError(NAME, "there are no boxes", got=str(bounding_boxes.shape))
        objects = np.array([[0, 0, high, wide]])
    source = source_of(hash((seed, seed2)) & 0xFFFFFFFF if seed or seed2 else None)
    least = float(min_object_covered.asnumpy().reshape(-1)[0])
    box = np.array([0, 0, high, wide])
    for _attempt in range(max_attempts):
        found = region(source, (high, wide), aspect_ratio_range, area_range)
        if found is not None and covers(found, objects, least):
            box = found
            break
    sizes = (*(box[2:] - box[:2]).tolist(), -1)
    begin = Tensor(np.array([*box[:2].tolist(), 0]), image_size.dtype)
    end = Tensor(np.array(sizes).astype(image_size.dtype.numpy))
    return begin, end, Tensor((box / scale).reshape(1, 1, 4).astype(np.float32))
