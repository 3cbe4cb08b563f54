"""The simplest relation between two arrays that differ, tried on a sample, proved on all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..tolerance import Tolerance
from .axes import flipped, reshaped, rolled_together, transposed, turned
from .channels import along_axes
from .evidence import Judge
from .numbers import of_functions, of_numbers, of_slices
from .parts import parts, stepped
from .precision import quantised, rounded, without_numbers
from .relation import Array, Candidate, Relation


def relation_of(a: Array, b: Array, tolerance: Tolerance, rms: float) -> Relation | None:
    """What makes `a` the array `b`, which differs from it; None if nothing that is known does.

    `rms` is a's: the tolerance is relative to it. Nothing is said of arrays so
    small, or of so few values, that chance would do it.
    """
    judge = Judge(tolerance, rms)
    with np.errstate(all="ignore"):
        for candidate in candidates(a, b, judge):
            if judge.holds(candidate):
                return Relation(candidate.kind, candidate.text)
    return None


def candidates(a: Array, b: Array, judge: Judge) -> Iterator[Candidate]:
    """What could be, the simplest first."""
    if not a.size or not b.size:
        return
    yield from without_numbers(a, b)
    yield from rounded(a, b)
    yield from transposed(a, b)
    yield from reshaped(a, b)
    yield from flipped(a, b)
    yield from of_numbers(a, b)
    yield from of_functions(a, b)
    yield from along_axes(a, b, judge)
    yield from of_slices(a, b)
    yield from parts(a, b, judge)
    yield from stepped(a, b)
    yield from rolled_together(a, b)
    yield from turned(a, b, rounded, of_numbers)
    yield from quantised(a, b)
