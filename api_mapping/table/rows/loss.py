"""Losses: the functions of torch.nn.functional and the layers of torch.nn."""

from ..families import missing
from ..rule import Rule

REDUCTION = "size_average=None, reduce=None, reduction='mean'"
FLOAT = "MindSpore takes a margin of float only."
WEIGHT = {"weight": 'multiply the loss with reduction="none" by it'}


def loss(function: str, arguments: str, target: str, *examples: str, **details: object) -> Rule:
    """The row of a function; `details` are further fields of the row."""
    signature = f"torch.nn.functional.{function}({arguments})"
    return Rule(signature, target, example=examples, **details)  # type: ignore[arg-type]


def layer(name: str, arguments: str, target: str, *examples: str, **details: object) -> Rule:
    """The row of a layer; `details` are further fields of the row."""
    signature = f"torch.nn.{name}({arguments})"
    return Rule(signature, target, example=examples, **details)  # type: ignore[arg-type]


SATURATED = (
    "Where the input is 0 or 1 and the target the other, MindSpore's loss is 27.6, PyTorch's 100; "
    "on the CPU it counts numbers without an axis twice."
)

REGRESSION = (
    loss(
        "mse_loss",
        f"input, target, {REDUCTION}, weight=None",
        "ops.mse_loss(input, target, reduction=reduction)",
        "F.mse_loss(x, y)",
        "F.mse_loss(x, y, reduction='sum')",
        "F.mse_loss(input=x, target=y, reduction='none')",
        mint="mint.nn.functional.mse_loss(input, target, reduction=reduction)",
        reject=WEIGHT,
    ),
    layer(
        "MSELoss",
        REDUCTION,
        "nn.MSELoss(reduction=reduction)",
        "nn.MSELoss()(x, y)",
        "nn.MSELoss(reduction='sum')(x, y)",
        mint="mint.nn.MSELoss(reduction=reduction)",
    ),
    loss(
        "l1_loss",
        f"input, target, {REDUCTION}, weight=None",
        "ops.l1_loss(input, target, reduction=reduction)",
        "F.l1_loss(x, y)",
        "F.l1_loss(x, y, reduction='none')",
        mint="mint.nn.functional.l1_loss(input, target, reduction=reduction)",
        reject=WEIGHT,
    ),
    layer(
        "L1Loss",
        REDUCTION,
        "nn.L1Loss(reduction=reduction)",
        "nn.L1Loss()(x, y)",
        "nn.L1Loss(reduction='none')(x, y)",
        mint="mint.nn.L1Loss(reduction=reduction)",
    ),
    loss(
        "smooth_l1_loss",
        f"input, target, {REDUCTION}, beta=1.0",
        "ops.smooth_l1_loss(input, target, beta=beta, reduction=always(reduction))",
        "F.smooth_l1_loss(x, y)",
        "F.smooth_l1_loss(x, y, reduction='sum', beta=0.3)",
        mint="mint.nn.functional.smooth_l1_loss(input, target, reduction=reduction, beta=beta)",
        note='MindSpore\'s default reduction is "none".',
    ),
    layer(
        "SmoothL1Loss",
        f"{REDUCTION}, beta=1.0",
        "nn.SmoothL1Loss(beta=beta, reduction=always(reduction))",
        "nn.SmoothL1Loss()(x, y)",
        "nn.SmoothL1Loss(beta=0.3, reduction='sum')(x, y)",
        mint="mint.nn.SmoothL1Loss(reduction=reduction, beta=beta)",
        note='MindSpore\'s default reduction is "none".',
    ),
    loss(
        "huber_loss",
        "input, target, reduction='mean', delta=1.0, weight=None",
        "ops.huber_loss(input, target, reduction=reduction, delta=delta)",
        "F.huber_loss(x, y)",
        "F.huber_loss(x, y, 'sum', delta=0.4)",
        reject=WEIGHT,
    ),
    layer(
        "HuberLoss",
        "reduction='mean', delta=1.0",
        "nn.HuberLoss(reduction=reduction, delta=delta)",
        "nn.HuberLoss()(x, y)",
        "nn.HuberLoss('none', 0.4)(x, y)",
    ),
    loss(  # MindSpore's own gives no gradient to a var below eps
        "gaussian_nll_loss",
        "input, target, var, full=False, eps=1e-06, reduction='mean'",
        "compat.gaussian_nll_loss(input, target, var, full=full, eps=eps, reduction=reduction)",
        "F.gaussian_nll_loss(x, y, p)",
        "F.gaussian_nll_loss(a, a + 1, e[:, :3, 0].abs())",
        "F.gaussian_nll_loss(x, y, 0.3)",
        "slopes(lambda s, t: F.gaussian_nll_loss(s, y, t, eps=0.5), x, p)",
        "F.gaussian_nll_loss(x, y, p, full=True, eps=0.5, reduction='none')",
    ),
    layer(
        "GaussianNLLLoss",
        "*, full=False, eps=1e-06, reduction='mean'",
        "compat.Loss(compat.gaussian_nll_loss, full=full, eps=eps, reduction=reduction)",
        "nn.GaussianNLLLoss()(x, y, p)",
        "nn.GaussianNLLLoss(full=True, reduction='sum')(x, y, p)",
    ),
    loss(
        "poisson_nll_loss",
        "input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, "
        "reduction='mean'",
        "nn.PoissonNLLLoss(log_input=log_input, full=full, eps=eps, reduction=reduction)"
        "(input, target)",
        "F.poisson_nll_loss(x, p)",
        "F.poisson_nll_loss(p, 3 * p, log_input=False, full=True, eps=0.1, reduction='sum')",
    ),
    layer(
        "PoissonNLLLoss",
        "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
        "nn.PoissonNLLLoss(log_input=log_input, full=full, eps=eps, reduction=reduction)",
        "nn.PoissonNLLLoss()(x, p)",
        "nn.PoissonNLLLoss(False, True, reduction='none')(p, 3 * p)",
    ),
)

