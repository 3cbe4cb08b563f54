"""Operators that tell a value to the SummaryRecord that is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.observation import tell_always
from ..summary import pending
from .operation import operation


def telling(plugin: str) -> Callable[[Any, Any], None]:
    """The function of the operator: in graph mode the value comes out of each run."""
    where = f"{plugin.capitalize()}Summary"

    def tell(name: Any, value: Any) -> None:
        x = pending.checked(where, plugin, name, value)
        tell_always(where, lambda arrays: pending.put(plugin, name, arrays), x)

    return tell


for _plugin in pending.PLUGINS:
    operation(f"{_plugin.capitalize()}Summary")(telling(_plugin))
