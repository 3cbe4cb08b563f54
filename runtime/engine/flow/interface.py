"""What rewritten source calls, as `_flow`."""

from __future__ import annotations

from typing import Any

from ..failure import LoopError
from ..tensor import Tensor
from .branches import branch, choice, is_unknown, nothing
from .conversions import (
    all_of,
    any_of,
    boolean,
    both,
    both_true,
    compared,
    either,
    either_true,
    floating,
    integer,
    is_instance,
    item,
    largest,
    opposite,
    place,
    smallest,
)
from .effects import Trying, asserted, printed, raised, text
from .loops import Counting, each, loop
from .state import UNSET, Names, Unset

__all__ = [
    "UNSET",
    "Names",
    "Trying",
    "asserted",
    "both",
    "both_true",
    "branch",
    "called",
    "choice",
    "compared",
    "each",
    "either",
    "either_true",
    "loop",
    "nothing",
    "opposite",
    "place",
    "raised",
    "returned",
    "text",
]

BUILTINS: dict[Any, Any] = {
    int: integer,
    float: floating,
    bool: boolean,
    max: largest,
    min: smallest,
    all: all_of,
    any: any_of,
    range: Counting.of,
    isinstance: is_instance,
    print: printed,
}
"""Python's own functions, and what they are here."""


def called(function: Any) -> Any:
    """What is called instead of `function`."""
    try:
        if function in BUILTINS:
            return BUILTINS[function]
    except TypeError:
        return function  # it cannot be a key
    owner = getattr(function, "__self__", None)
    if isinstance(owner, Tensor) and getattr(function, "__name__", "") == "item":
        return (lambda: item(owner)) if is_unknown(owner) else function
    from .source import own_form  # it gives its functions this module

    return own_form(function)


def returned(result: Any, flag: Any = True) -> Any:
    """What a function gives: None if no `return` was reached."""
    if is_unknown(flag):
        raise LoopError("a function", "it gives a value on one of two ways only")
    return None if isinstance(result, Unset) or not flag else result
