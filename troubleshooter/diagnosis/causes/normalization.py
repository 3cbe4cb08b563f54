"""Causes in layers that normalise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..layers.layer import Layer
from ..layers.normalization import (
    BatchNorm,
    GroupNorm,
    InstanceNorm,
    LayerNorm,
    LocalResponseNorm,
    Normalization,
    RmsNorm,
)
from .case import Case, Cause, Fact, Trial

STATISTICS = ("the running ones, as in evaluation", "the batch's, as in training")

EPSILONS = (1e-5, 1e-3, 1e-6, 1e-7, 1e-12, 1e-8, 1e-4, 1e-2, 0.0)
"""Those in use: PyTorch's, Keras's, ..."""


def epsilon(layer: Normalization, case: Case) -> Iterator[Trial]:
    solved = solved_epsilon(layer, case)
    tried = [*EPSILONS] if solved is None else [nearest(solved), rounded(solved)]
    for eps in dict.fromkeys(tried):
        if eps != layer.eps:
            yield case.varied(
                Fact("epsilon is", f"{layer.eps:g}", f"{eps:g}"), replace(layer, eps=eps)
            )


def nearest(eps: float) -> float:
    """The usual epsilon that is closest."""
    return min(EPSILONS, key=lambda usual: abs(usual - eps))


def rounded(eps: float) -> float:
    return float(f"{eps:.3g}")


def solved_epsilon(layer: Normalization, case: Case) -> float | None:
    """The epsilon that the candidate's output follows from, if it does at all.

    Each group's deviation follows from x and y; those of small variance tell it best.
    """
    x, y = case.inputs[0], case.wanted[0]
    if x.shape != y.shape:
        return None
    mean, variance = layer.spread(x)
    weight, bias = layer.affine(x.ndim)
    centred = x - mean
    y = y if bias is None else y - bias
    scaled = centred if weight is None else centred * weight
    whole = np.broadcast_shapes(variance.shape, (1,) * x.ndim)
    axes = tuple(k for k, n in enumerate(whole) if n == 1)
    with np.errstate(all="ignore"):  # a group of zeros tells nothing, and is left out
        inverse = (y * scaled).sum(axes, keepdims=True) / (scaled**2).sum(axes, keepdims=True)
        found = inverse**-2.0 - variance
        trust = 1 / np.broadcast_to(variance, found.shape) ** 2
    fine = np.isfinite(found) & np.isfinite(trust)
    if not fine.any():
        return None
    eps = float((found[fine] * trust[fine]).sum() / trust[fine].sum())
    return eps if eps >= 0 else None


def epsilon_outside(layer: Normalization, case: Case) -> Iterator[Trial]:
    yield case.varied(
        Fact("epsilon is", "added to the variance, before the root", "added to the deviation"),
        replace(layer, eps_outside=True),
    )


def unbiased_variance(layer: Normalization, case: Case) -> Iterator[Trial]:
    yield case.varied(
        Fact("the variance is", "divided by n", "divided by n - 1, unbiased"),
        replace(layer, ddof=1),
    )


def statistics_of_batch(layer: BatchNorm, case: Case) -> Iterator[Trial]:
    own, other = STATISTICS[layer.of_batch], STATISTICS[not layer.of_batch]
    fact = Fact("the statistics are", own, other)
    yield case.varied(fact, replace(layer, of_batch=not layer.of_batch))


def running_statistics(layer: InstanceNorm, case: Case) -> Iterator[Trial]:
    if layer.running_mean is not None:
        fact = Fact("the statistics are", STATISTICS[0], "each sample's")
        yield case.varied(fact, replace(layer, running_mean=None, running_var=None))


def normalized_axes(layer: LayerNorm | RmsNorm, case: Case) -> Iterator[Trial]:
    for axes in range(1, case.inputs[0].ndim):
        if axes != layer.axes:
            fact = Fact("the axes normalised are", f"the last {layer.axes}", f"the last {axes}")
            yield case.varied(fact, replace(layer, axes=axes))


def mean_not_subtracted(layer: LayerNorm, case: Case) -> Iterator[Trial]:
    as_rms = RmsNorm(layer.weight, layer.bias, layer.eps, axes=layer.axes)
    yield case.varied(Fact("the mean is", "subtracted", "not subtracted, as in RMSNorm"), as_rms)


def mean_subtracted(layer: RmsNorm, case: Case) -> Iterator[Trial]:
    as_layer_norm = LayerNorm(layer.weight, layer.bias, layer.eps, axes=layer.axes)
    yield case.varied(
        Fact("the mean is", "not subtracted", "subtracted, as in LayerNorm"), as_layer_norm
    )


def groups(layer: GroupNorm, case: Case) -> Iterator[Trial]:
    channels = case.inputs[0].shape[1]
    for count in range(1, channels + 1):
        if channels % count == 0 and count != layer.groups:
            fact = Fact("the number of groups is", layer.groups, count)
            yield case.varied(fact, replace(layer, groups=count))


def another_normalization(layer: Normalization, case: Case) -> Iterator[Trial]:
    """Channels by batch, instance or all together, with the same weight and bias."""
    x = case.inputs[0]
    channels = x.shape[1] if x.ndim > 1 else 1
    own = (layer.weight, layer.bias, layer.eps)
    name = NAMES.get(type(layer), type(layer).__name__)
    others: list[tuple[str, Layer]] = [
        ("BatchNorm in training", BatchNorm(*own, of_batch=True)),
        ("InstanceNorm", GroupNorm(*own, groups=channels)),
        ("GroupNorm of one group", GroupNorm(*own, groups=1)),
    ]
    for other, made in others:
        if other.partition(" ")[0] != name.partition(" ")[0]:
            yield case.varied(Fact("the normalisation is", name, other), made)


NAMES: dict[type[Layer], str] = {RmsNorm: "RMSNorm"}


def response_scale(layer: LocalResponseNorm, case: Case) -> Iterator[Trial]:
    for factor, how in ((layer.size, "not divided"), (1 / layer.size, "divided twice")):
        fact = Fact("alpha is", f"divided by the size {layer.size}", how)
        yield case.varied(fact, replace(layer, alpha=layer.alpha * factor))


def response_size(layer: LocalResponseNorm, case: Case) -> Iterator[Trial]:
    for size in (layer.size // 2, 2 * layer.size, 2 * layer.size + 1, layer.size + 1):
        if size:
            alpha = layer.alpha * layer.size
            for spread in (alpha / size, layer.alpha):
                fact = Fact("size is", layer.size, size)
                yield case.varied(fact, replace(layer, size=size, alpha=spread))


def response_settings(layer: LocalResponseNorm, case: Case) -> Iterator[Trial]:
    for k in (1.0, 2.0, 0.0):
        if k != layer.k:
            yield case.varied(Fact("k is", f"{layer.k:g}", f"{k:g}"), replace(layer, k=k))
    for beta in (0.75, 0.5, 1.0):
        if beta != layer.beta:
            fact = Fact("beta is", f"{layer.beta:g}", f"{beta:g}")
            yield case.varied(fact, replace(layer, beta=beta))
    solved = solved_alpha(layer, case)
    if solved is not None:
        ratio = float(f"{solved / layer.alpha:.4g}")
        fact = Fact(
            "alpha is", f"{layer.alpha * layer.size:g}", f"{layer.alpha * layer.size * ratio:g}"
        )
        yield case.varied(fact, replace(layer, alpha=layer.alpha * ratio))


def solved_alpha(layer: LocalResponseNorm, case: Case) -> float | None:
    """The alpha that the candidate's output follows from."""
    x, y = case.inputs[0], case.wanted[0]
    if x.shape != y.shape:
        return None
    if not y.all() or (x * y <= 0).any():
        return None
    sums = layer.sums(x)
    found = float((((x / y) ** (1 / layer.beta) - layer.k) * sums).sum() / (sums**2).sum())
    return found if math.isfinite(found) and found > 0 else None


