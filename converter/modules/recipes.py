"""Constants that are made anew of a few numbers: what counts up, and the waves of positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

FEWEST = 4
"""So many numbers in a row may be by chance what they are."""

LARGEST_STEP = 1 << 31

LONGEST_WAVE = 10_000
"""In transformers a wave takes up to so many positions, times 2 pi."""


@dataclass(frozen=True)
class Recipe:
    """The function that makes it and its arguments, whole numbers by name."""

    maker: str
    arguments: tuple[tuple[str, int], ...]


def recipe_of(array: Array, *, is_named: bool) -> Recipe | None:
    """How the array is made, bit for bit; None if it is not known.

    What has a name in the file (`is_named`) may be a weight that is trained, if it has fractions.
    """
    return counted(array) or (None if is_named else waves(array))


def counted(array: Array) -> Recipe | None:
    """Whole numbers that count up or down along the only axis that is wider than 1."""
    flat = array.reshape(-1)
    along_one = array.size == max(array.shape, default=0) > FEWEST
    if not along_one or array.dtype.kind != "i" or array.dtype.itemsize < 4:
        return None
    first, step = int(flat[0]), int(flat[1]) - int(flat[0])
    if step == 0 or abs(step) > LARGEST_STEP or abs(first) > LARGEST_STEP:
        return None
    end = first + step * array.size
    fits = np.array_equal(flat, np.arange(first, end, step))
    arguments = (("start", first), ("end", end), ("step", step))
    return Recipe("ops.arange", arguments) if fits else None


def waves(array: Array) -> Recipe | None:
    """Sines and cosines of positions by turns, slower from column to column."""
    length, width = array.shape[-2:] if array.ndim > 1 else (0, 0)
    if array.dtype != np.float32 or array.size != length * width or min(length, width) <= FEWEST:
        return None
    flat, column = array.reshape(length, width), np.arange(width)
    if flat[0].tolist() != (column % 2).tolist():
        return None
    rates = float(LONGEST_WAVE) ** ((column - column % 2) / width)
    angles = np.arange(length)[:, None] / rates
    expected = np.where(column % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)
    fits = np.array_equal(flat, expected)
    return Recipe("onnx_waves", (("length", length), ("width", width))) if fits else None
