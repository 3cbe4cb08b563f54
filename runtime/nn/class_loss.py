"""Losses of segmentation and of many classes: dice, focal, sampled softmax."""

from __future__ import annotations

from typing import Any

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_range, check_tensors, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.activation import log_softmax, softmax
from ..ops.arithmetic import add, div, equal, exp, log, mul, neg, pow, sub, where
from ..ops.creation import full, ones_like, zeros_like
from ..ops.random import rand
from ..ops.reduction import amax, matmul, mean, sum, topk
from ..ops.shaping import concat, expand_dims, gather, gather_elements, reshape, squeeze, transpose
from .activation import get_activation
from .loss import LossBase


class DiceLoss(LossBase):
    """1 - 2 * sum(x * y) / (sum(x * x) + sum(y * y) + smooth)."""

    def __init__(self, smooth: float = 1e-05) -> None:
        super().__init__()
        check_range(self.cls_name, "smooth", smooth, 0.0, ends="neither")
        self.smooth = check_type(self.cls_name, "smooth", smooth, float)

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        check_tensors(self.cls_name, logits=logits, label=label)
        if logits.shape != label.shape:
            got = f"{logits.shape}, {label.shape}"
            raise ShapeError(self.cls_name, "needs two equal shapes", got=got)
        if dtypes.uint8 in (logits.dtype, label.dtype):
            raise ElementTypeError(self.cls_name, "needs no uint8", got="uint8")
        both = sum(mul(logits, label))
        every = add(sum(mul(logits, logits)), sum(mul(label, label)))
        return sub(1, div(mul(2, both), add(every, self.smooth)))


class MultiClassDiceLoss(LossBase):
    """The mean over the classes (axis 1) of the weighted dice loss of each."""

    def __init__(
        self,
        weights: Tensor | None = None,
        ignore_indiex: int | None = None,
        activation: str | Cell | None = "softmax",
    ) -> None:
        super().__init__()
        known = ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")
        self.binarydiceloss = DiceLoss(smooth=1e-05)
        check_tensors(self.cls_name, weights=weights)
        if weights is not None and weights.ndim != 2:
            raise ShapeError(self.cls_name, "weights need two axes", got=str(weights.shape))
        if ignore_indiex is not None:
            check_type(self.cls_name, "ignore_indiex", ignore_indiex, int)
        self.weights, self.ignore_indiex = weights, ignore_indiex
        if isinstance(activation, str):
            check_choice(self.cls_name, "activation", activation, known)
            activation = get_activation(activation)
        elif activation is not None:
            check_type(self.cls_name, "activation", activation, Cell)
        self.activation = activation

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        check_tensors(self.cls_name, logits=logits, label=label)
        if logits.shape != label.shape or logits.ndim < 2:
            got = f"{logits.shape}, {label.shape}"
            raise ShapeError(self.cls_name, "needs equal shapes of two axes at least", got=got)
        if self.weights is not None and self.weights.shape[0] != label.shape[1]:
            raise ShapeError(self.cls_name, "needs one weight per class",
                             got=str(self.weights.shape))  # fmt: skip
        if self.activation is not None:
            logits = self.activation(logits)
        total: Any = 0
        for k in range(label.shape[1]):
            if k != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, k], label[:, k])
                total = add(total, loss if self.weights is None else mul(loss, self.weights[k]))
        return div(total, label.shape[1])


