"""Losses of margins, of many labels, and of distributions."""

from __future__ import annotations

import math
from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_float, check_tensors, check_type
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.promotion import constant, rank_of
from ..engine.tensor import Tensor
from ..primitives import activation as a
from .arithmetic import (
    abs,
    add,
    div,
    equal,
    exp,
    greater,
    less,
    log,
    logical_and,
    maximum,
    minimum,
    mul,
    neg,
    not_equal,
    pow,
    sqrt,
    square,
    sub,
    where,
)
from .loss import check_alike, check_reduction, reduced, reduced_in_single
from .reduction import any as some
from .reduction import cumprod, sum
from .registry import op
from .shaping import expand_dims, gather, gather_elements
from .state import stop_gradient


def check_margin(where: str, margin: Any) -> None:
    """Raises: TypeError, ValueError (MS304) unless it is a float in [-1, 1]."""
    check_float(where, "margin", margin, -1.0, 1.0)


@op
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cos where target is 1, max(0, cos - margin) where it is -1; cos along axis 1."""
    name = "cosine_embedding_loss"
    check_tensors(name, input1=input1, input2=input2, target=target)
    check_same_types(name, input1, input2)
    check_margin(name, float(margin) if isinstance(margin, int) else margin)
    if rank_of(input1.dtype) < 2:
        input1, input2 = convert(input1, dtypes.float32), convert(input2, dtypes.float32)
    lengths = mul(sqrt(sum(square(input1), 1)), sqrt(sum(square(input2), 1)))
    cosine = div(sum(mul(input1, input2), 1), lengths)
    near = where(equal(target, 1), sub(1.0, cosine), 0.0)
    far = where(equal(target, -1), maximum(sub(cosine, float(margin)), 0.0), 0.0)
    return reduced_in_single(add(near, far), reduction)


def check_same_types(where: str, *tensors: Tensor) -> None:
    """Raises: TypeError (MS304) if the element types differ."""
    if len({x.dtype for x in tensors}) > 1:
        got = ", ".join(x.dtype.name for x in tensors)
        raise ElementTypeError(where, "the element types must be the same", got=got)


@op
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    name = "margin_ranking_loss"
    check_type(name, "margin", margin, float)
    check_tensors(name, input1=input1, input2=input2, target=target)
    check_same_types(name, input1, input2, target)
    distance = add(mul(neg(target), sub(input1, input2)), margin)
    return reduced_in_single(maximum(distance, 0.0), reduction)


@op
def hinge_embedding_loss(
    inputs: Tensor, targets: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """x where the target is positive, max(0, margin - x) where it is negative."""
    name = "hinge_embedding_loss"
    check_type(name, "margin", margin, float, int)
    check_reduction(name, reduction)
    check_tensors(name, inputs=inputs, targets=targets)
    if rank_of(inputs.dtype) != 2 or rank_of(targets.dtype) != 2:
        raise ElementTypeError(name, "inputs and targets must be of floats", got=targets.dtype.name)
    near = where(greater(targets, 0.0), inputs, 0.0)
    far = where(less(targets, 0.0), maximum(sub(float(margin), inputs), 0.0), 0.0)
    return reduced(add(near, far), reduction)


@op
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target * input))."""
    check_tensors("soft_margin_loss", input=input, target=target)
    check_alike("soft_margin_loss", input, target)
    return reduced(a.softplus(neg(mul(target, input))), reduction)


@op
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: int = 1,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """As `hinge_of_classes`; the margin is a whole number here."""
    check_type("multi_margin_loss", "margin", margin, int)
    return hinge_of_classes(input, target, weight, (p, float(margin)), reduction)


def hinge_of_classes(
    x: Tensor, target: Tensor, weight: Tensor | None, settings: tuple[int, float], reduction: str
) -> Tensor:
    """The mean over classes j of max(0, margin - x[target] + x[j]) ** p, but for the target's.

    Shapes: x (n, c), target (n), weight (c); settings are p, which is 1 or 2, and the margin.
    """
    p, margin = settings
    check_choice("MultiMarginLoss", "p", p, (1, 2))
    check_reduction("MultiMarginLoss", reduction)
    check_tensors("MultiMarginLoss", input=x, target=target, weight=weight)
    if x.ndim != 2 or target.ndim != 1 or x.shape[0] != target.shape[0]:
        got = f"{x.shape}, {target.shape}"
        raise ShapeError("MultiMarginLoss", "needs (n, c) and (n)", got=got)
    places = expand_dims(target, 1)
    distance = maximum(add(sub(x, gather_elements(x, 1, places)), margin), 0.0)
    if p == 2:
        distance = square(distance)
    if weight is not None:
        distance = mul(distance, expand_dims(gather(stop_gradient(weight), target, 0), 1))
    others = not_equal(places, constant(range(x.shape[1]), target.dtype))
    return reduced(div(sum(where(others, distance, 0.0), 1), x.shape[1]), reduction)


