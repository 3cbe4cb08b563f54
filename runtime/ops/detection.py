"""Boxes of objects: their coding, what they share, and crops of images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_float, check_tensors, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import elementwise as e
from .arithmetic import (
    add,
    clamp,
    div,
    exp,
    floor,
    greater_equal,
    less_equal,
    log,
    logical_and,
    maximum,
    minimum,
    mul,
    sub,
    where,
)
from .reduction import mean
from .registry import op
from .shaping import expand_dims, gather, reshape, stack, transpose, unstack

Four = tuple[float, float, float, float]
ZEROS: Four = (0.0, 0.0, 0.0, 0.0)
ONES: Four = (1.0, 1.0, 1.0, 1.0)


def check_boxes(where: str, **boxes: Tensor) -> None:
    """Raises: TypeError, ValueError (MS304) unless they are (n, 4)."""
    check_tensors(where, **boxes)
    for name, x in boxes.items():
        if x.ndim != 2 or x.shape[1] != 4:
            raise ShapeError(where, f"{name} must be (n, 4)", got=str(x.shape))


def check_scales(where: str, means: Any, stds: Any) -> None:
    """Raises: TypeError, ValueError (MS304) unless both are four floats."""
    for name, four in (("means", means), ("stds", stds)):
        for number in check_type(where, name, four, tuple):
            check_type(where, name, number, float)
        if len(four) != 4:
            raise ShapeError(where, f"{name} needs four numbers", got=str(four))


def centres(boxes: Tensor) -> list[Tensor]:
    """The middle and the size, x and y, of (n, 4)."""
    x1, y1, x2, y2 = unstack(boxes, 1)
    middles = [mul(add(x1, x2), 0.5), mul(add(y1, y2), 0.5)]
    return [*middles, add(sub(x2, x1), 1.0), add(sub(y2, y1), 1.0)]


@op
def bounding_box_encode(
    anchor_box: Tensor, groundtruth_box: Tensor, means: Four = ZEROS, stds: Four = ONES
) -> Tensor:
    """How to get from one box to another: moves in units of the size, and logarithms of ratios."""
    check_boxes("bounding_box_encode", anchor_box=anchor_box, groundtruth_box=groundtruth_box)
    check_scales("bounding_box_encode", means, stds)
    px, py, pw, ph = centres(convert(anchor_box, dtypes.float32))
    gx, gy, gw, gh = centres(convert(groundtruth_box, dtypes.float32))
    moves = [div(sub(gx, px), pw), div(sub(gy, py), ph), log(div(gw, pw)), log(div(gh, ph))]
    y = div(sub(stack(moves, 1), constant(means, dtypes.float32)), constant(stds, dtypes.float32))
    return convert(y, anchor_box.dtype)


@op
def bounding_box_decode(
    anchor_box: Tensor,
    deltas: Tensor,
    max_shape: tuple[int, int] | None,
    means: Four = ZEROS,
    stds: Four = ONES,
    wh_ratio_clip: float = 0.016,
) -> Tensor:
    """The boxes that `bounding_box_encode` coded, kept within `max_shape` (h, w)."""
    check_boxes("bounding_box_decode", anchor_box=anchor_box, deltas=deltas)
    check_scales("bounding_box_decode", means, stds)
    check_float("bounding_box_decode", "wh_ratio_clip", wh_ratio_clip)
    if max_shape is not None and len(check_type("bounding_box_decode", "max_shape", max_shape,
                                                tuple)) != 2:  # fmt: skip
        raise ShapeError("bounding_box_decode", "max_shape needs two numbers", got=str(max_shape))
    numbers = convert(deltas, dtypes.float32)
    numbers = add(mul(numbers, constant(stds, dtypes.float32)), constant(means, dtypes.float32))
    dx, dy, dw, dh = unstack(numbers, 1)
    bound = abs(math.log(wh_ratio_clip))
    px, py, pw, ph = centres(convert(anchor_box, dtypes.float32))
    x, y = add(px, mul(pw, dx)), add(py, mul(ph, dy))
    w, h = (mul(mul(s, exp(clamp(d, -bound, bound))), 0.5) for s, d in ((pw, dw), (ph, dh)))
    ends = [add(sub(x, w), 0.5), add(sub(y, h), 0.5), sub(add(x, w), 0.5), sub(add(y, h), 0.5)]
    if max_shape is not None:
        limits = [max_shape[1], max_shape[0]] * 2
        ends = [clamp(v, 0, limit) for v, limit in zip(ends, limits, strict=True)]
    return convert(stack(ends, 1), anchor_box.dtype)


@op
def iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str = "iou") -> Tensor:
    """(gt, anchors): the area shared by what both cover, or by the truth's with "iof"."""
    if mode not in ("iou", "iof"):
        raise KeyError(f"IOU: mode must be iou or iof, got {mode}")
    check_boxes("iou", anchor_boxes=anchor_boxes, gt_boxes=gt_boxes)
    ax1, ay1, ax2, ay2 = unstack(convert(anchor_boxes, dtypes.float32), 1)
    gx1, gy1, gx2, gy2 = (expand_dims(v, 1) for v in unstack(convert(gt_boxes, dtypes.float32), 1))
    width = clamp(add(sub(minimum(ax2, gx2), maximum(ax1, gx1)), 1.0), 0.0, None)
    height = clamp(add(sub(minimum(ay2, gy2), maximum(ay1, gy1)), 1.0), 0.0, None)
    shared = mul(width, height)
    truth = mul(add(sub(gx2, gx1), 1.0), add(sub(gy2, gy1), 1.0))
    anchors = mul(add(sub(ax2, ax1), 1.0), add(sub(ay2, ay1), 1.0))
    whole = truth if mode == "iof" else sub(add(truth, anchors), shared)
    return convert(div(shared, whole), anchor_boxes.dtype)


