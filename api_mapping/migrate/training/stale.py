"""Gradients that an optimiser has of another loss, as its own is differentiated."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from .events import Clear, Events
from .names import CUTTING, dotted
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
        for step, other in permutations(steps, 2):
            for key in step.group.optimizers:
                if self.is_between(step, other, key) and self.is_fed(step, other, key):
                    raise NoRegion(f"{key} has gradients of another loss still: clear them before")

    def is_between(self, step: TrainingStep, other: TrainingStep, key: str) -> bool:
        """Whether the other loss is differentiated after the optimiser was cleared last."""
        block, own = step.group.block, step.group.places[0]
        events = ((place, self.events.of(s)) for place, s in enumerate(block.statements))
        clears = (place for place, e in events if isinstance(e, Clear) and self.is_of(e, key))
        last = max(clears, key=lambda place: (place < own, place), default=own)
        whole = (*range(last, len(block.statements)), *range(own))
        since = range(last, own) or whole  # from the end of the round before
        return not set(other.group.places).isdisjoint(since)

    def is_of(self, clear: Clear, key: str) -> bool:
        return self.owners.clears(clear, key)

    def is_fed(self, step: TrainingStep, other: TrainingStep, key: str) -> bool:
        """Whether the other loss has gradients for what an optimiser trains."""
        if key in other.group.optimizers and not step.group.sums:
            return True
        trained = self.owners.networks.get(key, frozenset())
        nodes = [n for region in other.regions for n in (*region.statements, *region.losses)]
        called = {name for node in nodes for name in called_in(node)}
        return any(name == net or name.startswith(f"{net}.") for name in called for net in trained)


def called_in(node: ast.AST) -> Iterator[str]:
    """What is called in a node by its name, but for what gradients do not flow into."""
    is_off = isinstance(node, ast.With | ast.AsyncWith) and is_without_gradients(node)
    if is_off or (isinstance(node, ast.Attribute) and node.attr in CUTTING):
        return
    if isinstance(node, ast.Call):
        yield dotted(node.func)
    for child in ast.iter_child_nodes(node):
        yield from called_in(child)
