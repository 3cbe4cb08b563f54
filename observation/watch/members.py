"""Layers that a network calls, and that it does not train as they are meant to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...runtime.nn.basic import Dropout
from ...runtime.nn.normalization import BatchNorm

Cells = Sequence[Any]


@dataclass(eq=False)
class Members:
    """`strangers` are layers by their parameters' names, which their network does not know of."""

    strangers: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)
    """Where the layers of strangers are called."""
    roots: dict[int, Any] = field(default_factory=dict)
    """The network that calls a stranger, by the parameter's identity."""
    seen: dict[tuple[int, int], Any] = field(default_factory=dict)
    resting: dict[str, Cells] = field(default_factory=dict)
    """Layers that were called in this step as in an evaluation, with the cells around them."""
    training: set[str] = field(default_factory=set)

    def called(self, path: str, cells: Cells, line: str) -> None:
        """A layer is called in the cells before it."""
        self.note_mode(path, cells)
        root, cell = cells[0], cells[-1]
        if cell is root or (id(root), id(cell)) in self.seen:
            return
        self.seen[id(root), id(cell)] = cell
        known = {id(p) for p in root.get_parameters()}
        own = [p for p in cell.get_parameters(expand=False) if p.requires_grad]
        own = [p for p in own if id(p) not in known and id(p) not in self.roots]
        number = len({*self.lines}) + 1
        for p in own:
            layer = f"{path} (number {number} outside of its network)"
            self.lines[layer] = line
            self.strangers[f"{layer}.{p.name.rpartition('.')[2]}"] = p
            self.roots[id(p)] = root

    def note_mode(self, path: str, cells: Cells) -> None:
        cell = cells[-1]
        works = isinstance(cell, BatchNorm) and cell.use_batch_statistics is not True
        if not works and not (isinstance(cell, Dropout) and cell.p > 0):
            return
        if any(one.training for one in cells):
            self.training.add(path)
        else:
            self.resting[path] = cells

    def rested(self) -> dict[str, Cells]:
        """The layers of the step that ends which did not train in it."""
        found = {k: v for k, v in self.resting.items() if k not in self.training}
        self.resting, self.training = {}, set()
        return found