@op
def check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor:
    """Whether each box lies inside of the image; img_metas are its height, width and scale."""
    check_boxes("check_valid", bboxes=bboxes)
    check_tensors("check_valid", img_metas=img_metas)
    x1, y1, x2, y2 = unstack(convert(bboxes, dtypes.float32), 1)
    height, width, scale = unstack(convert(img_metas, dtypes.float32), 0)
    inside = logical_and(greater_equal(x1, 0.0), greater_equal(y1, 0.0))
    wide = less_equal(x2, sub(mul(width, scale), 1.0))
    return logical_and(logical_and(inside, wide), less_equal(y2, sub(mul(height, scale), 1.0)))


@op
def crop_and_resize(
    image: Tensor,
    boxes: Tensor,
    box_indices: Tensor,
    crop_size: tuple[int, int],
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:
    """Each box (y1, x1, y2, x2, in [0, 1]) of its image (n, h, w, c), resized; in float32."""
    name = "crop_and_resize"
    check_tensors(name, image=image, boxes=boxes, box_indices=box_indices)
    check_choice(name, "method", check_type(name, "method", method, str),
                 ("bilinear", "nearest", "bilinear_v2"))  # fmt: skip
    if box_indices.dtype is not dtypes.int32:
        raise ElementTypeError(name, "box_indices must be int32", got=box_indices.dtype.name)
    check_type(name, "extrapolation_value", extrapolation_value, float)
    check_type(name, "crop_size", crop_size, tuple)
    check_boxes(name, boxes=boxes)
    if image.ndim != 4 or len(crop_size) != 2:
        raise ShapeError(name, "needs (n, h, w, c) and two sizes", got=str(image.shape))
    if not box_indices.is_traced and (box_indices.asnumpy() >= image.shape[0]).any():
        raise ShapeError(name, "there is no such image", got=str(box_indices.asnumpy().tolist()))
    y1, x1, y2, x2 = (expand_dims(v, 1) for v in unstack(boxes, 1))
    ys = crop_places(y1, y2, image.shape[1], crop_size[0], method)
    xs = crop_places(x1, x2, image.shape[2], crop_size[1], method)
    found = Plane(convert(image, dtypes.float32), box_indices).at(ys, xs, method == "nearest")
    outside = logical_and(expand_dims(within(ys, image.shape[1]), 2),
                          expand_dims(within(xs, image.shape[2]), 1))  # fmt: skip
    return where(expand_dims(outside, 3), found, extrapolation_value)


def within(places: Tensor, n: int) -> Tensor:
    return logical_and(greater_equal(places, 0.0), less_equal(places, float(n - 1)))


def crop_places(low: Tensor, high: Tensor, n: int, count: int, method: str) -> Tensor:
    """(boxes, count): where along n elements a box is sampled."""
    steps = constant(np.arange(count)[None], dtypes.float32)
    if method == "bilinear_v2":
        first, last = floor(mul(low, float(n))), floor(mul(high, float(n)))
        width = maximum(add(sub(last, first), 1.0), 1.0)
        steps = sub(mul(mul(add(steps, 0.5), 1 / count), width), 0.5)
        return add(first, minimum(maximum(steps, 0.0), sub(width, 1.0)))
    if count == 1:
        return mul(add(low, high), 0.5 * (n - 1))
    return add(mul(low, float(n - 1)), mul(steps, mul(sub(high, low), (n - 1) / (count - 1))))


class Plane:
    """Images (n, h, w, c), of which each row of places belongs to one (`chosen`)."""

    def __init__(self, image: Tensor, chosen: Tensor) -> None:
        self.sizes = image.shape[1:3]
        self.flat = reshape(image, (-1, image.shape[3]))
        self.starts = reshape(mul(convert(chosen, dtypes.int64), math.prod(self.sizes)), (-1, 1, 1))

    def at(self, ys: Tensor, xs: Tensor, nearest: bool) -> Tensor:
        """(boxes, h', w', c) at ys (boxes, h') and xs (boxes, w')."""
        if nearest:
            return self.element(e.round(ys), e.round(xs))
        top, left = floor(ys), floor(xs)
        down, right = expand_dims(sub(ys, top), 2), expand_dims(sub(xs, left), 1)
        total: Any = 0.0
        for dy, v in ((0, sub(1.0, down)), (1, down)):
            for dx, h in ((0, sub(1.0, right)), (1, right)):
                weight = expand_dims(mul(v, h), 3)
                total = add(mul(self.element(add(top, dy), add(left, dx)), weight), total)
        return total  # type: ignore[no-any-return]  # a sum of Tensors

    def element(self, ys: Tensor, xs: Tensor) -> Tensor:
        rows = convert(clamp(ys, 0.0, float(self.sizes[0] - 1)), dtypes.int64)
        columns = convert(clamp(xs, 0.0, float(self.sizes[1] - 1)), dtypes.int64)
        places = add(mul(expand_dims(rows, 2), self.sizes[1]), expand_dims(columns, 1))
        return gather(self.flat, add(places, self.starts), 0)


def roi_align(
    x: Tensor, rois: Tensor, sizes: tuple[int, int], scale: float, settings: tuple[int, int]
) -> Tensor:
    """Means of `settings[0]` x as many samples in each part of each region of (n, c, h, w).

    rois (k, 5) are the image's number, x1, y1, x2, y2 before `scale`; settings[1] is added to
    both far ends, else a region is at least 1 wide.
    """
    image, x1, y1, x2, y2 = (expand_dims(v, 1) for v in unstack(rois, 1))
    samples, wider = settings
    pooled = []
    for low, high, count in ((y1, y2, sizes[0]), (x1, x2, sizes[1])):
        start, end = mul(low, scale), mul(add(high, float(wider)), scale)
        width = sub(end, start) if wider else maximum(sub(end, start), 1.0)
        steps = (np.arange(count * samples)[None] + 0.5) / (count * samples)
        pooled.append(add(start, mul(width, constant(steps, x.dtype))))
    images = transpose(x, (0, 2, 3, 1))
    plane = Plane(images, image)
    ys, xs = (clamp(v, 0.0, float(n - 1)) for v, n in zip(pooled, x.shape[2:], strict=True))
    found = plane.at(ys, xs, False)
    seen = [
        logical_and(greater_equal(v, -1.0), less_equal(v, float(n)))
        for v, n in zip(pooled, x.shape[2:], strict=True)
    ]
    inside = logical_and(expand_dims(seen[0], 2), expand_dims(seen[1], 1))
    found = mul(found, convert(expand_dims(inside, 3), x.dtype))
    k, channels = rois.shape[0], x.shape[1]
    parts = reshape(found, (k, sizes[0], samples, sizes[1], samples, channels))
    return transpose(mean(parts, (2, 4)), (0, 3, 1, 2))