EVERY = (BatchNorm, GroupNorm, InstanceNorm, LayerNorm, RmsNorm)

CAUSES = (
    Cause("epsilon", "another epsilon", EVERY, epsilon, ("eps",)),
    Cause(
        "train-eval",
        "the batch's statistics for the running ones, or the other way round",
        (BatchNorm,),
        statistics_of_batch,
        ("of_batch",),
    ),
    Cause(
        "running-statistics",
        "each sample's statistics for the running ones",
        (InstanceNorm,),
        running_statistics,
    ),
    Cause("unbiased-variance", "the unbiased variance", EVERY[:4], unbiased_variance),
    Cause(
        "epsilon-outside",
        "epsilon added to the deviation, not to the variance",
        EVERY,
        epsilon_outside,
    ),
    Cause(
        "normalized-axes", "other axes normalised", (LayerNorm, RmsNorm), normalized_axes, ("axes",)
    ),
    Cause(
        "mean-not-subtracted",
        "RMSNorm for LayerNorm",
        (LayerNorm,),
        mean_not_subtracted,
        opposite="mean-subtracted",
    ),
    Cause(
        "mean-subtracted",
        "LayerNorm for RMSNorm",
        (RmsNorm,),
        mean_subtracted,
        opposite="mean-not-subtracted",
    ),
    Cause("groups", "another number of groups", (GroupNorm,), groups, ("groups",)),
    Cause(
        "another-normalization",
        "another kind of normalisation",
        (BatchNorm, GroupNorm, InstanceNorm),
        another_normalization,
    ),
    Cause(
        "response-scale",
        "alpha of LocalResponseNorm not divided by its size",
        (LocalResponseNorm,),
        response_scale,
    ),
    Cause(
        "response-size",
        "another size of LocalResponseNorm",
        (LocalResponseNorm,),
        response_size,
        ("size",),
    ),
    Cause(
        "response-settings",
        "another k, beta or alpha of LocalResponseNorm",
        (LocalResponseNorm,),
        response_settings,
        ("k", "beta", "alpha"),
    ),
)
