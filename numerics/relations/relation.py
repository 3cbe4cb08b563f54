"""What is said of two arrays that differ, and what could be said of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
Factor: TypeAlias = Array | float
"""One number for all elements, or numbers that broadcast."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What makes one array the other, proved on all elements.

    `kind`: "transpose", "reshape", "flip", "roll", "scale", ...; `text`: "equal after transpose
    (1, 0)", a sentence's end.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Candidate:
    """A relation that is to be proved: `a * scale + offset`, rounded, is `b`.

    `a` and `b` are views of the arrays, in one shape; `scale` and `offset` broadcast to it.
    `ways`: how many relations of its kind were open, `fitted`: how many numbers were taken from
    the arrays themselves: both make it easier for chance. `within`: how far apart elements may
    be instead of the tolerance, as by a step of quantisation.
    """

    kind: str
    text: str
    a: Array
    b: Array
    scale: Factor = 1.0
    offset: Factor = 0.0
    rounded: Callable[[Array], Array] | None = None
    within: Factor | None = None
    ways: float = 1.0
    fitted: int = 0
