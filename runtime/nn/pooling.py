"""Pooling layers."""

from __future__ import annotations

from typing import Any

from ..cell import Cell
from ..failure import ShapeError
from ..ops import window
from ..ops.window import numbers, padding_attrs, pooled
from ..primitives import layer as p
from ..tensor import Tensor
from .convolution import refuse_format


class Pool(Cell):
    """What pooling layers share. Abstract. The stride is 1 by default (PyTorch: the kernel's).

    Shapes: x (n, c, *sizes) or (c, *sizes)
    """

    axes = 2

    def configure(self, kernel_size: Any, stride: Any, pad_mode: str, padding: Any) -> None:
        self.kernel_size, self.stride = kernel_size, stride
        self.pad_mode, self.padding = pad_mode.lower(), padding
        if self.pad_mode != "pad" and any(numbers(padding, self.axes)):
            raise ShapeError(self.cls_name, "padding needs pad_mode 'pad'", got=repr(pad_mode))
        self.attrs: dict[str, Any] = padding_attrs(self.pad_mode, padding, self.axes)

    def extend_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"pad_mode={self.pad_mode.upper()}"
        )


class MaxPool(Pool):
    """The largest of each window. Abstract: subclasses set `axes`."""

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        refuse_format(self.cls_name, data_format, "NCHW")
        window.refuse_indices(self.cls_name, return_indices)
        self.configure(kernel_size, stride, pad_mode, padding)
        self.attrs |= {"ceil_mode": int(ceil_mode), "dilations": numbers(dilation, self.axes)}

    def construct(self, x: Tensor) -> Tensor:
        return pooled(p.max_pool, x, self.kernel_size, self.stride, self.attrs, self.axes)


class MaxPool1d(MaxPool):
    axes = 1


class MaxPool2d(MaxPool):
    axes = 2


class MaxPool3d(MaxPool):
    axes = 3


class AvgPool(Pool):
    """The mean of each window. Abstract: subclasses set `axes`."""

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        refuse_format(self.cls_name, data_format, "NCHW")
        self.configure(kernel_size, stride, pad_mode, padding)
        counted = count_include_pad and self.pad_mode == "pad"
        self.attrs |= {"ceil_mode": int(ceil_mode), "count_include_pad": int(counted)}
        self.divisor_override = divisor_override

    def construct(self, x: Tensor) -> Tensor:
        y = pooled(p.average_pool, x, self.kernel_size, self.stride, self.attrs, self.axes)
        return window.divided(y, numbers(self.kernel_size, self.axes), self.divisor_override)


class AvgPool1d(AvgPool):
    axes = 1


class AvgPool2d(AvgPool):
    axes = 2


class AvgPool3d(AvgPool):
    axes = 3


class AdaptivePool(Cell):
    """Windows that give `output_size`. Abstract: subclasses define `construct`."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extend_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptivePool):
    def construct(self, input: Tensor) -> Tensor:
        return window.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(AdaptivePool):
    def construct(self, input: Tensor) -> Tensor:
        return window.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(AdaptivePool):
    def construct(self, input: Tensor) -> Tensor:
        return window.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(AdaptivePool):
    def construct(self, input: Tensor) -> Tensor:
        return window.adaptive_max_pool1d(input, self.output_size)


class AdaptiveMaxPool2d(AdaptivePool):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def construct(self, input: Tensor) -> Tensor:
        return window.adaptive_max_pool2d(input, self.output_size, self.return_indices)
