"""What rewritten source calls, as `_flow`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..failure import LoopError, TracedValueError
from ..tensor import Tensor
from .branches import branch, choice, is_unknown
from .conversions import (
    all_of,
    any_of,
    boolean,
    both,
    compared,
    either,
    floating,
    integer,
    is_instance,
    item,
    largest,
    opposite,
    place,
    smallest,
)
from .loops import Counting, each, loop
from .number import Number
from .state import UNSET, Names, Unset

__all__ = [
    "UNSET",
    "Names",
    "asserted",
    "both",
    "branch",
    "called",
    "choice",
    "compared",
    "each",
    "either",
    "loop",
    "opposite",
    "place",
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


def asserted(test: Any, message: Callable[[], Any]) -> None:
    """`assert test, message()`."""
    if is_unknown(test):
        raise TracedValueError("an assertion")
    if not test:
        found = message()
        raise AssertionError(*([] if found is None else [found]))


def text(*parts: Any) -> Any:
    """An f-string. Raises: TracedValueError if a value in it is not known."""
    made = []
    for part in parts:
        if isinstance(part, str):
            made.append(part)
            continue
        value, conversion, style = part
        if is_unknown(value) or isinstance(value, Number):
            raise TracedValueError("a text")
        converters: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
        convert = converters.get(conversion)
        made.append(format(convert(value) if convert else value, style))
    return "".join(made)
