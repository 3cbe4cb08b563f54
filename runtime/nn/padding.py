"""Padding layers."""

from __future__ import annotations

from typing import Any

from ..cells.cell import Cell
from ..engine.argument import check_choice, check_type
from ..engine.failure import ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.shaping import gather, pad


class PadLayer(Cell):
    """Pads the last `axes` axes; `padding` (left, right, top, bottom, ...). Abstract."""

    axes = 2
    mode = "constant"
    value: Any = None

    def __init__(self, padding: Any) -> None:
        super().__init__()
        check_type(self.cls_name, "padding", padding, int, tuple)
        sizes = (padding,) * (2 * self.axes) if isinstance(padding, int) else padding
        for size in sizes:
            check_type(self.cls_name, "padding", size, int)
        if len(sizes) % 2 or len(sizes) > 2 * self.axes:
            raise ShapeError(self.cls_name, "padding has a wrong length", got=str(padding))
        if self.mode == "reflect" and min(sizes, default=0) < 0:
            raise ShapeError(self.cls_name, "padding is not negative", got=str(padding))
        self.padding = sizes

    def construct(self, x: Tensor) -> Tensor:
        return pad(x, self.padding, self.mode, self.value)


class ConstantPad1d(PadLayer):
    axes = 1

    def __init__(self, padding: Any, value: Any) -> None:
        super().__init__(padding)
        self.value = check_type(self.cls_name, "value", value, int, float)


class ConstantPad2d(ConstantPad1d):
    axes = 2


class ConstantPad3d(ConstantPad1d):
    axes = 3


class ZeroPad2d(PadLayer):
    value = 0


class ReflectionPad1d(PadLayer):
    axes, mode = 1, "reflect"


class ReflectionPad2d(PadLayer):
    axes, mode = 2, "reflect"


class ReflectionPad3d(PadLayer):
    axes, mode = 3, "reflect"


class ReplicationPad1d(PadLayer):
    axes, mode = 1, "replicate"


class ReplicationPad2d(PadLayer):
    axes, mode = 2, "replicate"


class ReplicationPad3d(PadLayer):
    axes, mode = 3, "replicate"


class Pad(Cell):
    """`paddings` ((before, after), ...) from the first axis on; CONSTANT, REFLECT, SYMMETRIC."""

    def __init__(self, paddings: Any, mode: str = "CONSTANT") -> None:
        super().__init__()
        check_choice(self.cls_name, "mode", mode, ("CONSTANT", "REFLECT", "SYMMETRIC"))
        check_type(self.cls_name, "paddings", paddings, tuple)
        if any(len(pair) != 2 for pair in paddings) or len(paddings) > 4:
            raise ShapeError(self.cls_name, "needs at most four pairs", got=str(paddings))
        self.paddings, self.mode = paddings, mode.lower()

    def construct(self, x: Tensor) -> Tensor:
        if self.mode == "symmetric":
            for axis, (before, after) in enumerate(self.paddings):
                x = mirrored(x, axis, before, after)
            return x
        return pad(x, [n for pair in reversed(self.paddings) for n in pair], self.mode)


def mirrored(x: Tensor, axis: int, before: int, after: int) -> Tensor:
    """`x` with its first and last elements along `axis` again outside, the last one first."""
    size = x.shape[axis]
    order = [*range(before - 1, -1, -1), *range(size), *range(size - 1, size - 1 - after, -1)]
    return gather(x, constant(order), axis)
