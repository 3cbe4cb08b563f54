"""Texts against each other: equal or not."""

from __future__ import annotations

import numpy as np

from .elements import Elements, both
from .metrics import Metrics, Worst, scalar


def measure_text(a: Elements, b: Elements) -> Metrics:
    """How many texts are equal, and the first that is not."""
    equal, worst = 0, None
    for start, x, y in both(a, b):
        apart = np.flatnonzero(x.astype(str) != y.astype(str))
        equal += x.size - apart.size
        if worst is None and apart.size:
            place = int(apart[0])
            index = tuple(int(i) for i in np.unravel_index(start + place, a.shape))
            worst = Worst(index, scalar(x[place]), scalar(y[place]))
    share = (a.size - equal) / max(a.size, 1)
    return Metrics(a.size, equal, equal, max_abs=int(share > 0), mean_abs=share, worst=worst)
