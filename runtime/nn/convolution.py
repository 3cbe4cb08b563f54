"""Convolution layers, and those transposed."""

from __future__ import annotations

import math
from typing import Any

from .. import dtype as dtypes
from ..argument import check_tensors
from ..cell import Cell
from ..failure import ShapeError
from ..initializer import HeUniform, Uniform, initializer
from ..ops.shaping import expand_dims, pad, reshape, squeeze
from ..ops.window import convolution, numbers, padding_attrs
from ..parameter import Parameter
from ..primitives import layer as p
from ..tensor import Tensor


class Convolution(Cell):
    """What the six layers share. Abstract: subclasses set `axes` and `transposed`.

    Shapes: weight (o, c/group, *kernel), transposed (c, o/group, *kernel); bias (o)
    Source: mindspore.nn.Conv2d and its relatives, 2.10
    """

    axes = 2
    transposed = False

    def configure(
        self,
        channels: tuple[int, int],
        window: tuple[Any, Any, Any],
        padding: tuple[str, Any],
        group: int,
        has_bias: bool,
        init: tuple[Any, Any, dtypes.DType],
    ) -> None:
        """`channels` in and out; `window` kernel size, stride, dilation; `init` weight, bias."""
        self.in_channels, self.out_channels = channels
        if self.in_channels % group or self.out_channels % group:
            raise ShapeError(
                self.cls_name, f"{channels} channels do not divide into {group} groups"
            )
        self.kernel_size, self.stride, self.dilation = (numbers(v, self.axes) for v in window)
        self.pad_mode, self.padding = padding
        self.group, self.has_bias = group, has_bias
        if self.pad_mode != "pad" and any(numbers(self.padding, self.axes)):
            raise ShapeError(self.cls_name, "padding needs pad_mode 'pad'", got=repr(self.pad_mode))
        self.attrs = padding_attrs(self.pad_mode, self.padding, self.axes)
        self.attrs |= {"dilations": self.dilation, "group": group}
        self.add_parameters(init)

    def add_parameters(self, init: tuple[Any, Any, dtypes.DType]) -> None:
        weight_init, bias_init, dtype = init
        first, second = self.in_channels, self.out_channels // self.group
        if not self.transposed:
            first, second = self.out_channels, self.in_channels // self.group
        kernel = (1, *self.kernel_size) if self.axes == 1 else self.kernel_size
        shape = (first, second, *kernel)
        chosen = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(chosen, shape, dtype), name="weight")
        self.bias = None
        if self.has_bias:
            bound = 1 / math.sqrt(max(second * math.prod(kernel), 1))
            chosen = Uniform(bound) if bias_init is None else bias_init
            self.bias = Parameter(initializer(chosen, [self.out_channels], dtype), name="bias")

    def kernel(self) -> Tensor:
        """The weight without the extra axis that MindSpore gives one-dimensional layers."""
        if self.axes > 1:
            return self.weight
        first, second, _, length = self.weight.shape
        return reshape(self.weight, (first, second, length))

    def construct(self, x: Tensor) -> Tensor:
        check_tensors(self.cls_name, x=x)
        if x.ndim != self.axes + 2:
            problem = "a wrong number of axes"
            expected = f"{self.axes + 2} axes"
            raise ShapeError(self.cls_name, problem, got=str(x.shape), expected=expected)
        return convolution(x, self.kernel(), self.bias, self.attrs, self.stride)

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
            f"has_bias={self.has_bias}"
        )


