"""`mindspore.common.api`: jit, and the executors that tests of MindSpore speak to."""

from __future__ import annotations

from typing import Any

from .cells.cell import Cell
from .engine.compiler import jit
from .engine.jit_options import (
    JitConfig,
    PynativeExecutor,
    _pynative_executor,
    jit_class,
    set_recursion_limit,
)
from .engine.jit_options import no_grad as _no_grad
from .engine.mutable import mutable

__all__ = [
    "JitConfig",
    "PynativeExecutor",
    "_no_grad",
    "_pynative_executor",
    "jit",
    "jit_class",
    "ms_class",
    "ms_function",
    "mutable",
    "set_recursion_limit",
]

ms_function = jit
"""MindSpore's name for `jit` before 2.0."""
ms_class = jit_class
"""MindSpore's name for `jit_class` before 2.0."""


class GraphExecutor:
    """Compiles cells without running them."""

    def compile(self, obj: Cell, *args: Any, **kwargs: Any) -> tuple[str, bool]:
        """Traces `obj` for these inputs; gives its name and that it was compiled anew."""
        obj.compile(*args, **kwargs)
        return obj.cls_name, True


_cell_graph_executor = GraphExecutor()
