"""What layers compute: activations, convolution, pooling, normalisation, resizing."""

from __future__ import annotations

import math
from typing import Any

from .. import dtype as dtypes
from ..failure import ShapeError
from ..parameter import assign
from ..primitive import Primitive, convert
from ..primitives import activation as a
from ..primitives import layer as p
from ..promotion import constant
from ..tensor import Tensor
from .arithmetic import (
    add,
    clamp,
    div,
    greater_equal,
    less,
    mul,
    neg,
    square,
    sub,
    unary,
    where,
)
from .creation import rand
from .reduction import mean
from .registry import alias, op
from .shaping import broadcast_to, concat, expand_dims, gather, reshape, split, squeeze

Number = int | float

sigmoid = unary(a.sigmoid, "sigmoid")
tanh = unary(a.tanh, "tanh")
softsign = unary(a.softsign, "softsign")
mish = unary(a.mish, "mish")
selu = unary(a.selu, "selu")
hardswish = unary(a.hard_swish, "hardswish")


@op
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return a.relu(input)


@op
def relu6(x: Tensor) -> Tensor:
    return clamp(x, 0, 6)


@op
def softmax(input: Tensor, axis: int = -1, *, dtype: Any = None) -> Tensor:
    return a.softmax(input if dtype is None else convert(input, dtype), axis=axis)


@op
def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    return a.log_softmax(logits, axis=axis)


@op
def softmin(x: Tensor, axis: int = -1, *, dtype: Any = None) -> Tensor:
    return softmax(neg(x), axis, dtype=dtype)


@op
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    return a.gelu(input, approximate=approximate)


@op
def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    return a.leaky_relu(input, alpha=float(alpha))


@op
def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    return a.elu(input_x, alpha=float(alpha))


@op
def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    return a.celu(x, alpha=float(alpha))


@op
def silu(input: Tensor) -> Tensor:
    return mul(input, sigmoid(input))


@op
def hardsigmoid(input: Tensor) -> Tensor:
    return a.hard_sigmoid(input, alpha=1 / 6, beta=0.5)


@op
def hardtanh(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0) -> Tensor:
    return clamp(input, min_val, max_val)


@op
def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20) -> Tensor:
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x exceeds `threshold`."""
    scaled = mul(input, beta)
    return where(less(threshold, scaled), input, div(a.softplus(scaled), beta))


@op
def softshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    return a.shrink(input, lambd=float(lambd), bias=float(lambd))


@op
def hardshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    return a.shrink(input, lambd=float(lambd), bias=0.0)


@op
def tanhshrink(input: Tensor) -> Tensor:
    return sub(input, tanh(input))


@op
def logsigmoid(x: Tensor) -> Tensor:
    return neg(a.softplus(neg(x)))


@op
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, else weight * x; weight has one element, or one per channel (axis 1)."""
    if weight.size > 1 and input.ndim > 2:
        weight = reshape(weight, (weight.size,) + (1,) * (input.ndim - 2))
    return a.prelu(input, weight)


@op
def threshold(input: Tensor, thr: Number, value: Number) -> Tensor:
    return where(less(thr, input), input, value)


@op
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """The first half along `axis` times the sigmoid of the second."""
    first, second = split(x, x.shape[axis] // 2, axis)
    return mul(first, sigmoid(second))


@op
def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None
) -> Tensor:
    """In training each element is zero with probability `p`, and the others grow by 1/(1-p)."""
    if not training or p == 0:
        return input
    kept = greater_equal(rand(*input.shape, seed=seed), p)
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return mul(input, mul(convert(kept, input.dtype), scale))


# convolution and pooling


def numbers(value: Any, count: int) -> tuple[int, ...]:
    """One number per axis: `value` repeated if it is a single one."""
    if isinstance(value, int):
        return (value,) * count
    given = tuple(int(v) for v in value)
    return given * count if len(given) == 1 else given


def pads_of(padding: Any, count: int) -> tuple[int, ...]:
    """ONNX's pads (all befores, then all afters) of MindSpore's padding.

    `padding` is one number, one per axis, or two per axis (before, after, before, after, ...).
    """
    sizes = numbers(padding, count)
    if len(sizes) == count:
        return sizes * 2
    if len(sizes) == 2 * count:
        return sizes[::2] + sizes[1::2]
    expected = f"1, {count} or {2 * count}"
    raise ShapeError("padding", "a wrong number of sizes", got=str(sizes), expected=expected)


def padding_attrs(pad_mode: str, padding: Any, count: int) -> dict[str, Any]:
    """ONNX's attributes for MindSpore's pad_mode "same", "valid" or "pad"."""
    if pad_mode == "same":
        return {"auto_pad": "SAME_UPPER"}
    if pad_mode not in ("valid", "pad"):
        raise ShapeError("pad_mode", "must be 'same', 'valid' or 'pad'", got=repr(pad_mode))
    return {"pads": pads_of(padding if pad_mode == "pad" else 0, count)}


