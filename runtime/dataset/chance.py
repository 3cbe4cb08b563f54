"""Random numbers of data sets: repeatable by a seed, whichever thread draws them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

SHARED = np.random.RandomState()
"""Who draws outside of a pipeline draws from this."""


class Own(threading.local):
    """Of one thread: the source of its row, or the seed of it; sources of rows that are done."""

    source: np.random.RandomState | int | None = None

    def __init__(self) -> None:
        self.spare: list[np.random.RandomState] = []


own = Own()


def current() -> np.random.RandomState:
    """The source of this thread: that of the row it is making, or the shared one.

    To seed a source that is there takes a tenth of the time that a new one takes.
    """
    if isinstance(own.source, int):
        source = own.spare.pop() if own.spare else np.random.RandomState()
        source.seed(own.source)
        own.source = source
    return SHARED if own.source is None else own.source


@contextmanager
def of_row(seed: int, epoch: int, number: int) -> Iterator[None]:
    """Inside, random numbers follow from these three only, not from who makes which row.

    The source is made when the first is drawn: most rows need none.
    """
    before, own.source = own.source, mixed(seed, epoch, number)
    try:
        yield
    finally:
        if isinstance(own.source, np.random.RandomState):
            own.spare.append(own.source)
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
