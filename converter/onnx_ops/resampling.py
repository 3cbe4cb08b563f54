"""Resizing of images, and sampling them at computed points or in regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..code.expr import Constant, Expr, Ref, Weight, helper, ms, ops
from .registry import NodeView, dtype_code, onnx_op, shortest
from .sampling import Axis, nearest_rows, weighted_rows


@onnx_op("Resize", 10, 11, 13, 18, 19)
def resize(node: NodeView, x: Expr, *_: Expr) -> Expr:
    """Resize(X, roi, scales, sizes; mode, coordinate_transformation_mode) -> Y."""
    return resampled(node, x)


def resampled(node: NodeView, x: Expr) -> Expr:
    """`x` in its new size; integers are mixed as floats, and cut off after the point."""
    dtype = node.type().dtype
    if dtype is None or dtype.kind == "f" or sampling_of(node).mode == "nearest":
        return to_computed(node, x) or resized(node, x, axes_of(node))
    x = x.method("astype", dtype_code(np.dtype("float32")))
    y = to_computed(node, x) or resized(node, x, axes_of(node))
    return y.method("astype", dtype_code(dtype))


@onnx_op("Upsample", 7, 9, 10)
def upsample(node: NodeView, x: Expr, scales: Expr | None = None) -> Expr:
    """Upsample(X, scales; mode) -> Y."""
    return resampled(node, x)


def to_computed(node: NodeView, x: Expr) -> Expr | None:
    """An image of unknown height and width resized; None if all sizes are known, or it is no image.

    Sizes are taken from other shapes, or are whole multiples of the image's own.
    """
    out = node.out().shape or node.shape()
    known = all(isinstance(size, int) for size in (*node.shape()[2:], *out[2:]))
    if known or not 3 <= node.rank() <= 5:
        return None
    if sampling_of(node).mode == "cubic":
        return cubic(node, x)
    kind, size = sampling_of(node), computed_size(node)
    modes = {"nearest": ("asymmetric",), "linear": ("pytorch_half_pixel", "half_pixel")}
    corners = kind.mode == "linear" and kind.coordinates == "align_corners"
    fits = corners or kind.coordinates in modes.get(kind.mode, ())
    rounds = kind.mode == "nearest" and kind.nearest != "floor"
    if size is None or not fits or rounds or node.attr("antialias", 0):
        return None
    if kind.mode == "nearest":
        return ops.interpolate(x, size=size, mode="nearest")
    mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(size)]
    return ops.interpolate(x, size=size, mode=mode, align_corners=corners)


def cubic(node: NodeView, x: Expr) -> Expr | None:
    """An image of unknown size so many times as large, by cubic splines; None if not by a whole
    number.
    """
    factors = [scale_of(node, i, None, None) for i in range(node.rank())]
    whole = [int(f) for f in factors if f is not None and f >= 1 and f == int(f)]
    fits = sampling_of(node).coordinates in ("pytorch_half_pixel", "half_pixel")
    plain = not node.attr("exclude_outside", 0) and not node.attr("antialias", 0)
    if not fits or not plain or len(whole) != len(factors):
        return None
    for axis, factor in enumerate(whole):
        if factor > 1:
            x = helper.onnx_cubic(x, axis, factor, node.attr("cubic_coeff_a", -0.75))
    return x


def computed_size(node: NodeView) -> tuple[Expr, ...] | None:
    """Height and width as integers of the script; None if batch or channels may change, too."""
    if node.has(3):
        whole = node.sizes(3)
        axes = node.axes() or list(range(node.rank()))
        if node.attr("keep_aspect_ratio_policy", "stretch") != "stretch":
            return None
        found = dict(zip(axes, whole, strict=True))
        return tuple(found.get(i, own_size(node, i)) for i in range(2, node.rank()))
    scales = [scale_of(node, i, None, None) for i in range(node.rank())]
    if scales[:2] != [1.0, 1.0] or any(s is None or s < 1 or s != int(s) for s in scales):
        return None
    return tuple(own_size(node, i, int(s or 1)) for i, s in enumerate(scales) if i >= 2)


def own_size(node: NodeView, axis: int, times: int = 1) -> Expr:
    """The size of an axis of the image, so many times."""
    size = Ref(node.node.inputs[0]).attribute("shape")[axis]
    return size if times == 1 else size * times


@dataclass(frozen=True)
class Sampling:
    """How the old axes differ from what PyTorch samples: the mode and where the points lie."""

    mode: str
    coordinates: str
    nearest: str


def sampling_of(node: NodeView) -> Sampling:
    """What the node says, with the defaults of its version."""
    old = node.node.op == "Upsample" or node.version == 10
    coordinates = node.attr("coordinate_transformation_mode", "half_pixel")
    nearest = node.attr("nearest_mode", "round_prefer_floor")
    mode = node.attr("mode", "nearest")
    mode = "linear" if mode in ("bilinear", "trilinear") else mode
    return Sampling(mode, "asymmetric", "floor") if old else Sampling(mode, coordinates, nearest)


def axes_of(node: NodeView) -> list[Axis]:
    """The axes that change their size, or are sampled between their points."""
    found = []
    for i, (size, out) in enumerate(zip(node.shape(), node.out().shape or (), strict=True)):
        scale = scale_of(node, i, size, out)
        if scale == 1 and (size == out or not isinstance(size, int)):
            continue
        if not isinstance(size, int) or not isinstance(out, int) or scale is None:
            raise node.refuse("a dynamic output size", advice="give --shape")
        found.append(Axis(i, size, out, scale, roi_of(node, i)))
    return found


def scale_of(node: NodeView, axis: int, size: Any, out: Any) -> float | None:
    """The factor of one axis; None if it is not known."""
    given = [int(a) for a in node.axes() or range(node.rank())]
    if axis not in given:
        return 1.0
    at, scales = given.index(axis), node.attr("scales")
    if scales is None:
        index = 1 if node.version == 10 or node.node.op == "Upsample" else 2
        scales = node.array(index)
    if scales is not None and len(scales):
        return float(scales[at])
    if size == out and (axis < 2 or isinstance(size, str)):
        return 1.0
    if not isinstance(size, int) or not isinstance(out, int):
        return None
    policy = node.attr("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return out / size
    sizes = node.constant(3, "the sizes")
    shape = node.static_shape()
    factors = [int(wanted) / shape[a] for wanted, a in zip(sizes, given, strict=True)]
    return min(factors) if policy == "not_larger" else max(factors)


def roi_of(node: NodeView, axis: int) -> tuple[float, float] | None:
    """Where tf_crop_and_resize starts and ends on an axis, from 0 to 1."""
    if node.attr("coordinate_transformation_mode") != "tf_crop_and_resize":
        return None
    given = [int(a) for a in node.axes() or range(node.rank())]
    roi = node.constant(1, "the region")
    at = given.index(axis)
    return float(roi[at]), float(roi[at + len(given)])


def resized(node: NodeView, x: Expr, axes: list[Axis]) -> Expr:
    """`ops.interpolate` where that says the same, else rows gathered or mixed axis by axis."""
    kind = sampling_of(node)
    spatial = [axis for axis in axes if axis.index >= 2]
    if len(spatial) == len(axes) and 3 <= node.rank() <= 5 and one_call(node, kind, axes):
        return interpolated(node, x, kind)
    for axis in axes:
        x = sampled(node, x, kind, axis)
    return x


def one_call(node: NodeView, kind: Sampling, axes: list[Axis]) -> bool:
    """Whether MindSpore's interpolate takes the very points and weights that the node says."""
    if node.attr("antialias", 0) or node.attr("exclude_outside", 0):
        return False
    dtype = node.type().dtype
    if kind.mode == "nearest" and dtype is not None and dtype.kind not in "f" and dtype != np.uint8:
        return False
    if any(abs(axis.size * axis.scale - axis.out) > 1e-4 for axis in axes):
        return False
    if any(not isinstance(d, int) for d in node.shape()[2:]):
        return False
    if kind.mode == "nearest":
        return all(is_floor(kind, axis) for axis in axes)
    if kind.mode != "linear":
        return False
    short = any(axis.out == 1 for axis in axes)
    half = ("half_pixel", "pytorch_half_pixel", "align_corners")
    return kind.coordinates in (half[:1] if short else half)


