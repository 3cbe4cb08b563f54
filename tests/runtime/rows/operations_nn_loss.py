"""Primitive classes of losses and normalisation."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, refused, rows

rows(
    "P.BatchNorm()(x(2, 3, 2, 2), x(3), x(3, seed=1), x(3, seed=2), x(3, low=0.5))[0]",
    "P.BatchNorm(True)(x(2, 3, 2, 2), x(3), x(3, seed=1), x(3, seed=2), x(3, low=0.5))[0]",
    "P.BatchNorm(True, 1e-3)(x(4, 3), x(3), x(3, seed=1), x(3, seed=2), x(3, low=0.5))[3:]",
    tolerance=1e-4,
)
rows(
    """
    mean = ms.Parameter(ms.Tensor([0.5, 1.0]), name="m")
    var = ms.Parameter(ms.Tensor([2.0, 1.0]), name="v")
    y = P.BatchNorm(True, 1e-5, 0.2)(x(4, 2, 3, 3), x(2), x(2, seed=1), mean, var)[0]
    result = (y, mean + 0, var + 0)
    """,
    gradient=False,
    because="the row's parameters would be changed twice",
)
rows(
    "P.LayerNorm()(x(2, 3), x(3), x(3, seed=1))",
    "P.LayerNorm(2, 1)(x(2, 3, 4), x(3, 4), x(3, 4, seed=1))[0]",
    "P.LayerNorm(-1, -1, 1e-3)(x(2, 3, 4), x(4), x(4, seed=1))[0]",
    tolerance=1e-4,
)
rows(
    "P.LayerNorm(-1, -1)(*[x(*s, dtype='float16') for s in ((2, 3, 4), (4,), (4,))])",
    tolerance=4e-3,
)
rows("P.LRN(1)(x(1, 4, 2, 2))", "P.LRN(2, 2.0, 0.5, 0.75)(x(1, 4, 2, 2))")
rows("P.L2Normalize()(x(2, 3))", "P.L2Loss()(x(2, 3))")
rows("P.BiasAdd()(x(2, 3, 4), x(3))", "P.BiasAdd()(x(2, 3, dtype='int32'), x(3, dtype='int32'))")
rows("ops.bias_add(x(2, 3), x(3))")
rows(
    "ops.bidense(x(2, 3), x(2, 4), x(5, 3, 4), x(5))",
    "ops.bidense(x(3), x(4), x(5, 3, 4))",
    tolerance=1e-4,
)
for reduction in ("none", "mean", "sum"):
    rows(
        f"P.SmoothL1Loss(0.5, '{reduction}')(x(2, 3), x(2, 3, seed=1))",
        f"P.BCEWithLogitsLoss('{reduction}')(x(3), x(3, low=0.0), x(3, seed=2), x(3, seed=3))",
        f"P.BinaryCrossEntropy('{reduction}')(ops.sigmoid(x(3)), x(3, low=0.0), x(3, low=1.0))",
        f"P.KLDivLoss('{reduction}')(x(2, 3), ops.sigmoid(x(2, 3, seed=1)))",
        f"P.NLLLoss('{reduction}')(x(3, 4), ms.Tensor([0, 2, 1], ms.int32), ops.sigmoid(x(4)))",
        f"P.MultiMarginLoss(2, 0.5, '{reduction}')(x(2, 3), ms.Tensor([0, 2]))",
    )
rows(
    "P.KLDivLoss('batchmean')(x(2, 3), ops.sigmoid(x(2, 3, seed=1)))",
    "P.BCEWithLogitsLoss()(x(3), x(3))",
)
rows("P.SoftmaxCrossEntropyWithLogits()(x(2, 3), ops.softmax(x(2, 3, seed=1)))[0]")
rows(
    "P.SoftmaxCrossEntropyWithLogits()(x(2, 2), ms.Tensor([[0.0, 1.0], [0.5, 0.5]]))",
    gradient=False,
    because="the second result is a gradient already",
)
rows(
    "P.SparseSoftmaxCrossEntropyWithLogits()(x(2, 3), ms.Tensor([0, 2], ms.int32))",
    "P.SparseSoftmaxCrossEntropyWithLogits(True)(ms.Tensor([[1.0, 2.0, 0.5]]), ms.Tensor([1]))",
    "P.SigmoidCrossEntropyWithLogits()(x(3), x(3, low=0.0))",
    "P.MultiMarginLoss()(x(2, 3), ms.Tensor([0, 2]), x(3, low=0.5))",
)
LABELS = ", ".join(f"ms.Tensor({a}, ms.int32)" for a in ("[[1, 2], [2, 1]]", "[4, 3]", "[2, 1]"))
rows(f"P.CTCLossV2()(ops.log_softmax(x(4, 2, 3)), {LABELS})[0]", tolerance=1e-4)
SPARSE = "ms.Tensor([[0, 0], [1, 0]]), ms.Tensor([2, 1], ms.int32), ms.Tensor([3, 3], ms.int32)"
rows(f"P.CTCLoss()(x(3, 2, 4), {SPARSE})[0]", tolerance=1e-4)
LATER = SPARSE.replace("[0, 0], [1, 0]", "[0, 1], [1, 0]")
rows(f"P.CTCLoss()(x(3, 2, 4), {LATER})[0]", tolerance=1e-4)
SHORT = SPARSE.replace("[3, 3]", "[3, 2]")
rows(
    f"P.CTCLoss()(x(3, 2, 4), {SHORT})[0]",
    tolerance=1e-4,
    gradient=False,
    because="MindSpore leaves the gradient behind a sequence's end as it found the memory",
)
rows(
    f"P.CTCLoss()(x(3, 2, 4), {SPARSE})[1]",
    tolerance=1e-4,
    gradient=False,
    because="it is a gradient already",
)
rows(
    "P.CTCGreedyDecoder()(x(4, 2, 3), ms.Tensor([4, 3], ms.int32))",
    "P.CTCGreedyDecoder(False)(x(4, 2, 3), ms.Tensor([4, 3], ms.int32))",
    "ops.ctc_greedy_decoder(x(4, 2, 3), ms.Tensor([2, 4], ms.int32))",
    gradient=False,
    because="decoding has no gradient",
)
only_here(
    "P.MultilabelMarginLoss()(x(2, 3), ms.Tensor([[0, -1, 2], [1, 2, -1]], ms.int32))",
    "P.TripletMarginLoss()(x(2, 3), x(2, 3), x(2, 3), ms.Tensor(1.0))",
    because="MindSpore's CPU build has no kernel",
)
refused(
    "P.BatchNorm(1)(x(2, 3), x(3), x(3), x(3), x(3))",
    "P.LRN('x')",
    "P.LRN(5, 1)",
    "P.LRN(1)(x(4, 2, 2))",
)
refused(
    "P.L2Normalize('x')", "P.L2Normalize(1.0)", "P.L2Normalize([0, 1])", "P.L2Normalize(3)(x(2, 3))"
)
refused(
    "P.BiasAdd('foo')", "P.BiasAdd(1)", "P.BiasAdd()(x(2, 3, 4), x(4))", "P.BiasAdd()(x(3), x(3))"
)
refused("P.BiasAdd()(x(2, 3), x(3, dtype='float16'))", "ops.bias_add(x(2, 3), x(4))")
refused(
    "P.SmoothL1Loss('x')",
    "P.SmoothL1Loss(1.0, 'foo')",
    "P.SmoothL1Loss(1.0, 1)",
    "P.SmoothL1Loss()(x(4), x(3))",
)
refused("P.SmoothL1Loss(0.0)(x(3), x(3))", "P.KLDivLoss('foo')", "P.KLDivLoss()(x(2, 3), x(2, 2))")
refused(
    "P.KLDivLoss()(x(2, 3), x(2, 3, dtype='float16'))",
    "P.BCEWithLogitsLoss('foo')",
    "P.NLLLoss('foo')",
)
refused(
    "P.NLLLoss()(x(3), ms.Tensor(2, ms.int32), x(3))",
    "P.NLLLoss()(x(2, 3), ms.Tensor([0, 2], ms.int32), None)",
)
refused("P.MultiMarginLoss(3)", "P.MultiMarginLoss(1, 1)", "P.MultiMarginLoss(1, 1.0, 'foo')")
refused(
    "P.SoftmaxCrossEntropyWithLogits()(x(2, 3), x(3, 2))",
    "P.SigmoidCrossEntropyWithLogits()(x(3), x(4))",
)
refused(
    "P.BinaryCrossEntropy()(ms.Tensor([0.2, 1.7]), ms.Tensor([0.0, 1.0]))",
    "P.L2Loss()(x(3, dtype='int32'))",
)
refused("ops.ctc_greedy_decoder(x(4, 2, 3), ms.Tensor([5, 3], ms.int32))")
rows("P.NLLLoss('sum', 1)(x(3, 4), ms.Tensor([0, 2, 1], ms.int32), ops.sigmoid(x(4)))")
rows(
    "P.L2Normalize([-1], 2.0)(x(2, 3))",
    gradient=False,
    because="MindSpore's gradient forgets that epsilon was taken instead of the sum",
)
TWICE = "ms.Tensor([[0, 0], [0, 1]]), ms.Tensor([1, 1], ms.int32), ms.Tensor([4], ms.int32)"
rows(f"P.CTCLoss(True)(x(4, 1, 3), {TWICE})[0]", tolerance=1e-4)
rows(f"P.CTCLoss()(x(4, 1, 3), {TWICE})[0]", tolerance=1e-4)
refused("P.CTCLoss(1)", f"P.CTCLoss()(x(1, 1, 3), {TWICE.replace('[4]', '[1]')})")
