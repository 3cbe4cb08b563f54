"""Functions that a target may call on arguments: they write code, none of them is called there.

A macro takes `Argument`s and gives text; behind `**` in a target, the text of keywords.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .argument import Argument

Macro = Callable[..., str]
MACROS: dict[str, Macro] = {}
"""By the names that targets use."""


def macro(function: Macro) -> Macro:
    """Registers a macro under its name."""
    MACROS[function.__name__] = function
    return function


@macro
def always(value: Argument) -> str:
    """The argument, written out even where PyTorch's default holds."""
    return value.text


@macro
def complement(value: Argument) -> str:
    """1 - value: a weight of the new as a weight of the old."""
    number = value.literal
    if isinstance(number, int | float):
        return repr(round(1 - number, 12))
    return f"1 - {value.text}" if value.is_atom else f"1 - ({value.text})"


@macro
def as_tuple(value: Argument) -> str:
    """A sequence as it is, a single number as a tuple of one."""
    number = value.literal
    if isinstance(number, int):
        return f"({value.text},)"
    if isinstance(number, list):
        return repr(tuple(number))
    return value.text


@macro
def padded(padding: Argument) -> str:
    """`pad_mode` and `padding` of a 2-D layer: (top, bottom, left, right) from PyTorch's pair."""
    value = padding.literal
    if value == 0:
        return 'pad_mode="valid"'
    if isinstance(value, str):
        return f'pad_mode="{value}"'
    if isinstance(value, tuple | list):
        sides = ", ".join(f"{v}, {v}" for v in value)
        return f'pad_mode="pad", padding=({sides})'
    if value is ...:
        return f'pad_mode="pad", padding=compat.sides({padding.text})'
    return f'pad_mode="pad", padding={padding.text}'
