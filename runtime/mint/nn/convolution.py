"""The convolutions of mint.nn, by PyTorch's arguments; parameters `weight` and `bias`."""

from __future__ import annotations

import math
from typing import Any

from ... import ops
from ...cells.cell import Cell
from ...engine import initializer as init
from ...engine.argument import check_choice
from ...engine.dtype import float32
from ...engine.failure import RefusedError, ShapeError
from ...engine.parameter import Parameter
from ...engine.tensor import Tensor
from ...ops.window import numbers
from . import functional


class Convolution(Cell):
    """What the layers share. Abstract: subclasses set `call` and the number of `axes`.

    Shapes: weight (o, c/groups, *kernel), transposed (c, o/groups, *kernel); bias (o)
    """

    call: Any
    axes = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in_channels % groups or out_channels % groups:
            got = f"{in_channels}, {out_channels}, groups {groups}"
            raise ShapeError(self.cls_name, "the channels do not divide into groups", got=got)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = numbers(kernel_size, self.axes)
        self.stride, self.dilation = numbers(stride, self.axes), numbers(dilation, self.axes)
        self.padding = padding if isinstance(padding, str) else numbers(padding, self.axes)
        if padding == "same" and set(self.stride) != {1}:
            raise ShapeError(self.cls_name, 'padding "same" needs stride 1', got=str(stride))
        modes = ("zeros", "reflect", "replicate", "circular")
        check_choice(self.cls_name, "padding_mode", padding_mode, modes)
        self.padding_mode = padding_mode
        self.add_parameters(bias, float32 if dtype is None else dtype)

    @property
    def weight_shape(self) -> tuple[int, ...]:
        return (self.out_channels, self.in_channels // self.groups, *self.kernel_size)

    def add_parameters(self, bias: bool, dtype: Any) -> None:
        """`weight` and `bias`, uniform in +-1/sqrt(number of inputs that a window sees)."""
        shape = self.weight_shape
        self.weight = Parameter(init.initializer(init.HeUniform(math.sqrt(5)), shape, dtype))
        spread = init.Uniform(1 / math.sqrt(math.prod(shape[1:])))
        sizes = (self.out_channels,)
        self.bias = Parameter(init.initializer(spread, sizes, dtype)) if bias else None

    def construct(self, input: Tensor) -> Any:
        x, padding = self.padded(input)
        options = (self.stride, padding, self.dilation, self.groups)
        return type(self).call(x, self.weight, self.bias, *options)

    def padded(self, x: Tensor) -> tuple[Tensor, Any]:
        """`x` and the padding that remains to be done: none if it is by x's own elements."""
        if self.padding_mode == "zeros":
            return x, self.padding
        return ops.pad(x, self.around, self.padding_mode), 0

    @property
    def around(self) -> tuple[int, ...]:
        """How much is put before and after each axis, the last one first."""
        pads = self.padding
        if not isinstance(pads, str):
            return tuple([size for size in reversed(pads) for _ in range(2)])
        every = zip(self.kernel_size, self.dilation, strict=True)
        total = [d * (k - 1) if pads == "same" else 0 for k, d in every]
        return tuple([size for n in reversed(total) for size in (n // 2, n - n // 2)])


class Conv1d(Convolution):
    axes = 1
    call = functional.conv1d


class Conv2d(Convolution):
    call = functional.conv2d


class Conv3d(Convolution):
    axes = 3
    call = functional.conv3d


class ConvTranspose2d(Convolution):
    """The gradient of Conv2d with respect to its input, as a layer."""

    call = functional.conv_transpose2d

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise RefusedError("ConvTranspose2d", "pads by zeros alone", got=padding_mode)
        sizes = (in_channels, out_channels, kernel_size, stride, padding, dilation)
        super().__init__(*sizes, groups=groups, bias=bias, dtype=dtype)
        self.output_padding = numbers(output_padding, 2)

    @property
    def weight_shape(self) -> tuple[int, ...]:
        return (self.in_channels, self.out_channels // self.groups, *self.kernel_size)

    def construct(self, input: Tensor, output_size: Any = None) -> Any:
        extra = self.output_padding if output_size is None else self.extra(input, output_size)
        options = (self.stride, self.padding, extra, self.groups, self.dilation)
        return functional.conv_transpose2d(input, self.weight, self.bias, *options)

    def extra(self, x: Tensor, output_size: Any) -> tuple[int, ...]:
        """The output's padding that gives `output_size`. Raises: MS304 if none does."""
        window = (self.stride, self.padding, self.dilation)
        least = functional.transposed_sizes(x.shape[-2:], self.kernel_size, window)
        found = [wanted - n for wanted, n in zip(output_size[-2:], least, strict=True)]
        if any(not 0 <= n < s for n, s in zip(found, self.stride, strict=True)):
            raise ShapeError("ConvTranspose2d", "cannot give this size", got=str(output_size))
        return tuple(found)


CONVOLUTIONS = {made.__name__: made for made in (Conv1d, Conv2d, Conv3d, ConvTranspose2d)}
