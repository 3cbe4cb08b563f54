"""The classes of `mindspore.ops.operations._grad_ops`."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

WHY = {"gradient": False, "because": "they are gradients already"}
TWO = "(x(2, 4), x(2, 4, seed=1))"
for name in (
    "ReluGrad", "ReLU6Grad", "EluGrad", "SigmoidGrad", "TanhGrad", "ReciprocalGrad", "AbsGrad",
    "AsinhGrad", "AtanGrad", "FastGeLUGrad", "HSwishGrad", "HSigmoidGrad", "HShrinkGrad",
    "SoftShrinkGrad", "SiLUGrad", "SoftplusGrad", "LogSoftmaxGrad", "MaximumGrad", "InvGrad",
):  # fmt: skip
    extra = ", x(2, 4, seed=2))" if name == "MaximumGrad" else ")"
    rows(f"G.{name}(){TWO[:-1]}{extra}", tolerance=1e-4, **WHY)
UNIT = "ops.tanh(x(2, 3)), x(2, 3, seed=1)"
POSITIVE = "x(2, 3, low=0.5), x(2, 3, seed=1)"
rows(
    f"G.ACosGrad()({UNIT})", f"G.AsinGrad()({UNIT})", f"G.AcoshGrad()({POSITIVE})",
    f"G.SqrtGrad()({POSITIVE})", f"G.RsqrtGrad()({POSITIVE})",
    "G.MinimumGrad()(x(2, 3), x(3), x(2, 3))", "G.GeLUGrad()(x(2, 3), x(2, 3, seed=1), x(2, 3))",
    "G.PReLUGrad()(x(2, 3), x(2, 3, seed=1), x(3))", "G.GluGrad(1)(x(2, 2), x(2, 4))",
    "G.BiasAddGrad()(x(2, 3, 4))", "G.DropoutGrad(0.4)(x(3), ms.Tensor([1.0, 0.0, 1.0]))",
    "G.LogSoftmaxGrad(0)(x(2, 3), x(2, 3, seed=1))", "G.HShrinkGrad(1.0)(x(4), x(4, seed=1))",
    tolerance=1e-4, **WHY,
)  # fmt: skip
rows(
    "G.SmoothL1LossGrad(0.5)(x(4), x(4, seed=1), x(4, seed=2))",
    "G.SigmoidCrossEntropyWithLogitsGrad()(x(4), x(4, seed=1), x(4, seed=2))",
    "G.KLDivLossGrad('none')(x(4), x(4, seed=1), x(4, low=0.1))",
    "G.BinaryCrossEntropyGrad('none')(ops.sigmoid(x(4)), ops.sigmoid(x(4, seed=1)), x(4), x(4))",
    "G.MultiMarginLossGrad()(x(), x(2, 3), ms.Tensor([0, 2]))",
    tolerance=1e-4,
    **WHY,
)
IMAGE = "x(1, 2, 4, 4)"
STATISTICS = "*P.LayerNorm()(x(2, 3), x(3), x(3))[:0:-1]"
rows(
    f"G.MaxPoolGrad(2, 2)({IMAGE}, ops.max_pool2d({IMAGE}, 2, 2), x(1, 2, 2, 2))",
    f"G.MaxPoolGrad(2, 1, 'SAME')({IMAGE}, P.MaxPool(2, 1, 'SAME')({IMAGE}), {IMAGE} * 2)",
    f"G.AvgPoolGrad(2, 2)({IMAGE}, x(1, 2, 2, 2), x(1, 2, 2, 2))",
    f"G.MaxPoolGradWithArgmaxV2(2)({IMAGE}, x(1, 2, 2, 2), P.MaxPoolWithArgmaxV2(2)({IMAGE})[1])",
    "G.AdaptiveAvgPool2DGrad()(x(1, 2, 2, 3), ms.Tensor([1, 2, 4, 4]))",
    f"G.Conv2DBackpropFilter(3, 3)(x(1, 3, 2, 2), {IMAGE}, (3, 2, 3, 3))",
    f"G.Conv2DBackpropFilter(3, 3, 'same')(x(1, 3, 4, 4), {IMAGE}, (3, 2, 3, 3))",
    f"G.LayerNormGrad()(x(2, 3), x(2, 3, seed=1), {STATISTICS}, x(3))",
    "G.LRNGrad(1)(x(1, 4, 2, 2), x(1, 4, 2, 2, seed=1), ops.lrn(x(1, 4, 2, 2, seed=1), 1))",
    "G.L2NormalizeGrad(1)(x(2, 3), P.L2Normalize(1)(x(2, 3)), x(2, 3, seed=1))",
    f"G.ResizeBilinearGrad()(x(1, 2, 5, 6), {IMAGE})",
    f"G.ResizeBilinearGrad(True)(x(1, 2, 5, 6), {IMAGE})",
    "G.ResizeNearestNeighborGrad()(x(1, 2, 5, 6), (4, 4))",
    "G.ResizeLinear1DGrad()(x(1, 2, 5), x(1, 2, 3))",
    "G.UpsampleNearest3DGrad()(x(1, 1, 2, 4, 4), (1, 1, 1, 2, 2), (2, 4, 4), None)",
    "G.UpsampleTrilinear3DGrad()(x(1, 1, 2, 4, 4), (1, 1, 1, 2, 2), (2, 4, 4), None)",
    "G.GridSampler2DGrad()(x(1, 2, 2, 2), x(1, 2, 4, 4), x(1, 2, 2, 2) * 0.4)",
    "G.MirrorPadGrad()(x(4, 6), ms.Tensor([[1, 1], [2, 1]]))",
    "G.TraceGrad()(x(), ms.Tensor([2, 3]))",
    "G.MaxUnpool2DGrad((1, 1, 2, 2), (1, 1, 2, 2), (0, 0, 0, 0))"
    "(x(1, 1, 2, 2), x(1, 1, 4, 4), ms.Tensor([[[[0, 3], [8, 13]]]]))",
    "G.LogitGrad()(x(3), ops.sigmoid(x(3, seed=1)))",
    "G.MaxPool3DGrad((1, 1, 2, 2, 2), (1, 1, 2, 2, 2))(x(1, 1, 4, 4, 4), "
    "ops.max_pool3d(x(1, 1, 4, 4, 4), 2), x(1, 1, 2, 2, 2))",
    "G.AvgPool3DGrad(2, 2, 0)((1, 1, 4, 4, 4), x(1, 1, 2, 2, 2))",
    "G.FlattenGrad()(x(2, 6), (2, 2, 3))",
    "G.StridedSliceGrad()(x(1, 2), (2, 3), (0, 0), (1, 2), (1, 1))",
    tolerance=1e-4,
    **WHY,
)