def is_floor(kind: Sampling, axis: Axis) -> bool:
    """Whether nearest sampling takes floor(i * in / out), as PyTorch and MindSpore do."""
    rows = nearest_rows(axis, kind.coordinates, kind.nearest)
    return rows is not None and rows == [i * axis.size // axis.out for i in range(axis.out)]


def interpolated(node: NodeView, x: Expr, kind: Sampling) -> Expr:
    """The call of `ops.interpolate` to the output's size."""
    size = tuple(d for d in (node.out().shape or ())[2:] if isinstance(d, int))
    if kind.mode == "nearest":
        return ops.interpolate(x, size=size, mode="nearest")
    mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(size)]
    corners = kind.coordinates == "align_corners"
    return ops.interpolate(x, size=size, mode=mode, align_corners=corners)


def sampled(node: NodeView, x: Expr, kind: Sampling, axis: Axis) -> Expr:
    """`x` resized along one axis: rows picked, or mixed by a matrix."""
    name, change = f"{node.node.outputs[0]}/rows_{axis.index}", f"sampling of {node.node.op}"
    if kind.mode == "nearest":
        rows = nearest_rows(axis, kind.coordinates, kind.nearest)
        if rows is None:
            raise node.refuse("points outside of the image", got=kind.coordinates)
        held = Weight(np.array(rows, np.int64), source_of(node), change)
        return ops.gather(x, Constant(name, held), axis.index)
    matrix = weighted_rows(axis, kind.coordinates, kind.mode, options_of(node))
    if matrix is None:
        raise node.refuse("points outside of the image", got=kind.coordinates)
    dtype = node.type().dtype or np.dtype("float32")
    dtype = dtype if dtype.kind == "f" else np.dtype("float32")
    return mixed(
        x, Constant(name, Weight(matrix.astype(dtype), source_of(node), change)), axis, node.rank()
    )


