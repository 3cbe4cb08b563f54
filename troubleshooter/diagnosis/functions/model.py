"""The functions that are known, by their kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..layers.layer import Array

Model = Callable[..., Any]
"""What comes in as operands, by position only, then options by their names; gives one array."""

MODELS: dict[str, Model] = {}
Axis = int | tuple[int, ...] | None


def model(*kinds: str) -> Callable[[Model], Model]:
    """Makes a function the model of these kinds. Raises: KeyError if there is one already"""

    def added(function: Model) -> Model:
        for kind in kinds:
            if kind in MODELS:
                raise KeyError(kind)
            MODELS[kind] = function
        return function

    return added


def every(kinds: dict[str, Callable[..., Any]]) -> None:
    """Models that take arrays and nothing else."""
    for kind, function in kinds.items():
        model(kind)(function)


__all__ = ["MODELS", "Array", "Axis", "Model", "every", "model"]
