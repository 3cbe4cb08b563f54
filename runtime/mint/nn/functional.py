"""`mindspore.mint.nn.functional`: as PyTorch's `torch.nn.functional`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import ops
from ...dtype import DType
from ...failure import missing_names
from ...ops.registry import OPS
from ...tensor import Tensor
from ..functions import flatten, typed

__all__ = ["flatten"]

SAME = frozenset(
    """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d broadcast_to
    cross_entropy gelu grid_sample group_norm hardshrink hardsigmoid
    hardswish l1_loss logsigmoid margin_ranking_loss mse_loss
    pixel_shuffle prelu sigmoid soft_margin_loss softplus softshrink tanh clamp
    """.split()
)
"""Ops that have the same meaning and arguments here."""

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update({name: OPS[name] for name in SAME if name in OPS})

    __getattr__ = missing_names("mint.nn.functional", globals())


def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Any:
    """target * (log(target) - input), or of a target that is logarithms itself."""
    if not log_target:
        return ops.kl_div(input, target, reduction)
    terms = ops.mul(ops.exp(target), ops.sub(target, input))
    if reduction == "none":
        return terms
    total = ops.sum(terms)
    counts = {"sum": 1, "mean": terms.size, "batchmean": terms.shape[0]}
    return ops.div(total, counts[reduction])


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    return ops.dense(input, weight, bias)


def relu(input: Tensor, inplace: bool = False) -> Any:
    return ops.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Any:
    return ops.relu6(input)


def silu(input: Tensor, inplace: bool = False) -> Any:
    return ops.silu(input)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    negative = ops.mul(ops.expm1(ops.minimum(input, 0)), alpha)
    return ops.where(ops.greater(input, 0), input, negative)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Any:
    return ops.leaky_relu(input, negative_slope)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Any:
    return ops.hardtanh(input, min_val, max_val)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Any:
    return ops.where(ops.greater(input, threshold), input, value)


def glu(input: Tensor, dim: int = -1) -> Any:
    return ops.glu(input, dim)


def implicit_axis(input: Tensor) -> int:
    """PyTorch's choice where no `dim` is given."""
    return 0 if input.ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, dtype: DType | None = None) -> Any:
    return ops.softmax(typed(input, dtype), implicit_axis(input) if dim is None else dim)


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Any:
    return ops.log_softmax(typed(input, dtype), implicit_axis(input) if dim is None else dim)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    return ops.dropout(input, p, training)


def mish(input: Tensor) -> Any:
    return ops.mish(input)


def selu(input: Tensor) -> Any:
    return ops.selu(input)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Any:
    return ops.binary_cross_entropy(input, target, weight, reduction)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    return ops.nll_loss(input, target, weight, ignore_index, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Any:
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Any:
    return ops.smooth_l1_loss(input, target, beta, reduction)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-05
) -> Any:
    return ops.layer_norm(input, normalized_shape, weight, bias, eps)


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Any:
    length = ops.norm(input, p, dim, True)
    return ops.div(input, ops.maximum(length, eps))


def pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    return ops.pad(input, pad, mode, value)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Any:
    depth = int(ops.amax(tensor).item()) + 1 if num_classes < 0 else num_classes
    return ops.one_hot(tensor, depth, 1, 0)


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Any:
    return ops.gather(weight, input, 0)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return padded(ops.conv1d, padding)(input, weight, bias, stride, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return padded(ops.conv2d, padding)(input, weight, bias, stride, dilation, groups)


def padded(convolution: Any, padding: Any) -> Any:
    """`convolution` with PyTorch's padding: a number, one per axis, "same" or "valid"."""
    mode, amount = (padding, 0) if isinstance(padding, str) else ("pad", padding)

    def call(x: Any, w: Any, b: Any, stride: Any, dilation: Any, groups: int) -> Any:
        made: Tensor = convolution(x, w, b, stride, mode, amount, dilation, groups)
        return made

    return call


def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    return ops.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    return ops.avg_pool2d(
        input,
        kernel_size,
        kernel_size if stride is None else stride,
        padding if isinstance(padding, int) else tuple([s for s in padding for _ in range(2)]),
        ceil_mode,
        count_include_pad,
        0 if divisor_override is None else divisor_override,
    )


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    if size is None and mode == "nearest":
        factors = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,)
        factors = (*factors,) * ((input.ndim - 2) // len(factors))
        size = tuple([int(n * f) for n, f in zip(input.shape[2:], factors, strict=True)])
        scale_factor = None
    return ops.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    return interpolate(input, size, scale_factor, mode, align_corners)
