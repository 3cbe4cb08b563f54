"""Pooling layers, pools by norms, with random windows, and undone."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

rows(
    "ops.lp_pool1d(x(2, 3, 6), 1, 3, 1)",
    "ops.lp_pool1d(x(3, 6, low=0.1), 2.5, 2)",
    "ops.lp_pool1d(x(2, 3, 7), 2, 3, 2, True)",
    "ops.lp_pool2d(x(2, 3, 6, 6), 2, 3, 2)",
    "ops.lp_pool2d(x(2, 3, 6, 6, low=0.1), 3.0, (2, 3), ceil_mode=True)",
    "ops.max_unpool1d(x(1, 2, 2), ms.Tensor([[[1, 3], [0, 2]]]), 2)",
    "ops.max_unpool1d(x(2, 2), ms.Tensor([[1, 3], [0, 2]]), 2, 2, 0, (5,))",
    "ops.max_unpool2d(x(1, 1, 2, 2), ms.Tensor([[[[0, 3], [9, 11]]]]), 2)",
    "ops.max_unpool2d(x(1, 2, 2), ms.Tensor([[[0, 3], [9, 11]]], ms.int32), 2, 2, 0, (1, 5, 5))",
    "ops.max_unpool3d(x(1, 1, 1, 2, 2), ms.Tensor([[[[[0, 3], [9, 31]]]]]), 2)",
    "ops.max_unpool3d(x(1, 1, 2, 2), ms.Tensor([[[[0, 3], [9, 31]]]]), 2)",
    "ops.fractional_max_pool2d(x(2, 3, 7, 9), 2, (3, 4), return_indices=True, "
    "_random_samples=x(2, 3, 2, low=0.0) / 4)",
    "ops.fractional_max_pool2d(x(3, 7, 9), (2, 3), output_ratio=(0.5, 0.5), "
    "_random_samples=x(1, 3, 2, low=0.0) / 4)",
    "ops.fractional_max_pool3d(x(2, 3, 5, 7, 9), 2, (2, 3, 4), return_indices=True, "
    "_random_samples=x(2, 3, 3, low=0.0) / 4)",
    "ops.fractional_max_pool3d(x(3, 5, 7, 9), (1, 2, 3), output_ratio=(0.5, 0.5, 0.5), "
    "_random_samples=x(1, 3, 3, low=0.0) / 4)",
    "nn.MaxPool2d(2, 1, 'pad', 1, return_indices=True)(x(1, 2, 4, 5))",
    "nn.MaxPool1d(2, 1, 'pad', 1, return_indices=True)(x(2, 4))",
    "nn.MaxPool3d(2, 1, 'pad', 1, 1, True)(x(1, 2, 3, 3, 4))",
    "nn.MaxPool2d(2, 2, 'pad', (0, 1), 1, False, True)(x(2, 4, 5))",
    "nn.AdaptiveMaxPool2d((2, 3), True)(x(1, 2, 5, 7))",
    "nn.AdaptiveMaxPool3d((2, 3, 2))(x(1, 2, 5, 7, 4))",
    "nn.AdaptiveMaxPool3d(2, True)(x(2, 5, 7, 4))",
    "nn.AdaptiveMaxPool1d(3)(x(2, 3, 6))",
    "nn.LPPool1d(2, 3)(x(2, 3, 6))",
    "nn.LPPool2d(2, (2, 3), 2)(x(2, 3, 6, 6))",
    "nn.MaxUnpool1d(2)(x(1, 2, 2), ms.Tensor([[[1, 3], [0, 2]]]))",
    "nn.MaxUnpool2d(2)(x(1, 1, 2, 2), ms.Tensor([[[[0, 3], [9, 11]]]]), (1, 1, 5, 5))",
    "nn.MaxUnpool3d(2)(x(1, 1, 1, 2, 2), ms.Tensor([[[[[0, 3], [9, 31]]]]]))",
    "nn.FractionalMaxPool2d(2, (3, 4), None, True, x(2, 3, 2, low=0.0) / 4)(x(2, 3, 7, 9))",
    "nn.FractionalMaxPool3d(2, None, (0.5, 0.5, 0.5), True, x(2, 3, 3, low=0.0) / 4)"
    "(x(2, 3, 5, 7, 9))",
    "nn.RReLU()(x(3, 4, low=0.0))",
    "nn.RReLU(0.25, 0.25)(x(3, 4))",
    "nn.AvgPool1d(3, 2)(x(2, 3, 4))",
    "nn.AvgPool1d(3, 2)(x(3, 7))",
    "ops.fractional_max_pool2d(x(2, 3, 7, 9), 2, (3, 4), (0.5, 0.5), False, x(2, 3, 2, "
    "low=0.0) / 4)",
    "nn.AvgPool1d((2,), pad_mode='pad')(x(2, 3, 5))",
)
rows(
    "nn.AvgPool2d(2, 2, 'pad', 1, False, False, 3)(x(2, 3, 4, 4))",
    gradient=False,
    because="MindSpore's gradient divides by what a window counts, its pool by the divisor",
)
refused(
    "ops.lp_pool1d(x(2, 3, 6), 0, 3, 1)",
    "ops.lp_pool1d(x(2, 3, 6), '1', 3, 1)",
    "ops.max_unpool2d(x(1, 1, 2, 2), ms.Tensor([[[0, 3], [9, 11]]]), 2)",
    "ops.max_unpool2d(x(1, 1, 2, 2), ms.Tensor([[[[0, 3], [9, 11]]]]), 2, output_size=[4, 4])",
    "ops.max_unpool2d(x(1, 1, 2, 2), ms.Tensor([[[[0, 3], [9, 11]]]]), 2, output_size=(9, 9))",
    "ops.fractional_max_pool2d(x(2, 3, 7, 9), 2)",
    "ops.fractional_max_pool2d(x(2, 3, 7, 9), 2, output_ratio=(1.5, 0.5))",
    "ops.fractional_max_pool2d(x(2, 3, 7, 9), 2, (3, 4), return_indices=1)",
    "nn.MaxPool2d(2, return_indices=True)",
    "nn.MaxPool2d(2, dilation=2)",
    "nn.MaxPool2d(2, ceil_mode=True)",
    "nn.MaxPool2d(0)",
    "nn.MaxPool2d(2, 0)",
    "nn.MaxPool2d('2')",
    "nn.MaxPool2d(2, pad_mode='full')",
    "nn.MaxPool2d(2, pad_mode=1)",
    "nn.MaxPool2d((1, 2, 3), pad_mode='pad')",
    "nn.MaxPool2d(2, 1, 'pad', (1, 2, 3))",
    "nn.MaxPool1d(2.0)",
    "nn.MaxPool1d((2,))",
    "nn.MaxPool2d(2, 1, 'pad', -1)",
    "nn.MaxPool2d(2, data_format='NHWC')",
    "nn.AvgPool2d(2, divisor_override=0)",
    "nn.AvgPool2d(2, pad_mode='full')",
    "nn.AvgPool2d(-2)",
    "nn.AvgPool2d(2, 1, 'pad', (1, 2, 3))",
    "nn.AdaptiveAvgPool1d(0)",
    "nn.AdaptiveAvgPool1d(2.0)",
    "nn.AdaptiveMaxPool1d(0)",
    "nn.RReLU(0.5, 0.25)",
    "nn.RReLU('1')",
)
