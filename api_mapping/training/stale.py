"""Gradients that an optimiser has of another loss, as its own is differentiated."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..syntax.nodes import dotted
from ..table.facts.gradients import CUTTING
from .events import Events
from .owners import Owners
from .region import NoRegion
from .weights import is_without_gradients

if TYPE_CHECKING:
    from .plan import TrainingStep


@dataclass(frozen=True)
class Stale:
    """Looks for such gradients among the steps of one block."""

    events: Events
    owners: Owners

    def check(self, steps: Sequence[TrainingStep]) -> None:
        """Raises: NoRegion if PyTorch would add gradients that the functions do not compute"""
        if len(steps) < 2:
            return
        block = steps[0].group.block
        at = {place: step for step in steps for place in step.group.places}
        for step in steps:
            for key in step.group.optimizers:
                own = self.owners.clearing(self.events, block, key)
                between = (at.get(p) for p in since(own, step))
                others = {id(o): o for o in between if o is not None and o is not step}
                if any(self.is_fed(step, other, key) for other in others.values()):
                    raise NoRegion(f"{key} has gradients of another loss still: clear them before")

    def is_fed(self, step: TrainingStep, other: TrainingStep, key: str) -> bool:
        """Whether the other loss has gradients for what an optimiser trains."""
        if key in other.group.optimizers and not step.group.sums:
            return True
        trained = self.owners.networks.get(key, frozenset())
        nodes = [n for region in other.regions for n in (*region.statements, *region.losses)]
        called = {name for node in nodes for name in called_in(node)}
        return any(name == net or name.startswith(f"{net}.") for name in called for net in trained)


def since(clears: Sequence[int], step: TrainingStep) -> Sequence[int]:
    """The places between the last clearing and a step's own backward."""
    group, own = step.group, step.group.places[0]
    last = max(clears, key=lambda place: (place < own, place), default=own)
    whole = (*range(last, len(group.block.statements)), *range(own))
    return range(last, own) or whole  # from the end of the round before


def called_in(node: ast.AST) -> Iterator[str]:
    """What is called in a node by its name, but for what gradients do not flow into."""
    is_off = isinstance(node, ast.With | ast.AsyncWith) and is_without_gradients(node)
    if is_off or (isinstance(node, ast.Attribute) and node.attr in CUTTING):
        return
    if isinstance(node, ast.Call):
        yield dotted(node.func)
    for child in ast.iter_child_nodes(node):
        yield from called_in(child)
