"""Checks of arguments, with the classes of errors that MindSpore raises for them."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable
from typing import Any

from .failure import ElementTypeError, ShapeError
from .tensor import Tensor

BOUNDS = {"both": ("[", "]"), "neither": ("(", ")"), "left": ("[", ")"), "right": ("(", "]")}
"""Which ends of a range belong to it."""


def check_type(where: str, name: str, value: Any, *kinds: type) -> Any:
    """`value`. Raises: TypeError (MS304) if it is of none of `kinds`; a bool is no int."""
    fits = isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds)
    if not fits:
        names = " or ".join(kind.__name__ for kind in kinds)
        raise ElementTypeError(
            where, f"{name} is of a wrong type", got=kind_of(value), expected=names
        )
    return value


def kind_of(value: Any) -> str:
    return f"{value!r}, a {type(value).__name__}"


def check_choice(where: str, name: str, value: Any, known: Collection[Any]) -> None:
    """Raises: ValueError (MS304) if `value` is not among the `known`."""
    if not isinstance(value, Hashable) or value not in known:
        expected = ", ".join(map(repr, known))
        raise ShapeError(where, f"{name} is not known", got=repr(value), expected=expected)


def check_range(
    where: str,
    name: str,
    value: float,
    low: float = -math.inf,
    high: float = math.inf,
    ends: str = "both",
) -> None:
    """Raises: ValueError (MS304) outside of low..high; `ends`, one of BOUNDS, belong to it.

    TypeError (MS304) for what cannot be compared with a number.
    """
    opening, closing = BOUNDS[ends]
    try:
        above = value >= low if opening == "[" else value > low
        below = value <= high if closing == "]" else value < high
        fits = bool(above and below)
    except (TypeError, ValueError) as error:
        got = kind_of(value)
        raise ElementTypeError(where, f"{name} is no number", got=got) from error
    if not fits:
        expected = f"a number in {opening}{low}, {high}{closing}"
        raise ShapeError(where, f"{name} is out of range", got=repr(value), expected=expected)


def check_float(
    where: str,
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    ends: str = "both",
) -> None:
    """A float within a range. Raises: TypeError or ValueError (MS304)."""
    check_range(where, name, check_type(where, name, value, float), low, high, ends)


def check_int(where: str, name: str, value: Any, low: int | None = None) -> None:
    """A whole number of `low` or more. Raises: TypeError or ValueError (MS304)."""
    check_type(where, name, value, int)
    check_range(where, name, value, -math.inf if low is None else low)


def check_tensors(where: str, **given: Any) -> None:
    """Raises: TypeError (MS304) for what is neither a Tensor nor None."""
    for name, x in given.items():
        if x is not None:
            check_type(where, name, x, Tensor)
