"""Which functions are ops: `@op` makes a function public as `ops.NAME`, once.

What an op's annotations say of its plain parameters (Tensor, int, bool, str, float, or None) is
checked before it is called: anything else raises TypeError, as in MindSpore.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from ..engine.argument import kind_of
from ..engine.failure import ElementTypeError
from ..engine.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])

OPS: dict[str, Callable[..., Any]] = {}
"""Every op by name."""

KINDS: dict[str, tuple[type, ...]] = {
    "Tensor": (Tensor,),
    "int": (int, np.integer),
    "bool": (bool, np.bool_),
    "str": (str,),
    "float": (float, int, np.floating),
}
"""What an annotation takes; a bool is no number."""

NOWHERE = 1 << 30
"""The position of a parameter that is given by name alone."""

Check = tuple[int, str, str, set[type]]
"""A parameter's position, its name, its annotation, and the types that have been taken."""


def op(function: Function) -> Function:
    """Makes `function` public under its own name. Raises: KeyError if there is one already."""
    checks = checks_of(function)
    return alias(function.__name__, checked(function, checks) if checks else function)


def alias(name: str, function: Function) -> Function:
    """Makes `function` public under `name` too."""
    if name in OPS:
        raise KeyError(f"there is an op {name} already")
    OPS[name] = function
    return function


def checks_of(function: Callable[..., Any]) -> list[Check]:
    """The checks of the parameters whose annotation is plain."""
    checks: list[Check] = []
    for k, p in enumerate(inspect.signature(function).parameters.values()):
        annotation = str(p.annotation)
        if annotation.removesuffix(" | None") in KINDS and p.kind is not p.VAR_POSITIONAL:
            place = NOWHERE if p.kind is p.KEYWORD_ONLY else k
            taken = {type(None)} if p.default is None or annotation.endswith("None") else set()
            checks.append((place, p.name, annotation, taken))
    return checks


def checked(function: Function, checks: list[Check]) -> Function:
    """`function`, refusing arguments of other types."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        count = len(args)
        for position, name, annotation, taken in checks:
            if position < count:
                value = args[position]
            elif name in kwargs:
                value = kwargs[name]
            else:
                continue
            if type(value) not in taken:
                look(function.__name__, name, value, annotation)
                taken.add(type(value))
        return function(*args, **kwargs)

    return cast(Function, call)


def look(where: str, name: str, value: Any, annotation: str) -> None:
    """Raises: TypeError (MS304) if `value` is not what the annotation says."""
    kinds = KINDS[annotation.removesuffix(" | None")]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise ElementTypeError(
            where, f"{name} is of a wrong type", got=kind_of(value), expected=annotation
        )
