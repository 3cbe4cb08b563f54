"""Images turned, sheared, and seen from elsewhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.argument import check_type
from ...engine.failure import ElementTypeError, ShapeError
from ..images import warping
from ..transforms.operation import takes
from . import checks
from .operation import ImageOperation, filter_of, pillow, refuse_interpolation
from .settings import Inter

KERNELS = {
    Inter.NEAREST: "nearest",
    Inter.LINEAR: "linear",
    Inter.CUBIC: "cubic",
    Inter.AREA: "linear",  # which OpenCV takes for it where it warps
}


def kernel_of(where: str, interpolation: Inter) -> str:
    if interpolation not in KERNELS:
        refuse_interpolation(where, interpolation, "arrays that are turned")
    return KERNELS[interpolation]


class Rotate(ImageOperation):
    """The image turned against the clock, around its centre or another point (x, y)."""

    takes = takes("2 3 4", "", "-float16 uint32 int64 uint64")

    def __init__(
        self,
        degrees: float,
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: Any = None,
        fill_value: Any = 0,
    ) -> None:
        self.degrees = checks.number(self.name, "degrees", degrees, -checks.LARGEST) % 360
        self.resample = checks.choice(self.name, "resample", resample, Inter)
        self.expand = check_type(self.name, "expand", expand, bool)
        self.center = checked_center(self.name, center)
        self.fill_value = checks.fill(self.name, fill_value)

    def array(self, x: np.ndarray) -> np.ndarray:
        if x.ndim == 4:
            return np.stack([self.array(image) for image in x])
        kernel = kernel_of(self.name, self.resample)
        return rotated(x, self.degrees, kernel, self.expand, self.center, self.fill_value[::-1])


def checked_center(where: str, center: Any) -> tuple[float, float] | None:
    if center is None:
        return None
    if not isinstance(center, tuple) or len(center) != 2:
        raise ShapeError(where, "center is no point", got=repr(center), expected="(x, y)")
    checks.pair(where, "center", center)
    return center


def rotated(
    x: np.ndarray,
    degrees: float,
    kernel: str,
    expand: bool,
    center: tuple[float, float] | None,
    fill: tuple[int, ...],
) -> np.ndarray:
    """An array turned against the clock; with `expand` in a frame that holds all of it."""
    h, w = x.shape[:2]
    point = ((w - 1) / 2.0, (h - 1) / 2.0) if center is None else center
    matrix = warping.rotation(point, degrees)
    size = h, w
    if expand:
        right, low = w - 0.5, h - 0.5
        corners = np.array([[-0.5, right, right, -0.5], [-0.5, -0.5, low, low], [1.0] * 4])
        wide, high = np.ptp((matrix @ corners).astype(np.float32), axis=1)
        matrix[:, 2] += [wide / 2.0 - w / 2.0, high / 2.0 - h / 2.0]
        size = int(np.rint(high)), int(np.rint(wide))
    return warping.affine(x, matrix, size, kernel, fill)


class Affine(ImageOperation):
    """The image turned, moved by shares of its size, scaled and sheared."""

    takes = takes("2 3", "", "-float16 uint32 int64 uint64")

    def __init__(
        self,
        degrees: float,
        translate: Any,
        scale: float,
        shear: Any,
        resample: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        self.degrees = checks.number(self.name, "degrees", degrees, -180, 180)
        checks.pair(self.name, "translate", translate)
        self.translate = [checks.number(self.name, "translate", t, -1, 1) for t in translate]
        self.scale = checks.positive(self.name, "scale", scale)
        shear = (shear, 0.0) if isinstance(shear, int | float) else shear
        checks.pair(self.name, "shear", shear)
        self.shear = [checks.number(self.name, "shear", s, -180, 180) for s in shear]
        self.resample = checks.choice(self.name, "resample", resample, Inter)
        self.fill_value = checks.fill(self.name, fill_value)

    def array(self, x: np.ndarray) -> np.ndarray:
        kernel = kernel_of(self.name, self.resample)
        h, w = x.shape[:2]
        shift = self.translate[0] * w, self.translate[1] * h
        matrix = affine_matrix(self.degrees, shift, self.scale, self.shear, (h, w))
        return warping.affine(x, matrix, (h, w), kernel, self.fill_value)


def affine_matrix(
    degrees: float,
    shift: tuple[float, float],
    scale: float,
    shear: Any,
    size: tuple[int, int],
) -> np.ndarray:
    """What turns, shears, scales and moves, around the middle of an image. Shapes: -> (2, 3)"""
    angle, x, y = math.radians(degrees), math.radians(shear[0]), math.radians(shear[1])
    a = math.cos(angle - y) / math.cos(y)
    b = -math.cos(angle - y) * math.tan(x) / math.cos(y) - math.sin(angle)
    c = math.sin(angle - y) / math.cos(y)
    d = -math.sin(angle - y) * math.tan(x) / math.cos(y) + math.cos(angle)
    turn = np.array([[a, b], [c, d]]) * scale
    middle = np.array([(size[1] - 1) / 2.0, (size[0] - 1) / 2.0])
    return np.column_stack([turn, middle + shift - turn @ middle])


class Perspective(ImageOperation):
    """The image in which four points have moved to four others, each (x, y)."""

    takes = takes("2 3", "", "-int8 int32 float16 uint32 int64 uint64")

    def __init__(
        self, start_points: Any, end_points: Any, interpolation: Inter = Inter.BILINEAR
    ) -> None:
        self.start = checked_points(self.name, "start_points", start_points)
        self.end = checked_points(self.name, "end_points", end_points)
        self.interpolation = checks.choice(self.name, "interpolation", interpolation, Inter)

    def array(self, x: np.ndarray) -> np.ndarray:
        kernel = kernel_of(self.name, self.interpolation)
        matrix = warping.perspective_matrix(self.start, self.end)
        return warping.perspective(x, matrix, kernel, (0, 0, 0))

    def image(self, x: Any) -> Any:
        return perspective_image(self.name, x, self.start, self.end, self.interpolation)


def checked_points(where: str, name: str, value: Any) -> list[tuple[float, float]]:
    check_type(where, name, value, tuple, list)
    if len(value) != 4:
        raise ElementTypeError(
            where, f"{name} is of a wrong length", got=repr(value), expected="4 points"
        )
    return [tuple(checks.pair(where, name, point, int)) for point in value]


def perspective_image(where: str, x: Any, start: Any, end: Any, interpolation: Inter) -> Any:
    """An image of Pillow's, seen from elsewhere."""
    back = warping.perspective_matrix(end, start).reshape(9)[:8].tolist()
    kernel = filter_of(where, interpolation)
    return x.transform(x.size, pillow().Transform.PERSPECTIVE, back, kernel)
