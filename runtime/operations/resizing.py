"""Resizing and sampling."""

from __future__ import annotations

from typing import Any, Literal

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from ..ops.activation import FLOATS, SIGNED, check_elements
from ..ops.grid import sampled
from ..ops.resizing import along_axis, area_weights, nearest, resized, sizes_for
from .operation import operation


def check_size(**attrs: Any) -> None:
    for number in attrs["size"]:
        check_int("ResizeNearestNeighbor", "size", number)


@operation("ResizeNearestNeighbor", check_size)
def resize_nearest_neighbor(
    input_x: Tensor,
    *,
    size: tuple[int, ...] | list[int],
    align_corners: Any = False,
    half_pixel_centers: Any = False,
) -> Any:
    return nearest_neighbor(input_x, size, align_corners, half_pixel_centers)


def nearest_neighbor(x: Tensor, size: Any, align_corners: Any, half_pixel: Any) -> Tensor:
    where = "ResizeNearestNeighbor"
    check_elements(where, x, *FLOATS, *SIGNED, dtypes.uint8)
    sizes = sizes_for(where, x, size, 4)
    return nearest(x, sizes, bool(align_corners), bool(half_pixel))


@operation("ResizeNearestNeighborV2")
def resize_nearest_neighbor_v2(
    image: Tensor, size: Any, *, align_corners: Any = False, half_pixel_centers: Any = False
) -> Any:
    return nearest_neighbor(image, size, align_corners, half_pixel_centers)


def of_images(x: Tensor, size: Any, kind: str, align_corners: bool, half_pixel: bool) -> Any:
    """ONNX's Resize of (n, c, h, w) as TensorFlow's resize functions do it."""
    if align_corners and half_pixel:
        raise ShapeError("Resize", "half_pixel_centers does not go with align_corners")
    check_elements("Resize", x, *FLOATS)
    where = "align_corners" if align_corners else "half_pixel" if half_pixel else "asymmetric"
    attrs: dict[str, Any] = {"mode": kind, "coordinate_transformation_mode": where}
    if kind == "cubic" and half_pixel:
        attrs |= {"cubic_coeff_a": -0.5, "exclude_outside": 1}
    return resized(x, sizes_for("Resize", x, size, 4), None, attrs)


@operation("ResizeBilinearV2")
def resize_bilinear(
    image: Tensor, size: Any, *, align_corners: Any = False, half_pixel_centers: Any = False
) -> Any:
    return of_images(image, size, "linear", bool(align_corners), bool(half_pixel_centers))


@operation("ResizeBicubic")
def resize_bicubic(
    image: Tensor, size: Any, *, align_corners: Any = False, half_pixel_centers: Any = False
) -> Any:
    return of_images(image, size, "cubic", bool(align_corners), bool(half_pixel_centers))


@operation("ResizeArea")
def resize_area(images: Tensor, size: Any, *, align_corners: bool = False) -> Any:
    """Means over areas of (n, h, w, c), in float32."""
    check_type("ResizeArea", "images", images, Tensor)
    y = convert(images, dtypes.float32)
    for axis, m in enumerate(sizes_for("ResizeArea", images, size, 4), 1):
        y = along_axis(y, axis, area_weights(images.shape[axis], m, align_corners))
    return y


@operation("ResizeLinear1D")
def resize_linear_1d(
    x: Tensor,
    size: Any,
    *,
    coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "align_corners",
) -> Any:
    check_elements("ResizeLinear1D", x, *FLOATS)
    attrs = {"mode": "linear", "coordinate_transformation_mode": coordinate_transformation_mode}
    return resized(x, sizes_for("ResizeLinear1D", x, size, 3), None, attrs)


def upsampled(x: Tensor, output_size: Any, scales: Any, attrs: dict[str, Any]) -> Tensor:
    """(n, c, d, h, w) to `output_size`, or by `scales`."""
    if (output_size is None) == (scales is None):
        raise ShapeError("Upsample3D", "give either output_size or scales")
    if output_size is not None:
        return resized(x, sizes_for("Upsample3D", x, output_size, 5), None, attrs)
    return resized(x, None, tuple(float(s) for s in scales), attrs)


@operation("UpsampleNearest3D")
def upsample_nearest_3d(x: Tensor, output_size: Any = None, scales: Any = None) -> Any:
    check_elements("UpsampleNearest3D", x, *FLOATS, dtypes.uint8)
    attrs = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return upsampled(x, output_size, scales, attrs)


@operation("UpsampleTrilinear3D")
def upsample_trilinear_3d(
    x: Tensor, output_size: Any = None, scales: Any = None, *, align_corners: Any = False
) -> Any:
    check_elements("UpsampleTrilinear3D", x, *FLOATS)
    where = "align_corners" if align_corners else "half_pixel"
    attrs = {"mode": "linear", "coordinate_transformation_mode": where}
    return upsampled(x, output_size, scales, attrs)


def grid_sampler(name: str, rank: int) -> None:
    @operation(name)
    def made(
        input_x: Tensor,
        grid: Tensor,
        *,
        interpolation_mode: Literal["bilinear", "nearest"] = "bilinear",
        padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
        align_corners: Any = False,
    ) -> Any:
        if input_x.ndim != rank:
            raise ShapeError(name, "wrong number of axes", got=str(input_x.shape))
        return sampled(input_x, grid, interpolation_mode, padding_mode, bool(align_corners))


grid_sampler("GridSampler2D", 4)
grid_sampler("GridSampler3D", 5)


@operation("AffineGrid")
def affine_grid(theta: Tensor, output_size: Any, *, align_corners: bool = False) -> Any:
    return ops.affine_grid(theta, output_size, align_corners)
