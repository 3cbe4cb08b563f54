"""Optimisers: what their steps add to parameters, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .layer import Array, Layer, Outputs

State = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Optimizer(Layer):
    """(parameters, gradients of each step) -> what all steps add. Abstract.

    `decoupled`: the decay takes from the parameters, not from the gradients. `decayed`: which
    parameters decay, where `matrices` is 1 for those of two axes or more. `clipped`: gradients of a
    larger norm are scaled to this one. `rates`: of each step, in the place of `lr`.
    """

    lr: float
    weight_decay: float = 0.0
    decoupled: bool = False
    maximize: bool = False
    decayed: Literal["all", "matrices", "vectors"] = "all"
    matrices: Array | None = None
    clipped: float | None = None
    state_kept: bool = True
    rates: tuple[float, ...] = ()

    def outputs(self, *inputs: Array) -> Outputs:
        start, *gradients = inputs
        now, state = start, self.start(start)
        for number, gradient in enumerate(gradients):
            count, lr = number + 1, self.rate(number, len(gradients))
            decay = self.weight_decay * self.share()
            g = self.taken(gradient)
            if not self.decoupled:
                g = g + decay * now
            if not self.state_kept:
                state, count = self.start(start), 1
            direction, state = self.direction(g, state, count)
            now = (now * (1 - lr * decay) if self.decoupled else now) - lr * direction
        return (now - start,)

    def rate(self, number: int, steps: int) -> float:
        """That of a step, which may be done twice."""
        return self.rates[number * len(self.rates) // steps] if self.rates else self.lr

    def share(self) -> Array | float:
        """1 where the decay counts."""
        if self.matrices is None or self.decayed == "all":
            return 1.0
        return self.matrices if self.decayed == "matrices" else 1 - self.matrices

    def taken(self, gradient: Array) -> Array:
        """The gradient as it is used."""
        g = -gradient if self.maximize else gradient
        norm = float(np.linalg.norm(g))
        return g if self.clipped is None or norm <= self.clipped else g * (self.clipped / norm)

    def start(self, like: Array) -> State:
        """The state before the first step."""
        return ()

    def direction(self, g: Array, state: State, count: int) -> tuple[Array, State]:
        """What is subtracted, over lr, in step `count`; and the state after it."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Sgd(Optimizer):
    """With momentum as PyTorch has it: the first step is the gradient, undampened."""

    momentum: float = 0.0
    dampening: float = 0.0
    nesterov: bool = False
    first_dampened: bool = False

    def start(self, like: Array) -> State:
        return (np.zeros(like.shape),)

    def direction(self, g: Array, state: State, count: int) -> tuple[Array, State]:
        if not self.momentum:
            return g, state
        share = 1.0 if count == 1 and not self.first_dampened else 1 - self.dampening
        buffer = self.momentum * state[0] + share * g
        return (g + self.momentum * buffer if self.nesterov else buffer), (buffer,)


@dataclass(frozen=True, eq=False)
class Adam(Optimizer):
    """m / (sqrt(v) + eps), both without their bias towards 0 unless `bias_correction` is False.

    `eps_inside`: it is added below the root. `eps_uncorrected`: it is added to the root of v as it
    is, as MindSpore's nn.Adam does.
    """

    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    bias_correction: bool = True
    eps_inside: bool = False
    eps_uncorrected: bool = False
    amsgrad: bool = False

    def start(self, like: Array) -> State:
        return (np.zeros(like.shape),) * 3

    def direction(self, g: Array, state: State, count: int) -> tuple[Array, State]:
        first, second = self.betas
        m = first * state[0] + (1 - first) * g
        v = second * state[1] + (1 - second) * g * g
        largest = np.maximum(state[2], v) if self.amsgrad else v
        return self.quotient(m, largest, count), (m, v, largest)

    def quotient(self, m: Array, v: Array, count: int) -> Array:
        ours = 1 - self.betas[0] ** count if self.bias_correction else 1.0
        theirs = 1 - self.betas[1] ** count if self.bias_correction else 1.0
        if self.eps_inside:
            return np.asarray(m / ours / np.sqrt(v / theirs + self.eps))
        if self.eps_uncorrected:
            return np.asarray(m / ours * np.sqrt(theirs) / (np.sqrt(v) + self.eps))
        return np.asarray(m / ours / (np.sqrt(v / theirs) + self.eps))


@dataclass(frozen=True, eq=False)
class RmsProp(Optimizer):
    """g / (sqrt(v) + eps), with momentum; `centered` takes the square of the mean from v.

    `initial`: what v begins with, which MindSpore's nn.RMSProp has as 1.
    """

    alpha: float = 0.99
    eps: float = 1e-8
    momentum: float = 0.0
    centered: bool = False
    eps_inside: bool = False
    initial: float = 0.0

    def start(self, like: Array) -> State:
        return np.full(like.shape, self.initial), np.zeros(like.shape), np.zeros(like.shape)

    def direction(self, g: Array, state: State, count: int) -> tuple[Array, State]:
        v = self.alpha * state[0] + (1 - self.alpha) * g * g
        mean = self.alpha * state[1] + (1 - self.alpha) * g
        spread = v - mean * mean if self.centered else v
        root = np.sqrt(spread + self.eps) if self.eps_inside else np.sqrt(spread) + self.eps
        buffer = self.momentum * state[2] + g / root
        return buffer, (v, mean, buffer)


@dataclass(frozen=True, eq=False)
class Adagrad(Optimizer):
    """g / (sqrt(sum of squares) + eps), lr falling with `lr_decay`."""

    lr_decay: float = 0.0
    initial: float = 0.0
    eps: float = 1e-10

    def start(self, like: Array) -> State:
        return (np.full(like.shape, self.initial),)

    def direction(self, g: Array, state: State, count: int) -> tuple[Array, State]:
        total = state[0] + g * g
        falling = 1 + (count - 1) * self.lr_decay
        return g / (np.sqrt(total) + self.eps) / falling, (total,)


def flat(arrays: Sequence[Array]) -> Array:
    """All elements in a line."""
    return np.concatenate([np.asarray(a, np.float64).reshape(-1) for a in arrays])
