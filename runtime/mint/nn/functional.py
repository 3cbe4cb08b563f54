"""`mindspore.mint.nn.functional`: as PyTorch's `torch.nn.functional`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ... import ops
from ...engine.dtype import DType, int32
from ...engine.failure import RefusedError, missing_names
from ...engine.parameter import assign
from ...engine.tensor import Tensor
from ...ops.convolution_transpose import transposed
from ...ops.loss import reduced
from ...ops.registry import OPS
from ...ops.window import numbers, of_sequence
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
    weights = ops.exp(target) if log_target else target
    entropy = ops.mul(weights, target) if log_target else ops.xlogy(target, target)
    terms = ops.sub(entropy, ops.mul(weights, input))
    if reduction == "none":
        return terms
    total = ops.sum(terms)
    counts = {"sum": 1, "mean": terms.size, "batchmean": math.prod(terms.shape[:1])}
    return ops.div(total, counts[reduction])


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    return ops.dense(input, weight, bias)


def kept(input: Tensor, value: Tensor, inplace: bool) -> Tensor:
    """The value; with `inplace` it is that of `input` from now on, as in PyTorch."""
    return assign(input, value) if inplace else value


def relu(input: Tensor, inplace: bool = False) -> Any:
    return ops.relu(input, inplace)


def relu6(input: Tensor, inplace: bool = False) -> Any:
    return kept(input, ops.relu6(input), inplace)


def silu(input: Tensor, inplace: bool = False) -> Any:
    return kept(input, ops.silu(input), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    negative = ops.mul(ops.expm1(ops.minimum(input, 0)), alpha)
    return kept(input, ops.where(ops.greater(input, 0), input, negative), inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Any:
    return ops.leaky_relu(input, negative_slope)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Any:
    return kept(input, ops.hardtanh(input, min_val, max_val), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Any:
    return kept(input, ops.where(ops.greater(input, threshold), input, value), inplace)


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
    return kept(input, ops.dropout(input, p, training), inplace)


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


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Any:
    """The rows of `weight` that `input` numbers; that of `padding_idx` has no gradient."""
    if max_norm is not None or scale_grad_by_freq:
        raise RefusedError("embedding", "no max_norm and no scale_grad_by_freq here")
    rows = ops.gather(weight, input, 0)
    if padding_idx is None:
        return rows
    padded = ops.expand_dims(ops.equal(input, padding_idx % weight.shape[0]), -1)
    return ops.where(padded, ops.stop_gradient(rows), rows)


def batched(function: Any, x: Tensor, rank: int) -> Any:
    """`function` of x with a batch axis, which is gone afterwards if x has none."""
    if x.ndim != rank - 1:
        return function(x)
    return ops.squeeze(function(ops.expand_dims(x, 0)), 0)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return convolved(ops.conv1d, (input, weight, bias), padding, (stride, dilation, groups))


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return convolved(ops.conv2d, (input, weight, bias), padding, (stride, dilation, groups))


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return convolved(ops.conv3d, (input, weight, bias), padding, (stride, dilation, groups))


def convolved(convolution: Any, given: Any, padding: Any, window: tuple[Any, Any, int]) -> Any:
    """`convolution` with PyTorch's padding: a number, one per axis, "same" or "valid"."""
    input, weight, bias = given
    stride, dilation, groups = window
    mode, amount = (padding, 0) if isinstance(padding, str) else ("pad", of_sequence(padding))

    def call(x: Tensor) -> Any:
        return convolution(x, weight, bias, stride, mode, amount, dilation, groups)

    return batched(call, input, weight.ndim)


def transposed_sizes(own: Any, kernel: Any, window: tuple[Any, Any, Any]) -> tuple[int, ...]:
    """What a transposed convolution makes of an image's sizes; window: stride, padding, dilation"""
    every = zip(own, kernel, *[numbers(given, 2) for given in window], strict=True)
    return tuple([(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, k, s, p, d in every])


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """Shapes: input (n, c, h, w), weight (c, o/groups, *kernel) -> (n, o, h', w')"""
    least = transposed_sizes(input.shape[-2:], weight.shape[2:], (stride, padding, dilation))
    sizes = tuple([n + m for n, m in zip(least, numbers(output_padding, 2), strict=True)])
    window = (stride, dilation, "pad", padding)
    y = batched(lambda x: transposed(x, weight, window, groups, sizes), input, 4)
    return y if bias is None else ops.add(y, ops.reshape(bias, (-1, 1, 1)))


def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    return batched(lambda x: ops.unfold(x, kernel_size, dilation, padding, stride), input, 4)


def fold(
    input: Tensor,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    sizes, window = Tensor(numbers(output_size, 2), int32), (dilation, padding, stride)
    return batched(lambda x: ops.fold(x, sizes, kernel_size, *window), input, 3)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Any:
    """As the op; without running statistics, weight or bias: none are kept, 1 and 0."""
    if not training and (running_mean is None or running_var is None):
        raise RefusedError("batch_norm", "needs running statistics unless it is training")
    zeros = ops.zeros(input.shape[1:2], input.dtype)
    ones = ops.ones(input.shape[1:2], input.dtype)
    kept = (zeros if running_mean is None else running_mean,
            ones if running_var is None else running_var)  # fmt: skip
    scale = (ones if weight is None else weight, zeros if bias is None else bias)
    return ops.batch_norm(input, *kept, *scale, training, momentum, eps)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Any:
    return ops.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    sizes = (1, of_sequence(output_size))
    found = ops.adaptive_max_pool2d(ops.expand_dims(input, -2), sizes, return_indices)
    return tuple([ops.squeeze(y, -2) for y in found]) if return_indices else ops.squeeze(found, -2)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    return kept(input, ops.dropout2d(input, p, training), inplace)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """1 - cos where target is 1, max(0, cos - margin) where it is -1; cos along the last axis."""
    lengths = [ops.add(ops.sum(ops.square(x), -1), 1e-12) for x in (input1, input2)]
    cosine = ops.div(ops.sum(ops.mul(input1, input2), -1), ops.sqrt(ops.mul(*lengths)))
    near = ops.where(ops.equal(target, 1), ops.sub(1.0, cosine), 0.0)
    far = ops.where(ops.equal(target, -1), ops.maximum(ops.sub(cosine, margin), 0.0), 0.0)
    return reduced(ops.add(near, far), reduction)


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


def averaged(average: Any, input: Tensor, window: tuple[Any, Any, Any], *options: Any) -> Any:
    """Means of windows (kernel, stride, padding); the stride is the kernel unless given."""
    kernel, stride, padding = [of_sequence(sizes) for sizes in window]
    pads = padding if isinstance(padding, int) else tuple([s for s in padding for _ in range(2)])
    rank = 2 + int(average.__name__[-2])
    steps = kernel if stride is None else stride
    return batched(lambda x: average(x, kernel, steps, pads, *options), input, rank)


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    window = (kernel_size, stride, padding)
    return averaged(ops.avg_pool1d, input, window, ceil_mode, count_include_pad)


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    window = (kernel_size, stride, padding)
    divisor = 0 if divisor_override is None else divisor_override
    return averaged(ops.avg_pool2d, input, window, ceil_mode, count_include_pad, divisor)


def avg_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    window = (kernel_size, stride, padding)
    divisor = 0 if divisor_override is None else divisor_override
    return averaged(ops.avg_pool3d, input, window, ceil_mode, count_include_pad, divisor)


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
