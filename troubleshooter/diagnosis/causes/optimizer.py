"""Causes in the steps of optimisers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from ..layers.layer import Layer
from ..layers.optimizer import Adagrad, Adam, Optimizer, RmsProp, Sgd
from .case import Case, Cause, Fact, Trial

DECAYS = (0.0, 1e-4, 5e-4, 1e-3, 1e-2, 0.05, 0.1)
MOMENTA = (0.0, 0.9, 0.99, 0.95, 0.5)
BETAS = ((0.9, 0.999), (0.9, 0.99), (0.9, 0.98), (0.9, 0.95), (0.5, 0.999))
EPSILONS = (1e-8, 1e-10, 1e-7, 1e-6, 1e-5, 1e-3)
DECAYED: dict[Literal["all", "matrices", "vectors"], str] = {
    "all": "all parameters",
    "matrices": "those of two axes or more",
    "vectors": "biases and scales alone",
}
NORMS = (1.0, 0.1, 0.5, 5.0, 10.0)


def learning_rate(layer: Optimizer, case: Case) -> Iterator[Trial]:
    """By the ratio of both updates."""
    size = float((case.plain[0] ** 2).sum())
    ratio = float((case.plain[0] * case.wanted[0]).sum()) / size if size else 0.0
    if ratio > 0:
        lr = float(f"{layer.lr * ratio:.4g}")
        yield case.varied(
            Fact("the learning rate is", f"{layer.lr:g}", f"{lr:g}"),
            replace(layer, lr=lr, rates=tuple(ratio * rate for rate in layer.rates)),
        )


def weight_decay(layer: Optimizer, case: Case) -> Iterator[Trial]:
    for decay in DECAYS:
        if decay != layer.weight_decay:
            fact = Fact("the weight decay is", f"{layer.weight_decay:g}", f"{decay:g}")
            yield case.varied(fact, replace(layer, weight_decay=decay))
    if layer.weight_decay:
        ways = ("L2, in the gradients", "decoupled, as in AdamW")
        fact = Fact("the weight decay is", ways[layer.decoupled], ways[not layer.decoupled])
        yield case.varied(fact, replace(layer, decoupled=not layer.decoupled))


def decayed_parameters(layer: Optimizer, case: Case) -> Iterator[Trial]:
    for which in DECAYED if layer.weight_decay else ():
        if which != layer.decayed:
            fact = Fact("the decay is of", DECAYED[layer.decayed], DECAYED[which])
            yield case.varied(fact, replace(layer, decayed=which))


def momentum(layer: Sgd | RmsProp, case: Case) -> Iterator[Trial]:
    for value in MOMENTA:
        if value != layer.momentum:
            fact = Fact("the momentum is", f"{layer.momentum:g}", f"{value:g}")
            yield case.varied(fact, replace(layer, momentum=value))


def nesterov(layer: Sgd, case: Case) -> Iterator[Trial]:
    fact = Fact("nesterov is", layer.nesterov, not layer.nesterov)
    yield case.varied(fact, replace(layer, nesterov=not layer.nesterov))


def dampening(layer: Sgd, case: Case) -> Iterator[Trial]:
    """Also of the first step, as where the buffer begins with zeros."""
    for value in (0.0, layer.momentum, 1 - layer.momentum):
        for first in (False, True):
            if (value, first) != (layer.dampening, layer.first_dampened):
                told = f"{value:g}{', in the first step, too' if first else ''}"
                fact = Fact("the dampening is", f"{layer.dampening:g}", told)
                yield case.varied(fact, replace(layer, dampening=value, first_dampened=first))


def betas(layer: Adam, case: Case) -> Iterator[Trial]:
    for pair in (layer.betas[::-1], *BETAS):
        if pair != layer.betas:
            yield case.varied(Fact("betas are", layer.betas, pair), replace(layer, betas=pair))


def bias_correction(layer: Adam, case: Case) -> Iterator[Trial]:
    ways = ("not corrected", "corrected")
    own = layer.bias_correction
    fact = Fact("the bias of the moments is", ways[own], ways[not own])
    yield case.varied(fact, replace(layer, bias_correction=not own))


def epsilon(layer: Adam | RmsProp, case: Case) -> Iterator[Trial]:
    own = "added to the root"
    if not layer.eps_inside:
        fact = Fact("epsilon is", own, "added below the root")
        yield case.varied(fact, replace(layer, eps_inside=True))
    if isinstance(layer, Adam):
        ways = (own, f"{own} of what is not corrected, as in MindSpore's nn.Adam")
        fact = Fact("epsilon is", ways[layer.eps_uncorrected], ways[not layer.eps_uncorrected])
        yield case.varied(fact, replace(layer, eps_uncorrected=not layer.eps_uncorrected))
    for eps in EPSILONS:
        if eps != layer.eps:
            fact = Fact("epsilon is", f"{layer.eps:g}", f"{eps:g}")
            yield case.varied(fact, replace(layer, eps=eps))


def smoothing(layer: RmsProp, case: Case) -> Iterator[Trial]:
    for alpha in (0.99, 0.9, 0.999, 0.95):
        if alpha != layer.alpha:
            fact = Fact("alpha is", f"{layer.alpha:g}", f"{alpha:g}")
            yield case.varied(fact, replace(layer, alpha=alpha))
    fact = Fact("centered is", layer.centered, not layer.centered)
    yield case.varied(fact, replace(layer, centered=not layer.centered))


def amsgrad(layer: Adam, case: Case) -> Iterator[Trial]:
    fact = Fact("amsgrad is", layer.amsgrad, not layer.amsgrad)
    yield case.varied(fact, replace(layer, amsgrad=not layer.amsgrad))


def direction(layer: Optimizer, case: Case) -> Iterator[Trial]:
    fact = Fact("steps go", "down the gradient", "up, as if to maximise")
    yield case.varied(fact, replace(layer, maximize=not layer.maximize))


def not_stepped(layer: Optimizer, case: Case) -> Iterator[Trial]:
    fact = Fact("parameters are", "updated", "left as they were")
    yield Trial(fact, lambda: (np.zeros(case.wanted[0].shape),))


def stepped_twice(layer: Optimizer, case: Case) -> Iterator[Trial]:
    start, *gradients = case.inputs
    yield case.fed(
        Fact("each gradient is", "used once", "used twice"),
        start,
        *(g for one in gradients for g in (one, one)),
    )
    if len(gradients) > 1:
        fact = Fact("the steps are", len(gradients), f"{len(gradients) - 1}, the last is missing")
        yield case.fed(fact, start, *gradients[:-1])
        mean = sum(gradients[1:], gradients[0]) / len(gradients)
        fact = Fact("the steps are", len(gradients), "one, of the gradients' mean")
        yield case.fed(fact, start, mean)
        yield case.fed(replace(fact, tried="one, of their sum"), start, len(gradients) * mean)


def state_lost(layer: Optimizer, case: Case) -> Iterator[Trial]:
    fact = Fact("the optimiser's state is", "kept", "made anew in each step")
    yield case.varied(fact, replace(layer, state_kept=False))


def clipping(layer: Optimizer, case: Case) -> Iterator[Trial]:
    for norm in NORMS:
        if norm != layer.clipped:
            own = "as they are" if layer.clipped is None else f"clipped to {layer.clipped:g}"
            fact = Fact("gradients are", own, f"clipped to a norm of {norm:g}")
            yield case.varied(fact, replace(layer, clipped=norm))
    if layer.clipped is not None:
        fact = Fact("gradients are", f"clipped to {layer.clipped:g}", "as they are")
        yield case.varied(fact, replace(layer, clipped=None))


def another_optimizer(layer: Optimizer, case: Case) -> Iterator[Trial]:
    lr, decay = layer.lr, layer.weight_decay
    others = {
        "SGD": Sgd(lr, decay),
        "SGD with momentum 0.9": Sgd(lr, decay, momentum=0.9),
        "Adam": Adam(lr, decay),
        "AdamW": Adam(lr, decay, decoupled=True),
        "AdamW with a decay of 0.01": Adam(lr, 0.01, decoupled=True),
        "RMSprop": RmsProp(lr, decay),
        "Adagrad": Adagrad(lr, decay),
    }
    names = {Sgd: "SGD", RmsProp: "RMSprop", Adam: "AdamW" if layer.decoupled else "Adam"}
    own = names.get(type(layer), type(layer).__name__)
    for name, made in others.items():
        if name.partition(" ")[0] != own:
            yield case.varied(Fact("the optimiser is", own, name), replace(made, rates=layer.rates))


EVERY: tuple[type[Layer], ...] = (Optimizer,)

CAUSES = (
    Cause("not-stepped", "parameters that stay as they were", EVERY, not_stepped),
    Cause("learning-rate", "another learning rate", EVERY, learning_rate),
    Cause("weight-decay", "another weight decay, or one that is decoupled", EVERY, weight_decay),
    Cause("decayed-parameters", "decay of other parameters", EVERY, decayed_parameters),
    Cause("optimizer-momentum", "another momentum", (Sgd, RmsProp), momentum),
    Cause("nesterov", "Nesterov's momentum or the usual", (Sgd,), nesterov),
    Cause("dampening", "another dampening", (Sgd,), dampening),
    Cause("bias-correction", "moments that are not corrected", (Adam,), bias_correction),
    Cause("optimizer-epsilon", "another epsilon, or one below the root", (Adam, RmsProp), epsilon),
    Cause("betas", "other betas", (Adam,), betas),
    Cause("amsgrad", "amsgrad set or not", (Adam,), amsgrad),
    Cause("smoothing", "another alpha of RMSprop, or another centered", (RmsProp,), smoothing),
    Cause("direction", "steps up the gradient", EVERY, direction),
    Cause("steps", "each gradient used twice, or steps left out or joined", EVERY, stepped_twice),
    Cause("state-lost", "an optimiser that is made anew in each step", EVERY, state_lost),
    Cause("clipping", "gradients clipped, or not", EVERY, clipping),
    Cause("another-optimizer", "another optimiser", EVERY, another_optimizer),
)
