"""Normalisation, and what is added to channels."""

from __future__ import annotations

from typing import Any, Literal

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from ..ops.activation import FLOATS, check_elements
from ..ops.normalization import move
from ..ops.shaping import axis_of
from ..ops.window import check_rank
from ..primitives.normalization_vjp import batch_normalised
from .operation import operation


@operation("BatchNorm")
def batch_norm(
    input_x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
    *,
    is_training: Any = False,
    epsilon: Any = 1e-5,
    momentum: Any = 0.1,
    data_format: Any = "NCHW",
) -> Any:
    """In training the parameters `mean` and `variance` are moved towards the batch's.

    Gives y, the two statistics of the batch, and both again, as they are kept for the gradient.
    """
    check_type("BatchNorm", "is_training", is_training, bool)
    check_elements("BatchNorm", input_x, *FLOATS)
    if not is_training:
        y = ops.batch_norm(input_x, mean, variance, scale, bias, False, momentum, epsilon)
        return y, mean, variance, mean, variance
    y, mean_, var_ = batch_normalised(input_x, scale, bias, epsilon)
    count = input_x.size // input_x.shape[1]
    for running, new in ((mean, mean_), (variance, ops.mul(var_, count / max(count - 1, 1)))):
        if running.variable:
            move(running, new, momentum)
    return y, mean_, var_, mean_, var_


@operation("LayerNorm")
def layer_norm(
    input_x: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    begin_norm_axis: Any = 1,
    begin_params_axis: Any = 1,
    epsilon: Any = 1e-7,
) -> Any:
    """Normalised over the axes from `begin_norm_axis` on; the mean and the variance in float32."""
    check_elements("LayerNorm", input_x, *FLOATS)
    first = axis_of(begin_norm_axis, input_x.ndim, "LayerNorm")
    behind = axis_of(begin_params_axis, input_x.ndim, "LayerNorm")
    if gamma.shape != input_x.shape[behind:] or beta.shape != gamma.shape:
        raise ShapeError("LayerNorm", "gamma and beta have another shape", got=str(gamma.shape),
                         expected=str(input_x.shape[behind:]))  # fmt: skip
    x = convert(input_x, dtypes.float32) if input_x.dtype is dtypes.float16 else input_x
    axes = tuple(range(first, x.ndim))
    mean = ops.mean(x, axes, True)
    variance = ops.mean(ops.square(ops.sub(x, mean)), axes, True)
    normal = ops.div(ops.sub(x, mean), ops.sqrt(ops.add(variance, epsilon)))
    y = ops.add(ops.mul(normal, convert(gamma, x.dtype)), convert(beta, x.dtype))
    return convert(y, input_x.dtype), ops.stop_gradient(mean), ops.stop_gradient(variance)


def check_lrn(**attrs: Any) -> None:
    check_int("LRN", "depth_radius", attrs["depth_radius"], 0)


@operation("LRN", check_lrn)
def lrn(
    x: Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: Literal["ACROSS_CHANNELS"] = "ACROSS_CHANNELS",
) -> Any:
    check_elements("LRN", x, *FLOATS)
    check_rank("LRN", x, 4)
    return ops.lrn(x, depth_radius, bias, alpha, beta, norm_region)


def check_l2_normalize(axis: Any, epsilon: Any) -> None:
    check_type("L2Normalize", "axis", axis, int, list, tuple)
    if not isinstance(axis, int) and len(axis) != 1:
        raise ElementTypeError("L2Normalize", "axis must be one", got=str(axis))


@operation("L2Normalize", check_l2_normalize)
def l2_normalize(input_x: Tensor, *, axis: Any = 0, epsilon: int | float = 1e-4) -> Any:
    """x / sqrt(max(the sum of squares along `axis`, epsilon))."""
    check_elements("L2Normalize", input_x, *FLOATS)
    place = axis_of(axis if isinstance(axis, int) else axis[0], input_x.ndim, "L2Normalize")
    squares = ops.sum(ops.square(input_x), place, True)
    return ops.div(input_x, ops.sqrt(ops.maximum(squares, epsilon)))


@operation("BiasAdd")
def bias_add(
    input_x: Tensor, bias: Tensor, *, data_format: Literal["NCHW", "NHWC", "NCDHW"] = "NCHW"
) -> Any:
    return ops.add(input_x, bias) if data_format == "NHWC" else ops.bias_add(input_x, bias)
