"""Dropout whose masks are drawn by place, so that one network's are the other's, too.

A draw is known by the call of the layer that it happens in, and how manieth it is there. Its
numbers follow from that and the seed, not from what was drawn before: a layer that drops more or
less than its counterpart leaves all others as they are.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from .messages import Array, Draw

Place = tuple[str, int, int]
"""Path of a layer, which of its calls, which of the draws in it."""

SATURATED = -1.7580993408473766
"""What alpha_dropout puts in the place of elements: where SELU ends for small numbers."""


class Dropping:
    """The masks of one network's runs. While it is not `active`, nothing is dropped.

    `instead`: of this network's places those of the other one whose masks they get.
    """

    def __init__(self) -> None:
        self.active = False
        self.instead: dict[Place, Place] = {}
        self.seed: int | None = None
        self.around: list[tuple[str, int]] = []
        self.calls = Counter[str]()
        self.counts = Counter[tuple[str, int]]()
        self.draws: list[Draw] = []

    @contextmanager
    def running(self, seed: int, kind: Any, layers: Iterable[tuple[str, Any]]) -> Iterator[None]:
        """Knows within which of the layers, of this class, is called."""
        paths = {id(layer): path for path, layer in reversed(list(layers))}
        self.around, self.draws, self.seed = [], [], seed
        self.calls.clear()
        self.counts.clear()
        original = kind.__call__

        def called(layer: Any, *args: Any, **kwargs: Any) -> Any:
            path = paths.get(id(layer))
            if path is None:
                return original(layer, *args, **kwargs)
            self.around.append((path, self.calls[path]))
            self.calls[path] += 1
            try:
                return original(layer, *args, **kwargs)
            finally:
                self.around.pop()

        kind.__call__ = called
        try:
            yield
        finally:
            kind.__call__ = original
            self.seed = None

    def drops(self, p: float, training: bool) -> bool:
        return self.active and self.seed is not None and training and p > 0

    def kept(self, shape: tuple[int, ...], p: float) -> Array:
        """1 for what stays, 0 for what is dropped with probability `p`."""
        path, index = self.around[-1] if self.around else ("", 0)
        place = path, index, self.counts[path, index]
        self.counts[path, index] += 1
        self.draws.append(Draw(*place, prod(shape)))
        key = repr((self.seed, self.instead.get(place, place)))
        numbers = np.random.RandomState(zlib.crc32(key.encode()))
        return np.asarray(numbers.random_sample(shape) >= p, np.float32)


def channels(x: Any, axes: int) -> tuple[int, ...]:
    """The shape of a mask for whole channels, over `axes` axes; 0: for elements."""
    shape = tuple(x.shape)
    over = min(axes, max(1, len(shape) - 2)) if axes else 0
    return shape[: len(shape) - over] + (1,) * over


def dropout(dropping: Dropping, like: Callable[[Array, Any], Any], axes: int) -> Any:
    """A function of `x`, `p`, `training`, as both frameworks have it."""

    def function(
        input: Any, p: float = 0.5, training: bool = True, *more: Any, **named: Any
    ) -> Any:
        if not dropping.drops(p, training):
            return input
        kept = dropping.kept(channels(input, axes), p)
        scale = np.float32(0.0 if p == 1 else 1 / (1 - p))
        return input * like(kept * scale, input)

    return function


def alpha_dropout(dropping: Dropping, like: Callable[[Array, Any], Any]) -> Any:
    """The same, which keeps mean and variance of what SELU gives."""

    def function(
        input: Any, p: float = 0.5, training: bool = False, *more: Any, **named: Any
    ) -> Any:
        if not dropping.drops(p, training) or p == 1:
            return input
        kept = dropping.kept(tuple(input.shape), p)
        a = ((1 - p) * (1 + p * SATURATED**2)) ** -0.5
        return input * like(kept * np.float32(a), input) + like(
            np.asarray(a * SATURATED * (1 - kept) - a * SATURATED * p, np.float32), input
        )

    return function


def identity(input: Any, *args: Any, **kwargs: Any) -> Any:
    """Dropout that drops nothing."""
    return input


RECURRENT = ("lstm", "gru", "rnn")


def without_dropout(layers: Iterable[Any], *, is_active: bool) -> None:
    """Sets every probability to drop something to 0 of which draws cannot be made the same.

    It is a number among the attributes that is called so (`dropout`, `drop_prob`), or `p` of a
    layer that is (`DropPath`, `StochasticDepth`). Where dropout `is_active`, those are recurrent
    layers, whose kernels draw, and layers of the user's that drop.
    """
    for layer in layers:
        named = type(layer).__name__.lower()
        drops = "drop" in named or "stochasticdepth" in named
        if is_active and not is_opaque(layer, named, drops):
            continue
        for name, value in list(vars(layer).items()):
            if not isinstance(value, float) or not 0 < value <= 1:
                continue
            if ("drop" in name.lower() and "keep" not in name.lower()) or (drops and name == "p"):
                setattr(layer, name, 0.0)
            if drops and "keep" in name.lower():
                setattr(layer, name, 1.0)


def is_opaque(layer: Any, named: str, drops: bool) -> bool:
    module = type(layer).__module__
    is_own = not module.startswith(("torch.nn.", "mindspore.", "msconvert.runtime."))
    return (drops and is_own) or (not is_own and named.startswith(RECURRENT))
