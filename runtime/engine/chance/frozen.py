"""Random numbers of Python and NumPy that a trace has drawn: constants of the compiled code."""

from __future__ import annotations

import random
import warnings
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


def position() -> Hashable:
    """Where the global generators stand."""
    state: Any = np.random.get_state(legacy=True)
    return hash(random.getstate()), state[1][:8].tobytes(), *state[2:]


@contextmanager
def undrawn() -> Iterator[None]:
    """Puts the global generators back: what runs inside draws for an answer that is not kept."""
    of_python, of_numpy = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)


@contextmanager
def telling() -> Iterator[None]:
    """Tells the user if the code inside draws numbers that every later run will see again."""
    before = position()
    yield
    if position() != before:
        warnings.warn(
            "np.random or random was asked while a graph was traced: its numbers are constants of "
            "the compiled code; ops.rand, ops.randn and ops.randint draw new ones at each run",
            stacklevel=6,
        )
