"""mindspore.dataset.config: the seed of random orders."""

from __future__ import annotations

from .chance import SHARED

STATE = SHARED

DEFAULT = 5489
"""The seed that MindSpore has unless one is set."""

known = [DEFAULT]


def set_seed(seed: int) -> None:
    """Makes the random orders of data sets that are read from now on repeatable."""
    known[0] = seed
    STATE.seed(seed)


def get_seed() -> int:
    """The seed that was set last."""
    return known[0]
