"""How the classes of `_grad_ops` are made of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..engine.tensor import Tensor
from ..ops.shaping import sizes_of
from .operation import Primitive, class_of

GRADIENTS: dict[str, type[Primitive]] = {}
"""Every class by name."""


def gradient(name: str) -> Callable[[Callable[..., Any]], type[Primitive]]:
    """Makes a function the class `name` of this module."""

    def register(function: Callable[..., Any]) -> type[Primitive]:
        if name in GRADIENTS:
            raise KeyError(f"there is a gradient {name} already")
        GRADIENTS[name] = made = class_of(name, function)
        return made

    return register


def pulled(function: Callable[..., Any], inputs: tuple[Tensor, ...], g: Any) -> Any:
    """The gradients of the inputs, where `g` is the gradient of function(*inputs)."""
    from ..engine.gradient import grad  # which needs the ops

    def total(*values: Tensor) -> Any:
        return ops.sum(ops.mul(function(*values), g))

    found = grad(total, tuple(range(len(inputs))))(*inputs)
    return found if len(inputs) > 1 else found[0] if isinstance(found, tuple) else found


def zeros_of(shape: Any, like: Tensor) -> Any:
    """Zeros: where a gradient needs the shape of an input alone."""
    return ops.zeros(sizes_of(shape), like.dtype)
