"""What a function reaches: the Cells whose state a graph of it depends on."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from types import CellType
from typing import Any


def state_of(function: Any) -> Hashable:
    """What a graph of `function` depends on: the state of every Cell that it reaches."""
    cells: dict[int, Any] = {}
    reach(function, cells, set())
    return tuple([(key, cell.graph_state()) for key, cell in cells.items()])


def reach(obj: Any, cells: dict[int, Any], seen: set[int]) -> None:
    """Adds the Cells among the closure and the globals of `obj`, and of functions there."""
    if id(obj) in seen:
        return
    seen.add(id(obj))
    if isinstance(obj, type):
        return  # as the class around a method, for `super`
    if hasattr(obj, "graph_state"):
        cells[id(obj)] = obj
        return
    inner = [getattr(obj, name, None) for name in ("__wrapped__", "__self__", "__func__", "func")]
    inner.append(getattr(obj, "fn", None) if isinstance(obj, Reaching) else None)
    code = getattr(obj, "__code__", None)
    if code is not None:
        inner += [cell.cell_contents for cell in obj.__closure__ or () if held_by(cell)]
        inner += [obj.__globals__.get(name) for name in code.co_names]
    for part in inner:
        if callable(part):
            reach(part, cells, seen)


def held_by(cell: CellType) -> bool:
    """Whether a closure's variable has a value yet."""
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


class Reaching:
    """A callable around another one, `fn`, whose Cells are its own."""

    fn: Callable[..., Any]
