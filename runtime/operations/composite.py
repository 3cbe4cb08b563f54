"""Functions of functions, under the names that `mindspore.ops` has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..composite import HyperMap, Map, MultitypeFuncGraph, add_flags, core
from .operation import CLASSES, Primitive


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """On `__init__` of a user's primitive: its arguments become attributes."""

    @functools.wraps(fn)
    def with_attributes(self: Any, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self, type(self).__name__)
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in [*bound.arguments.items()][1:]:
            self.add_prim_attr(name, value)
            self.init_attrs[name] = value
        fn(self, *args, **kwargs)

    return with_attributes


_found: dict[str, Any] = {
    "prim_attr_register": prim_attr_register,
    "prim_arg_register": prim_attr_register,
    "HyperMap": HyperMap,
    "Map": Map,
    "MultitypeFuncGraph": MultitypeFuncGraph,
    "add_flags": add_flags,
    "core": core,
}
CLASSES.update(_found)
