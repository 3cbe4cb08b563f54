"""Losses of margins and of distributions, as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.argument import check_choice, check_range, check_tensors, check_type
from ..engine.tensor import Tensor
from ..ops import margin_loss as losses
from ..ops.arithmetic import abs, maximum, minimum, sqrt, square
from ..ops.loss import check_reduction
from ..ops.reduction import sum
from .loss import LossBase


class CosineEmbeddingLoss(LossBase):
    """1 - cos where the label is 1, max(0, cos - margin) where it is -1."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        losses.check_margin(self.cls_name, margin)
        self.margin = margin

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Tensor:
        return losses.cosine_embedding_loss(
            logits_x1, logits_x2, labels, self.margin, self.reduction
        )


class MarginRankingLoss(LossBase):
    """max(0, -target * (input1 - input2) + margin)."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return losses.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class HingeEmbeddingLoss(LossBase):
    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__()
        check_type(self.cls_name, "margin", margin, float, int)
        check_reduction(self.cls_name, reduction)
        self.margin, self.reduction = margin, reduction

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class SoftMarginLoss(LossBase):
    """log(1 + exp(-label * logit))."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.soft_margin_loss(logits, labels, self.reduction)


class MultiMarginLoss(LossBase):
    """See `ops.multi_margin_loss`; the weights (c) are given here or at the call."""

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        reduction: str = "mean",
        weight: Tensor | None = None,
    ) -> None:
        super().__init__()
        check_type(self.cls_name, "margin", margin, float)
        check_choice(self.cls_name, "p", p, (1, 2))
        check_reduction(self.cls_name, reduction)
        self.p, self.margin, self.reduction, self.weight = p, margin, reduction, weight

    def construct(self, x: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
        chosen = weight if self.weight is None else self.weight
        return losses.hinge_of_classes(x, target, chosen, (self.p, self.margin), self.reduction)


class MultilabelMarginLoss(LossBase):
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        check_reduction(self.cls_name, reduction)
        self.reduction = reduction

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return losses.multilabel_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return losses.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class TripletMarginLoss(LossBase):
    """A margin other than 1 given here goes before the one of the call."""

    def __init__(
        self,
        p: int = 2,
        swap: bool = False,
        eps: float = 1e-06,
        reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__()
        self.p, self.swap, self.eps, self.reduction = p, swap, eps, reduction
        self.margin = margin

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor, margin: Any = 1.0) -> Tensor:
        chosen = margin if self.margin == 1.0 else self.margin
        settings = (chosen, self.p, self.eps, self.swap, self.reduction)
        return losses.triplet_margin_loss(x, positive, negative, *settings)


def euclidean(x: Tensor, y: Tensor) -> Tensor:
    """The distance along axis 1."""
    return sqrt(sum(square(abs(x - y)), 1))


class TripletMarginWithDistanceLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin) with any function d."""

    def __init__(
        self,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        swap: bool = False,
        reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        self.margin = check_type(self.cls_name, "margin", margin, float)
        self.swap = check_type(self.cls_name, "swap", swap, bool)
        self.distance_function = euclidean if distance_function is None else distance_function

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        check_tensors(self.cls_name, x=x, positive=positive, negative=negative)
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = minimum(far, self.distance_function(positive, negative))
        return self.get_loss(maximum(near - far + self.margin, 0.0))


class GaussianNLLLoss(LossBase):
    def __init__(self, *, full: bool = False, eps: float = 1e-06, reduction: str = "mean") -> None:
        super().__init__()
        check_range(self.cls_name, "eps", eps, 0, ends="neither")
        check_type(self.cls_name, "full", full, bool)
        check_reduction(self.cls_name, reduction)
        self.full, self.eps, self.reduction = full, eps, reduction

    def construct(self, logits: Tensor, labels: Tensor, var: Tensor) -> Tensor:
        return losses.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    """Of the logarithm of the mean, or of the mean itself if `log_input` is False."""

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-08,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        check_tensors(self.cls_name, input=input, target=target)
        return self.get_loss(
            losses.poisson_loss(input, target, self.log_input, self.full, self.eps)
        )
