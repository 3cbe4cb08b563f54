"""Layers that move elements, or leave some out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .convolution import NUMPYS_MODES, Pads, windows
from .layer import Array, Layer, Outputs


@dataclass(frozen=True, eq=False)
class Pad(Layer):
    """Elements before and after the last axes; a negative number cuts."""

    padding: Pads
    mode: str = "zeros"
    value: float = 0.0

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        around = [(0, 0)] * (x.ndim - len(self.padding)) + list(self.padding)
        cut = [slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(around, x.shape, strict=True)]
        more = [(max(a, 0), max(b, 0)) for a, b in around]
        settings = {"constant_values": self.value} if self.mode == "zeros" else {}
        return (np.pad(x[tuple(cut)], more, mode=NUMPYS_MODES[self.mode], **settings),)


@dataclass(frozen=True, eq=False)
class Flatten(Layer):
    """The axes from `start` to `end` made one."""

    start: int = 1
    end: int = -1

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        first, last = (axis % max(x.ndim, 1) for axis in (self.start, self.end))
        return (x.reshape(*x.shape[:first], -1, *x.shape[last + 1 :]),)


@dataclass(frozen=True, eq=False)
class Unflatten(Layer):
    """One axis made several."""

    axis: int
    sizes: tuple[int, ...]

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        axis = self.axis % x.ndim
        return (x.reshape(*x.shape[:axis], *self.sizes, *x.shape[axis + 1 :]),)


@dataclass(frozen=True, eq=False)
class Transpose(Layer):
    """The axes in another order."""

    order: tuple[int, ...]

    def outputs(self, *inputs: Array) -> Outputs:
        return (inputs[0].transpose(self.order),)


@dataclass(frozen=True, eq=False)
class PixelShuffle(Layer):
    """(..., c * r * r, h, w) -> (..., c, h * r, w * r); `blocks_first`: channels (r, r, c)."""

    factor: int
    blocks_first: bool = False

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        *front, c, h, w = x.shape
        r = self.factor
        k = len(front)
        if self.blocks_first:
            split = np.moveaxis(x.reshape(*front, r, r, c // r**2, h, w), k + 2, k)
        else:
            split = x.reshape(*front, c // r**2, r, r, h, w)
        order = [*range(k), k, k + 3, k + 1, k + 4, k + 2]
        return (split.transpose(order).reshape(*front, c // r**2, h * r, w * r),)


@dataclass(frozen=True, eq=False)
class PixelUnshuffle(Layer):
    """(..., c, h * r, w * r) -> (..., c * r * r, h, w); `blocks_first`: channels (r, r, c)."""

    factor: int
    blocks_first: bool = False

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        *front, c, h, w = x.shape
        r = self.factor
        k = len(front)
        split = x.reshape(*front, c, h // r, r, w // r, r)
        order = (
            [*range(k), k + 2, k + 4, k, k + 1, k + 3]
            if self.blocks_first
            else [*range(k), k, k + 2, k + 4, k + 1, k + 3]
        )
        return (split.transpose(order).reshape(*front, c * r * r, h // r, w // r),)


@dataclass(frozen=True, eq=False)
class ChannelShuffle(Layer):
    """The channels (axis 1) of `groups` groups dealt out in turn."""

    groups: int

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        n, c, *rest = x.shape
        dealt = np.swapaxes(x.reshape(n, self.groups, c // self.groups, *rest), 1, 2)
        return (dealt.reshape(x.shape),)


@dataclass(frozen=True, eq=False)
class Unfold(Layer):
    """The windows of images as columns: (n, c, h, w) -> (n, c * kh * kw, places)."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Pads
    dilation: tuple[int, ...]

    def outputs(self, *inputs: Array) -> Outputs:
        (x,) = inputs
        padded = np.pad(x, [(0, 0), (0, 0), *self.padding])
        found = windows(padded, self.kernel, self.stride, self.dilation)
        n, c, *rest = found.shape
        places = math.prod(rest[: len(self.kernel)])
        columns = found.reshape(n, c, places, -1)
        return (np.swapaxes(columns, 2, 3).reshape(n, -1, places),)


@dataclass(frozen=True, eq=False)
class Dropout(Layer):
    """x in evaluation; in training (`active`) x / (1 - p) where `kept`, else 0."""

    p: float
    active: bool = False
    kept: Array | None = None

    def outputs(self, *inputs: Array) -> Outputs:
        if not self.active or self.kept is None:
            return inputs[:1]
        return (np.where(self.kept, inputs[0] / (1 - self.p), 0.0),)
