"""Resizing of images."""

from __future__ import annotations

from ..expr import Expr, ops
from .registry import NodeView, onnx_op


@onnx_op("Resize", 10, 11, 13, 18, 19)
def resize(node: NodeView, x: Expr, *_: Expr) -> Expr:
    """Resize(X, roi, scales, sizes; mode, coordinate_transformation_mode) -> Y."""
    transformation = node.attr(
        "coordinate_transformation_mode", "half_pixel" if node.version > 10 else "asymmetric"
    )
    return resized(node, x, transformation, node.attr("nearest_mode", "round_prefer_floor"))


@onnx_op("Upsample", 7, 9, 10)
def upsample(node: NodeView, x: Expr, scales: Expr | None = None) -> Expr:
    """Upsample(X, scales; mode) -> Y."""
    return resized(node, x, "asymmetric", "floor")


def resized(node: NodeView, x: Expr, transformation: str, nearest: str) -> Expr:
    """`ops.interpolate` to the static output size, where MindSpore's sampling says the same."""
    sizes = (node.out().shape or ())[2:]
    if not sizes or any(not isinstance(d, int) for d in sizes):
        raise node.refuse("a dynamic output size", advice="give --shape")
    size = tuple(d for d in sizes if isinstance(d, int))
    mode = node.attr("mode", "nearest")
    if mode == "nearest" and whole_floor(node, transformation, nearest):
        return ops.interpolate(x, size=size, mode="nearest")
    names = {1: "linear", 2: "bilinear", 3: "trilinear"}
    written = "bicubic" if mode == "cubic" else names.get(len(size), mode)
    if mode in ("linear", "cubic") and transformation in (
        "half_pixel",
        "pytorch_half_pixel",
        "align_corners",
    ):
        return ops.interpolate(
            x, size=size, mode=written, align_corners=transformation == "align_corners"
        )
    raise node.refuse(
        "this sampling has no counterpart",
        got=f"{mode}, {transformation}, {nearest}",
        expected="nearest with asymmetric coordinates, or linear with half_pixel or align_corners",
        advice="export the upsampling with PyTorch's defaults",
    )


def whole_floor(node: NodeView, transformation: str, nearest: str) -> bool:
    """Whether nearest sampling takes floor(i * in / out), as PyTorch and MindSpore do."""
    if transformation == "asymmetric" and nearest == "floor":
        return True
    pairs = list(zip(node.shape()[2:], (node.out().shape or ())[2:], strict=True))
    if not all(isinstance(i, int) and isinstance(o, int) and o % i == 0 for i, o in pairs):
        return False
    if transformation == "half_pixel":
        return "prefer" in nearest
    doubled = all(o in (i, 2 * i) for i, o in pairs if isinstance(i, int))
    return transformation == "asymmetric" and nearest == "round_prefer_floor" and doubled