class FocalLoss(LossBase):
    """-(1 - p) ** gamma * log(p) of the label's class, or of each class times its label.

    Shapes: logits (n, c, ...), labels (n, 1, ...) or (n, c, ...), weight (c)
    """

    def __init__(
        self, weight: Tensor | None = None, gamma: float = 2.0, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.gamma = check_type(self.cls_name, "gamma", gamma, float)
        check_tensors(self.cls_name, weight=weight)
        if weight is not None and weight.ndim != 1:
            raise ShapeError(self.cls_name, "the weight needs one axis", got=str(weight.shape))
        self.weight = weight

    def check(self, logits: Tensor, labels: Tensor) -> None:
        """Raises: TypeError, ValueError (MS304), as MindSpore does."""
        check_tensors(self.cls_name, logits=logits, labels=labels)
        known = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32)
        if labels.dtype not in known:
            raise ElementTypeError(self.cls_name, "unfit labels", got=labels.dtype.name)
        fits = 2 <= logits.ndim <= 4 and labels.ndim == logits.ndim
        if not fits or logits.shape[1] == 1 or labels.shape[1] not in (1, logits.shape[1]):
            got = f"{logits.shape}, {labels.shape}"
            raise ShapeError(self.cls_name, "needs (n, c, ...) and (n, 1 or c, ...)", got=got)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self.check(logits, labels)
        numbers = labels.shape[1] == 1
        logits = reshape(logits, (*logits.shape[:2], -1))
        labels = reshape(labels, (*labels.shape[:2], -1))
        scores = log_softmax(logits, 1)
        weight = self.weight
        if weight is not None:
            weight = reshape(weight, (1, -1, 1))
        if numbers:
            places = convert(labels, dtypes.int32)
            scores = squeeze(gather_elements(scores, 1, places), 1)
            if weight is not None:
                weight = squeeze(gather(reshape(weight, (-1,)), places, 0), 1)
        weighted = scores if weight is None else mul(scores, weight)
        far = mul(neg(pow(sub(1.0, exp(scores)), self.gamma)), weighted)
        loss = mean(far, 1) if numbers else mean(mul(far, labels), -1)
        return self.get_loss(loss)


class SampledSoftmaxLoss(LossBase):
    """Softmax cross entropy over the true classes and some that are sampled.

    Shapes: weights (c, d), biases (c), labels (n, true), logits (n, d) -> (n)
    """

    def __init__(
        self,
        num_sampled: int,
        num_classes: int,
        num_true: int = 1,
        sampled_values: Any = None,
        remove_accidental_hits: bool = True,
        seed: int = 0,
        reduction: str = "none",
    ) -> None:
        super().__init__(reduction)
        check_range(self.cls_name, "num_true", num_true, 1, num_classes)
        check_int(self.cls_name, "seed", seed, 0)
        check_range(self.cls_name, "num_sampled", num_sampled, high=num_classes)
        if sampled_values is not None:
            check_type(self.cls_name, "sampled_values", sampled_values, list, tuple)
            if len(sampled_values) != 3:
                got = str(len(sampled_values))
                raise ShapeError(self.cls_name, "needs three sampled_values", got=got)
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values, self.remove_accidental_hits = sampled_values, remove_accidental_hits
        self.seed = seed

    def construct(self, weights: Tensor, biases: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
        check_tensors(self.cls_name, weights=weights, biases=biases, labels=labels, logits=logits)
        if labels.dtype not in (dtypes.int32, dtypes.int64):
            raise ElementTypeError(self.cls_name, "unfit labels", got=labels.dtype.name)
        scores, targets = self.sampled_scores(weights, biases, labels, logits)
        return neg(sum(mul(targets, log(add(softmax(scores, 1), 1e-20))), 1))

    def sampled_scores(
        self, weights: Tensor, biases: Tensor, labels: Tensor, x: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The scores of the true and of the sampled classes, less log(expected count)."""
        labels = reshape(convert(labels, dtypes.int32), (-1, self.num_true))
        drawn = self.drawn(labels) if self.sampled_values is None else self.sampled_values
        sampled, true_count, sampled_count = drawn
        own = sum(mul(expand_dims(x, 1), gather(weights, labels, 0)), 2)
        own = sub(add(own, gather(biases, labels, 0)), log(true_count))
        others = matmul(x, transpose(gather(weights, sampled, 0), (1, 0)))
        others = sub(add(others, gather(biases, sampled, 0)), log(sampled_count))
        targets = (div(ones_like(own), self.num_true), zeros_like(others))
        return concat((own, others), 1), concat(targets, 1)

    def drawn(self, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Different classes at random, and how often the true and the sampled are expected."""
        chances = rand(self.num_classes, seed=self.seed or None)
        if self.remove_accidental_hits:
            every = constant(range(self.num_classes), dtypes.int32)
            hits = amax(convert(equal(reshape(labels, (-1, 1)), every), dtypes.float32), 0)
            chances = where(equal(hits, 1.0), -1.0, chances)
        sampled = convert(topk(chances, self.num_sampled)[1], dtypes.int32)
        expected = self.num_sampled / self.num_classes
        return (
            sampled,
            full(labels.shape, expected, dtype=dtypes.float32),
            full((self.num_sampled,), expected, dtype=dtypes.float32),
        )
