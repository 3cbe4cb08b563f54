"""Layers that are one op or a few: what MindSpore keeps in nn from before it had functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_float, check_int, check_range, check_tensors, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.initializer import Uniform, initializer
from ..engine.parameter import Parameter
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from ..ops import bilinear, reduction, shaping, special
from ..ops.arithmetic import abs, add, div, exp, log, maximum, mul, sqrt, square, sub
from ..ops.creation import one_hot
from ..ops.state import stop_gradient
from ..primitives.special import digamma
from .activation import LeakyReLU, get_activation
from .basic import Dense, Dropout2d, Embedding
from .convolution import Conv2d
from .normalization import BatchNorm1d, BatchNorm2d


class BiDense(Cell):
    """Each output is x1 @ weight[o] @ x2 + bias[o]; weight (o, a, b)."""

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__()
        sizes = (out_channels, in1_channels, in2_channels)
        for name, size in zip(("out_channels", "in1_channels", "in2_channels"), sizes, strict=True):
            check_int(self.cls_name, name, size, 1)
        self.out_channels, self.in1_channels, self.in2_channels = sizes
        self.has_bias = check_type(self.cls_name, "has_bias", has_bias, bool)
        bound = Uniform(1 / math.sqrt(in1_channels))
        chosen = bound if weight_init is None else weight_init
        self.weight = Parameter(initializer(chosen, sizes, dtype), name="weight")
        self.bias = None
        if has_bias:
            chosen = bound if bias_init is None else bias_init
            self.bias = Parameter(initializer(chosen, [out_channels], dtype), name="bias")

    def construct(self, input1: Tensor, input2: Tensor) -> Tensor:
        check_tensors(self.cls_name, input1=input1, input2=input2)
        return bilinear.bidense(input1, input2, self.weight, self.bias)

    def extend_repr(self) -> str:
        shown = (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
            f"output_channels={self.out_channels}"
        )
        return shown + (f", has_bias={self.has_bias}" if self.has_bias else "")


class Normalised(Cell):
    """A layer, BatchNorm if `has_bn`, and an activation. Abstract."""

    def finish(self, norm: Cell, flags: tuple[bool, bool], activation: Any, alpha: float) -> None:
        self.has_bn = check_type(self.cls_name, "has_bn", flags[0], bool)
        check_type(self.cls_name, "after_fake", flags[1], bool)
        self.has_act = activation is not None
        if self.has_bn:
            self.batchnorm = norm
        if activation == "leakyrelu":
            activation = LeakyReLU(alpha)
        elif isinstance(activation, str):
            activation = get_activation(activation)
        elif activation is not None and not callable(activation):
            got = type(activation).__name__
            raise ElementTypeError(self.cls_name, "activation must be a name or Cell", got=got)
        self.activation = activation

    def finished(self, y: Any) -> Any:
        if self.has_bn:
            y = self.batchnorm(y)
        return self.activation(y) if self.has_act else y


class Conv2dBnAct(Normalised):
    """A convolution, BatchNorm and an activation."""

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
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init,
        )  # fmt: skip
        norm = BatchNorm2d(out_channels, eps, momentum)
        self.finish(norm, (has_bn, after_fake), activation, alpha)

    def construct(self, x: Tensor) -> Any:
        return self.finished(self.conv(x))


class DenseBnAct(Normalised):
    """A dense layer, BatchNorm and an activation."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        norm = BatchNorm1d(out_channels, eps, momentum)
        self.finish(norm, (has_bn, after_fake), activation, alpha)

    def construct(self, x: Tensor) -> Any:
        return self.finished(self.dense(x))


class EmbeddingLookup(Embedding):
    """An Embedding whose rows are no longer than `max_norm`."""

    BATCH_SLICE, FIELD_SLICE = "batch_slice", "field_slice"
    TABLE_ROW_SLICE, TABLE_COLUMN_SLICE = "table_row_slice", "table_column_slice"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__(vocab_size, embedding_size, False, param_init, dtype)
        check_type(self.cls_name, "sparse", sparse, bool)
        if target not in ("CPU", "DEVICE") or (target == "CPU" and not sparse):
            got = f"{target!r}, {sparse}"
            raise ShapeError(
                self.cls_name, "target must be 'CPU', with sparse, or 'DEVICE'", got=got
            )
        if max_norm is not None:
            check_float(self.cls_name, "max_norm", max_norm, 0.0, ends="neither")
        self.max_norm = max_norm

    def construct(self, indices: Tensor) -> Tensor:
        rows = super().construct(indices)
        return rows if self.max_norm is None else clipped(rows, self.max_norm, -1)


