"""Images: boxes, crops and colours."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_type
from ..engine.dtype import Array
from ..engine.failure import ShapeError
from ..engine.host import host
from ..engine.primitive import convert
from ..engine.promotion import as_tensor
from ..engine.tensor import Tensor
from ..ops import colours, suppression
from ..ops.activation import FLOATS, check_elements
from ..ops.detection import check_scales, roi_align
from ..ops.resizing import sizes_for
from .operation import operation, same

Four = tuple[float, ...]

same("CheckValid", "check_valid")


def check_encoding(means: Any, stds: Any) -> None:
    check_scales("BoundingBoxEncode", means, stds)


@operation("BoundingBoxEncode", check_encoding)
def bounding_box_encode(
    anchor_box: Tensor,
    groundtruth_box: Tensor,
    *,
    means: Four = (0.0, 0.0, 0.0, 0.0),
    stds: Four = (1.0, 1.0, 1.0, 1.0),
) -> Any:
    return ops.bounding_box_encode(anchor_box, groundtruth_box, means, stds)


def check_decoding(max_shape: Any, means: Any, stds: Any, wh_ratio_clip: Any) -> None:
    check_scales("BoundingBoxDecode", means, stds)
    if max_shape is not None and len(check_type("", "max_shape", max_shape, tuple)) != 2:
        raise ShapeError("BoundingBoxDecode", "max_shape needs two numbers", got=str(max_shape))


@operation("BoundingBoxDecode", check_decoding)
def bounding_box_decode(
    anchor_box: Tensor,
    deltas: Tensor,
    *,
    max_shape: Any,
    means: Four = (0.0, 0.0, 0.0, 0.0),
    stds: Four = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Any:
    return ops.bounding_box_decode(anchor_box, deltas, max_shape, means, stds, wh_ratio_clip)


def check_iou(mode: Any) -> None:
    if mode not in ("iou", "iof"):
        raise KeyError(f"IOU: mode must be iou or iof, got {mode}")


@operation("IOU", check_iou)
def iou(anchor_boxes: Tensor, gt_boxes: Tensor, *, mode: Any = "iou") -> Any:
    return ops.stop_gradient(ops.iou(anchor_boxes, gt_boxes, mode))


@operation("CropAndResize")
def crop_and_resize(
    x: Tensor,
    boxes: Tensor,
    box_index: Tensor,
    crop_size: Any,
    *,
    method: Literal["bilinear", "nearest", "bilinear_v2"] = "bilinear",
    extrapolation_value: float = 0.0,
) -> Any:
    return ops.crop_and_resize(x, boxes, box_index, crop_size, method, extrapolation_value)


def check_regions(**attrs: Any) -> None:
    if attrs["roi_end_mode"] not in (0, 1):
        raise ShapeError("ROIAlign", "roi_end_mode must be 0 or 1", got=str(attrs["roi_end_mode"]))


@operation("ROIAlign", check_regions)
def align_regions(
    features: Tensor,
    rois: Tensor,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sample_num: int = 2,
    roi_end_mode: int = 1,
) -> Any:
    """Raises: MS301 for a `sample_num` of 0, where each region decides how many are taken."""
    check_elements("ROIAlign", features, *FLOATS)
    if sample_num < 1:
        raise NotImplementedError("ROIAlign: sample_num must be positive here")
    sizes = (pooled_height, pooled_width)
    regions = ops.stop_gradient(rois)
    return roi_align(features, regions, sizes, spatial_scale, (sample_num, roi_end_mode))


@operation("NMSWithMask")
def nms_with_mask(bboxes: Tensor, *, iou_threshold: float = 0.5) -> Any:
    if bboxes.ndim != 2 or bboxes.shape[1] != 5:
        raise ShapeError("NMSWithMask", "needs (n, 5)", got=str(bboxes.shape))
    return suppression.nms_with_mask(bboxes, threshold=float(iou_threshold))


@operation("NonMaxSuppressionWithOverlaps")
def non_max_suppression_with_overlaps(
    overlaps: Tensor,
    scores: Tensor,
    max_output_size: Any,
    overlap_threshold: Any,
    score_threshold: Any,
) -> Any:
    numbers = [as_tensor(v) for v in (max_output_size, overlap_threshold, score_threshold)]
    return suppression.suppressed(overlaps, scores, *numbers)


@operation("CombinedNonMaxSuppression")
def combined_non_max_suppression(
    boxes: Tensor,
    scores: Tensor,
    max_output_size_per_class: Tensor,
    max_total_size: Tensor,
    iou_threshold: Tensor,
    score_threshold: Tensor,
    *,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> Any:
    per_class, total = (int(n.asnumpy()) for n in (max_output_size_per_class, max_total_size))
    if pad_per_class:
        total = min(total, per_class * scores.shape[2])
    thresholds = ops.stack((ops.reshape(iou_threshold, ()), ops.reshape(score_threshold, ())))
    attrs = {"sizes": (per_class, total), "clip": int(clip_boxes)}
    return suppression.combined(boxes, scores, thresholds, **attrs)


def check_colours(where: str, x: Tensor) -> None:
    """Raises: TypeError, ValueError (MS304) unless the last axis has three floats."""
    check_elements(where, x, *FLOATS)
    if x.ndim < 1 or x.shape[-1] != 3:
        raise ShapeError(where, "the last axis must have three colours", got=str(x.shape))


@operation("HSVToRGB")
def hsv_to_rgb(images: Tensor) -> Any:
    check_colours("HSVToRGB", images)
    if images.ndim != 4:
        raise ShapeError("HSVToRGB", "needs four axes", got=str(images.shape))
    return colours.to_rgb(images)


@operation("RGBToHSV")
def rgb_to_hsv(images: Tensor) -> Any:
    check_colours("RGBToHSV", images)
    return colours.to_hsv(images)


@operation("AdjustHue")
def adjust_hue(images: Tensor, delta: Tensor) -> Any:
    check_colours("AdjustHue", images)
    check_type("AdjustHue", "delta", delta, Tensor)
    return colours.hue_adjusted(images, delta)


@operation("AdjustSaturation")
def adjust_saturation(images: Tensor, scale: Tensor) -> Any:
    check_colours("AdjustSaturation", images)
    check_type("AdjustSaturation", "scale", scale, Tensor)
    return colours.saturation_adjusted(images, scale)


def sinc(x: Array, lobes: int) -> Array:
    return np.where(x < lobes, np.sinc(x) * np.sinc(x / lobes), 0)


def cubic(x: Array, b: float, c: float) -> Array:
    """The cubic of Mitchell and Netravali."""
    near = (12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b
    far = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c
    return np.where(x < 1, near, np.where(x < 2, far, 0)) / 6


KERNELS: dict[str, tuple[float, Any]] = {
    "lanczos1": (1, lambda x: sinc(x, 1)),
    "lanczos3": (3, lambda x: sinc(x, 3)),
    "lanczos5": (5, lambda x: sinc(x, 5)),
    "gaussian": (1.5, lambda x: np.where(x < 1.5, np.exp(-2 * x**2), 0)),
    "box": (1, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0))),
    "triangle": (1, lambda x: np.clip(1 - x, 0, None)),
    "keyscubic": (2, lambda x: cubic(x, 0, 0.5)),
    "mitchellcubic": (2, lambda x: cubic(x, 1 / 3, 1 / 3)),
}
"""The radius and the weight at a distance of each kernel."""


@host("ScaleAndTranslateWeights")
def weights(
    scale: Array, shift: Array, *, axis: int, sizes: tuple[int, int], kind: str, antialias: int
) -> Any:
    """(new, old): what each new element takes of the old ones."""
    n, m = sizes
    inverse = 1 / np.float32(scale[axis])
    centre = (np.arange(m, dtype=np.float32) + np.float32(0.5)) * inverse - inverse * shift[axis]
    radius, kernel = KERNELS[kind]
    widening = max(float(inverse), 1.0) if antialias else 1.0
    cells = np.arange(n)[None]
    first = np.ceil(centre - radius * widening - 0.5)[:, None]
    last = np.floor(centre + radius * widening - 0.5)[:, None]
    made = kernel(np.abs(cells + 0.5 - centre[:, None]) / widening)
    made = np.where((cells >= first) & (cells <= last), made, 0)
    total = made.sum(1, keepdims=True)
    usual = np.abs(total) >= 1000 * np.finfo(np.float32).tiny
    made = np.divide(made, total, out=np.zeros_like(made), where=usual)
    inside = (centre >= 0) & (centre <= n)
    return (made * inside[:, None]).astype(np.float32)


@operation("ScaleAndTranslate")
def scale_and_translate(
    images: Tensor,
    size: Tensor,
    scale: Tensor,
    translation: Tensor,
    *,
    kernel_type: Literal["lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle",
                         "keyscubic", "mitchellcubic"] = "lanczos3",
    antialias: bool = True,
) -> Any:  # fmt: skip
    """(n, h, w, c) scaled, then moved; in float32."""
    for x in (size, scale, translation):
        check_type("ScaleAndTranslate", "size", x, Tensor)
    y = convert(images, dtypes.float32)
    for k, m in enumerate(sizes_for("ScaleAndTranslate", images, size, 4)):
        attrs: dict[str, Any] = {"axis": k, "sizes": (images.shape[k + 1], m)}
        attrs |= {"kind": kernel_type, "antialias": int(antialias)}
        rows = weights(ops.stop_gradient(scale), ops.stop_gradient(translation), **attrs)
        y = ops.swapaxes(
            ops.matmul(ops.swapaxes(y, k + 1, -1), ops.transpose(rows, (1, 0))), k + 1, -1
        )
    return y
