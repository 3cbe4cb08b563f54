"""Layers that subtract a mean and divide by a deviation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .layer import Array, Layer, Outputs, along


@dataclass(frozen=True, eq=False)
class Normalization(Layer):
    """(x - mean) / sqrt(variance + eps) * weight + bias. Abstract: subclasses define `spread`.

    `ddof`: 1 for the unbiased variance. `eps_outside`: eps is added to the root.
    """

    weight: Array | None
    bias: Array | None
    eps: float
    ddof: int = 0
    eps_outside: bool = False

    def spread(self, x: Array) -> tuple[Array, Array]:
        """Mean and variance, as they are broadcast to x."""
        raise NotImplementedError

    def affine(self, rank: int) -> tuple[Array | None, Array | None]:
        """Weight and bias, as they are broadcast to an x of `rank` axes."""
        return self.weight, self.bias

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        mean, variance = self.spread(x)
        root = np.sqrt(variance) + self.eps if self.eps_outside else np.sqrt(variance + self.eps)
        y = (x - mean) / root
        weight, bias = self.affine(x.ndim)
        y = y if weight is None else y * weight
        return (y if bias is None else y + bias,)

    def over(self, x: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
        """Mean and variance over some axes, which stay as 1."""
        return x.mean(axes, keepdims=True), x.var(axes, keepdims=True, ddof=self.ddof)


@dataclass(frozen=True, eq=False)
class OfChannels(Normalization):
    """With a weight and bias for each channel (axis 1). Abstract."""

    def affine(self, rank: int) -> tuple[Array | None, Array | None]:
        weight, bias = (None if v is None else along(1, rank, v) for v in (self.weight, self.bias))
        return weight, bias


@dataclass(frozen=True, eq=False)
class BatchNorm(OfChannels):
    """By the statistics of each channel (n, c, ...), the batch's if `of_batch`, else the running.

    Shapes: weight, bias, running_mean, running_var (c)
    Units:  momentum in [0, 1], weight of the NEW running value; None for the mean of all batches
    """

    running_mean: Array | None = None
    running_var: Array | None = None
    momentum: float | None = 0.1
    of_batch: bool = False

    def spread(self, x: Array) -> tuple[Array, Array]:
        if self.of_batch or self.running_mean is None or self.running_var is None:
            return self.over(x, (0, *range(2, x.ndim)))
        return along(1, x.ndim, self.running_mean), along(1, x.ndim, self.running_var)


@dataclass(frozen=True, eq=False)
class GroupNorm(OfChannels):
    """By the statistics of each of `groups` groups of channels: (n, c, ...)."""

    groups: int = 1

    def spread(self, x: Array) -> tuple[Array, Array]:
        mean, variance = self.over(x.reshape(len(x), self.groups, -1), (2,))
        return self.of_each(mean, x), self.of_each(variance, x)

    def of_each(self, of_groups: Array, x: Array) -> Array:
        """(n, groups, 1) as (n, c, 1, ...)."""
        n, c = x.shape[:2]
        return np.repeat(of_groups, c // self.groups, 1).reshape(n, c, *[1] * (x.ndim - 2))


@dataclass(frozen=True, eq=False)
class InstanceNorm(Normalization):
    """By the statistics of each channel of each sample, or the running ones: (n, c, ...).

    `rank`: how many axes x has; with one less it is a single sample.
    """

    running_mean: Array | None = None
    running_var: Array | None = None
    momentum: float | None = 0.1
    rank: int = 4

    def spread(self, x: Array) -> tuple[Array, Array]:
        if self.running_mean is None or self.running_var is None:
            return self.over(x, tuple(range(x.ndim - self.rank + 2, x.ndim)))
        return self.of_channels(self.running_mean), self.of_channels(self.running_var)

    def affine(self, rank: int) -> tuple[Array | None, Array | None]:
        weight = None if self.weight is None else self.of_channels(self.weight)
        return weight, None if self.bias is None else self.of_channels(self.bias)

    def of_channels(self, vector: Array) -> Array:
        return along(0, self.rank - 1, vector)


@dataclass(frozen=True, eq=False)
class LayerNorm(Normalization):
    """By the statistics of the last `axes` axes; weight and bias have these axes."""

    axes: int = 1

    def spread(self, x: Array) -> tuple[Array, Array]:
        return self.over(x, tuple(range(x.ndim - self.axes, x.ndim)))


@dataclass(frozen=True, eq=False)
class RmsNorm(Normalization):
    """x / sqrt(mean(x * x) + eps) * weight, over the last `axes` axes."""

    axes: int = 1

    def spread(self, x: Array) -> tuple[Array, Array]:
        last = tuple(range(x.ndim - self.axes, x.ndim))
        return np.zeros((1,) * x.ndim), (x * x).mean(last, keepdims=True)


@dataclass(frozen=True, eq=False)
class LocalResponseNorm(Layer):
    """x / (k + alpha * s) ** beta, s the sum of squares of `size` channels around: (n, c, ...).

    `alpha` is the factor of the sum: PyTorch's and ONNX's divided by size.
    """

    size: int
    alpha: float
    beta: float
    k: float

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        return (x / (self.k + self.alpha * self.sums(x)) ** self.beta,)

    def sums(self, x: Array) -> Array:
        before = self.size // 2
        around = [(0, 0), (before, self.size - 1 - before), *[(0, 0)] * (x.ndim - 2)]
        squares = np.pad(x * x, around)
        return np.asarray(np.lib.stride_tricks.sliding_window_view(squares, self.size, 1).sum(-1))
