"""`mindspore.common.api`: jit, and the executors that tests of MindSpore speak to."""

from __future__ import annotations

from typing import Any

from .cell import Cell
from .compiler import jit

__all__ = ["jit", "ms_function"]

ms_function = jit
"""MindSpore's name for `jit` before 2.0."""


class PynativeExecutor:
    """What is asked of MindSpore's asynchronous queue; here every call is done when it returns."""

    def sync(self) -> None:
        """Nothing is left to wait for."""

    def is_first_cell(self) -> bool:
        return True


class GraphExecutor:
    """Compiles cells without running them."""

    def compile(self, obj: Cell, *args: Any, **kwargs: Any) -> tuple[str, bool]:
        """Traces `obj` for these inputs; gives its name and that it was compiled anew."""
        obj.compile(*args, **kwargs)
        return obj.cls_name, True


_pynative_executor = PynativeExecutor()
_cell_graph_executor = GraphExecutor()