CLASSES = (
    loss(
        "cross_entropy",
        "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, "
        "reduction='mean', label_smoothing=0.0",
        "ops.cross_entropy(input, target, weight=weight, ignore_index=ignore_index, "
        "reduction=reduction, label_smoothing=label_smoothing)",
        "F.cross_entropy(logits, labels)",
        "F.cross_entropy(logits, labels, u[0, [0, 1, 2, 3, 0]], reduction='sum')",
        "F.cross_entropy(logits, labels, ignore_index=4, reduction='none', label_smoothing=0.1)",
        "F.cross_entropy(logits, F.softmax(logits, dim=1))",
        "F.cross_entropy(image, index[:2, :1, None].expand(2, 8, 8))",
        mint="mint.nn.functional.cross_entropy(input, target, weight=weight, "
        "ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing)",
    ),
    layer(  # nn.CrossEntropyLoss takes labels of int32 only, its function int64 as well
        "CrossEntropyLoss",
        "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', "
        "label_smoothing=0.0",
        "compat.Loss(ops.cross_entropy, weight=weight, ignore_index=ignore_index, "
        "reduction=reduction, label_smoothing=label_smoothing)",
        "nn.CrossEntropyLoss()(logits, labels)",
        "nn.CrossEntropyLoss(ignore_index=4, label_smoothing=0.1)(logits, labels)",
        "nn.CrossEntropyLoss(reduction='sum')(logits, F.softmax(logits, dim=1))",
        mint="mint.nn.CrossEntropyLoss(weight=weight, ignore_index=ignore_index, "
        "reduction=reduction, label_smoothing=label_smoothing)",
    ),
    loss(
        "nll_loss",
        "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, "
        "reduction='mean'",
        "ops.nll_loss(input, target, weight=weight, ignore_index=ignore_index, "
        "reduction=reduction)",
        "F.nll_loss(logits, labels)",
        "F.nll_loss(logits, labels, ignore_index=4, reduction='none')",
        "F.nll_loss(logits, labels, weight=u[0, [0, 1, 2, 3, 0]])",
        mint="mint.nn.functional.nll_loss(input, target, weight=weight, "
        "ignore_index=ignore_index, reduction=reduction)",
    ),
    layer(
        "NLLLoss",
        "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
        "nn.NLLLoss(weight=weight, ignore_index=ignore_index, reduction=reduction)",
        "nn.NLLLoss()(logits, labels)",
        "nn.NLLLoss(ignore_index=4, reduction='sum')(logits, labels)",
        "nn.NLLLoss(weight=u[0, [0, 1, 2, 3, 0]])(logits, labels)",
        mint="mint.nn.NLLLoss(weight=weight, ignore_index=ignore_index, reduction=reduction)",
    ),
    loss(
        "linear_cross_entropy",
        "input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', "
        "ignore_index=None, label_smoothing=0.0, options=None",
        "ops.cross_entropy(ops.dense(input, linear_weight, linear_bias), target, weight=weight, "
        "ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing)",
        "F.linear_cross_entropy(m, m, labels % 4)",
        "F.linear_cross_entropy(m, m, labels % 4, linear_bias=v, reduction='sum')",
        drop=("options",),
    ),
    loss(
        "multi_margin_loss",
        "input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, "
        "reduction='mean'",
        "nn.MultiMarginLoss(p=p, margin=margin, reduction=reduction, weight=weight)(input, target)",
        "F.multi_margin_loss(logits, labels)",
        "F.multi_margin_loss(logits, labels, p=2, margin=0.5, reduction='sum')",
    ),
    layer(
        "MultiMarginLoss",
        "p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean'",
        "nn.MultiMarginLoss(p=p, margin=margin, reduction=reduction, weight=weight)",
        "nn.MultiMarginLoss()(logits, labels)",
        "nn.MultiMarginLoss(2, 0.5, reduction='none')(logits, labels)",
    ),
    *missing(
        "compute the clusters of classes as layers of their own, each with ops.log_softmax",
        "torch.nn.AdaptiveLogSoftmaxWithLoss(in_features, n_classes, cutoffs, div_value=4.0, "
        "head_bias=False, device=None, dtype=None)",
    ),
    *missing(
        "use nn.Dense, then ops.cross_entropy",
        "torch.nn.LinearCrossEntropyLoss(in_features, num_classes, *, out_features=(), "
        "bias=False, device=None, dtype=None, reduction='mean', weight=None, "
        "ignore_index=None, label_smoothing=0.0, options=None)",
    ),
)