@op
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return labelled_margins(input, target, reduction)[0]


def labelled_margins(x: Tensor, target: Tensor, reduction: str) -> tuple[Tensor, Tensor]:
    """The hinge between each label and each class that is none, and which classes are labels.

    Shapes: x and target (n, c) or (c); a target's labels end at the first -1
    """
    check_reduction("MultilabelMarginLoss", reduction)
    if x.shape != target.shape or x.ndim not in (1, 2):
        got = f"{x.shape}, {target.shape}"
        raise ShapeError("MultilabelMarginLoss", "needs two equal shapes of 1 or 2 axes", got=got)
    count, last = x.shape[-1], x.ndim - 1
    alive = cumprod(convert(less(-1, target), dtypes.int32), last)
    places = where(greater(alive, 0), target, 0)
    found = logical_and(equal(expand_dims(places, -1), constant(range(count), target.dtype)),
                        expand_dims(alive, -1))  # fmt: skip
    labels = some(found, last)
    chosen = gather_elements(x, last, places)
    distance = maximum(add(sub(expand_dims(x, -2), expand_dims(chosen, -1)), 1.0), 0.0)
    counted = logical_and(expand_dims(alive, -1), equal(expand_dims(labels, -2), Tensor(False)))
    loss = div(sum(where(counted, distance, 0.0), (last, last + 1)), count)
    return reduced(loss, reduction), convert(labels, target.dtype)


@op
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The mean over the last axis of the binary cross entropy of logits."""
    check_tensors("multilabel_soft_margin_loss", input=input, target=target)
    loss = add(mul(target, a.softplus(neg(input))), mul(sub(1, target), a.softplus(input)))
    if weight is not None:
        loss = mul(loss, weight)
    return reduced_in_single(div(sum(loss, input.ndim - 1), input.shape[-1]), reduction)


@op
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: Any = 1.0,
    p: int = 2,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d a p-norm along axis 1."""
    name = "triplet_margin_loss"
    check_tensors(name, anchor=anchor, positive=positive, negative=negative)
    check_reduction(name, reduction)

    def distance(x: Tensor, y: Tensor) -> Tensor:
        difference = abs(add(sub(x, y), eps))
        return pow(sum(pow(difference, float(p)), 1), 1 / p)

    far = distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(maximum(add(sub(distance(anchor, positive), far), margin), 0.0), reduction)


@op
def gaussian_nll_loss(
    x: Tensor,
    target: Tensor,
    var: Tensor,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """-log N(target; x, var) without its constant, unless `full`; var is at least `eps`."""
    name = "gaussian_nll_loss"
    check_tensors(name, x=x, target=target, var=var)
    check_type(name, "full", full, bool)
    check_reduction(name, reduction)
    if not isinstance(eps, float) or eps <= 0:
        raise ShapeError(name, "eps must be a positive float", got=repr(eps))
    if x.shape[:-1] == var.shape:
        var = expand_dims(var, -1)
    least = maximum(var, eps)
    loss = mul(add(log(least), div(square(sub(x, target)), least)), 0.5)
    return reduced(add(loss, 0.5 * math.log(2 * math.pi)) if full else loss, reduction)


def poisson_loss(x: Tensor, target: Tensor, log_input: bool, full: bool, eps: float) -> Tensor:
    """-log of the Poisson distribution of mean exp(x) (or x); `full` adds Stirling's terms."""
    target = convert(target, x.dtype)
    loss = sub(exp(x), mul(target, x)) if log_input else sub(x, mul(target, log(add(x, eps))))
    if not full:
        return loss
    count = maximum(target, eps)
    stirling = add(sub(mul(add(count, 0.5), log(count)), count), 0.5 * math.log(2 * math.pi))
    return add(loss, where(greater(count, 1.0), stirling, 0.0))
