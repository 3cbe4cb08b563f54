"""Two arrays that stand for each other, as they are told."""

from __future__ import annotations

import numpy as np

from ....numerics.limits import OF_OPERATORS
from ....numerics.relations.finder import relation_of
from ....numerics.tolerance import Tolerance
from ..layers.layer import Array

FEW = 8
"""Arrays of so many numbers are told whole."""


def held(own: Array, other: Array) -> tuple[str, str]:
    """What both hold: their numbers, how the other one follows from the own, where they differ."""
    if own.shape != other.shape and own.size == other.size:
        other = other.reshape(own.shape)
    if own.size <= FEW and other.size <= FEW:
        return numbers(own), numbers(other)
    if own.shape != other.shape:
        return f"of the shape {own.shape}", f"of the shape {other.shape}"
    relation = related(own, other)
    if relation:
        return "as it is there", relation
    away = np.abs(own.astype(np.float64) - other.astype(np.float64))
    worst = np.unravel_index(int(np.argmax(away)), away.shape)
    count = int((away > OF_OPERATORS * np.abs(own).max(initial=0)).sum())
    place = [int(i) for i in worst]
    return (
        f"{own[worst]:.6g} at {place}",
        f"{other[worst]:.6g}; {count} of {own.size} numbers differ",
    )


def related(own: Array, other: Array) -> str:
    """How the other array follows from the own; "" if it does in no way that is known."""
    if own.dtype.kind not in "fiu" or other.dtype.kind not in "fiu":
        return ""
    size = float(np.sqrt(np.mean(np.square(own.astype(np.float64)))))
    found = relation_of(own, other, Tolerance(OF_OPERATORS, OF_OPERATORS), size)
    return "" if found is None else found.text


def numbers(array: Array) -> str:
    return f"[{', '.join(f'{x:.6g}' for x in np.asarray(array).reshape(-1))}]"
