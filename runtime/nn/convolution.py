"""Convolution layers, and those transposed."""

from __future__ import annotations

import math
from typing import Any

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_tensors, check_type
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.initializer import HeUniform, Uniform, initializer
from ..engine.parameter import Parameter
from ..engine.tensor import Tensor
from ..ops.shaping import expand_dims, pad, reshape, squeeze
from ..ops.window import convolution, numbers, padding_attrs
from ..primitives import layer as p

LAYOUTS = {1: "NCHW", 2: "NCHW", 3: "NCDHW"}
"""What MindSpore says of the axes' order, by how many axes a kernel has."""


class Convolution(Cell):
    """What the six layers share. Abstract: subclasses set `axes` and `transposed`.

    Shapes: weight (o, c/group, *kernel), transposed (c, o/group, *kernel); bias (o)
    Source: mindspore.nn.Conv2d and its relatives, 2.10
    """

    axes = 2
    transposed = False

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
        for name, count in (
            ("in_channels", in_channels), ("out_channels", out_channels), ("group", group)
        ):  # fmt: skip
            check_int(self.cls_name, name, count, 1)
        if in_channels % group or out_channels % group:
            got = f"{in_channels}, {out_channels}, group {group}"
            raise ShapeError(self.cls_name, "the channels do not divide into groups", got=got)
        self.in_channels, self.out_channels, self.group = in_channels, out_channels, group
        self.has_bias = check_type(self.cls_name, "has_bias", has_bias, bool)
        self.kernel_size = self.sizes("kernel_size", kernel_size)
        self.stride, self.dilation = self.sizes("stride", stride), self.sizes("dilation", dilation)
        self.pad_mode, self.padding = pad_mode, padding
        self.attrs = self.checked_padding()
        self.attrs |= {"dilations": self.dilation, "group": group}
        self.add_parameters((weight_init, bias_init, dtype))

    def sizes(self, name: str, given: Any, low: int = 1) -> tuple[int, ...]:
        """One per axis. Raises: TypeError, ValueError (MS304) as MindSpore does."""
        kinds = (int,) if self.axes == 1 else (int, tuple)
        check_type(self.cls_name, name, given, *kinds)
        sizes = (given,) * self.axes if isinstance(given, int) else given
        if len(sizes) != self.axes:
            kind = ElementTypeError if self.axes == 2 else ShapeError
            raise kind(self.cls_name, f"{name} has a wrong length", got=str(given))
        for size in sizes:
            check_int(self.cls_name, name, size, low)
        return sizes

    def checked_padding(self) -> dict[str, Any]:
        """ONNX's attributes. Raises: TypeError, ValueError (MS304) as MindSpore does."""
        kinds = (int,) if self.axes == 1 else (int, tuple, list)
        check_type(self.cls_name, "padding", self.padding, *kinds)
        sizes = (self.padding,) if isinstance(self.padding, int) else tuple(self.padding)
        for size in sizes:
            check_int(self.cls_name, "padding", size, 0)
        if self.pad_mode != "pad" and any(sizes):
            raise ShapeError(self.cls_name, "padding needs pad_mode 'pad'", got=repr(self.pad_mode))
        if len(sizes) not in (1, 2 * self.axes):
            raise ShapeError(self.cls_name, "padding has a wrong length", got=str(self.padding))
        return padding_attrs(self.pad_mode, self.padding, self.axes)

    def add_parameters(self, init: tuple[Any, Any, dtypes.DType]) -> None:
        weight_init, bias_init, dtype = init
        first, second = self.in_channels, self.out_channels // self.group
        if not self.transposed:
            first, second = self.out_channels, self.in_channels // self.group
        kernel = (1, *self.kernel_size) if self.axes == 1 else self.kernel_size
        shape = (first, second, *kernel)
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.bias = self.bias_init = None
        if self.has_bias:
            bound = 1 / math.sqrt(max(second * math.prod(kernel), 1))
            self.bias_init = Uniform(bound) if bias_init is None else bias_init
            self.bias = Parameter(
                initializer(self.bias_init, [self.out_channels], dtype), name="bias"
            )

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
        if x.shape[1] not in (self.in_channels, -1):
            got, expected = str(x.shape), f"{self.in_channels} channels"
            raise RefusedError(self.cls_name, "other channels", got=got, expected=expected)
        return convolution(x, self.kernel(), self.bias, self.attrs, self.stride)

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
            f"has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={LAYOUTS[self.axes]}"
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
        refuse_format("Conv2d", data_format, "NCHW")
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip


class Conv1d(Convolution):
    """(n, c, l) -> (n, o, l'); the weight is (o, c/group, 1, k)."""

    axes = 1


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
        refuse_format("Conv3d", data_format, "NCDHW")
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip


class Conv1dTranspose(TransposedConvolution):
    """(n, c, l) -> (n, o, l'); the weight is (c, o/group, 1, k)."""

    axes = 1


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
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip
        self.output_padding = numbers(output_padding, 2)

    def construct(self, x: Tensor) -> Tensor:
        if self.pad_mode != "pad" and any(self.output_padding):
            got = repr(self.pad_mode)
            raise ShapeError(self.cls_name, "output_padding needs pad_mode 'pad'", got=got)
        sides = zip(self.output_padding, self.stride, self.dilation, strict=True)
        if any(not 0 <= size < max(step, spread) for size, step, spread in sides):
            got, expected = str(self.output_padding), "below stride or dilation"
            raise ShapeError(self.cls_name, "output_padding", got=got, expected=expected)
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
        refuse_format("Conv3dTranspose", data_format, "NCDHW")
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype,
        )  # fmt: skip
        self.extra = self.sizes("output_padding", output_padding, 0)


def refuse_format(layer: str, data_format: str, known: str) -> None:
    """Raises: MS304 for another order of the axes."""
    if data_format != known:
        raise ShapeError(layer, "the data_format is not known", got=data_format, expected=known)
