"""The same random numbers in both frameworks; of dropout: see `dropping.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .messages import Array

Draw = Callable[[np.random.RandomState, tuple[int, ...]], Array]


class Chance:
    """Random numbers for what the networks draw while they run: NumPy's, from one seed.

    While it is not `running`, as when weights are made, the frameworks draw for themselves.
    """

    def __init__(self) -> None:
        self.numbers: np.random.RandomState | None = None

    def start(self, seed: int) -> None:
        self.numbers = np.random.RandomState(seed)

    def stop(self) -> None:
        self.numbers = None

    def instead(self, function: Any, draw: Draw, fill: Callable[[Any, Array], Any]) -> Any:
        """`function` with other numbers: it still says shape and element type."""

        def drawn(*args: Any, **kwargs: Any) -> Any:
            made = function(*args, **kwargs)
            if self.numbers is None:
                return made
            array = draw(self.numbers, tuple(made.shape))
            return fill(made, np.asarray(array, np.float32))

        drawn.__name__ = getattr(function, "__name__", "drawn")
        drawn.__wrapped__ = function  # type: ignore[attr-defined]
        return drawn


def uniform(numbers: np.random.RandomState, shape: tuple[int, ...]) -> Array:
    return np.asarray(numbers.random_sample(shape))


def normal(numbers: np.random.RandomState, shape: tuple[int, ...]) -> Array:
    return np.asarray(numbers.standard_normal(shape))


DRAWS: dict[str, Draw] = {
    "rand": uniform,
    "rand_like": uniform,
    "randn": normal,
    "randn_like": normal,
    "standard_normal": normal,
}
"""The functions, of either framework, whose numbers are made the same."""


def stirred(array: Array, numbers: np.random.RandomState) -> Array:
    """Elements that are all the same, which would hide mistakes, changed by up to a tenth."""
    if array.dtype.kind != "f" or not array.size or array.min() != array.max():
        return array
    some = np.asarray(numbers.uniform(-0.1, 0.1, array.shape))
    value = float(array.flat[0])
    return np.asarray(some if value == 0 else value * (1 + some), array.dtype)


def weights_of(shapes: list[tuple[int, ...]], seed: int) -> list[Array]:
    """For each output the numbers that it is weighted with, the same on both sides."""
    return [
        np.random.RandomState(seed + i).standard_normal(shape).astype(np.float32)
        for i, shape in enumerate(shapes)
    ]
