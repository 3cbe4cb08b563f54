"""Primitive classes as MindSpore's own suite calls them: refusals, element types, traced inputs."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

refused("P.Concat(1)(x(2, 3))", "P.Split(2, 1)(x(2, 3))", "P.Softmax(())(x(2, 3))")
refused("P.Zeros()((2, 3), 'a')", "P.Ones()((2, 3), 'a')", "P.AddN()(())", "P.TopK()(x(3), 1.0)")
refused("P.ReverseSequence(0, 0)(x(2, 3), ms.Tensor([1, 2]))", "P.ReverseV2([0, 0])(x(2, 3))")
refused("P.Range(0)(ms.Tensor(0), ms.Tensor(5), ms.Tensor(1))")
refused("P.Range()(ms.Tensor(0), ms.Tensor(5.0), ms.Tensor(1))")
refused("P.LinSpace()(ms.Tensor(0.0, ms.float32), ms.Tensor(5.0, ms.float32), 0)")
refused("P.LinSpace()(ms.Tensor(0), ms.Tensor(5), 3)", "P.Meshgrid()((x(2), x(2, 3)))")
rows("P.LinSpace()(x(), x(seed=1), 5)", "P.LinSpace()(x(dtype='float64'), x(dtype='float64'), 1)")
rows(
    "P.OneHot()(ms.Tensor([0, 2, 5]), 3, x(), x(seed=1))",
    "P.OneHot(0)(ms.Tensor([[0, 2]], ms.int32), 3, x(dtype='int32'), x(seed=1, dtype='int32'))",
)
for kind in ("float16", "float32", "int64", "int32"):
    three = ", ".join(f"x(2, 3, dtype='{kind}', seed={k}, low=1.0)" for k in range(3))
    rows(f"P.Addcmul()({three}, ms.Tensor(0.5, ms.float32))", tolerance=2e-3)
rows(
    "P.Addcdiv()(x(3, dtype='float16'), x(3, seed=1, dtype='float16'),"
    " x(3, low=1.0, dtype='float16'), ms.Tensor(0.5, ms.float32))",
    tolerance=2e-3,
)
rows("P.IOU()(x(2, 4), x(3, 4, seed=1))")
rows("P.ROIAlign(2, 2, 0.5, 2)(x(1, 2, 6, 6), ms.Tensor([[0.0, 1, 1, 4, 5]]) + x(1, 5) * 0)")
rows("P.SegmentMean()(x(4, 2, dtype='int32'), ms.Tensor([0, 0, 1, 3], ms.int32))")
rows("P.SquaredDifference()(x(3, dtype='complex64'), x(3, seed=1, dtype='complex64'))")
refused("nn.Dropout(keep_prob=1)", "nn.Dropout('a')", "nn.get_activation('')", "nn.PReLU(2, [0.1])")
refused("nn.Flatten()(x(3))", "nn.Flatten(2)(x(2, 3))", "nn.ReflectionPad2d(-1)")
rows("nn.PReLU(2, [0.1, 0.2])(x(1, 2, 2))", "nn.Flatten(0)(x(3))")
rows("nn.Dropout(keep_prob=0, p=0.0)(x(3))")
