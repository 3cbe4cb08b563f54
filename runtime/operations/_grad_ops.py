"""`mindspore.ops.operations._grad_ops`: the classes that compute gradients, by name.

    @gradient("TanhGrad")
    def tanh_grad(y, dy):
        return ops.mul(dy, ops.sub(1.0, ops.mul(y, y)))

Most are the pullback of their op: `pulled(function, inputs, g)`. They are no names of `ops`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from .. import ops
from ..failure import MissingNameError
from ..ops.shaping import sizes_of
from ..primitives import activation as a
from ..tensor import Tensor
from .operation import CLASSES, Primitive, class_of

GRADIENTS: dict[str, type[Primitive]] = {}
"""Every class by name."""

Reduction = Literal["none", "mean", "sum"]
Axes = int | tuple[int, ...]


def gradient(name: str) -> Callable[[Callable[..., Any]], type[Primitive]]:
    """Makes a function the class `name` of this module."""

    def register(function: Callable[..., Any]) -> type[Primitive]:
        if name in GRADIENTS:
            raise KeyError(f"there is a gradient {name} already")
        GRADIENTS[name] = globals()[name] = made = class_of(name, function)
        return made

    return register


def pulled(function: Callable[..., Any], inputs: tuple[Tensor, ...], g: Any) -> Any:
    """The gradients of the inputs, where `g` is the gradient of function(*inputs)."""
    from ..gradient import grad  # which needs the ops

    def total(*values: Tensor) -> Any:
        return ops.sum(ops.mul(function(*values), g))

    found = grad(total, tuple(range(len(inputs))))(*inputs)
    return found if len(inputs) > 1 else found[0] if isinstance(found, tuple) else found


def of_input(name: str, op: str, *, g_first: bool) -> None:
    """The gradient of an op of one Tensor, from its input; g comes before it or behind."""
    function = getattr(ops, op)

    @gradient(name)
    def made(first: Tensor, second: Tensor) -> Any:
        g, x = (first, second) if g_first else (second, first)
        return pulled(function, (x,), g)


for _name, _op in {
    "ReluGrad": "relu",
    "FastGeLUGrad": "fast_gelu",
    "HSwishGrad": "hardswish",
    "HSigmoidGrad": "hardsigmoid",
    "SiLUGrad": "silu",
    "SoftplusGrad": "softplus",
}.items():
    of_input(_name, _op, g_first=True)
for _name, _op in {
    "AbsGrad": "abs",
    "ACosGrad": "acos",
    "AsinGrad": "asin",
    "AtanGrad": "atan",
}.items():
    of_input(_name, _op, g_first=False)


@gradient("ReLU6Grad")
def relu6_grad(y_backprop: Tensor, x: Tensor) -> Any:
    return ops.where(ops.logical_and(ops.less(0, x), ops.less(x, 6)), y_backprop, 0.0)


@gradient("EluGrad")
def elu_grad(dout: Tensor, out: Tensor) -> Any:
    return ops.where(ops.less(0, out), dout, ops.mul(dout, ops.add(out, 1.0)))


@gradient("SeluGrad")
def selu_grad(gradient: Tensor, result: Tensor) -> Any:
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    slope = ops.where(ops.less(0, result), scale, ops.add(result, scale * alpha))
    return ops.mul(gradient, slope)


@gradient("SigmoidGrad")
def sigmoid_grad(y: Tensor, dy: Tensor) -> Any:
    return ops.mul(dy, ops.mul(y, ops.sub(1.0, y)))


@gradient("TanhGrad")
def tanh_grad(y: Tensor, dy: Tensor) -> Any:
    return ops.mul(dy, ops.sub(1.0, ops.mul(y, y)))


@gradient("SqrtGrad")
def sqrt_grad(dy: Tensor, y: Tensor) -> Any:
    """Here the first is the output, whatever the names say."""
    return ops.div(ops.mul(y, 0.5), dy)


@gradient("RsqrtGrad")
def rsqrt_grad(y_backprop: Tensor, x: Tensor) -> Any:
    """Here the first is the output, whatever the names say."""
    cube = ops.mul(ops.mul(y_backprop, y_backprop), y_backprop)
    return ops.mul(ops.mul(x, cube), -0.5)


def inverse_grad(y: Tensor, dy: Tensor) -> Any:
    return ops.neg(ops.mul(dy, ops.mul(y, y)))


gradient("ReciprocalGrad")(inverse_grad)
gradient("InvGrad")(inverse_grad)


@gradient("AcoshGrad")
def acosh_grad(out: Tensor, dout: Tensor) -> Any:
    return ops.div(dout, ops.sinh(out))


@gradient("AsinhGrad")
def asinh_grad(out: Tensor, dout: Tensor) -> Any:
    return ops.div(dout, ops.cosh(out))


@gradient("SoftmaxGrad")
def softmax_grad(y: Tensor, dy: Tensor) -> Any:
    return ops.mul(y, ops.sub(dy, ops.sum(ops.mul(dy, y), -1, True)))


@gradient("LogSoftmaxGrad")
def log_softmax_grad(logits: Tensor, grad: Tensor, *, axis: Any = -1) -> Any:
    return ops.sub(grad, ops.mul(ops.exp(logits), ops.sum(grad, axis, True)))


@gradient("GeLUGrad")
def gelu_grad(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return pulled(lambda v: ops.gelu(v, "tanh"), (x,), dy)


@gradient("HShrinkGrad")
def hard_shrink_grad(gradients: Tensor, features: Tensor, *, lambd: float | int = 0.5) -> Any:
    return pulled(lambda v: ops.hardshrink(v, lambd), (features,), gradients)


@gradient("SoftShrinkGrad")
def soft_shrink_grad(input_grad: Tensor, input_x: Tensor, *, lambd: float | int = 0.5) -> Any:
    return pulled(lambda v: ops.softshrink(v, lambd), (input_x,), input_grad)


@gradient("PReLUGrad")
def prelu_grad(dy: Tensor, x: Tensor, weight: Tensor) -> Any:
    return pulled(ops.prelu, (x, weight), dy)


@gradient("GluGrad")
def glu_grad(grads: Tensor, x: Tensor, *, axis: Any) -> Any:
    return pulled(lambda v: ops.glu(v, axis), (x,), grads)


@gradient("BiasAddGrad")
def bias_add_grad(dout: Tensor, *, data_format: Literal["NCHW", "NHWC", "NCDHW"] = "NCHW") -> Any:
    channel = dout.ndim - 1 if data_format == "NHWC" else 1
    return ops.sum(dout, tuple(k for k in range(dout.ndim) if k != channel))


@gradient("DropoutGrad")
def dropout_grad(dy: Tensor, mask: Tensor, *, keep_prob: float = 0.5) -> Any:
    return ops.mul(ops.mul(dy, mask), 1 / keep_prob)


def of_two(name: str) -> None:
    """The gradients of the larger or smaller of two; those that are equal go to the first."""
    chosen = {"MaximumGrad": ops.greater_equal, "MinimumGrad": ops.less_equal}[name]

    @gradient(name)
    def made(
        x1: Tensor, x2: Tensor, grads: Tensor, *, grad_x: Any = True, grad_y: Any = True
    ) -> Any:
        first = chosen(x1, x2)
        return pulled(lambda a, b: ops.where(first, a, b), (x1, x2), grads)


of_two("MaximumGrad")
of_two("MinimumGrad")


# losses


@gradient("SmoothL1LossGrad")
def smooth_l1_loss_grad(
    prediction: Tensor, target: Tensor, dout: Tensor, *, beta: float | int = 1.0,
    reduction: Reduction = "none",
) -> Any:  # fmt: skip
    loss_ = CLASSES["SmoothL1Loss"](beta, reduction)
    return pulled(lambda v: loss_(v, target), (prediction,), dout)


@gradient("SigmoidCrossEntropyWithLogitsGrad")
def sigmoid_cross_entropy_grad(x: Tensor, y: Tensor, dout: Tensor) -> Any:
    return ops.mul(ops.sub(a.sigmoid(x), y), dout)


@gradient("KLDivLossGrad")
def kl_div_grad(
    grad: Tensor, x: Tensor, target: Tensor, *,
    reduction: Literal["none", "mean", "batchmean", "sum"] = "mean",
) -> Any:  # fmt: skip
    return pulled(lambda v: ops.kl_div(v, target, reduction), (x,), grad)


@gradient("BinaryCrossEntropyGrad")
def binary_cross_entropy_grad(
    input: Tensor, target: Tensor, grad_output: Tensor, weight: Tensor | None = None, *,
    reduction: Reduction = "mean",
) -> Any:  # fmt: skip
    entropy = ops.binary_cross_entropy
    return pulled(lambda v: entropy(v, target, weight, reduction), (input,), grad_output)


@gradient("NLLLossGrad")
def nll_loss_grad(
    logits: Tensor, loss_grad: Tensor, labels: Tensor, weight: Tensor, total_weight: Tensor, *,
    reduction: Reduction = "mean", ignore_index: Any = -100,
) -> Any:  # fmt: skip
    nll = ops.nll_loss
    return pulled(lambda v: nll(v, labels, weight, ignore_index, reduction), (logits,), loss_grad)


@gradient("MultiMarginLossGrad")
def multi_margin_grad(
    y_grad: Tensor, x: Tensor, target: Tensor, weight: Tensor | None = None, *, p: int = 1,
    margin: float = 1.0, reduction: Reduction = "mean",
) -> Any:  # fmt: skip
    loss_ = CLASSES["MultiMarginLoss"](p, margin, reduction)
    return pulled(lambda v: loss_(v, target, weight), (x,), y_grad)


@gradient("SoftMarginLossGrad")
def soft_margin_grad(
    predict: Tensor, label: Tensor, dout: Tensor, *, reduction: Reduction = "mean"
) -> Any:
    return pulled(lambda v: ops.soft_margin_loss(v, label, reduction), (predict,), dout)


# windows


@gradient("MaxPoolGrad")
def max_pool_grad(
    x: Tensor, out: Tensor, dout: Tensor, *, kernel_size: Axes = 1, strides: Axes = 1,
    pad_mode: str = "VALID", data_format: Literal["NCHW"] = "NCHW",
) -> Any:  # fmt: skip
    return pulled(CLASSES["MaxPool"](short(kernel_size), short(strides), pad_mode), (x,), dout)


@gradient("AvgPoolGrad")
def avg_pool_grad(
    x: Tensor, out: Tensor, dout: Tensor, *, kernel_size: Axes = 1, strides: Axes = 1,
    pad_mode: str = "VALID", data_format: Literal["NCHW"] = "NCHW",
) -> Any:  # fmt: skip
    return pulled(CLASSES["AvgPool"](short(kernel_size), short(strides), pad_mode), (x,), dout)


def short(sizes: Axes) -> Axes:
    """Sizes without those of the batch and the channels."""
    return sizes[2:] if isinstance(sizes, tuple) and len(sizes) > 3 else sizes


@gradient("MaxPool3DGrad")
def max_pool_3d_grad(
    x_origin: Tensor, out_origin: Tensor, grad: Tensor, *, kernel_size: Axes = (1, 1, 1, 1, 1),
    strides: Axes = (1, 1, 1, 1, 1), pad_mode: str = "VALID", pad_list: Axes = 0,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> Any:  # fmt: skip
    return pulled(CLASSES["MaxPool3D"](kernel_size, strides, pad_mode, pad_list), (x_origin,), grad)


@gradient("AvgPool3DGrad")
def avg_pool_3d_grad(
    origin_input_shape: Any, grads: Tensor, *, kernel_size: Axes = 1, strides: Axes = 1,
    pads: Axes = 0, ceil_mode: bool = False, count_include_pad: bool = True,
    divisor_override: int = 0, data_format: Literal["NCDHW"] = "NCDHW", pad_mode: str = "pad",
) -> Any:  # fmt: skip
    options = (pad_mode, pads, ceil_mode, count_include_pad, divisor_override)
    pool = CLASSES["AvgPool3D"](kernel_size, strides, *options)
    return pulled(pool, (zeros_of(origin_input_shape, grads),), grads)


def zeros_of(shape: Any, like: Tensor) -> Any:
    """Zeros: where a gradient needs the shape of an input alone."""
    return ops.zeros(sizes_of(shape), like.dtype)


def scattered(x: Tensor, g: Tensor, places: Tensor, count: int) -> Any:
    """`g` added at `places` in the planes (the last `count` axes) of `x`."""
    batch = x.shape[: x.ndim - count]
    flat = ops.zeros_like(ops.reshape(x, (*batch, -1)))
    rows = [ops.reshape(t, (*batch, -1)) for t in (places, g)]
    return ops.reshape(ops.tensor_scatter_elements(flat, *rows, flat.ndim - 1, "add"), x.shape)


@gradient("MaxPoolGradWithArgmaxV2")
def max_pool_with_argmax_grad(
    x: Tensor, grad: Tensor, argmax: Tensor, *, kernel_size: Axes, strides: Any = None,
    pads: Axes = 0, dilation: Axes = (1, 1), ceil_mode: bool = False, argmax_type: Any = None,
) -> Any:  # fmt: skip
    return scattered(x, grad, argmax, 2)


@gradient("MaxPool3DGradWithArgmax")
def max_pool_3d_with_argmax_grad(
    x: Tensor, grads: Tensor, argmax: Tensor, *, ksize: Axes, strides: Axes, pads: Axes,
    dilation: Axes = (1, 1, 1), ceil_mode: bool = False,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> Any:  # fmt: skip
    return scattered(x, grads, argmax, 3)


@gradient("AdaptiveMaxPool2DGrad")
def adaptive_max_pool_2d_grad(y_grad: Tensor, x: Tensor, argmax: Tensor) -> Any:
    return scattered(x, y_grad, argmax, 2)


@gradient("AdaptiveMaxPool3DGrad")
def adaptive_max_pool_3d_grad(input_grad: Tensor, x: Tensor, argmax: Tensor) -> Any:
    return scattered(x, input_grad, argmax, 3)


@gradient("AdaptiveAvgPool2DGrad")
def adaptive_avg_pool_2d_grad(input_grad: Tensor, orig_input_shape: Any) -> Any:
    x = zeros_of(orig_input_shape, input_grad)
    return pulled(lambda v: ops.adaptive_avg_pool2d(v, input_grad.shape[-2:]), (x,), input_grad)


@gradient("AdaptiveAvgPool3DGrad")
def adaptive_avg_pool_3d_grad(y_grad: Tensor, orig_input_shape: Any) -> Any:
    x = zeros_of(orig_input_shape, y_grad)
    return pulled(lambda v: ops.adaptive_avg_pool3d(v, y_grad.shape[-3:]), (x,), y_grad)


@gradient("Conv2DBackpropFilter")
def conv_2d_backprop_filter(
    out_backprop: Tensor, input: Tensor, filter_sizes: Any, *, out_channel: int,
    kernel_size: Axes, pad_mode: str = "valid", pad: Axes = 0, pad_list: Any = (0, 0, 0, 0),
    mode: int = 1, stride: Axes = (1, 1), dilation: Axes = (1, 1, 1, 1), group: int = 1,
    data_format: Literal["NCHW"] = "NCHW",
) -> Any:  # fmt: skip
    conv = CLASSES["Conv2D"](out_channel, kernel_size, 1, pad_mode, pad, stride, dilation, group)
    w = zeros_of(filter_sizes, input)
    return pulled(lambda v: conv(input, v), (w,), out_backprop)


@gradient("Conv3DBackpropFilter")
def conv_3d_backprop_filter(
    x: Tensor, out_backprop: Tensor, filter_size: Any, *, out_channel: int, kernel_size: Axes,
    mode: int = 1, pad_mode: str = "valid", pad: Axes = 0, stride: Axes = (1, 1, 1, 1, 1),
    dilation: Axes = (1, 1, 1, 1, 1), group: int = 1, data_format: Literal["NCDHW"] = "NCDHW",
) -> Any:  # fmt: skip
    conv = CLASSES["Conv3D"](out_channel, kernel_size, 1, pad_mode, pad, stride, dilation, group)
    w = zeros_of(filter_size, x)
    return pulled(lambda v: conv(x, v), (w,), out_backprop)


# normalisation


@gradient("LayerNormGrad")
def layer_norm_grad(
    x: Tensor, dy: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor, *,
    begin_norm_axis: Any = 1, begin_params_axis: Any = 1,
) -> Any:  # fmt: skip
    norm = CLASSES["LayerNorm"](begin_norm_axis, begin_params_axis, 1e-12)
    inputs = (x, gamma, ops.zeros_like(gamma))
    return pulled(lambda *values: norm(*values)[0], inputs, dy)


@gradient("BatchNormGrad")
def batch_norm_grad(
    dout: Tensor, x: Tensor, scale: Tensor, saved_mean: Tensor, saved_variance: Tensor,
    reserve: Tensor, *, is_training: Any = False, epsilon: Any = 1e-5, data_format: Any = "NCHW",
) -> Any:  # fmt: skip
    def forward(v: Tensor, weight: Tensor, bias: Tensor) -> Any:
        statistics = (saved_mean, saved_variance)
        return CLASSES["BatchNorm"](is_training, epsilon)(v, weight, bias, *statistics)[0]

    return pulled(forward, (x, scale, ops.zeros_like(scale)), dout)


@gradient("L2NormalizeGrad")
def l2_normalize_grad(
    x: Tensor, y: Tensor, dout: Tensor, *, axis: Any = 0, epsilon: float | int = 1e-4
) -> Any:
    return pulled(CLASSES["L2Normalize"](axis, epsilon), (x,), dout)


@gradient("LRNGrad")
def lrn_grad(
    grads: Tensor, x: Tensor, y: Tensor, *, depth_radius: int = 5, bias: float = 1.0,
    alpha: float = 1.0, beta: float = 0.5,
) -> Any:  # fmt: skip
    return pulled(CLASSES["LRN"](depth_radius, bias, alpha, beta), (x,), grads)


# resizing


def of_images(name: str, forward: str) -> None:
    """The gradient of a resize function, of an image that is there, or of its sizes alone."""

    @gradient(name)
    def made(
        grads: Tensor, image: Any, *, align_corners: Any = False, half_pixel_centers: Any = False
    ) -> Any:
        resize = CLASSES[forward](align_corners, half_pixel_centers)
        if not isinstance(image, Tensor) or image.ndim == 1:
            image = zeros_of((*grads.shape[:2], *sizes_of(image)), grads)
        return pulled(lambda v: resize(v, grads.shape[2:]), (image,), grads)


for _name, _op in {
    "ResizeBilinearGrad": "ResizeBilinearV2",
    "ResizeBicubicGrad": "ResizeBicubic",
    "ResizeNearestNeighborGrad": "ResizeNearestNeighborV2",
    "ResizeNearestNeighborV2Grad": "ResizeNearestNeighborV2",
}.items():
    of_images(_name, _op)


@gradient("ResizeLinear1DGrad")
def resize_linear_1d_grad(
    grads: Tensor, x: Tensor, *,
    coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "align_corners",
) -> Any:  # fmt: skip
    resize = CLASSES["ResizeLinear1D"](coordinate_transformation_mode)
    return pulled(lambda v: resize(v, grads.shape[2:]), (x,), grads)


@gradient("UpsampleNearest3DGrad")
def upsample_nearest_3d_grad(
    dy: Tensor, input_size: Any, output_size: Any = None, scales: Any = None
) -> Any:
    up = CLASSES["UpsampleNearest3D"]()
    return pulled(lambda v: up(v, output_size, scales), (zeros_of(input_size, dy),), dy)


@gradient("UpsampleTrilinear3DGrad")
def upsample_trilinear_3d_grad(
    dy: Tensor, input_size: Any, output_size: Any = None, scales: Any = None, *,
    align_corners: Any = False,
) -> Any:  # fmt: skip
    up = CLASSES["UpsampleTrilinear3D"](align_corners)
    return pulled(lambda v: up(v, output_size, scales), (zeros_of(input_size, dy),), dy)


def grid_sampler_grad(name: str, forward: str) -> None:
    @gradient(name)
    def made(
        grad: Tensor,
        input_x: Tensor,
        grid: Tensor,
        *,
        interpolation_mode: Literal["bilinear", "nearest"] = "bilinear",
        padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
        align_corners: Any = False,
        output_mask: Any = (1, 1),
    ) -> Any:
        sampler = CLASSES[forward](interpolation_mode, padding_mode, align_corners)
        return pulled(sampler, (input_x, grid), grad)


grid_sampler_grad("GridSampler2DGrad", "GridSampler2D")
grid_sampler_grad("GridSampler3DGrad", "GridSampler3D")


# shapes


@gradient("FlattenGrad")
def flatten_grad(x: Tensor, shape: Any) -> Any:
    return ops.reshape(x, sizes_of(shape))


@gradient("SliceGrad")
def slice_grad(dy: Tensor, x: Tensor, begin: Any, size: Any) -> Any:
    return pulled(lambda v: ops.slice(v, begin, size), (x,), dy)


@gradient("StridedSliceGrad")
def strided_slice_grad(
    dy: Tensor, shapex: Any, begin: Any, end: Any, strides: Any, *, begin_mask: int = 0,
    end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0,
) -> Any:  # fmt: skip
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    cut = ops.strided_slice
    x = zeros_of(shapex, dy)
    return pulled(lambda v: cut(v, begin, end, strides, *masks), (x,), dy)


@gradient("MaskedSelectGrad")
def masked_select_grad(input: Tensor, mask: Tensor, grad: Tensor) -> Any:
    return pulled(lambda v: ops.masked_select(v, mask), (input,), grad)


@gradient("GatherDGradV2")
def gather_elements_grad(x: Tensor, dim: int, index: Tensor, dout: Tensor) -> Any:
    return pulled(lambda v: ops.gather_elements(v, dim, index), (x,), dout)


def __getattr__(name: str) -> Any:
    """Raises: MS301 with the nearest gradient that there is."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise MissingNameError.of("_grad_ops", name, GRADIENTS)