class TransposedConvolution(Convolution):
    """The gradient of a convolution to its input, as a layer. Abstract."""

    transposed = True
    extra: tuple[int, ...] | None = None
    """ONNX's output_padding."""

    def transposed_attrs(self) -> dict[str, Any]:
        """Pads and output padding such that the output has MindSpore's size.

        "same" gives size * stride, "valid" at least that.
        """
        if self.pad_mode == "pad":
            return {"pads": self.attrs["pads"], "output_padding": self.extra}
        spare = [
            (k - 1) * d + 1 - s
            for k, d, s in zip(self.kernel_size, self.dilation, self.stride, strict=True)
        ]
        extra = tuple(max(-n, 0) for n in spare)
        if self.pad_mode == "valid":
            return {"output_padding": extra}
        cut = [max(n, 0) for n in spare]
        pads = tuple(n // 2 for n in cut) + tuple(n - n // 2 for n in cut)
        return {"pads": pads, "output_padding": extra}

    def construct(self, x: Tensor) -> Tensor:
        batched = x if x.ndim == self.axes + 2 else expand_dims(x, 0)
        y: Tensor = p.conv_transpose(
            batched,
            self.kernel(),
            self.bias,
            dilations=self.dilation,
            group=self.group,
            kernel_shape=self.kernel_size,
            strides=self.stride,
            **self.transposed_attrs(),
        )
        return y if batched is x else squeeze(y, 0)


class Conv2d(Convolution):
    """(n, c, h, w) -> (n, o, h', w'); pad_mode "same" (the default), "valid" or "pad"."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        refuse_format(self.cls_name, data_format, "NCHW")
        window, init = (kernel_size, stride, dilation), (weight_init, bias_init, dtype)
        self.configure(
            (in_channels, out_channels), window, (pad_mode, padding), group, has_bias, init
        )


class Conv1d(Convolution):
    """(n, c, l) -> (n, o, l'); the weight is (o, c/group, 1, k)."""

    axes = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        window, init = (kernel_size, stride, dilation), (weight_init, bias_init, dtype)
        self.configure(
            (in_channels, out_channels), window, (pad_mode, padding), group, has_bias, init
        )


class Conv3d(Convolution):
    """(n, c, d, h, w) -> (n, o, d', h', w')."""

    axes = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        refuse_format(self.cls_name, data_format, "NCDHW")
        window, init = (kernel_size, stride, dilation), (weight_init, bias_init, dtype)
        self.configure(
            (in_channels, out_channels), window, (pad_mode, padding), group, has_bias, init
        )


class Conv1dTranspose(TransposedConvolution):
    """(n, c, l) -> (n, o, l'); the weight is (c, o/group, 1, k)."""

    axes = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        window, init = (kernel_size, stride, dilation), (weight_init, bias_init, dtype)
        self.configure(
            (in_channels, out_channels), window, (pad_mode, padding), group, has_bias, init
        )


class Conv2dTranspose(TransposedConvolution):
    """(n, c, h, w) -> (n, o, h', w'); the weight is (c, o/group, kh, kw).

    `output_padding` appends zeros, as MindSpore does (PyTorch computes these elements too).
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.output_padding = numbers(output_padding, 2)
        if pad_mode != "pad" and any(self.output_padding):
            raise ShapeError(self.cls_name, "output_padding needs pad_mode 'pad'", got=pad_mode)
        window, init = (kernel_size, stride, dilation), (weight_init, bias_init, dtype)
        self.configure(
            (in_channels, out_channels), window, (pad_mode, padding), group, has_bias, init
        )

    def construct(self, x: Tensor) -> Tensor:
        y = super().construct(x)
        down, right = self.output_padding
        return pad(y, (0, right, 0, down)) if down or right else y


class Conv3dTranspose(TransposedConvolution):
    """(n, c, d, h, w) -> (n, o, d', h', w'); the weight is (c, o/group, kd, kh, kw)."""

    axes = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        output_padding: Any = 0,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        refuse_format(self.cls_name, data_format, "NCDHW")
        self.extra = numbers(output_padding, 3)
        window, init = (kernel_size, stride, dilation), (weight_init, bias_init, dtype)
        self.configure(
            (in_channels, out_channels), window, (pad_mode, padding), group, has_bias, init
        )


def refuse_format(layer: str, data_format: str, known: str) -> None:
    """Raises: MS304 for another order of the axes."""
    if data_format != known:
        raise ShapeError(layer, "the data_format is not known", got=data_format, expected=known)
