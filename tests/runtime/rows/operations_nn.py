"""Primitive classes of activations, convolutions, pools, losses and normalisation."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, refused, rows

for name in (
    "ReLU", "ReLU6", "HSwish", "HSigmoid", "Mish", "Sigmoid", "Softsign", "Tanh", "GeLU",
    "Gelu", "FastGeLU", "FastGelu", "Softplus", "Elu", "CeLU", "HShrink", "SoftShrink", "GLU",
    "Softmax", "LogSoftmax",
):  # fmt: skip
    rows(f"P.{name}()(x(2, 4))", f"P.{name}()(x(2, 4, dtype='float16'))")
rows(
    "P.SeLU()(x(2, 4))",
    gradient=False,
    because="MindSpore takes Elu's gradient of SeLU's output, which is another",
)
rows("P.ReLU()(x(3, dtype='bool_'))", "P.ReLU()(ms.Tensor([-3, 2], ms.int8))")
rows("P.SeLU()(x(3, dtype='int32'))", "P.HSwish()(ms.Tensor([-3, -2, 1, 2], ms.int32))")
rows("P.HSigmoid()(ms.Tensor([-3, -2, 1, 2, 3], ms.int32))", "P.Softmax((0,))(x(2, 3))")
rows("P.CeLU(2.0)(x(5))", "P.HShrink(1)(x(5))", "P.SoftShrink(1.0)(x(5))", "P.GLU(0)(x(4, 3))")
rows("P.PReLU()(x(2, 3, 4), x(3, seed=1))", "P.PReLU()(x(2, 3), x(1))", "P.LogSoftmax(0)(x(2, 3))")
rows(
    "P.Dropout(1.0)(x(2, 3))",
    "P.Dropout2D(1.0)(x(1, 2, 2, 2))",
    "P.Dropout3D(1.0)(x(1, 2, 2, 2, 2))",
)
rows("ops.fast_gelu(x(2, 3))", "ops.rrelu(x(2, 3), 0.25, 0.25)", "ops.softplus(x(5), 2, 3)")
rows(
    "ops.tanhshrink(x(3, dtype='int32'))",
    "ops.glu(x(4, 3), 0)",
    "ops.softmax(x(2, 3), 0, dtype=ms.float64)",
)
rows("ops.threshold(x(5, dtype='int32'), 1, 5.7)", "ops.hardtanh(x(5, dtype='int32'), 2, 3)")
refused("P.Softmax(1.5)", "P.Softmax(3)(x(2, 3))", "P.Softmax((0, 1))(x(2, 3))", "P.GeLU(1)")
refused(
    "P.HShrink('x')", "P.SoftShrink('x')", "P.Dropout2D(1)", "P.Dropout2D(2.0)", "P.GLU(2)(x(2, 4))"
)
refused("P.Dropout2D(0.5)(x(2, 3))", "P.Dropout3D(0.5)(x(2, 3))", "P.Dropout(2.0)(x(3))")
for name in (
    "Sigmoid", "Tanh", "Softmax", "GeLU", "ReLU6", "Elu", "HShrink", "SoftShrink", "Softplus",
    "Softsign", "Mish", "CeLU", "LogSoftmax", "FastGeLU", "GLU",
):  # fmt: skip
    refused(f"P.{name}()(x(2, 4, dtype='int32'))")
for name in (
    "softmax", "log_softmax", "relu6", "elu", "celu", "gelu", "sigmoid", "tanh", "silu", "softplus",
    "hardshrink", "softshrink", "mish", "softsign", "logsigmoid", "softmin", "glu", "dropout",
):  # fmt: skip
    refused(f"ops.{name}(x(2, 4, dtype='int32'))")
refused("ops.gelu(x(3), 'foo')", "ops.softmax(x(2, 3), (0, 1))", "ops.softmax(x(2, 3), 1.0)")
refused("ops.celu(x(3), 0.0)", "ops.celu(x(3), 1)", "ops.leaky_relu(x(3), 'x')", "ops.relu(3)")
refused("ops.softplus(x(3), 0)", "ops.softshrink(x(3), -1.0)", "ops.hardtanh(x(3), 'x', 1)")
refused("ops.prelu(x(2, 3, 4), x(4))", "ops.prelu(x(3), x(1, 1))", "ops.prelu(x(3), 0.25)")
refused("ops.rrelu(x(3), 0.5, 0.1)", "ops.rrelu(x(3), 'x', 0.1)", "ops.glu(x(2, 3))", "ops.glu(3)")
refused("ops.dropout(x(3), 1.5)", "ops.dropout(x(3), 1)", "ops.dropout(x(3), 0.5, 1)")
refused(
    "ops.dropout(x(3), 0.5, True, 1.5)", "ops.threshold(x(3), 'x', 1)", "ops.threshold(3, 1, 1)"
)
for kind in ("x(2, 3, 7, 6)", "x(1, 2, 6, 5, dtype='float16')", "x(1, 2, 6, 5, dtype='int32')"):
    rows(
        f"ops.max_pool2d({kind}, 2, return_indices=True)",
        f"ops.max_pool2d({kind}, 3, 2, 1, return_indices=True)",
        f"ops.max_pool2d({kind}, (3, 2), (1, 2), (1, 0), 1, True, True)",
        f"ops.max_pool2d({kind}, 2, 1, 0, 2)",
    )
rows("ops.max_pool3d(x(1, 2, 4, 5, 6), 2, return_indices=True)")
rows("ops.max_pool3d(x(1, 2, 4, 5, 6), (3, 2, 3), 2, (1, 0, 1), 1, True)")
rows("ops.adaptive_max_pool1d(x(2, 3, 6), 2)", "ops.adaptive_avg_pool1d(x(2, 3, 6), 3)")
rows(
    "ops.adaptive_max_pool2d(x(2, 3, 7, 5), (3, None), True)",
    "ops.adaptive_max_pool2d(x(3, 7, 5), 2)",
)
rows(
    "ops.adaptive_max_pool3d(x(2, 5, 4, 3), 2, True)",
    "ops.adaptive_max_pool3d(x(1, 2, 5, 4, 3), (2, 1, 3))",
)
rows(
    "ops.adaptive_avg_pool2d(x(1, 2, 5, 5), 7)",
    "ops.adaptive_avg_pool3d(x(2, 5, 4, 3), (2, None, 2))",
)
rows(
    "ops.avg_pool1d(x(1, 2, 7), 3, 2, 1, True, False)", "ops.avg_pool1d(x(1, 2, 7), 2, 2, 1, True)"
)
rows(
    "ops.avg_pool2d(x(1, 2, 7, 6), 3, 2, 1, True, False)",
    "ops.avg_pool2d(x(1, 2, 7, 6), 3, 2, 1, False, True, 5)",
)
rows("ops.avg_pool2d(x(1, 2, 7, 6, dtype='float16'), (3, 2), (2, 1), (1, 1, 0, 1))")
rows("ops.avg_pool2d(x(1, 2, 7, 6), 3, 1, (1, 0, 1, 1))")
rows(
    "ops.avg_pool3d(x(1, 2, 4, 5, 6), 2, 1, 1, True, False, 3)",
    gradient=False,
    because="MindSpore's gradient divides by what it counted, not by divisor_override",
)
refused(
    "ops.max_pool2d(x(1, 3, 3), 2)",
    "ops.max_pool2d(x(1, 1, 5, 5), 'x')",
    "ops.max_pool2d(x(1, 1, 5, 5), 0)",
)
refused("ops.max_pool2d(x(1, 1, 5, 5), 2, 0)", "ops.max_pool2d(x(1, 1, 5, 5), 2, 1, 2)")
refused("ops.max_pool2d(x(1, 1, 5, 5), 2, 1, -1)", "ops.max_pool2d(x(1, 1, 5, 5), 2, 1, 0, 'x')")
refused(
    "ops.max_pool2d(x(1, 1, 5, 5), 2, 1, 0, 1, False, 1)",
    "ops.max_pool2d(x(1, 1, 5, 5), (2, 2, 2))",
)
refused("ops.max_pool3d(x(1, 2, 2, 3), 2)")
refused("ops.adaptive_avg_pool1d(x(1, 5), 2)", "ops.adaptive_avg_pool1d(x(1, 1, 6), (2,))")
refused("ops.adaptive_avg_pool1d(x(1, 1, 6), -1)", "ops.adaptive_avg_pool2d(x(1, 5), 2)")
refused(
    "ops.adaptive_avg_pool2d(x(1, 1, 5, 5), 'x')",
    "ops.adaptive_avg_pool2d(x(1, 1, 5, 5), (1, 2, 3))",
)
refused(
    "ops.adaptive_avg_pool2d(x(1, 1, 5, 5), -2)",
    "ops.avg_pool1d(x(1, 5), 2)",
    "ops.avg_pool1d(x(1, 1, 5), 2.0)",
)
refused(
    "ops.avg_pool1d(x(1, 1, 5), 0)",
    "ops.avg_pool1d(x(1, 1, 5), 2, 1, 2)",
    "ops.avg_pool2d(x(1, 5, 5), 2)",
)
refused("ops.avg_pool2d(x(1, 1, 5, 5), 2, 1, 2)", "ops.avg_pool2d(x(1, 1, 5, 5), 'x')")
refused("ops.avg_pool2d(x(1, 1, 5, 5), 2, 'x')", "ops.avg_pool2d(x(1, 1, 5, 5), (2, 2, 2))")
refused("ops.avg_pool2d(x(1, 1, 5, 5), 2, 0)", "ops.avg_pool2d(x(1, 1, 5, 5), 2, 1, -1)")
refused(
    "ops.avg_pool2d(x(1, 1, 5, 5), 2, 1, 0, 1)", "ops.avg_pool2d(x(1, 1, 5, 5), 2, 1, 0, False, 1)"
)
refused("ops.avg_pool2d(x(1, 1, 5, 5), 2, 1, 0, False, True, -1)", "ops.avg_pool2d([1.0], 2)")
rows(
    "ops.avg_pool2d(x(1, 2, 7, 6), 3, 2, 1, True, True, 5)",
    "ops.avg_pool2d(x(1, 2, 7, 6), 3, 3, 1, True, True, 5)",
)
refused("ops.avg_pool2d(x(1, 1, 5, 5), 2, 1, (1, 0))", "ops.avg_pool1d(x(1, 1, 5), 2, 1, (1, 0))")
for attrs in (
    "2, 3", "2, (3, 2), stride=2", "2, 3, pad_mode='same', stride=2", "4, 3, group=2, dilation=2",
    "2, 3, pad_mode='pad', pad=(1, 0, 2, 1), dilation=(1, 2)", "2, 3, pad_mode='pad', pad=1",
):  # fmt: skip
    kernel = "(3, 2)" if "(3, 2)" in attrs else "(3, 3)"
    shape = "4, 1" if "group" in attrs else "2, 2"
    rows(f"P.Conv2D({attrs})(x(1, 2, 8, 7), x({shape}, *{kernel}))")
rows(
    "P.Conv2D(2, 3)(x(1, 2, 5, 5, dtype='float16'), x(2, 2, 3, 3, dtype='float16'))", tolerance=3e-3
)
rows(
    "P.Conv2DTranspose(2, 3, 'same', stride=2)(x(1, 2, 3, 3), x(2, 2, 3, 3), (1, 2, 6, 6))",
    "P.Conv2DTranspose(2, 3, stride=2)(x(1, 2, 3, 3), x(2, 2, 3, 3), (1, 2, 8, 7))",
    "P.Conv2DTranspose(2, 3, 'pad', 1, stride=2)(x(1, 2, 3, 3), x(2, 2, 3, 3), (1, 2, 5, 6))",
    "P.Conv2DBackpropInput(2, 3)(x(1, 2, 3, 3), x(2, 2, 3, 3), (1, 2, 5, 5))",
    "P.Conv3D(2, 2)(x(1, 2, 3, 3, 3), x(2, 2, 2, 2, 2))",
    "P.Conv3D(2, 2, pad_mode='same', stride=2)(x(1, 2, 3, 3, 3), x(2, 2, 2, 2, 2))",
    "P.Conv3D(4, (2, 1, 2), group=2, pad_mode='pad', pad=1)(x(1, 4, 3, 3, 3), x(4, 2, 2, 1, 2))",
    "P.Conv3DTranspose(2, 3, 2)(x(1, 2, 3, 3, 3), x(2, 3, 2, 2, 2))",
    "P.Conv3DTranspose(2, 3, 3, pad_mode='same', stride=2)(x(1, 2, 3, 3, 3), x(2, 3, 3, 3, 3))",
    "P.Conv3DTranspose(2, 3, 3, pad_mode='pad', pad=1, stride=2, output_padding=1)"
    "(x(1, 2, 3, 2, 3), x(2, 3, 3, 3, 3))",
    "ops.conv3d_transpose(x(1, 2, 3, 3, 2), x(2, 3, 3, 3, 3), 'pad', 1, 2, output_padding=1)",
)
for pool in ("MaxPool", "AvgPool"):
    rows(
        f"P.{pool}(2)(x(1, 2, 5, 4))",
        f"P.{pool}((3, 2), (2, 1), 'same')(x(1, 2, 5, 4))",
        f"P.{pool}(2, 2, 'VALID')(x(1, 2, 5, 4, dtype='float16'))",
        f"P.{pool}3D(2)(x(1, 2, 3, 4, 3))",
        f"P.{pool}3D(2, 2, 'same')(x(1, 2, 3, 4, 3))",
    )
    refused(f"P.{pool}(2)(x(2, 3, 4))", f"P.{pool}(2)(x(1, 1, 4, 4, dtype='int32'))")
    refused(
        f"P.{pool}(2, 2, 'foo')",
        f"P.{pool}(1.5)",
        f"P.{pool}3D((2, 2))",
        f"P.{pool}3D(2, 1, 'valid', 1)",
    )
rows(
    "P.MaxPool3D(2, 2, 'pad', 1, True)(x(1, 2, 3, 4, 3))",
    "P.AvgPool3D(2, 1, 'pad', 1, False, True, 3)(x(1, 1, 2, 2, 3))",
)
rows("P.AvgPool3D(2, 1, 'same', 0, False, False)(x(1, 1, 2, 2, 3))")
rows(
    "P.MaxPoolWithArgmaxV2(2, 1, 1)(x(1, 2, 3, 4))",
    "P.MaxPoolWithArgmaxV2(3, 2, 1, (1, 1), True, ms.int32)(x(1, 2, 4, 4))",
)
rows("P.MaxPool3DWithArgmax(2, 1, 1, argmax_type=ms.int32)(x(1, 2, 2, 3, 4))")
rows(
    "P.AdaptiveAvgPool2D((2, None))(x(1, 3, 4))", "P.AdaptiveAvgPool3D((1, 2, None))(x(1, 2, 3, 4))"
)
rows(
    "P.AdaptiveMaxPool2D((2, 2))(x(1, 3, 3))",
    "P.AdaptiveMaxPool3D()(x(1, 3, 3, 3), ms.Tensor([1, 2, 2], ms.int32))",
)
refused(
    "P.MaxPool3D(2, 1, 'valid', 0, True)", "P.MaxPool3D(2, 1, 'pad', -1)", "P.AdaptiveMaxPool2D(2)"
)
refused(
    "P.AdaptiveMaxPool2D((None, 2))(x(1, 1, 3, 3))",
    "P.AdaptiveAvgPool2D((1, 2, 3))",
    "P.AdaptiveAvgPool2D(-1)",
)
refused(
    "P.AdaptiveMaxPool3D()(x(1, 3, 3, 3), (1, 2, 2))",
    "P.MaxPoolWithArgmaxV2(2, argmax_type=ms.int8)",
)
refused("P.Conv2D(1.5, 2)", "P.Conv2D(0, 2)", "P.Conv2D(1, 'x')", "P.Conv2D(1, 2, pad_mode='SAME')")
refused("P.Conv2D(1, 2, pad=1)", "P.Conv2D(1, 2, mode=2)", "P.Conv2D(1, 2, data_format='NHWC')")
refused(
    "P.Conv2D(2, 2)(x(1, 1, 3, 3), x(1, 1, 2, 2))", "P.Conv2D(1, 3)(x(1, 1, 3, 3), x(1, 1, 2, 2))"
)
refused("P.Conv2D(1, 2)(x(1, 3, 3), x(1, 1, 2, 2))", "P.Conv2D(1, 2)(x(1, 2, 3, 3), x(1, 1, 2, 2))")
refused("P.Conv2D(1, 2)(x(1, 1, 3, 3, dtype='int32'), x(1, 1, 2, 2, dtype='int32'))")
only_here(
    "ops.adaptive_max_pool1d(x(1, 1, 5), 2)",
    "ops.adaptive_avg_pool1d(x(1, 1, 5), 7)",
    because="MindSpore wants a length that output_size divides",
)
rows("str(P.ReLU())", "str(P.Elu(1.0))")
