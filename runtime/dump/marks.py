"""`set_dump`: which cells are dumped where `dump_mode` is 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..cells.cell import Cell
from ..engine.failure import ElementTypeError

MARK = "_is_dumped"


def set_dump(target: Any, enabled: bool = True) -> None:
    """Marks a cell with all in it, forward and backward, or takes the mark away.

    Raises: TypeError (MS304) for what is no Cell: a primitive has no place of its own here
    """
    if not isinstance(target, Cell):
        raise ElementTypeError(
            "set_dump", "the target is no Cell", got=type(target).__name__,
            expected="a Cell", advice='of operators by type: "dump_mode": 1 and "kernels"',
        )  # fmt: skip
    if not isinstance(enabled, bool):
        raise ElementTypeError("set_dump", "enabled is no bool", got=repr(enabled))
    target.__dict__[MARK] = enabled


def is_marked(cells: Sequence[Any]) -> bool:
    """Whether the innermost of these cells that was ever marked, or unmarked, is marked."""
    marks = [cell.__dict__[MARK] for cell in cells if MARK in cell.__dict__]
    return bool(marks) and marks[-1] is True
