"""Normalisation, and embedding."""

from __future__ import annotations

from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_tensors, check_type
from ..engine.failure import ShapeError
from ..engine.parameter import assign
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..primitives import layer as p
from ..primitives.normalization_vjp import batch_normalised
from .activation import FLOATS, check_elements
from .arithmetic import add, mul
from .registry import op
from .shaping import broadcast_to, gather, reshape
from .state import stop_gradient
from .window import check_rank, numbers


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
    check_int("lrn", "depth_radius", depth_radius, 0)
    for name, number in (("bias", bias), ("alpha", alpha), ("beta", beta)):
        check_type("lrn", name, number, float)
    check_choice("lrn", "norm_region", norm_region, ("ACROSS_CHANNELS",))
    check_elements("lrn", x, *FLOATS)
    check_rank("lrn", x, 4)
    span = 2 * depth_radius + 1
    return p.lrn(x, size=span, bias=float(bias), alpha=float(alpha) * span, beta=float(beta))


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
    check_type("batch_norm", "training", training, bool)
    check_tensors("batch_norm", input_x=input_x, weight=weight, bias=bias)
    check_rank("batch_norm", input_x, 2, 3, 4, 5)
    for x in (running_mean, running_var, weight, bias):
        if x.shape != input_x.shape[1:2]:
            raise ShapeError("batch_norm", "needs one number for each channel", got=str(x.shape))
    if training:
        y, mean_, var_ = batch_normalised(input_x, weight, bias, eps)
        count = input_x.size // input_x.shape[1]
        move(running_mean, mean_, momentum)
        move(running_var, mul(var_, count / max(count - 1, 1)), momentum)
        return y
    mean_, var_ = stop_gradient(running_mean), stop_gradient(running_var)
    return p.batch_normalization(input_x, weight, bias, mean_, var_, epsilon=eps)


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
    return layer_normalised(input, scale, bias, -len(shape), eps)


def layer_normalised(
    x: Tensor, scale: Tensor, bias: Tensor | None, axis: int, eps: float
) -> Tensor:
    """Over the axes from `axis`, in the element type of `x`; its weights may have a wider one."""
    kinds = {part.dtype for part in (x, scale, bias) if part is not None}
    if len(kinds) == 1:
        return p.layer_normalization(x, scale, bias, axis=axis, epsilon=eps)
    wide = dtypes.float64 if dtypes.float64 in kinds else dtypes.float32
    b = None if bias is None else convert(bias, wide)
    y = p.layer_normalization(convert(x, wide), convert(scale, wide), b, axis=axis, epsilon=eps)
    return convert(y, x.dtype)


@op
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalised over each of `num_groups` groups of channels: (n, c, *sizes)."""
    check_tensors("group_norm", weight=weight, bias=bias)
    check_elements("group_norm", input, *FLOATS)
    check_int("group_norm", "num_groups", num_groups, 1)
    check_type("group_norm", "eps", eps, float)
    n, c = input.shape[:2]
    for x in (weight, bias):
        if c % num_groups or (x is not None and x.shape != (c,)):
            raise ShapeError("group_norm", "the groups or the weights do not fit the channels",
                             got=str(input.shape))  # fmt: skip
    single = dtypes.float32 if input.dtype is dtypes.float64 else input.dtype  # nothing is wider
    one, zero = (broadcast_to(constant(v, single), (num_groups,)) for v in (1, 0))
    grouped = convert(reshape(input, (n, num_groups, -1)), single)
    y = convert(p.instance_normalization(grouped, one, zero, epsilon=eps), input.dtype)
    y = reshape(y, input.shape)
    per_channel = (c,) + (1,) * (input.ndim - 2)
    y = y if weight is None else mul(y, reshape(weight, per_channel))
    return y if bias is None else add(y, reshape(bias, per_channel))


@op
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of `weight` at the indices `input`."""
    return gather(weight, input, 0)
