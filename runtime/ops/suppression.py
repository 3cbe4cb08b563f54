"""Choosing among boxes that overlap, on the host: how many are left, only the values tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.dtype import Array
from ..engine.host import host


def overlaps(boxes: Array) -> Array:
    """(n, n): shared area by covered area, of boxes (n, 4)."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:4]), np.maximum(boxes[:, :2], boxes[:, 2:4])
    sides = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    shared = np.clip(sides, 0, None).prod(-1)
    areas = (high - low).prod(-1)
    covered = areas[:, None] + areas[None] - shared
    ratios: Array = np.divide(shared, covered, out=np.zeros_like(shared), where=covered > 0)
    return ratios


def kept(similar: Array, order: Array, threshold: float, most: int) -> list[int]:
    """Of the boxes in this order, those that are not too similar to one kept before."""
    found: list[int] = []
    for k in order.tolist():
        if len(found) < most and all(similar[k, j] <= threshold for j in found):
            found.append(k)
    return found


@host("NMSWithMask", outputs=3)
def nms_with_mask(boxes: Array, *, threshold: float) -> Any:
    """Boxes (n, 5) by falling score, their numbers, and which are kept."""
    order = np.argsort(-boxes[:, 4], kind="stable")
    ranked = boxes[order]
    found = kept(overlaps(ranked[:, :4]), np.arange(len(boxes)), threshold, len(boxes))
    mask = np.isin(np.arange(len(boxes)), found)
    return ranked, np.arange(len(boxes), dtype=np.int32), mask


@host("NonMaxSuppressionWithOverlaps", dynamic=(0,))
def suppressed(similar: Array, scores: Array, most: Array, threshold: Array, least: Array) -> Any:
    """The numbers of the boxes kept, at most `most`, of those with a score above `least`."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > float(least)]
    return np.array(kept(similar, order, float(threshold), int(most)), np.int32)


@host("CombinedNonMaxSuppression", outputs=4)
def combined(
    boxes: Array, scores: Array, thresholds: Array, *, sizes: tuple[int, int], clip: int
) -> Any:
    """Per class, then the best of all classes of each image.

    boxes (b, n, q, 4), scores (b, n, c), thresholds of overlap and score; sizes: boxes kept per
    class, and per image
    """
    count = len(boxes)
    out = [np.zeros((count, sizes[1], 4), np.float32), *np.zeros((2, count, sizes[1]), np.float32)]
    valid = np.zeros(count, np.int32)
    for image in range(count):
        found = []
        for c in range(scores.shape[2]):
            own, line = boxes[image, :, min(c, boxes.shape[2] - 1)], scores[image, :, c]
            order = np.argsort(-line, kind="stable")
            order = order[line[order] > thresholds[1]]
            for k in kept(overlaps(own), order, float(thresholds[0]), sizes[0]):
                found.append((-line[k], c, own[k]))
        found.sort(key=lambda entry: entry[0])
        best = found[: sizes[1]]
        valid[image] = len(best)
        for k, (score, c, box) in enumerate(best):
            out[0][image, k] = np.clip(box, 0, 1) if clip else box
            out[1][image, k], out[2][image, k] = -score, c
    return *out, valid