def clipped(x: Tensor, clip_norm: Any, axis: Any) -> Tensor:
    """`x` no longer than `clip_norm` along `axis`."""
    single = convert(x, dtypes.float32)
    length = sqrt(reduction.sum(square(single), axis, keepdim=True))
    return div(mul(single, clip_norm), maximum(length, clip_norm))


class ClipByNorm(Cell):
    """`x` no longer than `clip_norm`, over all axes or along `axis`, in float32."""

    def __init__(self, axis: Any = None) -> None:
        super().__init__()
        self.axis = (
            () if axis is None else check_type(self.cls_name, "axis", axis, int, tuple, list)
        )

    def construct(self, x: Tensor, clip_norm: Tensor) -> Tensor:
        return clipped(x, convert(clip_norm, dtypes.float32), self.axis)


class L1Regularizer(Cell):
    """scale * sum(|weights|)."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        check_type(self.cls_name, "scale", scale, int, float)
        check_range(self.cls_name, "scale", scale, 0, ends="neither")
        if not math.isfinite(scale):
            raise ShapeError(self.cls_name, "scale must be finite", got=repr(scale))
        self.scale = Tensor(np.float32(scale))

    def construct(self, weights: Tensor) -> Tensor:
        return mul(self.scale, reduction.sum(abs(weights)))


class Norm(Cell):
    """The root of the sum of squares over `axis`; all axes if it is ()."""

    def __init__(self, axis: Any = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = check_type(self.cls_name, "keep_dims", keep_dims, bool)

    def construct(self, x: Tensor) -> Tensor:
        return sqrt(reduction.sum(square(x), self.axis, keepdim=self.keep_dims))

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class OneHot(Cell):
    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__()
        self.axis, self.depth, self.dtype = axis, depth, dtype
        self.on_value, self.off_value = on_value, off_value

    def construct(self, indices: Tensor) -> Tensor:
        on, off = (Tensor(value, self.dtype) for value in (self.on_value, self.off_value))
        return one_hot(indices, self.depth, on, off, self.axis)


class Range(Cell):
    """Numbers from `start` to `limit`: float32 if one of them is a float, else int32."""

    def __init__(self, start: Any, limit: Any = None, delta: Any = 1) -> None:
        super().__init__()
        if delta == 0:
            raise ShapeError(self.cls_name, "delta can not be 0", got="0")
        numbers = np.arange(start, limit, delta)
        kind = np.float32 if numbers.dtype.kind == "f" else np.int32
        self.result_tensor = Tensor(numbers.astype(kind))

    def construct(self) -> Tensor:
        made: Tensor = self.result_tensor
        return made


class Tril(Cell):
    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return shaping.tril(x, k)


class Triu(Cell):
    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return shaping.triu(x, k)


class Roll(Cell):
    def __init__(self, shift: Any, axis: Any) -> None:
        super().__init__()
        check_type(self.cls_name, "shift", shift, int, tuple, list)
        check_type(self.cls_name, "axis", axis, int, tuple, list)
        self.shift = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,)
        self.axis = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
        if len(self.shift) != len(self.axis):
            got = f"{shift}, {axis}"
            raise ShapeError(self.cls_name, "needs as many shifts as axes", got=got)

    def construct(self, input_x: Tensor) -> Tensor:
        return shaping.roll(input_x, self.shift, self.axis)


class Moments(Cell):
    """(mean, variance) over `axis`; all axes if it is None."""

    def __init__(self, axis: Any = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        self.axis = () if axis is None else check_type(self.cls_name, "axis", axis, int, tuple)
        kept = False if keep_dims is None else keep_dims
        self.keep_dims = check_type(self.cls_name, "keep_dims", kept, bool)

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        check_half_or_single(self.cls_name, x)
        single = convert(x, dtypes.float32)
        mean = reduction.mean(single, self.axis, True)
        spread = square(sub(single, stop_gradient(mean)))
        axes = range(x.ndim) if self.axis == () else self.axis
        variance = reduction.mean(spread, self.axis, self.keep_dims)
        if not self.keep_dims:
            mean = shaping.squeeze(mean, tuple(axes) if not isinstance(axes, int) else axes)
        return convert(mean, x.dtype), convert(variance, x.dtype)


def check_half_or_single(name: str, *tensors: Tensor) -> None:
    """Raises: TypeError (MS304) unless all are of one type, float16 or float32."""
    for x in tensors:
        check_type(name, "x", x, Tensor)
        if x.dtype not in (dtypes.float16, dtypes.float32) or x.dtype is not tensors[0].dtype:
            raise ElementTypeError(name, "needs float16 or float32", got=x.dtype.name)


class ReduceLogSumExp(Cell):
    def __init__(self, axis: Any, keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = check_type(self.cls_name, "axis", axis, int, list, tuple)
        self.keep_dims = check_type(self.cls_name, "keep_dims", keep_dims, bool)

    def construct(self, x: Tensor) -> Tensor:
        most = reduction.amax(x)
        total = reduction.sum(exp(sub(x, most)), self.axis, keepdim=self.keep_dims)
        return add(log(total), most)


class MatMul(Cell):
    """x1 @ x2, each with its last two axes swapped if asked for."""

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = check_type(self.cls_name, "transpose_x1", transpose_x1, bool)
        self.transpose_x2 = check_type(self.cls_name, "transpose_x2", transpose_x2, bool)

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        if self.transpose_x1 and x1.ndim > 1:
            x1 = shaping.swapaxes(x1, -1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = shaping.swapaxes(x2, -1, -2)
        inner = (x1.shape[-1], x2.shape[-2 if x2.ndim > 1 else -1])
        batches = (x1.shape[:-2], x2.shape[:-2])
        if not (inner[0] == inner[1] or -1 in inner) or not reduction.broadcast_together(*batches):
            sizes = f"{x1.shape}, {x2.shape}"
            raise ShapeError(self.cls_name, "the sizes do not fit", got=sizes)
        return reduction.matmul(x1, x2)


class LGamma(Cell):
    """log |gamma(x)|."""

    def construct(self, x: Tensor) -> Tensor:
        check_half_or_single(self.cls_name, x)
        return special.lgamma(x)


class DiGamma(Cell):
    """The derivative of lgamma."""

    def construct(self, x: Tensor) -> Tensor:
        check_half_or_single(self.cls_name, x)
        return digamma(x)


class IGamma(Cell):
    """The regularised lower incomplete gamma function."""

    def construct(self, a: Tensor, x: Tensor) -> Tensor:
        check_half_or_single(self.cls_name, a, x)
        return special.igamma(a, x)


class LBeta(Cell):
    """log |beta(x, y)|."""

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        check_half_or_single(self.cls_name, x, y)
        both = special.lgamma(add(x, y))
        return sub(add(special.lgamma(x), special.lgamma(y)), both)


class CentralCrop(Cell):
    """The middle of images (n, c, h, w) or (c, h, w), `central_fraction` of each side."""

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        check_float(self.cls_name, "central_fraction", central_fraction, 0.0, 1.0, "right")
        self.central_fraction = central_fraction

    def construct(self, image: Tensor) -> Tensor:
        if image.ndim not in (3, 4):
            raise ShapeError(self.cls_name, "needs 3 or 4 axes", got=str(image.shape))
        part = self.central_fraction
        before = [int((float(n) - float(n * part)) / 2) for n in image.shape[-2:]]
        sizes = [n - 2 * b for n, b in zip(image.shape[-2:], before, strict=True)]
        lead = image.shape[:-2]
        return shaping.slice(image, (*[0] * len(lead), *before), (*lead, *sizes))


class ImageGradients(Cell):
    """(dy, dx): each pixel less the next one, 0 at the end."""

    def construct(self, images: Tensor) -> tuple[Tensor, Tensor]:
        if images.ndim != 4:
            raise ShapeError(self.cls_name, "needs 4 axes", got=str(images.shape))
        return self.along(images, 2), self.along(images, 3)

    def along(self, x: Tensor, axis: int) -> Tensor:
        size = x.shape[axis]
        last = mul(shaping.narrow(x, axis, 0, 1), 0)
        if size == 1:
            return last
        later, earlier = (shaping.narrow(x, axis, k, size - 1) for k in (1, 0))
        return shaping.concat((sub(later, earlier), last), axis)


class Dropout2dExt(Dropout2d):
    """As Dropout2d; `inplace` has no effect."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p)
        self.inplace = inplace
