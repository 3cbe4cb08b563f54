"""The paths of layers: how a cell is called in the cells around it, without the wrappers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..cells.cell import Cell
from ..experimental.optim.optimizer import Optimizer as GroupOptimizer
from ..nn.optimizer import Optimizer

PACKAGE = __name__.partition(".")[0]
WRAPPERS = (f"{PACKAGE}.runtime.nn.wrap", f"{PACKAGE}.runtime.amp", f"{PACKAGE}.runtime.train")
LOSS = "loss"


def is_wrapper(cell: Any) -> bool:
    """Whether a cell only trains another one."""
    return type(cell).__module__.startswith(WRAPPERS)


def is_optimizer(cell: Any) -> bool:
    return isinstance(cell, Optimizer | GroupOptimizer)


class Paths:
    """The paths of cells, each looked for once."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, int], str] = {}

    def of(self, cells: Sequence[Any]) -> str:
        """The path of the last of `cells`, each of which is called in the one before it."""
        own = [cell for cell in cells if not is_wrapper(cell)]
        if not own:
            return type(cells[-1]).__name__ if cells else ""
        if is_optimizer(own[0]):
            return f"optimizer ({type(own[0]).__name__})"
        wrapper = cells[cells.index(own[0]) - 1] if own[0] is not cells[0] else None
        first = "" if wrapper is None else self.between(wrapper, own[0])
        parts = [self.between(a, b) for a, b in pairwise(own)]
        if "loss" in first or "loss" in type(own[0]).__module__.rpartition(".")[2]:
            parts = [f"{LOSS} ({type(own[0]).__name__})", *parts]
        return ".".join(part for part in parts if part) or type(own[0]).__name__

    def between(self, parent: Any, child: Any) -> str:
        """How `child` is called inside of `parent`."""
        key = (id(parent), id(child))
        if key not in self.names:
            found = [name for name, cell in inner(parent) if cell is child]
            self.names[key] = found[0] if found else type(child).__name__
        return self.names[key]


def inner(cell: Any) -> list[tuple[str, Cell]]:
    return [(name, one) for name, one in cell.cells_and_names() if one is not cell]


def weights_of(roots: Sequence[Any]) -> dict[str, Any]:
    """The parameters of networks by their names, without those of optimizers.

    Where two networks have a name, the later one's begins with its class and number.
    """
    found: dict[str, Any] = {}
    for number, root in enumerate(roots, 1):
        cells = [cell for _, cell in root.cells_and_names()]
        held = {id(p) for cell in cells if is_optimizer(cell) for p in own_states(cell)}
        wrappers = [cell for cell in cells if is_wrapper(cell)]
        held |= {id(p) for c in wrappers for p in c.get_parameters(expand=False) if p.size == 1}
        for parameter in root.get_parameters():
            name = parameter.name
            if id(parameter) in held:
                continue
            if found.setdefault(name, parameter) is not parameter:
                found.setdefault(f"{type(root).__name__} {number}: {name}", parameter)
    return found


def own_states(optimizer: Any) -> list[Any]:
    """What an optimizer keeps itself: its parameters less those that it trains."""
    trained = {id(p) for p in getattr(optimizer, "parameters", ())}
    return [p for p in optimizer.get_parameters() if id(p) not in trained]


def layer_of(parameter: str) -> str:
    """The path of the layer that a parameter is of, by its name."""
    return parameter.rpartition(".")[0] or parameter
