"""Dense, Embedding, Dropout, and layers that only move elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_float, check_int, check_tensors, check_type
from ..engine.dtype import FLOATS
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.initializer import HeUniform, Uniform, initializer
from ..engine.parameter import Parameter
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from ..ops import activation, normalization, rearranging, resizing, shaping
from ..ops.arithmetic import mul
from ..ops.reduction import dense
from .activation import get_activation


class Dense(Cell):
    """x @ weight.T + bias: (..., c) -> (..., o); weight (o, c), bias (o)."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        for name, count in (("in_channels", in_channels), ("out_channels", out_channels)):
            check_int(self.cls_name, name, count, 1)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.has_bias = check_type(self.cls_name, "has_bias", has_bias, bool)
        chosen = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        weight = initializer(chosen, (out_channels, in_channels), dtype)
        self.weight = Parameter(weight, name="weight")
        self.bias = None
        if has_bias:
            bound = 1 / math.sqrt(max(in_channels, 1))
            chosen = Uniform(bound) if bias_init is None else bias_init
            self.bias = Parameter(initializer(chosen, [out_channels], dtype), name="bias")
        if isinstance(activation, str):
            activation = get_activation(activation)
        elif activation is not None and not callable(activation):
            got = type(activation).__name__
            raise ElementTypeError(self.cls_name, "activation must be a name or Cell", got=got)
        self.activation = activation
        self.activation_flag = self.activation is not None

    def construct(self, x: Tensor) -> Tensor:
        check_tensors(self.cls_name, x=x)
        if x.dtype not in FLOATS:
            advice = "write x.astype(ms.float32)"
            got, expected = x.dtype.name, self.weight.dtype.name
            raise ElementTypeError(
                self.cls_name, "it multiplies floats", got=got, expected=expected, advice=advice
            )
        y = dense(x, self.weight, self.bias)
        activated: Tensor = y if self.activation is None else self.activation(y)
        return activated

    def extend_repr(self) -> str:
        shown = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        shown += ", has_bias=True" if self.has_bias else ""
        return shown + (f", activation={self.activation}" if self.activation_flag else "")


class Embedding(Cell):
    """The rows of `embedding_table` (vocab_size, embedding_size) at the indices given.

    It starts as N(0, 0.01**2) (PyTorch: N(0, 1)).
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: dtypes.DType = dtypes.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        check_type(self.cls_name, "vocab_size", vocab_size, int)
        check_type(self.cls_name, "embedding_size", embedding_size, int)
        check_type(self.cls_name, "use_one_hot", use_one_hot, bool)
        check_type(self.cls_name, "dtype", dtype, dtypes.DType)
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.use_one_hot, self.padding_idx = use_one_hot, padding_idx
        table = initializer(embedding_table, [vocab_size, embedding_size], dtype)
        if padding_idx is not None:
            check_type(self.cls_name, "padding_idx", padding_idx, int)
            if not 0 <= padding_idx < vocab_size:
                raise ShapeError(self.cls_name, "padding_idx out of range", got=str(padding_idx))
            table = Tensor(table)
            table.asnumpy()[padding_idx] = 0
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids: Tensor) -> Tensor:
        return normalization.embedding(ids, self.embedding_table)

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
            f"dtype={self.embedding_table.dtype}, padding_idx={self.padding_idx}"
        )


class Dropout(Cell):
    """In training each element is zero with probability `p`. The first argument is the
    probability to KEEP it (PyTorch: to drop it): give `p=`."""

    def __init__(
        self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__()
        self.p = 1 - check_type(self.cls_name, "keep_prob", keep_prob, float) if p is None else p
        self.by_keep_prob = p is None
        if not 0 <= self.p < 1:
            raise ShapeError(self.cls_name, "p must be in [0, 1)", got=str(self.p))
        self.keep_prob = keep_prob if p is None else 1 - p

    def construct(self, x: Tensor) -> Tensor:
        return activation.dropout(x, self.p, self.training)

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.by_keep_prob else f"p={self.p}"


class ChannelDropout(Cell):
    """Drops whole channels in training. Abstract: subclasses say over which axes."""

    axes = 2

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        check_float(self.cls_name, "p", p, 0.0, 1.0)
        self.p = p
        self.keep_prob = 1.0 - p

    def construct(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        one = convert(Tensor(np.ones(x.shape[: -self.axes] + (1,) * self.axes)), x.dtype)
        return mul(x, activation.dropout(one, self.p, True))

    def extend_repr(self) -> str:
        return f"p={self.p}"


class Dropout1d(ChannelDropout):
    axes = 1


class Dropout2d(ChannelDropout):
    axes = 2


class Dropout3d(ChannelDropout):
    axes = 3


class Identity(Cell):
    """Gives back what it gets; takes any arguments at construction."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


class Flatten(Cell):
    """The axes from `start_dim` to `end_dim` made one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Tensor) -> Tensor:
        for axis in (self.start_dim, self.end_dim):
            shaping.axis_of(axis, max(x.ndim, 1), self.cls_name)
        return shaping.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Unflatten(Cell):
    """One axis made several."""

    def __init__(self, axis: int, unflattened_size: Any) -> None:
        super().__init__()
        self.axis = check_type(self.cls_name, "axis", axis, int)
        check_type(self.cls_name, "unflattened_size", unflattened_size, tuple, list)
        self.unflattened_size = tuple(unflattened_size)

    def construct(self, input_x: Tensor) -> Tensor:
        place = shaping.axis_of(self.axis, input_x.ndim, self.cls_name)
        own = input_x.shape
        return shaping.reshape(input_x, (*own[:place], *self.unflattened_size, *own[place + 1 :]))


class LRN(Cell):
    """Local response normalisation over the channels; see `ops.lrn`."""

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        check_type(self.cls_name, "depth_radius", depth_radius, int)
        check_choice(self.cls_name, "norm_region", norm_region, ("ACROSS_CHANNELS",))
        self.settings = (depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x: Tensor) -> Tensor:
        return normalization.lrn(input_x, *self.settings)


class Upsample(Cell):
    """Resizes (n, c, *sizes); see `ops.interpolate`."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x: Tensor) -> Tensor:
        return resizing.interpolate(
            x,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )


class PixelShuffle(Cell):
    """(n, c * r * r, h, w) -> (n, c, h * r, w * r)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return rearranging.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """(n, c, h * r, w * r) -> (n, c * r * r, h, w)."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return rearranging.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """The channels of `groups` groups dealt out in turn."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        check_int(self.cls_name, "groups", groups, 1)
        self.groups = groups

    def construct(self, x: Tensor) -> Tensor:
        n, c = x.shape[:2]
        dealt = shaping.reshape(x, (n, self.groups, c // self.groups, -1))
        return shaping.reshape(shaping.swapaxes(dealt, 1, 2), x.shape)
