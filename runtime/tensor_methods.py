"""How Tensor gets its operators and methods; they stand in the folder `methods`, by family.

    same("abs exp")  # the ops of these names, with the Tensor as their first argument

    @methods
    class Reductions:
        def max(self: Any, axis: Any = None) -> Any: ...  # what differs from the op

What Tensor or a subclass defines itself stays. A second method of one name is refused.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

from .engine.tensor import Tensor
from .ops.registry import OPS

METHODS: dict[str, Any] = {}
"""Every operator, method and property by its name on Tensor."""


def method(name: str, member: Any) -> None:
    """Adds `member` to Tensor. Raises: KeyError if there is one of that name already."""
    if name in METHODS:
        raise KeyError(f"there is a method {name} already")
    METHODS[name] = member
    setattr(Tensor, name, member)


def same(names: str) -> None:
    """Makes the ops of these names methods."""
    for name in names.split():
        method(name, OPS[name])


def renamed(member: Callable[..., Any], **names: str) -> Callable[..., Any]:
    """`member`, which also takes some of its keywords by other names: MindSpore has two."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {names.get(key, key): value for key, value in kwargs.items()}
        return member(*args, **kwargs)

    call.__doc__ = member.__doc__
    return call


def methods(members: type) -> type:
    """Makes the members of a class methods and properties of Tensor.

    The class is never instantiated: `self` is the Tensor, and the ops are found at import, so
    that both are Any.
    """
    for name, member in vars(members).items():
        if not name.startswith("__"):
            method(name, member)
    return members


def sizes(given: tuple[Any, ...]) -> Any:
    """`f(2, 3)` and `f((2, 3))` alike."""
    return given[0] if len(given) == 1 and not isinstance(given[0], int) else given


def install() -> None:
    """Imports every family."""
    from . import methods as families

    for found in pkgutil.iter_modules(families.__path__):
        importlib.import_module(f"{families.__name__}.{found.name}")


install()
