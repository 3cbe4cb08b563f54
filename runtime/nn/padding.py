"""Padding layers."""

from __future__ import annotations

from typing import Any

from ..cell import Cell
from ..failure import ShapeError
from ..ops.shaping import pad
from ..ops.window import numbers
from ..tensor import Tensor


class PadLayer(Cell):
    """Pads the last `axes` axes; `padding` (left, right, top, bottom, ...). Abstract."""

    axes = 2
    mode = "constant"
    value: Any = None

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = numbers(padding, 2 * self.axes)

    def construct(self, x: Tensor) -> Tensor:
        return pad(x, self.padding, self.mode, self.value)

    def extend_repr(self) -> str:
        return f"padding={self.padding}"


class ConstantPad1d(PadLayer):
    axes = 1

    def __init__(self, padding: Any, value: Any) -> None:
        super().__init__(padding)
        self.value = value


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
    """`paddings` ((before, after), ...) from the first axis on; mode CONSTANT or REFLECT."""

    def __init__(self, paddings: Any, mode: str = "CONSTANT") -> None:
        super().__init__()
        if mode not in ("CONSTANT", "REFLECT"):
            raise ShapeError(self.cls_name, "the mode is not known", got=mode)
        self.paddings, self.mode = paddings, mode.lower()

    def construct(self, x: Tensor) -> Tensor:
        return pad(x, [n for pair in reversed(self.paddings) for n in pair], self.mode)
