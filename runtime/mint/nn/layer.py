"""The layers of mint.nn: those of nn under PyTorch's names, and those that differ."""

from __future__ import annotations

import math
from typing import Any

from ... import nn
from ...cells.cell import Cell
from ...engine import initializer as init
from ...engine.dtype import DType, float32
from ...engine.failure import RefusedError, ShapeError
from ...engine.parameter import Parameter
from ...engine.tensor import Tensor
from ...nn.basic import Dropout as ClassicDropout
from . import functional
from .convolution import CONVOLUTIONS


class Calling(Cell):
    """A layer that calls a function with the attributes that it was made with."""

    def __init__(self, call: Any, **attributes: Any) -> None:
        super().__init__()
        self.call = call
        self.attributes = attributes

    def construct(self, *inputs: Tensor) -> Any:
        return self.call(*inputs, **self.attributes)


class Linear(Cell):
    """`input @ weight.T + bias`; both uniform in +-1/sqrt(in_features) unless given."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        kind = float32 if dtype is None else dtype
        bound = 1 / math.sqrt(in_features) if in_features else 0.0
        weights = init.HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        biases = init.Uniform(bound) if bias_init is None else bias_init
        self.weight = Parameter(init.initializer(weights, (out_features, in_features), kind))
        self.bias = Parameter(init.initializer(biases, (out_features,), kind)) if bias else None

    def construct(self, input: Tensor) -> Any:
        return functional.linear(input, self.weight, self.bias)


class Embedding(Cell):
    """The rows of `weight` that the input numbers; normal unless given, zeros at `padding_idx`."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if max_norm is not None or scale_grad_by_freq or sparse:
            raise RefusedError("Embedding", "no max_norm, scale_grad_by_freq or sparse here")
        sizes = (num_embeddings, embedding_dim)
        if _weight is not None and _weight.shape != sizes:
            raise ShapeError("Embedding", "a weight of another shape", got=str(_weight.shape))
        weights = init.initializer(init.Normal(1.0), sizes, float32 if dtype is None else dtype)
        rows = Parameter(weights if _weight is None else _weight, requires_grad=not _freeze)
        if _weight is None and padding_idx is not None:
            rows[padding_idx] = 0
        self.num_embeddings, self.embedding_dim = sizes
        self.padding_idx, self.weight = padding_idx, rows

    def construct(self, input: Tensor) -> Any:
        return functional.embedding(input, self.weight, self.padding_idx)


class GroupNorm(Cell):
    """Normalises groups of channels; parameters `weight` and `bias`."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.num_groups, self.eps = num_groups, eps
        kind = float32 if dtype is None else dtype
        sizes = (num_channels,)
        self.weight = Parameter(init.initializer("ones", sizes, kind)) if affine else None
        self.bias = Parameter(init.initializer("zeros", sizes, kind)) if affine else None

    def construct(self, input: Tensor) -> Any:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class Identity(Cell):
    """Gives its input back; takes any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Tensor) -> Any:
        return input


class Flatten(Calling):
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__(functional.flatten, start_dim=start_dim, end_dim=end_dim)


class Softmax(Calling):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__(functional.softmax, dim=dim)


class LogSoftmax(Calling):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__(functional.log_softmax, dim=dim)


class GLU(Calling):
    def __init__(self, dim: int = -1) -> None:
        super().__init__(functional.glu, dim=dim)


class ReLU(Calling):
    def __init__(self, inplace: bool = False) -> None:
        super().__init__(functional.relu, inplace=inplace)


class ReLU6(Calling):
    def __init__(self, inplace: bool = False) -> None:
        super().__init__(functional.relu6, inplace=inplace)


class Threshold(Calling):
    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(functional.threshold, threshold=threshold, value=value, inplace=inplace)


class SiLU(Calling):
    def __init__(self, inplace: bool = False) -> None:
        super().__init__(functional.silu, inplace=inplace)


class ELU(Calling):
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(functional.elu, alpha=alpha, inplace=inplace)


class GELU(Calling):
    def __init__(self, approximate: str = "none") -> None:
        super().__init__(functional.gelu, approximate=approximate)


class Hardtanh(Calling):
    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(functional.hardtanh, min_val=min_val, max_val=max_val, inplace=inplace)


class BCEWithLogitsLoss(Calling):
    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(
            functional.binary_cross_entropy_with_logits,
            weight=weight,
            reduction=reduction,
            pos_weight=pos_weight,
        )


class KLDivLoss(Calling):
    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(functional.kl_div, reduction=reduction, log_target=log_target)


class SmoothL1Loss(Calling):
    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(functional.smooth_l1_loss, reduction=reduction, beta=beta)


class Upsample(Calling):
    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__(
            functional.interpolate,
            size=size,
            scale_factor=scale_factor,
            mode=mode,
            align_corners=align_corners,
            recompute_scale_factor=recompute_scale_factor,
        )


class UpsamplingNearest2d(Calling):
    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(functional.interpolate, size=size, scale_factor=scale_factor)


class PReLU(Cell):
    """`weight` is the slope below zero, one or one per channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, dtype: DType | None = None
    ) -> None:
        super().__init__()
        kind = float32 if dtype is None else dtype
        self.weight = Parameter(Tensor([init] * num_parameters, kind))

    def construct(self, input: Tensor) -> Any:
        return functional.prelu(input, self.weight)


class CrossEntropyLoss(Calling):
    """Labels of int64 as well, which nn.CrossEntropyLoss refuses."""

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(
            functional.cross_entropy,
            weight=weight,
            ignore_index=ignore_index,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )


AS_CLASSIC = {
    "AdaptiveAvgPool2d": "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d": "AdaptiveMaxPool2d",
    "BCELoss": "BCELoss",
    "Cell": "Cell",
    "CosineEmbeddingLoss": "CosineEmbeddingLoss",
    "Dropout2d": "Dropout2d",
    "Hardshrink": "HShrink",
    "Hardsigmoid": "HSigmoid",
    "Hardswish": "HSwish",
    "L1Loss": "L1Loss",
    "LogSigmoid": "LogSigmoid",
    "MSELoss": "MSELoss",
    "Mish": "Mish",
    "NLLLoss": "NLLLoss",
    "PixelShuffle": "PixelShuffle",
    "SELU": "SeLU",
    "Sigmoid": "Sigmoid",
    "Softshrink": "SoftShrink",
    "Tanh": "Tanh",
}
"""Layers of nn that have the same meaning and arguments here, by mint's name."""


class Dropout(ClassicDropout):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p=p)
        self.inplace = inplace

    def construct(self, x: Tensor) -> Tensor:
        return functional.kept(x, super().construct(x), self.inplace)


LAYERS = {name: getattr(nn, classic) for name, classic in AS_CLASSIC.items()} | {
    name: made
    for name, made in globals().items()
    if isinstance(made, type) and made.__module__ == __name__ and made is not Calling
}
LAYERS |= CONVOLUTIONS
"""Every layer by name."""
