"""Losses: each gives one number per element, and `reduction` says what becomes of them."""

from __future__ import annotations

import math

from .. import dtype as dtypes
from ..failure import ElementTypeError, ShapeError
from ..primitive import convert
from ..primitives import activation as a
from ..promotion import constant, rank_of
from ..tensor import Tensor
from .activation import log_softmax
from .arithmetic import abs, add, clamp, div, equal, less, log, mul, neg, square, sub, where
from .reduction import mean, sum
from .registry import op
from .shaping import expand_dims, gather, gather_elements, reshape, squeeze

TINY = 1e-12
"""What MindSpore adds to a probability before taking its logarithm."""


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """`reduction` is none, mean or sum. Raises: MS304 for another."""
    if reduction not in ("none", "mean", "sum"):
        raise ShapeError("reduction", "must be none, mean or sum", got=repr(reduction))
    return loss if reduction == "none" else (mean if reduction == "mean" else sum)(loss)


def check_reduction(name: str, reduction: str, known: tuple[str, ...]) -> None:
    """Raises: ValueError (MS304) for one that is not known."""
    if reduction not in known:
        raise ShapeError(name, f"reduction must be one of {known}", got=repr(reduction))


@op
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return reduced(square(sub(input, target)), reduction)


@op
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return reduced(abs(sub(input, target)), reduction)


@op
def smooth_l1_loss(
    input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none"
) -> Tensor:
    """Quadratic below `beta`; the default reduction is none (PyTorch: mean)."""
    distance = abs(sub(input, target))
    near = mul(square(distance), 0.5 / beta) if beta else distance
    return reduced(where(less(distance, beta), near, sub(distance, 0.5 * beta)), reduction)


@op
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    distance = abs(sub(input, target))
    far = mul(sub(distance, 0.5 * delta), delta)
    return reduced(where(less(delta, distance), far, mul(square(distance), 0.5)), reduction)


@op
def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """labels * (log(labels) - logits); `reduction` may also be batchmean."""
    safe = where(less(0.0, labels), labels, 1.0)
    terms = where(less(0.0, labels), mul(labels, sub(log(safe), logits)), 0.0)
    if reduction == "batchmean":
        return div(sum(terms), logits.shape[0])
    return reduced(terms, reduction)


@op
def binary_cross_entropy(
    logits: Tensor, labels: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Of probabilities, in spite of the name `logits`."""
    yes = mul(labels, log(add(logits, TINY)))
    no = mul(sub(1, labels), log(add(sub(1, logits), TINY)))
    loss = neg(add(yes, no))
    return reduced(loss if weight is None else mul(loss, weight), reduction)


@op
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-x)) for 1, log(1 + exp(x)) for 0."""
    positive = a.softplus(neg(input))
    if pos_weight is not None:
        positive = mul(positive, pos_weight)
    loss = add(mul(target, positive), mul(sub(1, target), a.softplus(input)))
    return reduced(loss if weight is None else mul(loss, weight), reduction)


@op
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Of logits (n, c, ...), with class numbers (n, ...) as int32, or probabilities (n, c, ...)."""
    scores = log_softmax(input, 0 if input.ndim == 1 else 1)
    if rank_of(target.dtype) < 2:
        return nll_loss(scores, target, weight, ignore_index, reduction, label_smoothing)
    axis, classes = (0, input.shape[0]) if input.ndim == 1 else (1, input.shape[1])
    if label_smoothing:
        target = add(mul(target, 1 - label_smoothing), label_smoothing / classes)
    loss = mul(target, scores)
    if weight is not None:
        loss = mul(loss, reshape(weight, (-1,) + (1,) * (input.ndim - 1 - axis)))
    loss = neg(sum(loss, axis))
    return reduced(loss, reduction)


@op
def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Of log-probabilities (n, c, ...) and class numbers (n, ...); mean is over their weights.

    Raises: MS304 if the class numbers are not int32, as MindSpore
    """
    check_reduction("nll_loss", reduction, ("none", "mean", "sum"))
    if target.dtype is not dtypes.int32:
        raise ElementTypeError(
            "cross_entropy", "class numbers must be int32",
            got=target.dtype.name, advice="write target.astype(ms.int32)",
        )  # fmt: skip
    axis = 0 if inputs.ndim == 1 else 1
    classes = inputs.shape[axis]
    ignored = equal(target, ignore_index)
    places = where(ignored, 0, target)
    kept = convert(where(ignored, 0.0, 1.0), inputs.dtype)
    weights = kept if weight is None else mul(kept, gather(weight, places, 0))
    chosen = squeeze(gather_elements(inputs, axis, expand_dims(places, axis)), axis)
    loss = neg(mul(chosen, weights))
    if label_smoothing:
        every = inputs if weight is None else mul(inputs, per_class(weight, inputs.ndim))
        smooth = neg(mul(sum(every, axis), kept))
        loss = add(mul(loss, 1 - label_smoothing), mul(smooth, label_smoothing / classes))
    return div(sum(loss), sum(weights)) if reduction == "mean" else reduced(loss, reduction)


def per_class(weight: Tensor, rank: int) -> Tensor:
    """(c) as (c, 1, ...), to go with (n, c, ...)."""
    return reshape(weight, (-1,) + (1,) * max(rank - 2, 0))


@op
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cos where target is 1, max(0, cos - margin) where it is -1."""
    dot = sum(mul(input1, input2), -1)
    lengths = mul(sum(square(input1), -1), sum(square(input2), -1))
    cosine = div(dot, add(lengths, constant(TINY, input1.dtype)) ** 0.5)
    far = clamp(sub(cosine, margin), 0.0, math.inf)
    return reduced(where(equal(target, 1), sub(1, cosine), far), reduction)


@op
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    distance = add(mul(neg(target), sub(input1, input2)), margin)
    return reduced(clamp(distance, 0.0, math.inf), reduction)
