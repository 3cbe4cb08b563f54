"""What makes the shape of one tensor that of another: "", "reshape", "transpose(1, 0)"."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from ...formats.names.naming import Shape

SAME, RESHAPE = "", "reshape"
TRANSPOSE = re.compile(r"transpose\((\d+(?:, \d+)*)\)")


def change_of(before: Shape, after: Shape) -> str | None:
    """What makes a tensor of one shape one of another; None if nothing does.

    Of several, what keeps the order of the elements.
    """
    if before == after:
        return SAME
    if without_ones(before) == without_ones(after):
        return RESHAPE
    if len(before) == 2 and before == after[::-1]:
        return transpose((1, 0))
    return RESHAPE if math.prod(before) == math.prod(after) else None


def without_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)


def transpose(axes: tuple[int, ...]) -> str:
    return f"transpose({', '.join(map(str, axes))})"


def changed(array: np.ndarray[Any, Any], change: str, shape: Shape) -> np.ndarray[Any, Any]:
    """The array after a change, in this shape: a view if it can be one."""
    found = TRANSPOSE.match(change)
    if found:
        array = array.transpose([int(axis) for axis in found[1].split(", ")])
    return array if array.shape == shape else array.reshape(shape)
