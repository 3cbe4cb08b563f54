"""Causes in losses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..layers.activation import sigmoid
from ..layers.layer import Layer
from ..layers.loss import ELEMENTWISE, REDUCTIONS, BinaryCrossEntropy, CrossEntropy, ElementwiseLoss
from .case import Case, Cause, Fact, Trial

Loss = ElementwiseLoss | BinaryCrossEntropy | CrossEntropy


def reduction(layer: Loss, case: Case) -> Iterator[Trial]:
    every = REDUCTIONS if isinstance(layer, ElementwiseLoss) else ("mean", "sum", "none")
    for name in every:
        if name != layer.reduction:
            fact = Fact("the reduction is", f"'{layer.reduction}'", f"'{name}'")
            yield case.varied(fact, replace(layer, reduction=name))


def setting(layer: ElementwiseLoss, case: Case) -> Iterator[Trial]:
    for value in (1.0, 0.5, 1 / 9, 0.1, 2.0):
        if value != layer.setting:
            fact = Fact("beta, delta or margin is", f"{layer.setting:g}", f"{value:g}")
            yield case.varied(fact, replace(layer, setting=value))


def another_loss(layer: ElementwiseLoss, case: Case) -> Iterator[Trial]:
    for function in ELEMENTWISE:
        if function != layer.function:
            fact = Fact("it is", layer.function, function)
            yield case.varied(fact, replace(layer, function=function))


def logits(layer: BinaryCrossEntropy | CrossEntropy, case: Case) -> Iterator[Trial]:
    ways = ("probabilities", "logits")
    if isinstance(layer, CrossEntropy):
        ways = ("log-probabilities", "logits")
    fact = Fact("it takes", ways[layer.logits], ways[not layer.logits])
    yield case.varied(fact, replace(layer, logits=not layer.logits))
    x, *rest = case.inputs
    if layer.logits:
        fact = Fact("logits are", "given as they are", "after sigmoid or softmax")
        if isinstance(layer, BinaryCrossEntropy):
            yield case.fed(fact, sigmoid(x), *rest)
        else:
            e = np.exp(x - x.max(min(1, x.ndim - 1), keepdims=True))
            yield case.fed(fact, e / e.sum(min(1, x.ndim - 1), keepdims=True), *rest)


def class_weights(layer: BinaryCrossEntropy | CrossEntropy, case: Case) -> Iterator[Trial]:
    if layer.weight is not None:
        fact = Fact("weight is", "given", "not given")
        yield case.varied(fact, replace(layer, weight=None))
    if isinstance(layer, BinaryCrossEntropy) and layer.pos_weight is not None:
        fact = Fact("pos_weight is", "given", "not given")
        yield case.varied(fact, replace(layer, pos_weight=None))


def mean_of_classes(layer: CrossEntropy, case: Case) -> Iterator[Trial]:
    fact = Fact("the mean is", "over what counts, by weight", "over all samples")
    yield case.varied(fact, replace(layer, divide_by_weight=False))


def ignored(layer: CrossEntropy, case: Case) -> Iterator[Trial]:
    for index in (-100, -1, 255, 0):
        if index != layer.ignore_index:
            fact = Fact("ignore_index is", layer.ignore_index, index)
            yield case.varied(fact, replace(layer, ignore_index=index))


def smoothing(layer: CrossEntropy, case: Case) -> Iterator[Trial]:
    for value in (0.0, 0.1, 0.05, 0.2):
        if value != layer.label_smoothing:
            fact = Fact("label_smoothing is", f"{layer.label_smoothing:g}", f"{value:g}")
            yield case.varied(fact, replace(layer, label_smoothing=value))
    if layer.label_smoothing:
        classes = case.inputs[0].shape[min(1, case.inputs[0].ndim - 1)]
        value = layer.label_smoothing * classes / (classes - 1) if classes > 1 else 0.0
        fact = Fact("smoothing is", "spread over all classes", "spread over the others")
        yield case.varied(fact, replace(layer, label_smoothing=value))


EVERY: tuple[type[Layer], ...] = (ElementwiseLoss, BinaryCrossEntropy, CrossEntropy)

CAUSES = (
    Cause(
        "reduction",
        "mean for sum, none or the mean over the batch",
        EVERY,
        reduction,
        ("reduction",),
    ),
    Cause(
        "class-weights", "no weights of classes", EVERY[1:], class_weights, ("weight", "pos_weight")
    ),
    Cause(
        "mean-of-classes",
        "a mean over all samples, for one over what counts",
        EVERY[2:],
        mean_of_classes,
    ),
    Cause("ignore-index", "another ignore_index", EVERY[2:], ignored, ("ignore_index",)),
    Cause("label-smoothing", "another label_smoothing", EVERY[2:], smoothing, ("label_smoothing",)),
    Cause(
        "logits", "logits for probabilities, or the other way round", EVERY[1:], logits, ("logits",)
    ),
    Cause("loss-setting", "another beta, delta or margin", EVERY[:1], setting, ("setting",)),
    Cause("another-loss", "another loss", EVERY[:1], another_loss, ("function",)),
)
