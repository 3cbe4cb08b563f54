"""Losses."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .. import ops
from ..engine.argument import check_choice, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from ..ops.activation import FLOATS, check_elements
from ..ops.ctc_greedy import greedy
from ..ops.margin_loss import hinge_of_classes, labelled_margins
from ..ops.window import check_rank
from ..primitives import activation as a
from .operation import operation

Reduction = Literal["none", "mean", "sum"]


def check_alike(where: str, x: Tensor, target: Tensor) -> None:
    """Raises: TypeError, ValueError (MS304) unless both are of floats, and alike."""
    check_elements(where, x, *FLOATS)
    check_type(where, "the target", target, Tensor)
    if x.dtype is not target.dtype:
        raise ElementTypeError(where, "the element types differ", got=target.dtype.name,
                               expected=x.dtype.name)  # fmt: skip
    if x.shape != target.shape:
        raise ShapeError(where, "the shapes differ", got=str(target.shape), expected=str(x.shape))


@operation("SmoothL1Loss")
def smooth_l1_loss(
    prediction: Tensor,
    target: Tensor,
    *,
    beta: bool | int | float = 1.0,
    reduction: Reduction = "none",
) -> Any:
    check_elements("SmoothL1Loss", prediction, *FLOATS)
    check_alike("SmoothL1Loss", prediction, convert(target, prediction.dtype))
    if beta <= 0:
        raise RuntimeError(f"SmoothL1Loss: beta must be positive, got {beta}")
    return ops.smooth_l1_loss(prediction, target, float(beta), reduction)


@operation("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(logits: Tensor, labels: Tensor) -> Any:
    """The loss of each row of (n, c), and the gradient of the logits."""
    check_alike("SoftmaxCrossEntropyWithLogits", logits, labels)
    check_rank("SoftmaxCrossEntropyWithLogits", logits, 2)
    known = ops.stop_gradient(labels)
    loss = ops.neg(ops.sum(ops.mul(known, a.log_softmax(logits)), -1))
    return loss, ops.stop_gradient(ops.sub(a.softmax(logits), known))


@operation("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy(logits: Tensor, labels: Tensor, *, is_grad: bool = False) -> Any:
    """The mean loss of class numbers, or with `is_grad` its gradient."""
    check_elements("SparseSoftmaxCrossEntropyWithLogits", logits, *FLOATS)
    check_rank("SparseSoftmaxCrossEntropyWithLogits", logits, 2)
    if labels.shape != logits.shape[:1]:
        raise ShapeError("SparseSoftmaxCrossEntropyWithLogits", "needs one label per row",
                         got=str(labels.shape), expected=str(logits.shape[:1]))  # fmt: skip
    places = ops.expand_dims(labels, 1)
    if not is_grad:
        return ops.neg(ops.mean(ops.gather_elements(a.log_softmax(logits), 1, places)))
    classes = Tensor(np.arange(logits.shape[1]), labels.dtype)
    chosen = convert(ops.equal(places, classes), logits.dtype)
    return ops.div(ops.sub(a.softmax(logits), chosen), logits.shape[0])


@operation("SigmoidCrossEntropyWithLogits")
def sigmoid_cross_entropy(logits: Tensor, label: Tensor) -> Any:
    check_alike("SigmoidCrossEntropyWithLogits", logits, label)
    known = ops.stop_gradient(label)
    return ops.sub(a.softplus(logits), ops.mul(known, logits))


@operation("BCEWithLogitsLoss")
def bce_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    posWeight: Tensor | None = None,
    *,
    reduction: Reduction = "mean",
) -> Any:
    check_alike("BCEWithLogitsLoss", input, target)
    return ops.binary_cross_entropy_with_logits(input, target, weight, posWeight, reduction)


@operation("BinaryCrossEntropy")
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: Reduction = "mean"
) -> Any:
    """Raises: RuntimeError for what is no probability, where that is known."""
    check_alike("BinaryCrossEntropy", input, target)
    if not input.is_traced and ((input.asnumpy() < 0) | (input.asnumpy() > 1)).any():
        raise RuntimeError("BinaryCrossEntropy: the input must lie between 0 and 1")
    return ops.binary_cross_entropy(input, target, weight, reduction)


@operation("KLDivLoss")
def kl_div(
    logits: Tensor,
    labels: Tensor,
    *,
    reduction: Literal["none", "mean", "batchmean", "sum"] = "mean",
) -> Any:
    check_alike("KLDivLoss", logits, labels)
    return ops.kl_div(logits, labels, reduction)


@operation("NLLLoss")
def nll_loss(
    logits: Tensor,
    labels: Tensor,
    weight: Tensor,
    *,
    reduction: Reduction = "mean",
    ignore_index: Any = -100,
) -> Any:
    """The loss, and the weights of the classes that count, added up."""
    check_type("NLLLoss", "weight", weight, Tensor)
    check_elements("NLLLoss", logits, *FLOATS)
    if logits.ndim != 2:
        raise RuntimeError(f"NLLLoss: the logits must have two axes, got {logits.shape}")
    known = ops.stop_gradient(weight)
    loss = ops.nll_loss(logits, labels, known, ignore_index, reduction)
    ignored = ops.equal(labels, ignore_index)
    weights = ops.gather(known, ops.where(ignored, 0, labels), 0)
    return loss, ops.sum(ops.where(ignored, ops.mul(weights, 0), weights))


def check_margins(p: Any, margin: Any, reduction: Any) -> None:
    check_choice("MultiMarginLoss", "p", p, (1, 2))


@operation("MultiMarginLoss", check_margins)
def multi_margin_loss(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    p: int = 1,
    margin: float = 1.0,
    reduction: Reduction = "mean",
) -> Any:
    return hinge_of_classes(x, target, weight, (p, margin), reduction)


@operation("MultilabelMarginLoss")
def multilabel_margin_loss(x: Tensor, target: Tensor, *, reduction: Reduction = "mean") -> Any:
    return labelled_margins(x, target, reduction)


@operation("TripletMarginLoss")
def triplet_margin_loss(
    x: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: Tensor,
    *,
    p: int = 2,
    swap: bool = False,
    eps: float = 1e-6,
    reduction: Reduction = "mean",
) -> Any:
    return ops.triplet_margin_loss(x, positive, negative, margin, p, eps, swap, reduction)


@operation("L2Loss")
def l2_loss(input_x: Tensor) -> Any:
    """Half of the sum of squares."""
    check_elements("L2Loss", input_x, *FLOATS)
    return ops.mul(ops.sum(ops.square(input_x)), 0.5)


@operation("CTCLossV2")
def ctc_loss_v2(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    *,
    blank: int = 0,
    reduction: Literal["none"] = "none",
    zero_infinity: bool = False,
) -> Any:
    lengths = (input_lengths, target_lengths)
    return ops.ctc_loss(log_probs, targets, *lengths, blank, reduction, zero_infinity)


@operation("CTCLoss")
def ctc_loss(
    x: Tensor,
    labels_indices: Tensor,
    labels_values: Tensor,
    sequence_length: Tensor,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> Any:
    """Of logits (t, n, c), whose last class is the blank, and sparse labels; and the gradient.

    Shapes: labels_indices (k, 2) of sequence and place, labels_values (k), sequence_length (n)
    """
    if not ctc_merge_repeated:
        raise NotImplementedError("CTCLoss: only merged repeats are known here")
    rows, values = labels_indices.asnumpy(), labels_values.asnumpy()
    if preprocess_collapse_repeated and len(values):
        again = (rows[1:, 0] == rows[:-1, 0]) & (values[1:] == values[:-1])
        kept = np.concatenate([[True], ~again])
        rows, values = rows[kept], values[kept]
    counts = np.bincount(rows[:, 0], minlength=x.shape[1])
    too_long = (counts > sequence_length.asnumpy()).any()
    if too_long and not ignore_longer_outputs_than_inputs:
        raise RuntimeError("CTCLoss: a sequence has more labels than steps")
    targets = np.zeros((x.shape[1], max(counts.max(initial=0), 1)), np.int32)
    for row in range(x.shape[1]):
        targets[row, : counts[row]] = values[rows[:, 0] == row]

    def total(logits: Tensor) -> Any:
        given = Tensor(targets), sequence_length, Tensor(counts.astype(np.int32))
        blank = x.shape[2] - 1
        return ops.ctc_loss(a.log_softmax(logits), *given, blank, "none")[0]

    from ..engine.gradient import grad  # which needs the ops

    loss = total(x)
    return loss, grad(lambda logits: ops.sum(total(logits)))(ops.stop_gradient(x))


@operation("CTCGreedyDecoder")
def ctc_greedy_decoder(
    inputs: Tensor, sequence_length: Tensor, *, merge_repeated: bool = True
) -> Any:
    return greedy(inputs, sequence_length, merge_repeated)
