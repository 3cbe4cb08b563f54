"""Losses as layers."""

from __future__ import annotations

from typing import Any

from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_float, check_int, check_tensors, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.observation import tell_of_predictions
from ..engine.parameter import Parameter
from ..engine.primitive import convert
from ..engine.promotion import rank_of
from ..engine.tensor import Tensor
from ..ops import loss as losses
from ..ops.activation import log_softmax
from ..ops.arithmetic import add, less, mul, neg, sqrt, sub, where
from ..ops.creation import one_hot
from ..ops.ctc_loss import ctc_loss
from ..ops.reduction import logsumexp, sum
from ..ops.shaping import expand_dims, gather_elements, squeeze
from ..ops.state import stop_gradient


class LossBase(Cell):
    """A loss with a reduction; subclasses define `construct`."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        losses.check_reduction(self.cls_name, reduction)
        self.reduction = reduction

    @property
    def average(self) -> bool:
        return bool(self.reduction != "sum")

    @property
    def reduce(self) -> bool:
        return bool(self.reduction != "none")

    def get_axis(self, x: Tensor) -> tuple[int, ...]:
        """All axes of `x`."""
        return tuple(range(x.ndim))

    def get_loss(self, x: Tensor, weights: Any = 1.0) -> Tensor:
        """`x` times `weights`, reduced."""
        return losses.reduced_in_single(x, self.reduction, weights)


class MSELoss(LossBase):
    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        check_tensors(self.cls_name, logits=logits, labels=labels)
        distance = logits - labels
        return self.get_loss(distance * distance)


class RMSELoss(LossBase):
    """The root of the mean squared error."""

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        for x in (logits, label):
            if x.dtype.name.startswith("uint"):
                raise ElementTypeError(self.cls_name, "needs no unsigned type", got=x.dtype.name)
        distance = logits - label
        return sqrt(self.get_loss(distance * distance))


class L1Loss(LossBase):
    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.l1_loss(logits, labels, self.reduction)


class MAELoss(LossBase):
    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return losses.l1_loss(logits, label, self.reduction)


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
        super().__init__()
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
        super().__init__()
        for given in (weight, pos_weight):
            if isinstance(given, Parameter):
                raise ElementTypeError(self.cls_name, "a weight can not be a Parameter")
        self.reduction, self.weight, self.pos_weight = reduction, weight, pos_weight

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
        self.weight = class_weight(self.cls_name, weight)
        self.ignore_index = check_type(self.cls_name, "ignore_index", ignore_index, int)

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
        check_int(self.cls_name, "ignore_index", ignore_index)
        check_float(self.cls_name, "label_smoothing", label_smoothing, 0.0, 1.0)
        self.weight = class_weight(self.cls_name, weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        check_tensors(self.cls_name, logits=logits, labels=labels)
        self.check_shapes(logits, labels)
        return losses.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )

    def check_shapes(self, logits: Tensor, labels: Tensor) -> None:
        """Raises: TypeError, ValueError (MS304), as MindSpore does."""
        numbers = labels.ndim == logits.ndim - 1
        if numbers and labels.dtype is not dtypes.int32:
            raise ElementTypeError(self.cls_name, "class numbers must be int32",
                                   got=labels.dtype.name,
                                   advice="write labels.astype(ms.int32)")  # fmt: skip
        expected = logits.shape[:1] + logits.shape[2:] if numbers else logits.shape
        if labels.shape != (() if numbers and logits.ndim == 1 else expected):
            raise ShapeError(self.cls_name, "the shape of the labels does not fit the logits",
                             got=str(labels.shape), expected=str(expected))  # fmt: skip


def class_weight(name: str, weight: Any) -> Any:
    """`weight`. Raises: TypeError (MS304) unless it is None or a Tensor of floats."""
    check_tensors(name, weight=weight)
    if weight is not None and rank_of(weight.dtype) != 2:
        raise ElementTypeError(name, "the weight must be of floats", got=weight.dtype.name)
    return weight


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Of logits (n, c), and probabilities (n, c), or class numbers (n) if `sparse`.

    The gradient is softmax(logits) - labels, whatever the labels sum to.
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = check_type(self.cls_name, "sparse", sparse, bool)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        check_tensors(self.cls_name, logits=logits, labels=labels)
        tell_of_predictions("logits", logits, labels, logits.ndim - 1)
        if self.sparse and self.reduction == "mean":
            return self.get_loss(self.of_classes(logits, labels))
        if self.sparse:
            labels = convert(one_hot(labels, logits.shape[-1], 1.0, 0.0), logits.dtype)
        labels = stop_gradient(labels)
        loss = neg(sum(mul(labels, log_softmax(logits)), -1))
        if not self.sparse:
            rest = mul(sub(1.0, sum(labels, -1)), logsumexp(logits, -1))
            loss = add(loss, sub(rest, stop_gradient(rest)))
        return self.get_loss(loss)

    def of_classes(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Of class numbers; one that there is not ends in an error.

        As in MindSpore, which takes 0 for its loss where no mean is asked for.
        """
        beyond = logits.shape[-1]  # what a number below 0 is made, which would count from behind
        classes = where(less(labels, 0), beyond, labels)
        return neg(squeeze(gather_elements(log_softmax(logits), -1, expand_dims(classes, -1)), -1))


class CTCLoss(LossBase):
    """Connectionist temporal classification; see `ops.ctc_loss`."""

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def construct(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor
    ) -> Tensor:
        check_tensors(self.cls_name, log_probs=log_probs, targets=targets)
        alone = log_probs.ndim == 2
        if alone:
            if targets.ndim > 2 or (targets.ndim == 2 and targets.shape[0] != 1):
                got = str(targets.shape)
                raise ShapeError(self.cls_name, "needs one target of 1 or 2 axes", got=got)
            log_probs = expand_dims(log_probs, -2)
            targets = expand_dims(targets, 0) if targets.ndim == 1 else targets
        settings = (self.blank, self.reduction, self.zero_infinity)
        loss, _ = ctc_loss(log_probs, targets, input_lengths, target_lengths, *settings)
        return squeeze(loss, 0) if alone and loss.ndim else loss
