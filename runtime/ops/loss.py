"""Losses: each gives one number per element, and `reduction` says what becomes of them."""

from __future__ import annotations

from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import (
    check_choice,
    check_float,
    check_int,
    check_range,
    check_tensors,
    check_type,
)
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.observation import tell_of_predictions
from ..engine.primitive import convert
from ..engine.promotion import rank_of
from ..engine.tensor import Tensor
from ..primitives import activation as a
from .activation import log_softmax
from .arithmetic import abs, add, div, equal, less, log, mul, neg, square, sub, where
from .reduction import mean, sum
from .registry import op
from .shaping import expand_dims, gather, gather_elements, reshape, squeeze
from .state import stop_gradient

TINY = 1e-12
"""What MindSpore adds to a probability before taking its logarithm."""


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """`reduction` is none, mean or sum. Raises: MS304 for another."""
    check_reduction("reduction", reduction)
    return loss if reduction == "none" else (mean if reduction == "mean" else sum)(loss)


def reduced_in_single(loss: Tensor, reduction: str, weights: Any = 1.0) -> Tensor:
    """`loss` times `weights`, reduced in float32: whole numbers lose their fraction at the end."""
    single = convert(loss, dtypes.float32)
    return convert(reduced(mul(single, weights), reduction), loss.dtype)


def check_alike(name: str, input: Tensor, target: Tensor) -> None:
    """Raises: ValueError (MS304) for tensors of two shapes, which would be repeated to one"""
    sizes = *input.shape, *target.shape
    if input.shape != target.shape and all(isinstance(n, int) and n >= 0 for n in sizes):
        given = f"{input.shape} and {target.shape}"
        raise ShapeError(name, "input and target must have one shape", got=given)


def check_reduction(
    name: str, reduction: str, known: tuple[str, ...] = ("none", "mean", "sum")
) -> None:
    """Raises: ValueError (MS304) for one that is not known."""
    check_choice(name, "reduction", reduction, known)


@op
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    check_tensors("mse_loss", input=input, target=target)
    distance = square(sub(input, target))
    floats = distance if rank_of(distance.dtype) == 2 else convert(distance, dtypes.float32)
    return reduced_in_single(floats, reduction)


@op
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    check_tensors("l1_loss", input=input, target=target)
    return reduced_in_single(abs(sub(input, target)), reduction)


@op
def smooth_l1_loss(
    input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none"
) -> Tensor:
    """Quadratic below `beta`; the default reduction is none (PyTorch: mean)."""
    check_alike("smooth_l1_loss", input, target)
    distance = abs(sub(input, target))
    near = mul(square(distance), 0.5 / beta) if beta else distance
    return reduced(where(less(distance, beta), near, sub(distance, 0.5 * beta)), reduction)


@op
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    check_tensors("huber_loss", input=input, target=target)
    check_range("huber_loss", "delta", check_type("huber_loss", "delta", delta, int, float), 0.0,
                ends="neither")  # fmt: skip
    distance = abs(sub(input, target))
    far = mul(sub(distance, 0.5 * delta), delta)
    near = mul(square(distance), 0.5)
    return reduced_in_single(where(less(distance, delta), near, far), reduction)


@op
def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """labels * (log(labels) - logits), no gradient for the labels; also "batchmean"."""
    check_alike("kl_div", logits, labels)
    check_reduction("kl_div", reduction, ("none", "mean", "batchmean", "sum"))
    labels = stop_gradient(labels)
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
    check_alike("binary_cross_entropy", logits, labels)
    yes = mul(labels, log(add(logits, TINY)))
    no = mul(sub(1, labels), log(add(sub(1, logits), TINY)))
    loss = neg(add(yes, no))
    return reduced(loss if weight is None else mul(loss, stop_gradient(weight)), reduction)


@op
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-x)) for 1, log(1 + exp(x)) for 0."""
    check_alike("binary_cross_entropy_with_logits", input, target)
    tell_of_predictions("binary logits", input, target)
    positive = a.softplus(neg(input))
    if pos_weight is not None:
        positive = mul(positive, stop_gradient(pos_weight))
    loss = add(mul(target, positive), mul(sub(1, target), a.softplus(input)))
    return reduced(loss if weight is None else mul(loss, stop_gradient(weight)), reduction)


@op
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Of logits (n, c, ...), with class numbers (n, ...), or probabilities (n, c, ...)."""
    check_cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    axis = 0 if input.ndim == 1 else 1
    tell_of_predictions("logits", input, target, axis, ignore_index)
    scores = log_softmax(input, axis)
    if rank_of(target.dtype) < 2:
        return likelihood(scores, target, weight, ignore_index, reduction, label_smoothing)
    if label_smoothing:
        rest = label_smoothing / input.shape[axis]
        target = add(mul(target, 1 - label_smoothing), rest)
    loss = mul(target, scores)
    if weight is not None:
        loss = mul(loss, reshape(weight, (-1,) + (1,) * (input.ndim - 1 - axis)))
    loss = neg(sum(loss, axis))
    return reduced(loss, reduction)


def check_cross_entropy(
    input: Any, target: Any, weight: Any, ignore_index: Any, reduction: Any, smoothing: Any
) -> None:
    """Raises: TypeError, ValueError (MS304), as MindSpore does."""
    place = "cross_entropy"
    check_tensors(place, input=input, target=target, weight=weight)
    check_int(place, "ignore_index", ignore_index)
    check_float(place, "label_smoothing", smoothing, 0.0)
    check_reduction(place, reduction)
    if rank_of(input.dtype) != 2:
        raise ElementTypeError(place, "logits must be of floats", got=input.dtype.name)


@op
def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Of log-probabilities (n, c, ...) and class numbers (n, ...); mean is over their weights."""
    axis = 0 if inputs.ndim == 1 else 1
    tell_of_predictions("log-probabilities", inputs, target, axis, ignore_index)
    return likelihood(inputs, target, weight, ignore_index, reduction, label_smoothing)


def likelihood(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    """The loss itself: `cross_entropy` ends here, too."""
    check_reduction("nll_loss", reduction)
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
