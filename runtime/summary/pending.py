"""The values that summary operators have told, until a SummaryRecord takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.dtype import Array
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.tensor import Tensor

PLUGINS = ("scalar", "image", "tensor", "histogram")

OPEN: list[Any] = []
"""The SummaryRecord that takes the values; what is told without one is dropped."""

VALUES: dict[tuple[str, str], Array] = {}
"""The newest value of each plugin and name."""


def put(plugin: str, name: str, arrays: tuple[Array | None, ...]) -> None:
    """Keeps a copy of a value, if somebody takes it."""
    if OPEN:
        VALUES[plugin, name] = np.array(arrays[0])


def taken() -> dict[tuple[str, str], Array]:
    """The values, which are then gone."""
    found = dict(VALUES)
    VALUES.clear()
    return found


def checked(where: str, plugin: str, name: Any, value: Any) -> Tensor:
    """`value`. Raises: TypeError, ValueError (MS304) for what the plugin cannot show."""
    if not isinstance(name, str):
        raise ElementTypeError(where, "the name is no text", got=repr(name), expected="text")
    if not name:
        raise ShapeError(where, "the name is empty", got="''", expected="text")
    if not isinstance(value, Tensor):
        raise ElementTypeError(
            where, "the value is no Tensor", got=type(value).__name__, expected="a Tensor",
            advice=f"Tensor({type(value).__name__} value)",
        )  # fmt: skip
    wanted = {
        "scalar": (value.size == 1, "one number"),
        "image": (value.ndim == 4 and value.shape[1] in (1, 3) and value.size > 0,
                  "(n, c, h, w), c 1 or 3"),
        "tensor": (value.ndim > 0, "at least one axis"),
        "histogram": (value.ndim > 0, "at least one axis"),
    }  # fmt: skip
    fits, expected = wanted[plugin]
    if not fits:
        got = f"shape {value.shape}"
        raise ShapeError(where, f"the value of {name} is no {plugin}", got=got, expected=expected)
    return value