PROBABILITIES = (
    Rule(
        "torch.nn.functional.binary_cross_entropy(input, target, weight, size_average=None, "
        'reduce=None, reduction="mean")',
        "compat.binary_cross_entropy(input, target, weight, reduction)",
        kinds={"weight": "tensor"},
        example="F.binary_cross_entropy(u, u, torch.tensor([1.0, 2.0, 1.0, 0.5]))",
    ),
    Rule(
        'torch.nn.BCELoss(weight, size_average=None, reduce=None, reduction="mean")',
        "compat.BCELoss(weight, reduction)",
        kinds={"weight": "tensor"},
        example="nn.BCELoss(torch.tensor([1.0, 2.0, 1.0, 0.5]))(u, u)",
    ),
    loss(
        "binary_cross_entropy",
        f"input, target, weight=None, {REDUCTION}",
        "ops.binary_cross_entropy(input, target, weight=weight, reduction=reduction)",
        "F.binary_cross_entropy(u, u)",
        "F.binary_cross_entropy(u, b.float(), weight=p, reduction='none')",
        note=SATURATED,
        mint="mint.nn.functional.binary_cross_entropy(input, target, weight=weight, "
        "reduction=reduction)",
    ),
    layer(
        "BCELoss",
        f"weight=None, {REDUCTION}",
        "nn.BCELoss(weight=weight, reduction=reduction)",
        "nn.BCELoss()(u, u)",
        "nn.BCELoss(p, reduction='sum')(u, u)",
        note=SATURATED,
        mint="mint.nn.BCELoss(weight=weight, reduction=reduction)",
    ),
    *(
        loss(
            "binary_cross_entropy_with_logits",
            f"input, target, {given}",
            "compat.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)",
            *examples,
            kinds={name: "tensor|unknown|union"},
        )
        for name, given, *examples in (
            (
                "weight",
                f"weight, {REDUCTION}, pos_weight=None",
                "F.binary_cross_entropy_with_logits(x, u, b.long())",
                "F.binary_cross_entropy_with_logits(x, u, p, pos_weight=p[0], reduction='none')",
            ),
            (
                "pos_weight",
                f"weight=None, {REDUCTION}, *, pos_weight",
                "F.binary_cross_entropy_with_logits(x, u, pos_weight=b[0].long())",
            ),
        )
    ),
    loss(
        "binary_cross_entropy_with_logits",
        f"input, target, weight=None, {REDUCTION}, pos_weight=None",
        "ops.binary_cross_entropy_with_logits(input, target, weight=weight, "
        "pos_weight=pos_weight, reduction=reduction)",
        "F.binary_cross_entropy_with_logits(x, u)",
        "F.binary_cross_entropy_with_logits(x, u, p, pos_weight=p[0], reduction='none')",
        mint="mint.nn.functional.binary_cross_entropy_with_logits(input, target, weight=weight, "
        "reduction=reduction, pos_weight=pos_weight)",
    ),
    layer(
        "BCEWithLogitsLoss",
        f"weight=None, {REDUCTION}, pos_weight=None",
        "nn.BCEWithLogitsLoss(reduction=reduction, weight=weight, pos_weight=pos_weight)",
        "nn.BCEWithLogitsLoss()(x, u)",
        "nn.BCEWithLogitsLoss(p, reduction='sum')(x, u)",
        mint="mint.nn.BCEWithLogitsLoss(weight=weight, reduction=reduction, pos_weight=pos_weight)",
    ),
    loss(  # MindSpore's own gives no gradient to the target
        "kl_div",
        f"input, target, {REDUCTION}, log_target=False",
        "compat.kl_div(input, target, reduction=reduction, log_target=log_target)",
        "F.kl_div(x, u)",
        "F.kl_div(x, u, reduction='batchmean')",
        "F.kl_div(x, u, reduction='sum')",
        "F.kl_div(x, y, reduction='batchmean', log_target=True)",
        "F.kl_div(x, u, reduction='none', log_target=False)",
        "slopes(lambda s, t: F.kl_div(s, t), x, u)",
        "slopes(lambda s, t: F.kl_div(s, t, log_target=True) ** 2, x, y)",
        mint="mint.nn.functional.kl_div(input, target, reduction=reduction, log_target=log_target)",
    ),
    layer(
        "KLDivLoss",
        f"{REDUCTION}, log_target=False",
        "compat.Loss(compat.kl_div, reduction=reduction, log_target=log_target)",
        "nn.KLDivLoss()(x, u)",
        "nn.KLDivLoss(reduction='batchmean')(x, u)",
        "nn.KLDivLoss(reduction='batchmean', log_target=True)(x, y)",
        mint="mint.nn.KLDivLoss(reduction=reduction, log_target=log_target)",
    ),
    loss(
        "ctc_loss",
        "log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', "
        "zero_infinity=False",
        "compat.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=blank, "
        "reduction=reduction, zero_infinity=zero_infinity)",
        "F.ctc_loss(F.log_softmax(e[:, :1], -1), order[None, :2] + 1, order[:1], order[:1])",
        "F.ctc_loss(F.log_softmax(e[:, :2], -1), order[:2] + 1, [2, 2], (1, 1), reduction='sum')",
        "F.ctc_loss(F.log_softmax(e[:, 0], -1), order[:1] + 1, torch.tensor(2), torch.tensor(1))",
    ),
    layer(
        "CTCLoss",
        "blank=0, reduction='mean', zero_infinity=False",
        "compat.Loss(compat.ctc_loss, blank=blank, reduction=reduction, "
        "zero_infinity=zero_infinity)",
        "nn.CTCLoss()(F.log_softmax(e[:, :1], -1), order[None, :2] + 1, order[:1], order[:1])",
        "nn.CTCLoss(reduction='none')(F.log_softmax(e[:, :2], -1), order[:2] + 1, [2, 2], [1, 1])",
    ),
)