def convolution(
    x: Tensor, weight: Tensor, bias: Tensor | None, attrs: dict[str, Any], stride: Any
) -> Tensor:
    """Conv over the axes behind the second; without a batch axis if `x` has one axis less."""
    count = weight.ndim - 2
    batched = x if x.ndim == weight.ndim else expand_dims(x, 0)
    kernel = weight.shape[2:]
    y: Tensor = p.conv(
        batched, weight, bias, kernel_shape=kernel, strides=numbers(stride, count), **attrs
    )
    return y if batched is x else squeeze(y, 0)


def conv(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """input (n, c, *sizes), weight (o, c/groups, *kernel) -> (n, o, *sizes')."""
    count = weight.ndim - 2
    attrs = padding_attrs(pad_mode, padding, count)
    attrs |= {"dilations": numbers(dilation, count), "group": groups}
    return convolution(input, weight, bias, attrs, stride)


conv1d = alias("conv1d", conv)
conv2d = alias("conv2d", conv)
conv3d = alias("conv3d", conv)


def pooled(
    primitive: Primitive, x: Tensor, kernel: Any, stride: Any, attrs: dict[str, Any], count: int
) -> Tensor:
    """A pool over the last `count` axes; without a batch axis if `x` has one axis less."""
    batched = x if x.ndim == count + 2 else expand_dims(x, 0)
    sizes = numbers(kernel, count)
    strides = sizes if stride is None else numbers(stride, count)
    y: Tensor = primitive(batched, kernel_shape=sizes, strides=strides, **attrs)
    return y if batched is x else squeeze(y, 0)


def max_pool(
    x: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    count: int,
) -> Tensor:
    attrs = {
        "pads": pads_of(padding, count),
        "dilations": numbers(dilation, count),
        "ceil_mode": int(ceil_mode),
    }
    return pooled(p.max_pool, x, kernel_size, stride, attrs, count)


@op
def max_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Tensor:
    """The largest in each window; the stride is the window's size if None."""
    refuse_indices("max_pool2d", return_indices)
    return max_pool(x, kernel_size, stride, padding, dilation, ceil_mode, 2)


@op
def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    refuse_indices("max_pool3d", return_indices)
    return max_pool(x, kernel_size, stride, padding, dilation, ceil_mode, 3)


def refuse_indices(op: str, return_indices: bool) -> None:
    if return_indices:
        raise ShapeError(op, "return_indices is not known yet")


def average(
    x: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    count: int,
) -> Tensor:
    attrs = {
        "pads": pads_of(padding, count),
        "ceil_mode": int(ceil_mode),
        "count_include_pad": int(count_include_pad),
    }
    return pooled(p.average_pool, x, kernel_size, stride, attrs, count)


@op
def avg_pool1d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    return average(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, 1)


@op
def avg_pool2d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window; padding counts as zeros unless `count_include_pad` is False."""
    y = average(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, 2)
    return divided(y, numbers(kernel_size, 2), divisor_override)


@op
def avg_pool3d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    y = average(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, 3)
    return divided(y, numbers(kernel_size, 3), divisor_override)


def divided(y: Tensor, kernel: tuple[int, ...], divisor_override: int | None) -> Tensor:
    """Means of windows as sums divided by `divisor_override`, if it is given."""
    return mul(y, math.prod(kernel) / divisor_override) if divisor_override else y


def adaptive_pool(primitive: Primitive, x: Tensor, output_size: Any, count: int) -> Tensor:
    """Windows such that the output has `output_size`; None keeps a size.

    Equal windows where the sizes divide, else one window after the other.
    """
    own = x.shape[-count:]
    wanted = (
        (output_size,) * count
        if isinstance(output_size, int) or output_size is None
        else output_size
    )
    sizes = [n if w is None else w for n, w in zip(own, wanted, strict=True)]
    if all(n % w == 0 for n, w in zip(own, sizes, strict=True)):
        windows = tuple(n // w for n, w in zip(own, sizes, strict=True))
        return pooled(primitive, x, windows, windows, {}, count)
    for k, (n, w) in enumerate(zip(own, sizes, strict=True)):
        axis = x.ndim - count + k
        x = concat([window(primitive, x, axis, count, n, w, i) for i in range(w)], axis)
    return x


def window(
    primitive: Primitive, x: Tensor, axis: int, count: int, n: int, w: int, i: int
) -> Tensor:
    """Window `i` of `w` over the `n` elements of one axis, pooled to size 1."""
    first, last = i * n // w, -(-(i + 1) * n // w)
    part = split(x, (first, last - first, n - last), axis)[1]
    kernel = [1] * count
    kernel[axis - x.ndim + count] = last - first
    return pooled(primitive, part, kernel, kernel, {}, count)


@op
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    return adaptive_pool(p.average_pool, input, output_size, 1)


@op
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """(..., h, w) -> (..., *output_size), means of windows that cover the input evenly."""
    return adaptive_pool(p.average_pool, input, output_size, 2)


@op
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    return adaptive_pool(p.average_pool, input, output_size, 3)


@op
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Tensor:
    return adaptive_pool(p.max_pool, input, output_size, 1)


@op
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor:
    refuse_indices("adaptive_max_pool2d", return_indices)
    return adaptive_pool(p.max_pool, input, output_size, 2)


@op
def lrn(
    x: Tensor,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Tensor:
    """x / (bias + alpha * sum of squares over 2 * depth_radius + 1 channels) ** beta.

    ONNX's LRN divides alpha by the number of channels in the window; MindSpore does not.
    """
    span = 2 * depth_radius + 1
    return p.lrn(x, size=span, bias=float(bias), alpha=float(alpha) * span, beta=float(beta))


# normalisation


@op
def batch_norm(
    input_x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor,
    bias: Tensor,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias per channel (axis 1).

    In training by the batch's own statistics, and the running ones are moved towards them.
    Units: momentum is the weight of the NEW value
    """
    if training:
        mean_, var_ = batch_statistics(input_x)
        count = input_x.size // input_x.shape[1]
        move(running_mean, mean_, momentum)
        move(running_var, mul(var_, count / max(count - 1, 1)), momentum)
        running_mean, running_var = mean_, var_
    return p.batch_normalization(input_x, weight, bias, running_mean, running_var, epsilon=eps)


def batch_statistics(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and (biased) variance of each channel.

    ONNX's training mode is not used: ONNX Runtime 1.31 writes the running variance into the
    array that it was given.
    """
    axes = (0, *range(2, x.ndim))
    centre = mean(x, axes, True)
    spread = mean(square(sub(x, centre)), axes)
    return reshape(centre, (x.shape[1],)), spread


def move(running: Tensor, new: Tensor, momentum: float) -> None:
    """Moves a running statistic towards `new`."""
    assign(running, add(mul(running, 1 - momentum), mul(new, momentum)))


@op
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalised over the last axes, those of `normalized_shape`."""
    shape = numbers(normalized_shape, 1)
    scale = weight if weight is not None else broadcast_to(constant(1, input.dtype), shape)
    return p.layer_normalization(input, scale, bias, axis=-len(shape), epsilon=eps)


@op
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalised over each of `num_groups` groups of channels: (n, c, *sizes)."""
    n, c = input.shape[:2]
    one, zero = (broadcast_to(constant(v, input.dtype), (num_groups,)) for v in (1, 0))
    grouped = reshape(input, (n, num_groups, -1))
    y = reshape(p.instance_normalization(grouped, one, zero, epsilon=eps), input.shape)
    per_channel = (c,) + (1,) * (input.ndim - 2)
    y = y if weight is None else mul(y, reshape(weight, per_channel))
    return y if bias is None else add(y, reshape(bias, per_channel))


@op
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of `weight` at the indices `input`."""
    return gather(weight, input, 0)


# resizing


@op
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Resized over the axes behind the second, to `size` or by `scale_factor`.

    `mode` is nearest, nearest-exact, linear, bilinear, trilinear, bicubic or area.
    """
    count = input.ndim - 2
    if (size is None) == (scale_factor is None):
        raise ShapeError("interpolate", "give either size or scale_factor")
    if mode == "area":
        return adaptive_pool(p.average_pool, input, target_size(input, size, scale_factor), count)
    kinds = {"nearest": "nearest", "nearest-exact": "nearest", "linear": "linear",
             "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}  # fmt: skip
    if mode not in kinds:
        raise ShapeError("interpolate", "there is no such mode", got=repr(mode))
    attrs: dict[str, Any] = {"mode": kinds[mode]} | corner_attrs(mode, align_corners)
    if scale_factor is not None and not recompute_scale_factor:
        scales = (scale_factor,) * count if isinstance(scale_factor, (int, float)) else scale_factor
        target: list[Tensor | None] = [constant((1.0, 1.0, *scales), dtypes.float32)]
    else:
        target = [None, constant((*input.shape[:2], *target_size(input, size, scale_factor)))]
    y: Tensor = p.resize(input, None, *target, **attrs)
    return y


def corner_attrs(mode: str, align_corners: bool | None) -> dict[str, Any]:
    """ONNX's attributes for where the samples lie."""
    if mode == "nearest":
        return {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if mode == "nearest-exact":
        return {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"}
    where_ = "align_corners" if align_corners else "half_pixel"
    cubic = {"cubic_coeff_a": -0.75} if mode == "bicubic" else {}
    return {"coordinate_transformation_mode": where_, **cubic}


def target_size(x: Tensor, size: Any, scale_factor: Any) -> tuple[int, ...]:
    """The sizes wanted, from `size` or from the input's times `scale_factor`."""
    own = x.shape[2:]
    if size is not None:
        return numbers(size, len(own))
    scales = (scale_factor,) * len(own) if isinstance(scale_factor, (int, float)) else scale_factor
    return tuple(math.floor(n * s) for n, s in zip(own, scales, strict=True))


upsample = alias("upsample", interpolate)


@op
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """`input` sampled at the points of `grid` (n, h', w', 2), in [-1, 1]."""
    kinds = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
    return p.grid_sample(
        input,
        grid,
        mode=kinds[mode],
        padding_mode=padding_mode,
        align_corners=int(bool(align_corners)),
    )
