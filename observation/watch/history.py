"""What a watched training has done so far: losses, weights, gradients, inputs, step by step."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...runtime.profiler.layers import weights_of
from .members import Members

FEWEST_BATCHES = 9
"""Steps after which batches that come again are an order."""
MOST_LOSSES = 100_000
"""Losses that are kept."""


@dataclass(eq=False)
class Streaks:
    """How many steps in a row something has held, by name."""

    counts: dict[str, int] = field(default_factory=dict)

    def saw(self, name: str, holds: bool) -> int:
        """The length of the streak of `name` now."""
        self.counts[name] = self.counts.get(name, 0) + 1 if holds else 0
        return self.counts[name]


@dataclass(eq=False)
class History:
    """`roots` are the outermost cells that were called, `before` weights at the last step."""

    step: int = 0
    losses: list[float] = field(default_factory=list)
    roots: dict[int, Any] = field(default_factory=dict)
    before: dict[str, np.ndarray] = field(default_factory=dict)
    ratios: dict[str, deque[float]] = field(default_factory=dict)
    norms: list[float] = field(default_factory=list)
    inputs: dict[str, tuple[np.ndarray | None, ...]] = field(default_factory=dict)
    """The newest inputs of each layer, by its path."""
    batches: list[bytes] = field(default_factory=list)
    members: Members = field(default_factory=Members)

    def weights(self) -> dict[str, Any]:
        return weights_of([*self.roots.values()]) | self.members.strangers

    def company(self) -> dict[int, list[Any]]:
        """All parameters of the networks that have a parameter, by its identity."""
        found: dict[int, list[Any]] = {}
        for root in self.roots.values():
            strangers = self.members.strangers.values()
            own = [*weights_of([root]).values()]
            own += [p for p in strangers if self.members.roots[id(p)] is root]
            for p in own:
                found.setdefault(id(p), []).extend(own)
        return found

    def is_learnt(self) -> bool:
        """Whether the loss has become exactly 0: then gradients are."""
        return bool(self.losses) and self.losses[-1] == 0 and any(self.losses)

    def add_loss(self, loss: float) -> None:
        self.step += 1
        if len(self.losses) < MOST_LOSSES:
            self.losses.append(loss)

    def add_batch(self, array: np.ndarray) -> None:
        """Notes which rows a step gets."""
        if len(self.batches) < MOST_LOSSES:
            self.batches.append(digest(array))

    def period(self) -> int:
        """After how many steps the same batches come again, in the same order; 0 if they do not.

        They must have come three times. 1 is for the same batch in each step.
        """
        first = self.batches[:1]
        places = [k for k, one in enumerate(self.batches) if [one] == first]
        if len(places) < 3 or len(self.batches) < FEWEST_BATCHES:
            return 0
        p = places[1]
        return p if all(a == b for a, b in zip(self.batches, self.batches[p:], strict=False)) else 0


def digest(array: np.ndarray) -> bytes:
    return hashlib.blake2b(array.tobytes(), digest_size=8).digest()
