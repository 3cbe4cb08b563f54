"""Whose tensor it is that stands in the place of another one, and what was never loaded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...formats.stored import StoredTensor
from ...numerics.initial import has_nothing_of, initial_values
from ...numerics.tolerance import Tolerance
from ..measure.elements import Array
from ..measure.measuring import TEXTS
from .row import Row

ODD = ("mismatch", "shape", "nan", "inf")
MOST_BYTES = 256 << 20
"""Of a's tensors so many are read once more."""

NEAR = 1e-5
"""Figures of two tensors that are farther apart are those of two."""

NUMBER = re.compile(r"[0-9]+")

Tensors = Mapping[str, StoredTensor]
Figures = tuple[float, float, float]


@dataclass(frozen=True)
class Kin:
    """B's tensor of this row is a's of that name; `turned`: its transpose."""

    name: str
    turned: bool = False


def with_kin(rows: list[Row], a: Tensors, b: Tensors) -> Iterator[Row]:
    """The rows; where nothing else explains a difference, whose the tensor is."""
    odd = [row for row in rows if row.status in ODD and not row.relation and is_plain(row, a, b)]
    if not odd:
        yield from rows
        return
    kin = dict(found_kin(odd, a, b))
    places = {id(row) for row in odd}
    shifts = shifted(kin)
    counterparts = {row.a: row.b for row in rows if row.a is not None}
    for row in rows:
        relation = row.relation
        if row.a in kin:
            relation = told(row.a, kin, shifts, counterparts)
        elif id(row) in places:
            relation = of_new_layer(a[row.a or ""], b[row.b or ""])
        yield replace(row, relation=relation) if relation != row.relation else row


def is_plain(row: Row, a: Tensors, b: Tensors) -> bool:
    """Whether both are tensors of the files as they are, not texts, nor computed of several."""
    return row.a in a and row.b in b and not row.made


def found_kin(odd: Iterable[Row], a: Tensors, b: Tensors) -> Iterator[tuple[str, Kin]]:
    """By a's names, of whose counterpart b has something else, what that is."""
    theirs = {row.a: array_of(b[row.b]) for row in odd if row.a and row.b and fits(b[row.b])}
    sizes = Counter(array.size for array in theirs.values())
    known: dict[int, list[tuple[str, Figures]]] = {}
    left = MOST_BYTES
    for name, tensor in a.items():
        left -= tensor.size * tensor.dtype.itemsize if tensor.size in sizes else 0
        if tensor.size in sizes and left >= 0 and fits(tensor):
            known.setdefault(tensor.size, []).append((name, figures(array_of(tensor))))
    for name, array in theirs.items():
        wanted = figures(array)
        for other, found in known.get(array.size, ()):
            if other == name or not is_near(wanted, found):
                continue
            ours = array_of(a[other])
            turned = ours.ndim == 2 and not same(ours, array) and same(ours.T, array)
            if turned or same(ours, array):
                yield name, Kin(other, turned)
                break


def fits(tensor: StoredTensor) -> bool:
    return tensor.dtype.kind not in TEXTS and tensor.size > 1


def array_of(tensor: StoredTensor) -> Array:
    return np.asarray(tensor.array())


def figures(array: Array) -> Figures:
    """Numbers that do not depend on the order of elements."""
    flat = array.reshape(-1).astype(np.float64)
    with np.errstate(all="ignore"):
        return float(flat.sum()), float(np.abs(flat).sum()), float(flat @ flat)


def is_near(one: Figures, other: Figures) -> bool:
    size = max(abs(one[1]), 1e-300)
    return abs(one[0] - other[0]) <= NEAR * size and all(
        abs(x - y) <= NEAR * max(abs(x), 1e-300) for x, y in zip(one[1:], other[1:], strict=True)
    )


def same(one: Array, other: Array) -> bool:
    """Equal but for rounding, and no constant, which many tensors are."""
    if one.shape != other.shape:
        return False
    x, y = one.astype(np.float64), other.astype(np.float64)
    within = Tolerance().within(np.abs(x), float(np.sqrt(np.mean(x * x))))
    return bool(x.min() != x.max() and (np.abs(x - y) <= within).all())


def shifted(kin: Mapping[str, Kin]) -> dict[str, int]:
    """By how many numbers in names tensors have moved, of those that have moved with others."""
    by = {name: distance(name, item.name) for name, item in kin.items()}
    counts = Counter(step for step in by.values() if step)
    blocks = {step: {numbers(name) for name, own in by.items() if own == step} for step in counts}
    return {name: step for name, step in by.items() if step and len(blocks[step]) > 1}


def numbers(name: str) -> tuple[str, ...]:
    return tuple(NUMBER.findall(name))


def distance(one: str, other: str) -> int:
    """How far the only number that differs in two names is; 0 if more differs."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return 0
    off = [int(y) - int(x) for x, y in zip(numbers(one), numbers(other), strict=True) if x != y]
    return off[0] if len(off) == 1 else 0


def told(
    name: str,
    kin: Mapping[str, Kin],
    shifts: Mapping[str, int],
    counterparts: Mapping[str, str | None],
) -> str:
    found = kin[name]
    turned = ", transposed" if found.turned else ""
    back = kin.get(found.name)
    if back is not None and back.name == name:
        return f"exchanged with {found.name}{turned}"
    step = abs(shifts.get(name, 0))
    moved = f"shifted by {'one' if step == 1 else step}: " if step else ""
    own = counterparts.get(found.name)
    return f"{moved}that of {found.name}{turned}" + ("" if own else ", which b has not")


def of_new_layer(a: StoredTensor, b: StoredTensor) -> str:
    """`never loaded` where b holds what a new layer does, and nothing of a's."""
    if not fits(a) or not fits(b) or b.size * b.dtype.itemsize > MOST_BYTES:
        return ""
    ours, theirs = array_of(a), array_of(b)
    initial = initial_values(theirs)
    if not initial or (ours.shape == theirs.shape and not has_nothing_of(theirs, ours)):
        return ""
    return f"never loaded: {initial}, as in a new layer"
