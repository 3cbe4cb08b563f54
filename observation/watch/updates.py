"""Which weights a step is to change: those of the optimizers that are called in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Updates:
    """What optimizers have done so far.

    A step is what happens between two losses. One in which no optimizer is called adds up
    gradients; one of two optimizers leaves the other's weights alone.
    """

    owners: dict[int, int] = field(default_factory=dict)
    """The optimizer of each parameter, both by identity."""
    called: set[int] = field(default_factory=set)
    """The optimizers of this step."""
    turns: set[frozenset[int]] = field(default_factory=set)
    """Which optimizers were called together in a step."""
    kept: list[Any] = field(default_factory=list)
    """What identities are of: it must not be freed."""
    steps: int = 0
    """Those in which an optimizer was called."""
    moved: bool = False
    """Whether a trained weight has ever changed: statistics of BatchNorm always do."""
    shared: bool = False
    """Whether two optimizers that are called in turns have the same parameters."""

    def saw(self, optimizer: Any) -> None:
        """An optimizer is called."""
        self.called.add(id(optimizer))
        parameters = [id(p) for p in getattr(optimizer, "parameters", ())]
        if optimizer not in self.kept:
            self.kept.append(optimizer)
            self.owners |= dict.fromkeys(parameters, id(optimizer))
        elif any(self.owners[p] != id(optimizer) for p in parameters):
            self.shared = True  # a later one has them, too, and did not follow this one

    def end(self) -> None:
        """The step is over."""
        if self.called:
            self.steps += 1
            self.turns.add(frozenset(self.called))
            self.called.clear()

    @property
    def take_turns(self) -> bool:
        """Whether losses of different weights come in turns, as of a generator and a critic."""
        return any(not a & b for a in self.turns for b in self.turns)

    def due(self, parameter: Any, company: Iterable[Any], changed: set[int]) -> bool:
        """Whether this step was to change a weight; `company` are those of its network.

        What no optimizer has is due where others of its network are, or change.
        """
        owner = self.owners.get(id(parameter))
        if owner is not None:
            return owner in self.called
        return any(id(p) in changed or self.owners.get(id(p)) in self.called for p in company)
