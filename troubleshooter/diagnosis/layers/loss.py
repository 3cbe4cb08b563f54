"""Losses: a number for each element or sample, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from .activation import softplus
from .layer import Array, Layer, Outputs, along

REDUCTIONS: dict[str, Callable[[Array], Array]] = {
    "none": np.asarray,
    "mean": lambda x: np.asarray(x.mean()),
    "sum": lambda x: np.asarray(x.sum()),
    "batchmean": lambda x: np.asarray(x.sum() / len(x)),
}


def xlogy(x: Array, y: Array) -> Array:
    return np.asarray(special.xlogy(x, y))


def squared(x: Array, target: Array, _: float) -> Array:
    return np.asarray((x - target) ** 2)


def absolute(x: Array, target: Array, _: float) -> Array:
    return np.asarray(np.abs(x - target))


def smooth(x: Array, target: Array, beta: float) -> Array:
    """Smooth L1: quadratic within `beta`."""
    away = absolute(x, target, 0.0)
    if beta == 0:
        return away
    return np.asarray(np.where(away < beta, 0.5 * away**2 / beta, away - 0.5 * beta))


def huber(x: Array, target: Array, delta: float) -> Array:
    away = absolute(x, target, 0.0)
    return np.asarray(np.where(away <= delta, 0.5 * away**2, delta * (away - 0.5 * delta)))


def soft_margin(x: Array, target: Array, _: float) -> Array:
    return np.asarray(softplus(-target * x))


def divergence(x: Array, target: Array, _: float) -> Array:
    """Kullback and Leibler's, of log-probabilities x."""
    return np.asarray(xlogy(target, target) - target * x)


def log_divergence(x: Array, target: Array, _: float) -> Array:
    return np.asarray(np.exp(target) * (target - x))


def hinge_embedding(x: Array, target: Array, margin: float) -> Array:
    return np.where(target == 1, x, np.maximum(margin - x, 0.0))


def poisson(x: Array, target: Array, _: float) -> Array:
    """Of the logarithm of the rate."""
    return np.asarray(np.exp(x) - target * x)


ELEMENTWISE: dict[str, Callable[[Array, Array, float], Array]] = {
    "MSELoss": squared,
    "L1Loss": absolute,
    "SmoothL1Loss": smooth,
    "HuberLoss": huber,
    "SoftMarginLoss": soft_margin,
    "KLDivLoss": divergence,
    "KLDivLoss of logarithms": log_divergence,
    "HingeEmbeddingLoss": hinge_embedding,
    "PoissonNLLLoss": poisson,
}
"""Of input, target and one setting (beta, delta, margin), which most of them ignore."""


@dataclass(frozen=True, eq=False)
class ElementwiseLoss(Layer):
    """One of `ELEMENTWISE` of input and target, reduced."""

    function: str
    reduction: str = "mean"
    setting: float = 1.0

    def outputs(self, *inputs: Array) -> Outputs:
        x, target = inputs[:2]
        each = ELEMENTWISE[self.function](x, target, self.setting)
        return (REDUCTIONS[self.reduction](each),)


@dataclass(frozen=True, eq=False)
class BinaryCrossEntropy(Layer):
    """Of probabilities, or of logits; PyTorch bounds logarithms by -100."""

    logits: bool
    reduction: str = "mean"
    weight: Array | None = None
    pos_weight: Array | None = None

    def outputs(self, *inputs: Array) -> Outputs:
        x, target = inputs[:2]
        weight = inputs[2] if len(inputs) > 2 else self.weight
        positive, negative = self.logarithms(x)
        factor = 1.0 if self.pos_weight is None else self.pos_weight
        each = -(factor * target * positive + (1 - target) * negative)
        return (REDUCTIONS[self.reduction](each if weight is None else each * weight),)

    def logarithms(self, x: Array) -> tuple[Array, Array]:
        if self.logits:
            return -softplus(-x), -softplus(x)
        with np.errstate(divide="ignore"):
            return np.maximum(np.log(x), -100.0), np.maximum(np.log1p(-x), -100.0)


@dataclass(frozen=True, eq=False)
class CrossEntropy(Layer):
    """Of logits (or log-probabilities) (n, c, ...) and class numbers (n, ...) or probabilities.

    `mean` divides by the sum of the weights of the classes that count.
    """

    logits: bool = True
    reduction: str = "mean"
    weight: Array | None = None
    ignore_index: int = -100
    label_smoothing: float = 0.0
    divide_by_weight: bool = True

    def outputs(self, *inputs: Array) -> Outputs:
        x, target = inputs[:2]
        axis = 0 if x.ndim == 1 else 1
        scores = np.asarray(special.log_softmax(x, axis=axis)) if self.logits else x
        weight = np.ones(x.shape[axis]) if self.weight is None else self.weight
        weights = along(axis, x.ndim, weight)
        if target.shape == x.shape and target.dtype.kind == "f":
            smoothed = (1 - self.label_smoothing) * target + self.label_smoothing / x.shape[axis]
            each = -(smoothed * scores * weights).sum(axis)
            return (self.reduced(each, each.size),)
        return self.of_classes(scores, target.astype(np.int64), weights, axis)

    def of_classes(self, scores: Array, target: Array, weights: Array, axis: int) -> Outputs:
        counts = target != self.ignore_index
        chosen = np.where(counts, target, 0)
        every = np.broadcast_to(weights, scores.shape)
        place = np.expand_dims(chosen, axis)
        own = np.take_along_axis(every, place, axis).squeeze(axis) * counts
        picked = np.take_along_axis(scores, place, axis).squeeze(axis)
        spread = (scores * weights).sum(axis) * counts / scores.shape[axis]
        each = -(1 - self.label_smoothing) * own * picked - self.label_smoothing * spread
        return (self.reduced(each, own.sum() if self.divide_by_weight else each.size),)

    def reduced(self, each: Array, whole: float) -> Array:
        if self.reduction != "mean":
            return REDUCTIONS[self.reduction](each)
        return np.asarray(each.sum() / whole)
