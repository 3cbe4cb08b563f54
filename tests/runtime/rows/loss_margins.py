"""Losses of margins, of many labels, of distributions; CTC; dice, focal, sampled softmax."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import differs, only_here, refused, rows

NO_KERNEL = "MindSpore's CPU build has no kernel"
SIGNS = "ops.sign(x(2, 4, seed=1))"
ONE = "ms.Tensor([1, -1], ms.int32)"
CLASSES = "ms.Tensor([0, 2, 1])"
rows(
    "ops.mse_loss(x(3, 4, dtype='int32'), x(3, 4, seed=1, dtype='int32'))",
    "nn.MSELoss()(x(3, 4, dtype='int32'), x(3, 4, seed=1, dtype='int32'))",
    "ops.mse_loss(x(3, 4, dtype='float64'), x(4, seed=1, dtype='float64'), 'sum')",
    "ops.l1_loss(x(3, 4, dtype='int32'), x(3, 4, seed=1, dtype='int32'))",
    "ops.l1_loss(x(3, 4, dtype='float16'), x(3, 4, seed=1, dtype='float16'), 'none')",
    "ops.smooth_l1_loss(x(3, 4, dtype='float16'), x(3, 4, seed=1, dtype='float16'), 0.5, 'sum')",
    "ops.huber_loss(x(3, 4), x(4, seed=1), 'sum', 2)",
    "nn.RMSELoss()(x(3, 4), x(3, 4, seed=1))",
    "nn.MAELoss('sum')(x(3, 4), x(3, 4, seed=1))",
    f"ops.multi_margin_loss(x(3, 4), {CLASSES}, 2, 2, x(4), 'none')",
    "ops.multilabel_soft_margin_loss(x(2, 4), x(2, 4, seed=1), x(4), 'none')",
    "nn.MultiLabelSoftMarginLoss()(x(2, 4), x(2, 4, seed=1))",
    f"ops.hinge_embedding_loss(x(2, 4), {SIGNS}, 2.0, 'none')",
    f"nn.HingeEmbeddingLoss(reduction='sum')(x(2, 4), {SIGNS})",
    "ops.gaussian_nll_loss(x(2, 4), x(2, 4, seed=1), x(2, low=0.1), True, 1e-3, 'sum')",
    "nn.GaussianNLLLoss()(x(2, 4), x(2, 4, seed=1), x(2, 4, low=0.1))",
    "nn.GaussianNLLLoss(full=True, reduction='none')(x(2, 4), x(2, 4, seed=1), x(2, 4, low=0.1))",
    "nn.PoissonNLLLoss()(x(2, 4), x(2, 4, seed=1))",
    "nn.PoissonNLLLoss(False, True, 1e-3, 'none')(x(2, 4, low=0.5), x(2, 4, seed=1))",
    f"ops.cosine_embedding_loss(x(2, 4), x(2, 4, seed=1), {ONE}, 0.5, 'none')",
    f"ops.cosine_embedding_loss(x(2, 4, dtype='int32'), x(2, 4, seed=1, dtype='int32'), {ONE})",
    f"nn.CosineEmbeddingLoss()(x(2, 4), x(2, 4, seed=1), {ONE})",
    "ops.margin_ranking_loss(x(4), x(4, seed=1), ops.sign(x(4, seed=2)), 0.5, 'none')",
    "nn.MarginRankingLoss(0.5)(x(4), x(4, seed=1), ops.sign(x(4, seed=2)))",
    "nn.TripletMarginWithDistanceLoss(swap=True, margin=2.0)"
    "(x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2))",
    "nn.TripletMarginWithDistanceLoss(lambda a, b: ops.sum(ops.abs(a - b), 1), reduction='none')"
    "(x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2))",
    "nn.DiceLoss()(x(3, 4, low=0.0), x(3, 4, seed=1, low=0.0))",
    "nn.MultiClassDiceLoss()(x(3, 4, low=0.0), x(3, 4, seed=1, low=0.0))",
    "nn.MultiClassDiceLoss(x(4, 1), 1, 'sigmoid')(x(3, 4, low=0.0), x(3, 4, seed=1, low=0.0))",
    "nn.FocalLoss()(x(3, 4), x(3, 4, seed=1))",
    "nn.FocalLoss(x(4), 1.5, 'none')(x(3, 4), ms.Tensor([[1], [0], [2]], ms.int32))",
    "nn.FocalLoss(x(4), 1.5, 'sum')(x(3, 4, 2, 2), x(3, 1, 2, 2, dtype='int32') % 4)",
    "nn.KLDivLoss('sum')(x(3, 4), ops.softmax(x(3, 4, seed=1)))",
    "nn.KLDivLoss()(x(3, 4), x(3, 4, seed=1, low=0.1))",
    "ops.binary_cross_entropy(x(3, 4, low=0.0) / 5, x(3, 4, seed=1, low=0.0) / 5, x(3, 4), 'sum')",
    "ops.binary_cross_entropy_with_logits(x(3, 4), x(3, 4, seed=1), ops.ones((3, 4)),"
    " x(4, low=0.1))",
    "ops.nll_loss(x(3, 4), ms.Tensor([1, 2, 3], ms.int32), x(4), 1, 'mean', 0.3)",
    "ops.nll_loss(x(3, 4, 2), x(3, 2, dtype='int32') % 4, x(4), 1, 'none', 0.3)",
    "ops.nll_loss(x(3, 4, 2, 2), x(3, 2, 2, dtype='int32') % 4, x(4), 1, 'sum', 0.3)",
    "ops.nll_loss(x(3, 4), ms.Tensor([1, 2, 3]))",
    f"ops.cross_entropy(x(3, 4), {CLASSES})",
    "ops.cross_entropy(x(4), ms.Tensor(2, ms.int32))",
    "ops.cross_entropy(x(3, 4, dtype='float16'), ms.Tensor([1, 2, 3], ms.int32))",
    "nn.SoftmaxCrossEntropyWithLogits(True, 'mean')(x(3, 4), ms.Tensor([1, 2, 3], ms.int32))",
    "nn.SoftmaxCrossEntropyWithLogits()(x(3, 4), x(3, 4, seed=1))",
    "nn.SoftmaxCrossEntropyWithLogits(True, 'sum')(x(3, 4), ms.Tensor([1, 2, 3], ms.int32))",
)
rows(
    f"nn.MultiMarginLoss(2, 1.5, 'sum')(x(3, 4), {CLASSES})",
    f"nn.MultiMarginLoss(weight=x(4), reduction='none')(x(3, 4), {CLASSES})",
    "nn.SampledSoftmaxLoss(3, 7, 1, (ms.Tensor([0, 3, 5], ms.int32), ms.Tensor([[0.5], [2.0]]),"
    " ms.Tensor([0.2, 0.4, 0.6])))(x(7, 4), x(7), ms.Tensor([[1], [2]], ms.int32), x(2, 4))",
)
TARGETS = "ms.Tensor([[1, 2], [3, 3]], ms.int32)"
for lengths in (
    "ms.Tensor([5, 4], ms.int32), ms.Tensor([2, 2], ms.int32)",
    "ms.Tensor([5, 2], ms.int32), ms.Tensor([1, 2], ms.int32), 0, 'none'",
    "ms.Tensor([5, 4], ms.int32), ms.Tensor([0, 2], ms.int32), 2, 'sum'",
    "ms.Tensor([5, 4]), ms.Tensor([2, 1])",
):
    rows(
        f"ops.ctc_loss(x(5, 2, 4), {TARGETS}, {lengths})",
        gradient=False,
        because="MindSpore 2.10 fails in its own code when it differentiates ctc_loss",
    )
rows(
    f"nn.CTCLoss()(x(5, 2, 4, dtype='float64'), {TARGETS}, ms.Tensor([5, 4]), ms.Tensor([2, 2]))",
    "nn.CTCLoss()(x(5, 4), ms.Tensor([1, 2]), ms.Tensor([5]), ms.Tensor([2]))",
    gradient=False,
    because="as ops.ctc_loss",
)
differs(
    f"ops.ctc_loss(x(5, 2, 4), {TARGETS}, ms.Tensor([5, 2]), ms.Tensor([1, 2]), 0, 'none', True)"
    "[0]",
    "np.array([-0.29669502, 0.0], np.float32)",
    because="MindSpore's CPU build leaves infinite losses in spite of zero_infinity",
)
LABELS = "ms.Tensor([[1, 2, -1, 3], [0, -1, 1, 1]], ms.int32)"
TRIPLE = "x(3, 4), x(3, 4, seed=1), x(3, 4, seed=2)"
only_here(
    f"ops.multilabel_margin_loss(x(2, 4), {LABELS}, 'none')",
    f"nn.MultilabelMarginLoss()(x(2, 4), {LABELS})",
    f"ops.triplet_margin_loss({TRIPLE}, 2.0, 3, 1e-3, True, 'none')",
    f"nn.TripletMarginLoss()({TRIPLE})",
    "ops.soft_margin_loss(x(3, 4), ops.sign(x(3, 4, seed=1)), 'none')",
    "nn.SoftMarginLoss()(x(3, 4), ops.sign(x(3, 4, seed=1)))",
    "ops.smooth_l1_loss(x(3, 4), x(3, 4, seed=1), 0.0, 'mean')",
    because=NO_KERNEL,
)
refused(
    "ops.huber_loss(x(3, 4), x(4, seed=1), 'sum', 0.0)",
    "ops.l1_loss(x(3, 4), x(4, seed=1), 'su')",
    "ops.l1_loss(x(3, 4), 1.0)",
    "nn.L1Loss('x')",
    f"ops.cosine_embedding_loss(x(2, 4), x(2, 4, seed=1), {ONE}, 1.5)",
    "ops.margin_ranking_loss(x(4), x(4, seed=1), ops.sign(x(4, seed=2)), 1)",
    "nn.SampledSoftmaxLoss(8, 7)",
    "nn.GaussianNLLLoss(eps=0.0)",
    "nn.GaussianNLLLoss(reduction='x')",
    "nn.HingeEmbeddingLoss('1')",
    "ops.hinge_embedding_loss(x(3), x(3, dtype='int32'))",
    "nn.CrossEntropyLoss(ignore_index=1.0)",
    "nn.CrossEntropyLoss(label_smoothing=1)",
    "nn.CrossEntropyLoss(label_smoothing=1.5)",
    "nn.CrossEntropyLoss(weight=1.0)",
    "nn.CrossEntropyLoss()(x(3, 4), ms.Tensor([0, 1], ms.int32))",
    "nn.CrossEntropyLoss()(x(3, 4), x(3))",
    "nn.CrossEntropyLoss()(x(3, 4), 1)",
    "nn.CosineEmbeddingLoss(2.0)",
    "nn.CosineEmbeddingLoss(1)",
    "nn.FocalLoss(gamma=2)",
    "nn.DiceLoss(0.0)",
    "nn.MultiClassDiceLoss(activation='gelu')",
    f"ops.ctc_loss(x(5, 2, 4), {TARGETS}, ms.Tensor([5, 4]), ms.Tensor([2, 2]), reduction='x')",
    f"ops.multi_margin_loss(x(3, 4), {CLASSES}, 3)",
    f"ops.multi_margin_loss(x(3, 4), {CLASSES}, 1, 1.0)",
    "ops.kl_div(x(3, 4), x(3, 4), 'x')",
    "ops.binary_cross_entropy(x(3, 4, low=0.0) / 5, x(3, low=0.0) / 5)",
    "ops.cross_entropy(x(3, 4), ms.Tensor([1, 2, 3], ms.int32), reduction='x')",
    "ops.cross_entropy(x(3, 4, dtype='int32'), ms.Tensor([1, 2, 3], ms.int32))",
    "nn.SoftmaxCrossEntropyWithLogits(1)",
    "nn.SoftmaxCrossEntropyWithLogits(True, 'x')",
    "nn.MSELoss()(x(3), 1)",
)
