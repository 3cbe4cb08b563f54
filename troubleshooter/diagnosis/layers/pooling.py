"""Pools: the largest, the mean or a norm of each window."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .convolution import Pads, windows
from .layer import Array, Layer, Outputs, at


@dataclass(frozen=True, eq=False)
class Pool(Layer):
    """One number for each window: (n, c, *sizes) or (c, *sizes). Abstract.

    `ceil_mode`: a last window that is only partly filled counts, if it starts within the input or
    the padding before it.
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Pads
    ceil_mode: bool = False

    @property
    def spread(self) -> tuple[int, ...]:
        """How far apart the elements of a window are."""
        return (1,) * len(self.kernel)

    def places(self, sizes: tuple[int, ...]) -> list[int]:
        """How many windows there are along each axis."""
        every = zip(sizes, self.kernel, self.stride, self.padding, self.spread, strict=True)
        return [self.places_along(*one) for one in every]

    def places_along(self, size: int, k: int, stride: int, pads: tuple[int, int], d: int) -> int:
        room = size + sum(pads) - (k - 1) * d - 1
        if not self.ceil_mode:
            return room // stride + 1
        count = math.ceil(room / stride) + 1
        return count - 1 if (count - 1) * stride >= size + pads[0] else count

    def windows(self, x: Array, fill: float, padding_fill: float | None = None) -> Array:
        """(..., *places, *kernel); beyond the input are `padding_fill`, beyond that `fill`."""
        axes = len(self.kernel)
        front = [(0, 0)] * (x.ndim - axes)
        sizes = x.shape[x.ndim - axes :]
        inner = fill if padding_fill is None else padding_fill
        padded = np.pad(x, [*front, *self.padding], constant_values=inner)
        every = zip(
            self.places(sizes), self.stride, self.kernel, self.spread, padded.shape[-axes:],
            strict=True,
        )  # fmt: skip
        needed = [max((p - 1) * s + (k - 1) * d + 1 - size, 0) for p, s, k, d, size in every]
        padded = np.pad(padded, [*front, *((0, n) for n in needed)], constant_values=fill)
        found = windows(padded, self.kernel, self.stride, self.spread)
        return at(found, *(slice(p) for p in self.places(sizes)), *[slice(None)] * axes)

    def over_windows(self) -> tuple[int, ...]:
        return tuple(range(-len(self.kernel), 0))


@dataclass(frozen=True, eq=False)
class MaxPool(Pool):
    """The largest of each window."""

    dilation: tuple[int, ...] = ()

    @property
    def spread(self) -> tuple[int, ...]:
        return self.dilation or (1,) * len(self.kernel)

    def outputs(self, *inputs: Array) -> Outputs:
        return (self.windows(inputs[0], -np.inf).max(self.over_windows()),)


@dataclass(frozen=True, eq=False)
class AvgPool(Pool):
    """The mean of each window, or its sum divided by `divisor_override`.

    `count_include_pad`: the padding counts as zeros; what lies beyond it never counts.
    """

    count_include_pad: bool = True
    divisor_override: int | None = None

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        axes = self.over_windows()
        sums = self.windows(x, 0.0).sum(axes)
        if self.divisor_override is not None:
            return (sums / self.divisor_override,)
        inside = np.ones(x.shape[-len(self.kernel) :])
        counts = self.windows(inside, 0.0, float(self.count_include_pad)).sum(axes)
        return (sums / counts,)


@dataclass(frozen=True, eq=False)
class LpPool(Pool):
    """(sum of x ** p) ** (1 / p) of each window, 0 where the sum is not positive."""

    p: float = 2.0

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        sums = self.windows(x**self.p, 0.0).sum(self.over_windows())
        return (np.maximum(sums, 0.0) ** (1 / self.p),)


@dataclass(frozen=True, eq=False)
class AdaptivePool(Layer):
    """The mean (or largest) of each of `output_size` windows, which may overlap.

    None as an element of `output_size`: the axis stays.
    """

    output_size: tuple[int | None, ...]
    largest: bool = False

    def outputs(self, *inputs: Array) -> Outputs:
        (y,) = inputs
        for back, size in enumerate(reversed(self.output_size), 1):
            if size is not None:
                y = self.along(y, y.ndim - back, size)
        return (y,)

    def along(self, x: Array, axis: int, places: int) -> Array:
        """Means of means are the mean here: all windows of one column are of one size."""
        size = x.shape[axis]
        reduced = np.max if self.largest else np.mean
        parts = [
            reduced(np.take(x, range(k * size // places, -((k + 1) * size // -places)), axis), axis)
            for k in range(places)
        ]
        return np.stack(parts, axis)
