"""Arguments of image operations, checked as MindSpore checks them: TypeError or ValueError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...engine.argument import check_range, check_type
from ...engine.failure import ElementTypeError, ShapeError

LARGEST = 16777216
"""The largest number that MindSpore takes for a size or a factor."""


def number(where: str, name: str, value: Any, low: float = 0, high: float = LARGEST) -> float:
    """`value`, an int or a float of low..high."""
    check_range(where, name, check_type(where, name, value, int, float), low, high)
    return float(value)


def positive(where: str, name: str, value: Any) -> float:
    """`value`, an int or a float above 0."""
    check_range(where, name, check_type(where, name, value, int, float), 0, LARGEST, "right")
    return float(value)


def whole(where: str, name: str, value: Any, low: int = 0, high: int = 2**31 - 1) -> int:
    """`value`, an int of low..high."""
    check_range(where, name, check_type(where, name, value, int), low, high)
    return int(value)


def size(where: str, value: Any, name: str = "size") -> tuple[int, int]:
    """Height and width, of one number or two."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = value, value
    pair(where, name, value, int)
    return whole(where, name, value[0], 1, LARGEST), whole(where, name, value[1], 1, LARGEST)


def pair(where: str, name: str, value: Any, *kinds: type, lengths: Sequence[int] = (2,)) -> Any:
    """`value`, a tuple or list of so many numbers."""
    check_type(where, name, value, tuple, list)
    if len(value) not in lengths:
        expected = f"{' or '.join(map(str, lengths))} numbers"
        raise ElementTypeError(
            where, f"{name} is of a wrong length", got=repr(value), expected=expected
        )
    for entry in value:
        check_type(where, name, entry, *(kinds or (int, float)))
    return value


def span(where: str, name: str, value: Any, low: float = 0, high: float = LARGEST) -> Any:
    """`value`, two numbers in their order, both of low..high."""
    pair(where, name, value)
    if value[0] > value[1]:
        raise ShapeError(where, f"{name} is no range", got=repr(value), expected="(least, most)")
    check_range(where, name, value[0], low, high)
    check_range(where, name, value[1], low, high)
    return tuple(value)


def fill(where: str, value: Any, name: str = "fill_value") -> tuple[int, ...]:
    """Three levels of one or three."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,) * 3
    if not isinstance(value, tuple) or len(value) != 3:
        raise ElementTypeError(
            where,
            f"{name} is of a wrong type",
            got=repr(value),
            expected="one level or a tuple of three",
        )
    return tuple(whole(where, name, level, 0, 255) for level in value)


def padding(where: str, value: Any) -> tuple[int, int, int, int]:
    """left, top, right, bottom, of one, two or four numbers."""
    if not isinstance(value, tuple | list):
        return (whole(where, "padding", value, 0),) * 4
    if len(value) not in (2, 4):
        raise ShapeError(
            where, "padding is of a wrong length", got=repr(value), expected="2 or 4 numbers"
        )
    left, top, *rest = (whole(where, "padding", side, 0) for side in value)
    right, bottom = rest or (left, top)
    return left, top, right, bottom


def probability(where: str, value: Any, name: str = "prob") -> float:
    return number(where, name, value, 0, 1)


def choice(where: str, name: str, value: Any, kind: type) -> Any:
    """`value`, a member of an enumeration."""
    return check_type(where, name, value, kind)
