"""The simple attributes of a layer: what its constructor was told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SIMPLE = (bool, int, float, str, type(None))
LONGEST = 64
"""Longer texts and tuples are no options."""


def options_of(layer: Any, bare: set[str]) -> dict[str, Any]:
    """Attributes by their names, but for those that each layer has (`bare`) and private ones.

    Functions and objects that compute something, as MindSpore's primitives, are given by name.
    """
    return {
        name: shown
        for name, value in vars(layer).items()
        if not name.startswith("_") and name not in bare
        for shown in simple(value)
    }


def simple(value: Any) -> Iterator[Any]:
    """The value as it can be told, if it can."""
    if isinstance(value, SIMPLE):
        if not isinstance(value, str) or len(value) <= LONGEST:
            yield value
    elif isinstance(value, (tuple, list)):
        if len(value) <= LONGEST and all(isinstance(part, SIMPLE) for part in value):
            yield tuple(value)
    elif callable(value):
        yield getattr(value, "__name__", type(value).__name__)
