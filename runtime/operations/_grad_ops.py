"""`mindspore.ops.operations._grad_ops`: the classes that compute gradients, by name.

    @gradient("TanhGrad")
    def tanh_grad(y, dy):
        return ops.mul(dy, ops.sub(1.0, ops.mul(y, y)))

Most are the pullback of their op: `pulled(function, inputs, g)`. They are no names of `ops`.
"""

from __future__ import annotations

from typing import Any, Literal

from .. import ops
from ..engine.failure import missing_names
from ..engine.tensor import Tensor
from ..ops.shaping import sizes_of
from . import grad_elementwise
from .grad_class import GRADIENTS, gradient, pulled, zeros_of
from .operation import CLASSES

__all__ = ["grad_elementwise"]

Axes = int | tuple[int, ...]


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
    return pulled(
        CLASSES["MaxPool3D"](short(kernel_size), short(strides), pad_mode, pad_list),
        (x_origin,),
        grad,
    )


@gradient("AvgPool3DGrad")
def avg_pool_3d_grad(
    origin_input_shape: Any, grads: Tensor, *, kernel_size: Axes = 1, strides: Axes = 1,
    pads: Axes = 0, ceil_mode: bool = False, count_include_pad: bool = True,
    divisor_override: int = 0, data_format: Literal["NCDHW"] = "NCDHW", pad_mode: str = "pad",
) -> Any:  # fmt: skip
    options = (pad_mode, pads, ceil_mode, count_include_pad, divisor_override)
    pool = CLASSES["AvgPool3D"](short(kernel_size), short(strides), *options)
    return pulled(pool, (zeros_of(origin_input_shape, grads),), grads)


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
    steps = (short(stride), short(dilation))
    conv = CLASSES["Conv3D"](out_channel, kernel_size, 1, pad_mode, pad, *steps, group)
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


@gradient("MirrorPadGrad")
def mirror_pad_grad(
    dy: Tensor, paddings: Tensor, *, mode: Literal["REFLECT", "SYMMETRIC"] = "REFLECT"
) -> Any:
    pairs = zip(dy.shape, paddings.asnumpy().tolist(), strict=True)
    x = zeros_of(tuple(n - sum(pair) for n, pair in pairs), dy)
    return pulled(lambda v: ops.mirror_pad(v, paddings, mode), (x,), dy)


@gradient("TraceGrad")
def trace_grad(y_grad: Tensor, x_shape: Any) -> Any:
    return pulled(ops.trace, (zeros_of(x_shape, y_grad),), y_grad)


@gradient("MaxUnpool2DGrad")
def max_unpool_2d_grad(
    x: Tensor, grads: Tensor, argmax: Tensor, *, ksize: Axes, strides: Axes = 0, pads: Axes = 0,
    output_shape: tuple[int, ...] = (), data_format: Literal["NCHW", "NHWC"] = "NCHW",
) -> Any:  # fmt: skip
    options = (short(ksize), short(strides), short(pads), output_shape, data_format)
    return pulled(lambda v: CLASSES["MaxUnpool2D"](*options)(v, argmax), (x,), grads)


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


globals().update(GRADIENTS)


__getattr__ = missing_names("_grad_ops", GRADIENTS)
