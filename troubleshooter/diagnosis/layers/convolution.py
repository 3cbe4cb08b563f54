"""Convolutions, and those transposed, of one to three axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .layer import Array, Layer, Outputs, along, at

Pads = tuple[tuple[int, int], ...]
"""What is put before and after each axis."""

NUMPYS_MODES: dict[str, Any] = {
    "zeros": "constant",
    "reflect": "reflect",
    "replicate": "edge",
    "circular": "wrap",
    "symmetric": "symmetric",
}
"""NumPy's name of each way to pad."""


def windows(
    x: Array, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> Array:
    """A view of the windows over the last axes: (..., *sizes) -> (..., *places, *kernel)."""
    axes = tuple(range(x.ndim - len(kernel), x.ndim))
    spans = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True))
    every = np.lib.stride_tricks.sliding_window_view(x, spans, axes)
    steps = [slice(None, None, s) for s in stride] + [slice(None, None, d) for d in dilation]
    return at(every, *steps)


@dataclass(frozen=True, eq=False)
class Convolution(Layer):
    """(n, c, *sizes) -> (n, o, *places), or without n; weight (o, c/groups, *kernel), bias (o)."""

    weight: Array
    bias: Array | None
    stride: tuple[int, ...]
    padding: Pads
    dilation: tuple[int, ...]
    groups: int = 1
    padding_mode: str = "zeros"

    @property
    def kernel(self) -> tuple[int, ...]:
        return tuple(self.weight.shape[2:])

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        batched = x if x.ndim == self.weight.ndim else x[None]
        around = [(0, 0), (0, 0), *self.padding]
        padded = np.pad(batched, around, mode=NUMPYS_MODES[self.padding_mode])
        found = windows(padded, self.kernel, self.stride, self.dilation)
        n, c, *rest = found.shape
        places = rest[: len(self.kernel)]
        patches = found.reshape(n, self.groups, c // self.groups, *rest)
        kernel_axes = range(3 + len(places), patches.ndim)
        patches = np.moveaxis(patches, (1, 2, *kernel_axes), range(2 + len(kernel_axes)))
        columns = patches.reshape(self.groups, -1, n * math.prod(places))
        rows = self.weight.reshape(self.groups, self.weight.shape[0] // self.groups, -1)
        y = np.moveaxis((rows @ columns).reshape(self.weight.shape[0], n, *places), 0, 1)
        y = y if self.bias is None else y + along(1, y.ndim, self.bias)
        return (y if x is batched else y[0],)


@dataclass(frozen=True, eq=False)
class TransposedConvolution(Layer):
    """(n, c, *sizes) -> (n, o, *sizes'), or without n; weight (c, o/groups, *kernel), bias (o).

    `padding` is cut from what all windows cover; `output_padding` is added behind, and computed
    like the rest; `zeros_behind` are put behind the result, as MindSpore's Conv2dTranspose does.
    """

    weight: Array
    bias: Array | None
    stride: tuple[int, ...]
    padding: Pads
    dilation: tuple[int, ...]
    groups: int = 1
    output_padding: tuple[int, ...] = ()
    zeros_behind: tuple[int, ...] = ()

    @property
    def kernel(self) -> tuple[int, ...]:
        return tuple(self.weight.shape[2:])

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        batched = x if x.ndim == self.weight.ndim else x[None]
        y = self.cut(self.covered(batched))
        y = y if self.bias is None else y + along(1, y.ndim, self.bias)
        y = self.longer(y, self.zeros_behind)
        return (y if x is batched else y[0],)

    def covered(self, x: Array) -> Array:
        """The sum of all windows, each a kernel times one element of the input."""
        n, c, *sizes = x.shape
        g, of_group = self.groups, self.weight.shape[1]
        every = zip(sizes, self.kernel, self.stride, self.dilation, strict=True)
        whole = [(size - 1) * s + (k - 1) * d + 1 for size, k, s, d in every]
        y = np.zeros((g, of_group, n, *whole))
        columns = np.moveaxis(x, 0, 1).reshape(g, c // g, -1)
        rows = np.moveaxis(self.weight.reshape(g, c // g, of_group, *self.kernel), 1, 2)
        for place in itertools.product(*map(range, self.kernel)):
            part = (at(rows, *place) @ columns).reshape(g, of_group, n, *sizes)
            at(y, *self.reached(place, sizes))[...] += part
        return np.moveaxis(y.reshape(g * of_group, n, *whole), 0, 1)

    def reached(self, place: Sequence[int], sizes: Sequence[int]) -> list[slice]:
        """Where one element of the kernel gets to, from all elements of the input."""
        every = zip(place, self.dilation, self.stride, sizes, strict=True)
        return [slice(k * d, k * d + (size - 1) * s + 1, s) for k, d, s, size in every]

    def cut(self, y: Array) -> Array:
        y = self.longer(y, self.output_padding)
        ends = zip(self.padding, y.shape[2:], strict=True)
        return at(y, *(slice(a, size - b) for (a, b), size in ends))

    def longer(self, y: Array, extra: tuple[int, ...]) -> Array:
        return np.pad(y, [(0, 0), (0, 0), *((0, size) for size in extra)]) if extra else y
