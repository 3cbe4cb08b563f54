"""Arguments of functions for networks: values, and what is refused."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

rows(
    "ops.conv1d(x(1, 2, 7), x(3, 2, 2), x(3), 2, 'pad', 1)",
    "ops.conv1d(x(1, 2, 7), x(3, 2, 2), x(3), 2, 'same', 0, 1)",
    "ops.conv1d(x(1, 4, 7), x(4, 2, 2), None, 1, 'pad', (1,), 2, 2)",
    "ops.conv2d(x(1, 2, 5, 6), x(3, 2, 3, 2), x(3), (2, 1), 'pad', (1, 0), (1, 2))",
    "ops.conv2d(x(1, 2, 5, 6), x(2, 1, 3, 3), None, 2, 'same', 0, 1, 2)",
    "ops.conv3d(x(1, 2, 3, 4, 3), x(2, 2, 2, 2, 2), x(2), 2, 'same')",
    "ops.conv3d(x(1, 2, 3, 3, 3), x(2, 2, 2, 2, 2), None, 1, 'pad', (1, 0, 1))",
    tolerance=1e-4,
)
HALF = "x(1, 2, 5, 6, dtype='float16'), x(3, 2, 3, 2, dtype='float16'), x(3, dtype='float16')"
rows(f"ops.conv2d({HALF}, 1, 'same')", tolerance=4e-3)
for given in (
    "None, 1, 'foo'", "x(3)", "stride=0", "stride='x'", "stride=(1, 2, 3)", "padding=1",
    "pad_mode='pad', padding=(1, 0, 1, 1)", "pad_mode='pad', padding=-1", "dilation=0",
    "groups=1.0", "groups=3",
):  # fmt: skip
    refused(f"ops.conv2d(x(1, 2, 3, 3), x(1, 2, 2, 2), {given})")
refused("ops.conv2d(x(1, 3, 3), x(1, 1, 2, 2))", "ops.conv2d(x(1, 2, 3, 3), x(1, 1, 2, 2))")
refused("ops.conv2d(x(1, 1, 3, 3, dtype='int32'), x(1, 1, 2, 2, dtype='int32'))")
refused("ops.conv1d(x(2, 5), x(3, 2, 2))", "ops.conv1d(x(1, 2, 5), x(3, 2, 2), pad_mode='foo')")
refused("ops.conv1d(x(1, 2, 5), x(3, 2, 0))", "ops.conv2d(x(1, 2, 5, 5), x(3, 2, 0, 1))")
refused("ops.conv1d(x(1, 2, 5), x(3, 2, 2), None, 2, 'pad', (1, 0))")
refused("ops.conv3d(x(2, 3, 3, 3), x(2, 2, 2, 2, 2))")
rows("ops.group_norm(x(2, 4, 3), 2, x(4), x(4))", tolerance=1e-4)
refused("ops.group_norm(x(2, 4, 2), 3)", "ops.group_norm(x(2, 4, 2), 2, x(3), x(4))")
refused("ops.group_norm(x(2, 4, 2), 2.0)", "ops.group_norm(x(2, 4, 2), 2, eps='x')")
refused("ops.batch_norm(x(2, 3), x(3), x(3), x(3), x(3), training=1)")
refused(
    "ops.batch_norm(x(2), x(3), x(3), x(3), x(3))",
    "ops.batch_norm(x(2, 3), x(4), x(3), x(3), x(3))",
)
refused(
    "ops.lrn(x(1, 4, 2, 2), 'x')", "ops.lrn(x(4, 2, 2))", "ops.lrn(x(1, 4, 2, 2), norm_region='x')"
)
refused("ops.pixel_shuffle(x(1, 4, 2, 2), 2.0)", "ops.pixel_shuffle(x(1, 4, 2, 2), -1)")
rows("ops.pixel_shuffle(x(8, 2, 3), 2)", "ops.pixel_unshuffle(x(2, 1, 2, 4, 6), 2)")
refused("ops.pixel_shuffle(x(1, 5, 2, 2), 2)", "ops.pixel_shuffle(x(2, 2), 2)")
refused("ops.pixel_unshuffle(x(1, 5, 3, 2), 2)", "ops.one_hot(ms.Tensor([0, 1]), -1)")
for given in ("(1, 1), 'foo'", "(1,)", "(1, 2, 3, 4, 5, 6)", "(-4, 0)"):
    refused(f"ops.pad(x(2, 3), {given})")
refused("ops.pad(x(1, 2, 3), (1, 1), 'reflect', 2)", "ops.pad(x(1, 2, 3), (5, 1), 'reflect')")
refused("ops.bidense(x(2, 3), x(2, 4), x(5, 3, 3))", "ops.bidense(x(2, 3), x(3, 4), x(5, 3, 4))")
refused("ops.max_pool3d(x(1, 1, 5, 5, 5), 'x')", "ops.max_pool3d(x(1, 1, 5, 5, 5), 2, 0)")
OFFSETS = "ops.sin(x(2, 27, 3, 3)), (3, 3)"
rows(
    f"ops.deformable_conv2d(x(2, 2, 5, 5), x(3, 2, 3, 3), {OFFSETS}, (1, 1, 1, 1), (0, 0, 0, 0))",
    f"ops.deformable_conv2d(x(2, 2, 5, 5), x(3, 2, 3, 3), {OFFSETS}, (1, 1, 2, 2), (1, 1, 1, 1), "
    "x(3))",
    "ops.deformable_conv2d(x(1, 4, 5, 5), x(4, 2, 2, 3), x(1, 36, 4, 3), (2, 3), (1, 1, 1, 1), "
    "(0, 0, 0, 0), None, (1, 1, 1, 1), 2, 2)",
    tolerance=1e-4,
)
ZEROS = "x(1, 2, 5, 5), x(1, 2, 3, 3), x(1, 27, 3, 3), (3, 3)"
refused(f"ops.deformable_conv2d({ZEROS}, (1, 1, 1), (0, 0, 0, 0))")
refused(f"ops.deformable_conv2d({ZEROS}, (2, 1, 1, 1), (0, 0, 0, 0))")
refused(f"ops.deformable_conv2d({ZEROS}, (1, 1, 1, 1), (0, 0, 0, 0), modulated=False)")
rows(
    "ops.dropout1d(x(2, 3, 4), 0.0)",
    "ops.dropout1d(x(2, 3, 4), 1.0)",
    "ops.dropout1d(x(2, 3), 0.5, False)",
    "ops.dropout2d(x(1, 2, 3, 4), 0.0)",
    "ops.dropout2d(x(1, 2, 3, 4, dtype='int32'), 0.0)",
    "ops.dropout3d(x(1, 2, 2, 3, 4), 1.0)",
    "ops.mirror_pad(x(2, 3), ms.Tensor([[1, 1], [2, 1]]), 'REFLECT')",
    "ops.mirror_pad(x(2, 3), ms.Tensor([[2, 1], [0, 3]]), 'SYMMETRIC')",
    "ops.padding(x(2, 1), 4)",
    "P.MirrorPad('SYMMETRIC')(x(2, 3), ms.Tensor([[1, 1], [2, 1]]))",
    "P.Padding(4)(x(2, 1))",
)
refused("ops.dropout1d(x(2, 3, 4), 1)", "ops.dropout1d(x(2, 3, 4), 1.5)", "ops.dropout1d(3)")
refused(
    "ops.dropout1d(x(2, 3, 4), 0.5, 1)", "ops.dropout2d(x(2, 3, 4))", "ops.dropout3d(x(3), 'x')"
)
refused("ops.mirror_pad(x(2, 3), ms.Tensor([[1, 1], [2, 1]]), 'foo')", "ops.padding(x(2, 2), 4)")
refused("ops.mirror_pad(x(2, 3), ((1, 1), (2, 1)), 'REFLECT')", "ops.padding(x(2, 1), 2.0)")
refused(
    "ops.mirror_pad(x(2, 3), ms.Tensor([[1, 1], [4, 1]]), 'REFLECT')", "ops.padding(x(2, 1), 0)"
)
for given in ("ops.avg_pool2d({}, 2)", "ops.adaptive_avg_pool2d({}, 2)", "ops.group_norm({}, 1)"):
    rows(given.format("x(1, 2, 4, 4, dtype='float64')"))
    refused(
        given.format("x(1, 2, 4, 4, dtype='int32')"), given.format("x(1, 2, 4, 4, dtype='bool_')")
    )
rows("ops.relu(x(3, dtype='uint64'))", "ops.relu(x(3, dtype='uint16'))")
refused("ops.max_pool2d(x(1, 2, 4, 4, dtype='bool_'), 2)", "ops.rrelu(x(3, dtype='int8'))")
refused("ops.tanhshrink(x(3, dtype='bool_'))", "ops.lrn(x(1, 4, 2, 2, dtype='int32'))")
refused("ops.adaptive_max_pool2d(x(1, 2, 4, 4, dtype='int32'), 2)")
rows(
    "P.AvgPool((1, 1, 2, 2), 2)(x(1, 1, 4, 4))",
    "P.Conv2D(2, 2, stride=(1, 1, 2, 2), dilation=(1, 1, 2, 2))(x(1, 3, 6, 6), x(2, 3, 2, 2))",
    "P.SmoothL1Loss()(x(2, 3), x(2, 3, seed=1, dtype='float16'))",
)
refused("P.MaxPool3D((1, 1, 2, 2, 2), 2)", "P.Conv3D(2, 2, stride=(1, 1, 2, 2, 2))")
refused("ops.conv2d(x(1, 3, 4, 4), x(2, 3, 2, 2), stride=[1, 2])")
refused(
    "P.CropAndResize()(x(1, 4, 4, 1), ms.Tensor([[0.1, 0.2, 0.8, 0.9]]), ms.Tensor([0]), (3, 2))"
)
