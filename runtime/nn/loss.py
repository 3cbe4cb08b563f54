"""Losses as layers."""

from __future__ import annotations

from typing import Any

from ..cell import Cell
from ..ops import loss as losses
from ..ops.activation import log_softmax
from ..ops.arithmetic import mul, neg
from ..ops.creation import one_hot
from ..ops.reduction import sum
from ..primitive import convert
from ..tensor import Tensor


class LossBase(Cell):
    """A loss with a reduction; subclasses define `construct`."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        losses.check_reduction(self.cls_name, reduction, ("none", "mean", "sum"))
        self.reduction = reduction

    def get_loss(self, x: Tensor, weights: Any = 1.0) -> Tensor:
        """`x` times `weights`, reduced."""
        return losses.reduced(mul(x, weights), self.reduction)


class MSELoss(LossBase):
    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.mse_loss(logits, labels, self.reduction)


class L1Loss(LossBase):
    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.l1_loss(logits, labels, self.reduction)


class SmoothL1Loss(LossBase):
    """Quadratic below `beta`; the default reduction is none (PyTorch: mean)."""

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.huber_loss(logits, labels, self.reduction, self.delta)


class KLDivLoss(LossBase):
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("mean" if reduction == "batchmean" else reduction)
        self.reduction = reduction

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.kl_div(logits, labels, self.reduction)


class BCELoss(LossBase):
    """Of probabilities."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    def __init__(
        self,
        reduction: str = "mean",
        weight: Tensor | None = None,
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.binary_cross_entropy_with_logits(
            logits, labels, self.weight, self.pos_weight, self.reduction
        )


class NLLLoss(LossBase):
    """Of log-probabilities and class numbers as int32."""

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(LossBase):
    """Of logits, and class numbers as int32 or probabilities; see `ops.cross_entropy`."""

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index
        self.label_smoothing = label_smoothing

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Of logits (n, c), and probabilities (n, c), or class numbers (n) if `sparse`."""

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = sparse

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        if self.sparse:
            labels = convert(one_hot(labels, logits.shape[-1], 1.0, 0.0), logits.dtype)
        return self.get_loss(neg(sum(mul(labels, log_softmax(logits)), -1)))


class CosineEmbeddingLoss(LossBase):
    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Tensor:
        return losses.cosine_embedding_loss(
            logits_x1, logits_x2, labels, self.margin, self.reduction
        )


class MarginRankingLoss(LossBase):
    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return losses.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)
