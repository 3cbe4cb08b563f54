"""Convolution whose windows look where learned offsets say."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_tensors, check_type
from ..engine.failure import ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from .arithmetic import add, floor, mul, sub
from .bilinear import bias_add
from .grid import corner
from .reduction import matmul
from .registry import op
from .shaping import reshape, split

Numbers = tuple[int, ...]


def check_numbers(name: str, numbers: Any, count: int) -> None:
    """Raises: TypeError, ValueError (MS304) unless it is a tuple of so many whole numbers."""
    for number in check_type("deformable_conv2d", name, numbers, tuple):
        check_int("deformable_conv2d", name, number)
    if len(numbers) != count:
        raise ShapeError("deformable_conv2d", f"{name} has a wrong length", got=str(numbers))
    if name in ("strides", "dilations") and numbers[:2] != (1, 1):
        raise ShapeError("deformable_conv2d", f"{name} must begin with ones", got=str(numbers))


@op
def deformable_conv2d(
    x: Tensor,
    weight: Tensor,
    offsets: Tensor,
    kernel_size: Numbers,
    strides: Numbers,
    padding: Numbers,
    bias: Tensor | None = None,
    dilations: Numbers = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Tensor:
    """Each element of a window is moved by its offset and multiplied by its mask.

    Shapes: offsets (n, 3 * deformable_groups * kernel, h', w'): moves in x, in y, and masks
    """
    check_tensors("deformable_conv2d", x=x, weight=weight, offsets=offsets, bias=bias)
    for name, numbers, count in (("kernel_size", kernel_size, 2), ("strides", strides, 4),
                                 ("padding", padding, 4), ("dilations", dilations, 4)):  # fmt: skip
        check_numbers(name, numbers, count)
    if check_type("deformable_conv2d", "modulated", modulated, bool) is False:
        raise ShapeError("deformable_conv2d", "modulated must be True", got="False")
    window = (kernel_size, strides, padding, dilations)
    seen = looked_at(x, offsets, window, deformable_groups)
    n, o = x.shape[0], weight.shape[0]
    columns = reshape(seen, (n, groups, -1, offsets.shape[2] * offsets.shape[3]))
    rows = reshape(weight, (groups, o // groups, -1))
    y = reshape(matmul(rows, columns), (n, o, *offsets.shape[2:]))
    return y if bias is None else bias_add(y, bias)


def looked_at(x: Tensor, offsets: Tensor, window: tuple[Numbers, ...], groups: int) -> Tensor:
    """(n, c, kernel elements, h', w'): what each window sees, times its mask."""
    kernel, strides, pads, dilations = window
    n, c, h, w = x.shape
    count, (high, wide) = kernel[0] * kernel[1], offsets.shape[2:]
    moves = reshape(offsets, (n, 3, groups, count, high, wide))
    right, down, mask = (
        reshape(part, (n * groups, count, high, wide)) for part in split(moves, 1, 1)
    )
    places = np.array(list(itertools.product(*map(range, kernel))))
    starts = [np.arange(size) * step for size, step in zip((high, wide), strides[2:], strict=True)]
    rows = places[:, 0, None, None] * dilations[2] - pads[0] + starts[0][:, None]
    columns = places[:, 1, None, None] * dilations[3] - pads[2] + starts[1]
    down = add(down, constant(rows, dtypes.float32))
    right = add(right, constant(columns, dtypes.float32))
    image = reshape(x, (n * groups, c // groups, h, w))
    top, left = floor(down), floor(right)
    v, u = sub(down, top), sub(right, left)
    total: Any = 0.0
    for dy, part in ((0, sub(1.0, v)), (1, v)):
        for dx, share in ((0, sub(1.0, u)), (1, u)):
            weight = mul(mul(part, share), mask)
            total = add(corner(image, [add(top, dy), add(left, dx)], weight), total)
    return reshape(total, (n, c, count, high, wide))
