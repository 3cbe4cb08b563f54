"""Operators on regions of images, as detectors have them."""

from __future__ import annotations

from ..code.expr import Expr, helper
from .registry import NodeView, onnx_op


@onnx_op("RoiAlign", 10, 16, 22)
def roi_align(node: NodeView, x: Expr, rois: Expr, batch: Expr) -> Expr:
    """RoiAlign(X, rois, batch_indices; output_height=1, sampling_ratio=0, spatial_scale=1)."""
    if node.attr("mode", "avg") != "avg":
        raise node.refuse("the largest instead of the mean", got=str(node.attr("mode")))
    samples = node.attr("sampling_ratio", 0)
    if samples < 1:
        advice = "export with a sampling_ratio of 2"
        raise node.refuse(
            "as many points as each region has pixels", got=str(samples), advice=advice
        )
    half = node.version >= 16 and node.attr("coordinate_transformation_mode", "half_pixel")
    size = node.attr("output_height", 1), node.attr("output_width", 1)
    scale = node.attr("spatial_scale", 1.0)
    return helper.onnx_roi_align(x, rois, batch, size, samples, scale, half == "half_pixel")
