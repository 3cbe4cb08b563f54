"""torch and torch.Tensor: quantized tensors."""

from ..families import missing
from ..rule import Rule

NONE = (
    "MindSpore has no quantized tensors: keep floats, or quantize the trained network with "
    "MindSpore Golden Stick"
)

RULES = (
    Rule(
        "torch.fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max)",
        "compat.fake_quantize(input, scale, zero_point, quant_min, quant_max)",
        example=(
            "torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -8, 7)",
            "torch.fake_quantize_per_tensor_affine(x, 0.05, 10, 0, quant_max=31)",
        ),
    ),
    Rule(
        "torch.fake_quantize_per_channel_affine("
        "input, scale, zero_point, axis, quant_min, quant_max)",
        "compat.fake_quantize(input, scale, zero_point, quant_min, quant_max, axis)",
        example=(
            "torch.fake_quantize_per_channel_affine(x, p[0], torch.zeros_like(v), 1, -8, 7)",
            "torch.fake_quantize_per_channel_affine(x, p[:, 0], order.int(), 0, 0, 15)",
        ),
    ),
    *missing(
        NONE,
        "torch.quantize_per_tensor(input, scale, zero_point, dtype)",
        "torch.quantize_per_channel(input, scales, zero_points, axis, dtype)",
        "torch.quantize_per_tensor_dynamic(input, dtype, reduce_range)",
        "torch.dequantize(tensor)",
        "torch.Tensor.dequantize(self)",
        "torch.Tensor.int_repr(self)",
        "torch.Tensor.q_per_channel_axis(self)",
        "torch.Tensor.q_per_channel_scales(self)",
        "torch.Tensor.q_per_channel_zero_points(self)",
        "torch.Tensor.q_scale(self)",
        "torch.Tensor.q_zero_point(self)",
        "torch.Tensor.qscheme(self)",
        "torch.quantized_batch_norm("
        "input, weight, bias, mean, var, eps, output_scale, output_zero_point)",
        "torch.quantized_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)",
        "torch.quantized_max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)",
    ),
)
