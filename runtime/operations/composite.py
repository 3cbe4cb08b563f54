"""Functions of functions, under the names that `mindspore.ops` has."""

from __future__ import annotations

from typing import Any

from ..composite import HyperMap, Map, MultitypeFuncGraph, add_flags, core
from .operation import CLASSES

_found: dict[str, Any] = {
    "HyperMap": HyperMap,
    "Map": Map,
    "MultitypeFuncGraph": MultitypeFuncGraph,
    "add_flags": add_flags,
    "core": core,
}
CLASSES.update(_found)