MARGINS = (
    loss(
        "cosine_embedding_loss",
        f"input1, input2, target, margin=0, {REDUCTION}",
        "ops.cosine_embedding_loss(input1, input2, target, margin=fraction(margin), "
        "reduction=reduction)",
        "F.cosine_embedding_loss(x, y, order - 1)",
        "F.cosine_embedding_loss(x, y, 1 - 2 * (order > 0).long(), margin=0.3, reduction='none')",
        mint="mint.nn.functional.cosine_embedding_loss(input1, input2, target, margin=margin, "
        "reduction=reduction)",
        note=FLOAT,
    ),
    layer(
        "CosineEmbeddingLoss",
        f"margin=0.0, {REDUCTION}",
        "nn.CosineEmbeddingLoss(margin=margin, reduction=reduction)",
        "nn.CosineEmbeddingLoss()(x, y, order * 0 + 1)",
        "nn.CosineEmbeddingLoss(0.3, reduction='sum')(x, y, order * 0 - 1)",
        note="Of a row of zeros MindSpore gives NaN, PyTorch takes its cosine for 0.",
        mint="mint.nn.CosineEmbeddingLoss(margin=margin, reduction=reduction)",
    ),
    loss(  # MindSpore's own has no gradient on the CPU
        "hinge_embedding_loss",
        f"input, target, margin=1.0, {REDUCTION}",
        "compat.hinge_embedding_loss(input, target, margin=margin, reduction=reduction)",
        "F.hinge_embedding_loss(x, x.sign())",
        "F.hinge_embedding_loss(x, y.sign(), margin=0.3, reduction='none')",
        "slopes(lambda t: F.hinge_embedding_loss(t, y.sign()) * 3, x)",
        "slopes(lambda t: F.hinge_embedding_loss(t, 1 - order[:, None], margin=2), x)",
    ),
    layer(
        "HingeEmbeddingLoss",
        f"margin=1.0, {REDUCTION}",
        "compat.Loss(compat.hinge_embedding_loss, margin=margin, reduction=reduction)",
        "nn.HingeEmbeddingLoss()(x, y.sign())",
        "nn.HingeEmbeddingLoss(0.3, reduction='sum')(x, y.sign())",
    ),
    loss(
        "margin_ranking_loss",
        f"input1, input2, target, margin=0, {REDUCTION}",
        "compat.margin_ranking_loss(input1, input2, target, margin=margin, reduction=reduction)",
        "F.margin_ranking_loss(x, y, p.sign())",
        "F.margin_ranking_loss(x, y, x.sign().long(), margin=1, reduction='none')",
        "slopes(lambda s, t: F.margin_ranking_loss(s, t, x.sign().int(), 0.3), x, y)",
        "slopes(lambda s, t: F.margin_ranking_loss(s, t, torch.ones(1)), x[0], x[0])",
    ),
    layer(
        "MarginRankingLoss",
        f"margin=0.0, {REDUCTION}",
        "compat.Loss(compat.margin_ranking_loss, margin=margin, reduction=reduction)",
        "nn.MarginRankingLoss()(x, y, x.sign())",
        "nn.MarginRankingLoss(0.5, reduction='sum')(x, y, x.sign().long())",
    ),
    loss(
        "multilabel_soft_margin_loss",
        f"input, target, weight=None, {REDUCTION}",
        "compat.multilabel_soft_margin_loss(input, target, weight=weight, reduction=reduction)",
        "F.multilabel_soft_margin_loss(x, u)",
        "F.multilabel_soft_margin_loss(x * 99, u)",
        "F.multilabel_soft_margin_loss(x, u, v, reduction='none')",
    ),
    layer(
        "MultiLabelSoftMarginLoss",
        f"weight=None, {REDUCTION}",
        "compat.MultiLabelSoftMarginLoss(weight=weight, reduction=reduction)",
        "nn.MultiLabelSoftMarginLoss()(x, u)",
        "nn.MultiLabelSoftMarginLoss()(x * 99, u)",
        "nn.MultiLabelSoftMarginLoss(v, reduction='sum')(x, u)",
    ),
    loss(  # MindSpore's own has no kernel on the CPU
        "multilabel_margin_loss",
        f"input, target, {REDUCTION}",
        "compat.multilabel_margin_loss(input, target, reduction=reduction)",
        "F.multilabel_margin_loss(x, index - 1)",
        "F.multilabel_margin_loss(x, j - 2, reduction='none')",
    ),
    layer(
        "MultiLabelMarginLoss",
        REDUCTION,
        "compat.Loss(compat.multilabel_margin_loss, reduction=reduction)",
        "nn.MultiLabelMarginLoss()(x, index - 1)",
    ),
    loss(  # MindSpore's own has no kernel on the CPU
        "soft_margin_loss",
        f"input, target, {REDUCTION}",
        "compat.soft_margin_loss(input, target, reduction=reduction)",
        "F.soft_margin_loss(x, y.sign())",
        "F.soft_margin_loss(30 * x, y.sign(), reduction='none')",
    ),
    layer(
        "SoftMarginLoss",
        REDUCTION,
        "compat.Loss(compat.soft_margin_loss, reduction=reduction)",
        "nn.SoftMarginLoss()(x, y.sign())",
    ),
    loss(  # MindSpore's own has no kernel on the CPU
        "triplet_margin_loss",
        f"anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, {REDUCTION}",
        "compat.triplet_margin_loss(anchor, positive, negative, margin=margin, p=p, eps=eps, "
        "swap=swap, reduction=reduction)",
        "F.triplet_margin_loss(x, y, p)",
        "F.triplet_margin_loss(x, y, p, 0.3, p=1, eps=0.1, swap=True, reduction='none')",
    ),
    layer(
        "TripletMarginLoss",
        f"margin=1.0, p=2.0, eps=1e-06, swap=False, {REDUCTION}",
        "compat.Loss(compat.triplet_margin_loss, margin=margin, p=p, eps=eps, swap=swap, "
        "reduction=reduction)",
        "nn.TripletMarginLoss()(x, y, p)",
        "nn.TripletMarginLoss(margin=2.0, swap=True, reduction='none')(x, y, p)",
    ),
    loss(
        "triplet_margin_with_distance_loss",
        "anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, "
        "reduction='mean'",
        "compat.triplet_margin_with_distance_loss(anchor, positive, negative, "
        "distance_function=distance_function, margin=margin, swap=swap, reduction=reduction)",
        "F.triplet_margin_with_distance_loss(x, y, p)",
        "F.triplet_margin_with_distance_loss(x, y, p, margin=2.0, swap=True, reduction='none', "
        "distance_function=lambda s, t: abs(s - t).max(-1)[0])",
    ),
    layer(  # nn.TripletMarginWithDistanceLoss adds no eps to the distance
        "TripletMarginWithDistanceLoss",
        "*, distance_function=None, margin=1.0, swap=False, reduction='mean'",
        "compat.Loss(compat.triplet_margin_with_distance_loss, "
        "distance_function=distance_function, margin=margin, swap=swap, reduction=reduction)",
        "nn.TripletMarginWithDistanceLoss()(x, y, p)",
        "nn.TripletMarginWithDistanceLoss(margin=2.0, swap=True, reduction='sum')(x, y, p)",
    ),
)

HANDED_ON = tuple(
    Rule(f"torch.nn.{name}", f"compat.{name}", example=f"kind = nn.{name}\nkind()({inputs})")
    for name, inputs in (
        ("CrossEntropyLoss", "logits, labels"),
        ("KLDivLoss", "x, u"),
        ("HingeEmbeddingLoss", "x, y.sign()"),
        ("MultiLabelMarginLoss", "x, index - 1"),
        ("SoftMarginLoss", "x, y.sign()"),
        ("TripletMarginLoss", "x, y, p"),
    )
)
"""The classes themselves, which other classes derive from."""

RULES = (*REGRESSION, *CLASSES, *PROBABILITIES, *MARGINS, *HANDED_ON)
