"""Texts against each other: equal or not."""

from __future__ import annotations

import numpy as np

from .elements import Array
from .metrics import Metrics, worst_at


def measure_text(a: Array, b: Array) -> Metrics:
    """How many texts are equal, and the first that is not."""
    x, y = (part.astype(str, copy=False) for part in (a, b))
    apart = np.flatnonzero(x != y)
    equal = a.size - apart.size
    worst = worst_at(int(apart[0]), a, b) if apart.size else None
    share = apart.size / max(a.size, 1)
    return Metrics(a.size, equal, equal, max_abs=int(apart.size > 0), mean_abs=share, worst=worst)