def source_of(node: NodeView) -> tuple[str]:
    """The constant that says the new size, or what is resized."""
    inputs = [name for name in node.node.inputs[1:] if name in node.graph.constants]
    return (inputs[-1] if inputs else node.node.outputs[0],)


def options_of(node: NodeView) -> tuple[float, bool, bool]:
    """cubic_coeff_a, exclude_outside, antialias."""
    outside, smooth = (bool(node.attr(name, 0)) for name in ("exclude_outside", "antialias"))
    return float(node.attr("cubic_coeff_a", -0.75)), outside, smooth


def mixed(x: Expr, matrix: Constant, axis: Axis, rank: int) -> Expr:
    """The matrix (out, in) times `x` along one axis."""
    if axis.index == rank - 2:
        return ops.matmul(matrix, x)
    if axis.index == rank - 1:
        return ops.matmul(x, matrix.method("swapaxes", 0, 1))
    return ops.matmul(matrix, x.method("swapaxes", axis.index, -2)).method(
        "swapaxes", axis.index, -2
    )


@onnx_op("GridSample", 16, 20, 22)
def grid_sample(node: NodeView, x: Expr, grid: Expr) -> Expr:
    """GridSample(X, grid; mode="linear", padding_mode="zeros", align_corners=0) -> Y."""
    padding, corners = node.attr("padding_mode", "zeros"), node.attr("align_corners", 0) == 1
    match node.attr("mode", "linear"):
        case "linear" | "bilinear":
            return ops.grid_sample(x, grid, "bilinear", padding, corners)
        case "nearest":
            return helper.onnx_grid_sample_nearest(x, grid, padding, corners)
    raise node.refuse("cubic sampling", expected="linear or nearest")


@onnx_op("AffineGrid", 20)
def affine_grid(node: NodeView, theta: Expr, size: Expr) -> Expr:
    """AffineGrid(theta, size; align_corners=0) -> grid."""
    sizes = tuple(int(n) for n in node.constant(1, "the size").reshape(-1))
    return ops.affine_grid(theta, sizes, node.attr("align_corners", 0) == 1)


@onnx_op("Col2Im", 18)
def col2im(node: NodeView, x: Expr, image: Expr, block: Expr) -> Expr:
    """Col2Im(input, image_shape, block_shape; dilations, pads, strides) -> output."""
    image_shape, kernel = (
        tuple(int(n) for n in node.constant(i, "a shape").reshape(-1)) for i in (1, 2)
    )
    pads = node.attr("pads", [0] * 4)
    if len(kernel) != 2 or pads[:2] != pads[2:]:
        raise node.refuse("a fold that is not of images, or unevenly padded", got=f"{pads}")
    moves = (tuple(node.attr(name, [1, 1])) for name in ("dilations", "strides"))
    dilation, stride = moves
    size = ms.Tensor(list(image_shape), dtype_code(np.dtype("int32")))
    return ops.fold(x, size, kernel, dilation, tuple(pads[:2]), stride)


@onnx_op("NonMaxSuppression", 10, 11)
def non_max_suppression(node: NodeView, boxes: Expr, scores: Expr, *limits: Expr | None) -> Expr:
    """NonMaxSuppression(boxes, scores, most, overlap, least) -> rows of image, class, box."""
    given: list[Any] = [0, 0.0, None]
    for i, limit in enumerate(limits):
        array = node.array(i + 2)
        known = None if array is None or array.size != 1 else shortest(array.reshape(-1)[0])
        given[i] = given[i] if limit is None else limit if known is None else known
    centred = bool(node.attr("center_point_box", 0))
    return helper.onnx_non_max_suppression(boxes, scores, *given, centred)


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
