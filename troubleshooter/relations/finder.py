"""The simplest relation between two arrays that differ, tried on a sample, proved on all."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .relation import Relation


class Tolerance(Protocol):
    """How close is the same: |a - b| <= atol + rtol * |a|."""

    @property
    def rtol(self) -> float: ...
    @property
    def atol(self) -> float: ...


def relation_of(
    a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], tolerance: Tolerance
) -> Relation | None:
    """What makes `a` the array `b`, which differs from it; None if nothing that is known does.

    Nothing is said of arrays that are so small or have so few values that chance would do it.
    """
    return None
