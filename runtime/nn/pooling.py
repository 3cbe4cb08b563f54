"""Pooling layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..cells.cell import Cell
from ..engine.argument import check_choice, check_int, check_type
from ..engine.failure import ShapeError
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops import unpooling, window
from ..ops.shaping import expand_dims, squeeze
from ..ops.window import numbers, padding_attrs, pooled
from ..primitives import elementwise as e
from ..primitives import layer as p
from .convolution import refuse_format


class Pool(Cell):
    """What pooling layers share. Abstract. The stride is 1 by default (PyTorch: the kernel's).

    Shapes: x (n, c, *sizes) or (c, *sizes)
    """

    axes = 2
    lines = False
    """Whether a layer of one axis takes its sizes as tuples too."""

    def configure(self, kernel_size: Any, stride: Any, pad_mode: Any, padding: Any) -> None:
        """Raises: TypeError, ValueError (MS304), as MindSpore does."""
        mode = check_type(self.cls_name, "pad_mode", pad_mode, str).lower()
        check_choice(self.cls_name, "pad_mode", mode, ("same", "valid", "pad"))
        self.pad_mode, self.padding = mode, padding
        self.kernel_size = self.checked_sizes("kernel_size", kernel_size)
        self.stride = self.checked_sizes("stride", stride)
        check_type(self.cls_name, "padding", padding, int, tuple, list)
        for size in numbers(padding, self.axes):
            check_int(self.cls_name, "padding", size, 0)
        if len(numbers(padding, self.axes)) != self.axes:
            raise ShapeError(self.cls_name, "padding has a wrong length", got=str(padding))
        if mode != "pad" and any(numbers(padding, self.axes)):
            raise ShapeError(self.cls_name, "padding needs pad_mode 'pad'", got=repr(pad_mode))
        self.attrs: dict[str, Any] = padding_attrs(mode, padding, self.axes)

    def checked_sizes(self, name: str, given: Any) -> Any:
        if self.axes == 1 and not (self.lines and isinstance(given, tuple)):
            check_int(self.cls_name, name, given, 1)
            return given
        check_type(self.cls_name, name, given, int, tuple)
        sizes = numbers(given, self.axes)
        if len(sizes) != self.axes:
            raise ShapeError(self.cls_name, f"{name} has a wrong length", got=str(given))
        for size in sizes:
            check_int(self.cls_name, name, size, 1)
        return sizes[0] if self.axes == 1 else given

    def extend_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"pad_mode={self.pad_mode.upper()}"
        )


class MaxPool(Pool):
    """The largest of each window; with `return_indices` also its place in the plane. Abstract."""

    needs_pad = True
    """Whether pad_mode must be "pad" for all that only its kernel can do."""

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.configure(kernel_size, stride, pad_mode, padding)
        special = dilation != 1 or return_indices or (ceil_mode and self.needs_pad)
        if special and self.pad_mode != "pad":
            raise ShapeError(
                self.cls_name, "dilation, return_indices and ceil_mode need pad_mode 'pad'",
                got=repr(pad_mode),
            )  # fmt: skip
        self.return_indices = return_indices
        self.attrs |= {"ceil_mode": int(ceil_mode), "dilations": numbers(dilation, self.axes)}

    def construct(self, x: Tensor) -> Any:
        if not self.return_indices:
            return pooled(p.max_pool, x, self.kernel_size, self.stride, self.attrs, self.axes)
        batched = x if x.ndim == self.axes + 2 else expand_dims(x, 0)
        attrs = self.attrs | {
            "kernel_shape": numbers(self.kernel_size, self.axes),
            "strides": numbers(self.stride, self.axes),
        }
        y, places = p.max_pool(batched, outputs=2, **attrs)
        size = 1
        for n in batched.shape[2:]:
            size *= n
        found = y, e.mod(places, constant(size))
        return found if batched is x else tuple(squeeze(part, 0) for part in found)


class MaxPool1d(MaxPool):
    axes = 1


class MaxPool2d(MaxPool):
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
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )
        refuse_format(self.cls_name, data_format, "NCHW")


class MaxPool3d(MaxPool):
    axes, needs_pad = 3, False


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
    ) -> None:
        super().__init__()
        self.configure(kernel_size, stride, pad_mode, padding)
        check_type(self.cls_name, "ceil_mode", ceil_mode, bool)
        counted = count_include_pad and self.pad_mode == "pad"
        self.attrs |= {"ceil_mode": int(ceil_mode), "count_include_pad": int(counted)}
        if divisor_override is not None and divisor_override <= 0:
            got = repr(divisor_override)
            raise ShapeError(self.cls_name, "divisor_override must be positive", got=got)
        self.divisor_override = divisor_override

    def construct(self, x: Tensor) -> Tensor:
        kernel, stride = numbers(self.kernel_size, self.axes), numbers(self.stride, self.axes)
        divisor = self.divisor_override
        if divisor is None or "pads" not in self.attrs:
            y = pooled(p.average_pool, x, kernel, stride, self.attrs, self.axes)
            return window.divided(y, kernel, divisor)
        batched = x if x.ndim == self.axes + 2 else expand_dims(x, 0)
        attrs = {name: self.attrs[name] for name in ("pads", "ceil_mode")}
        y = window.sum_pool(batched, kernel, stride, attrs, divisor)
        return y if batched is x else squeeze(y, 0)


class AvgPool1d(AvgPool):
    axes, lines = 1, True

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad)


class AvgPool2d(AvgPool):
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
        settings = ceil_mode, count_include_pad, divisor_override
        super().__init__(kernel_size, stride, pad_mode, padding, *settings)
        refuse_format(self.cls_name, data_format, "NCHW")


class AvgPool3d(AvgPool):
    axes = 3


class AdaptivePool(Cell):
    """Windows that give `output_size`. Abstract: subclasses define `construct`."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveLine(AdaptivePool):
    """Over one axis. Abstract."""

    def __init__(self, output_size: int) -> None:
        super().__init__(output_size)
        check_int(self.cls_name, "output_size", output_size, 1)


class AdaptiveAvgPool1d(AdaptiveLine):
    def construct(self, input: Tensor) -> Tensor:
        return window.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(AdaptivePool):
    def __init__(self, output_size: Any) -> None:
        super().__init__(output_size)
        if isinstance(output_size, tuple) and len(output_size) != 2:
            raise ShapeError(self.cls_name, "output_size is a pair", got=str(output_size))

    def construct(self, input: Tensor) -> Tensor:
        return window.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(AdaptivePool):
    def construct(self, input: Tensor) -> Tensor:
        return window.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(AdaptiveLine):
    def construct(self, x: Tensor) -> Tensor:
        return window.adaptive_max_pool1d(x, self.output_size)


class AdaptiveMax(AdaptivePool):
    """The largest of each window, and their places if `return_indices`. Abstract."""

    pool: Callable[..., Any]

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def construct(self, input: Tensor) -> Any:
        return type(self).pool(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(AdaptiveMax):
    pool = staticmethod(window.adaptive_max_pool2d)


class AdaptiveMaxPool3d(AdaptiveMax):
    pool = staticmethod(window.adaptive_max_pool3d)


class NormPool(Cell):
    """The norm of each window. Abstract: subclasses set `pool`."""

    pool: Callable[..., Any]

    def __init__(
        self, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.settings = norm_type, kernel_size, stride, ceil_mode

    def construct(self, x: Tensor) -> Any:
        return type(self).pool(x, *self.settings)


class LPPool1d(NormPool):
    pool = staticmethod(unpooling.lp_pool1d)


class LPPool2d(NormPool):
    pool = staticmethod(unpooling.lp_pool2d)


class MaxUnpool(Cell):
    """The largest elements back at their places, zeros elsewhere. Abstract."""

    pool: Callable[..., Any]

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.settings = kernel_size, stride, padding

    def construct(self, x: Tensor, indices: Tensor, output_size: Any = None) -> Any:
        if output_size == ():
            raise ShapeError(self.cls_name, "output_size must not be empty", got="()")
        return type(self).pool(x, indices, *self.settings, output_size)


class MaxUnpool1d(MaxUnpool):
    pool = staticmethod(unpooling.max_unpool1d)


class MaxUnpool2d(MaxUnpool):
    pool = staticmethod(unpooling.max_unpool2d)


class MaxUnpool3d(MaxUnpool):
    pool = staticmethod(unpooling.max_unpool3d)


class FractionalMaxPool(Cell):
    """The largest of windows at random places. Abstract: subclasses set `pool`."""

    pool: Callable[..., Any]

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.settings = kernel_size, output_size, output_ratio, return_indices, _random_samples

    def construct(self, input: Tensor) -> Any:
        return type(self).pool(input, *self.settings)


class FractionalMaxPool2d(FractionalMaxPool):
    pool = staticmethod(unpooling.fractional_max_pool2d)


class FractionalMaxPool3d(FractionalMaxPool):
    pool = staticmethod(unpooling.fractional_max_pool3d)
