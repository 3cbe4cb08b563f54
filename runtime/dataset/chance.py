"""Random numbers of data sets: repeatable by a seed, whichever thread draws them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

SHARED = np.random.RandomState()
"""Who draws outside of a pipeline draws from this."""

own = threading.local()


def current() -> np.random.RandomState:
    """The source of this thread: that of the row it is making, or the shared one."""
    found: np.random.RandomState | int | None = getattr(own, "source", None)
    if isinstance(found, int):
        found = own.source = np.random.RandomState(found)
    return SHARED if found is None else found


@contextmanager
def of_row(seed: int, epoch: int, number: int) -> Iterator[None]:
    """Inside, random numbers follow from these three only, not from who makes which row.

    The source is made when the first is drawn: most rows need none.
    """
    before = getattr(own, "source", None)
    own.source = mixed(seed, epoch, number)
    try:
        yield
    finally:
        own.source = before


def mixed(seed: int, epoch: int, number: int) -> int:
    """One seed of three numbers: the steps of splitmix64, which near numbers leave far apart."""
    found = (seed * 0x9E3779B97F4A7C15 + epoch * 0xBF58476D1CE4E5B9 + number) % 2**64
    found = (found ^ found >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    found = (found ^ found >> 27) * 0x94D049BB133111EB % 2**64
    return (found ^ found >> 31) % 2**32


def uniform(low: float, high: float) -> float:
    return float(current().uniform(low, high))


def happens(probability: float) -> bool:
    return bool(current().random_sample() < probability)


def whole(low: int, high: int) -> int:
    """A number of low..high, both of which may come."""
    return int(current().randint(low, high + 1))
