"""Which functions are ops: `@op` makes a function public as `ops.NAME`, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

OPS: dict[str, Callable[..., Any]] = {}
"""Every op by name."""


def op(function: Function) -> Function:
    """Makes `function` public under its own name. Raises: KeyError if there is one already."""
    return alias(function.__name__, function)


def alias(name: str, function: Function) -> Function:
    """Makes `function` public under `name` too."""
    if name in OPS:
        raise KeyError(f"there is an op {name} already")
    OPS[name] = function
    return function
