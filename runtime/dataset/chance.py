"""Random numbers of data sets, repeatable by a seed.

In `map` each operation draws of an engine of C++ as MindSpore's does: one for each thread, whose
seed is the pipeline's and the thread's number. Elsewhere, and in processes, the numbers of a row
follow from its number, whichever thread draws them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .mersenne import Mersenne

SHARED = np.random.RandomState()
"""Who draws outside of a pipeline draws from this."""


Place = tuple[int, ...]
"""Of an operation: the number of its thread, what is added to the seed, its place in a `map`, and
in each operation around."""


class Own(threading.local):
    """Of one thread: the source of its row, or the seed of it; sources of rows that are done."""

    source: np.random.RandomState | int | None = None
    engine: Mersenne | None = None
    engines: Engines
    place: Place

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
    """Inside, random numbers follow from these three only, not from who makes which row, or from
    the engine that is put there.

    The source is made when the first is drawn: most rows need none.
    """
    before, own.source = own.source, mixed(seed, epoch, number)
    engine, own.engine = own.engine, None
    try:
        yield
    finally:
        if isinstance(own.source, np.random.RandomState):
            own.spare.append(own.source)
        own.source, own.engine = before, engine


class Engines:
    """Those of the operations of one `map`, in one reading of a pipeline."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.made: dict[Place, Mersenne] = {}

    def put(self, place: Place) -> None:
        """The operation at a place draws from now on."""
        if place not in self.made:
            self.made[place] = Mersenne((self.seed + place[1]) % 2**32)
        own.engine, own.engines, own.place = self.made[place], self, place


@contextmanager
def part(number: int, is_step: bool = False) -> Iterator[None]:
    """Inside, an operation draws that is part of the one that has drawn before.

    MindSpore adds the number of the thread to the seeds of the operations of a `map`, and of the
    steps of Compose, but not to those of parts of others.
    """
    if own.engine is None:
        yield
        return
    place, engines = own.place, own.engines
    thread, added, *rest = place
    engines.put((thread, added if is_step else 0, *rest, number))
    try:
        yield
    finally:
        engines.put(place)


def mixed(seed: int, epoch: int, number: int) -> int:
    """One seed of three numbers: the steps of splitmix64, which near numbers leave far apart."""
    found = (seed * 0x9E3779B97F4A7C15 + epoch * 0xBF58476D1CE4E5B9 + number) % 2**64
    found = (found ^ found >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    found = (found ^ found >> 27) * 0x94D049BB133111EB % 2**64
    return (found ^ found >> 31) % 2**32


def uniform(low: float, high: float) -> float:
    if own.engine is not None:
        return own.engine.real(low, high)
    return float(current().uniform(low, high))


def happens(probability: float) -> bool:
    if own.engine is not None:
        return own.engine.share() < probability
    return bool(current().random_sample() < probability)


def whole(low: int, high: int) -> int:
    """A number of low..high, both of which may come."""
    if own.engine is not None:
        return low + own.engine.below(high - low + 1)
    return int(current().randint(low, high + 1))


def order(count: int) -> list[int]:
    """The numbers 0..count-1 in random order."""
    found = list(range(count))
    if own.engine is not None:
        own.engine.shuffle(found)
        return found
    return [int(n) for n in current().permutation(found)]


def sample(count: int, wanted: int) -> list[int]:
    """So many of the numbers 0..count-1."""
    if own.engine is not None:
        return own.engine.sample(count, wanted)
    return order(count)[:wanted]


def normal(spread: float) -> float:
    """A number around 0, normally distributed."""
    if own.engine is not None:
        return own.engine.normal() * spread
    return float(current().normal(0.0, spread))
