"""What each tensor of B is made of: a tensor of A's, a part of one, or several of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from collections.abc import Mapping as Names
from dataclasses import dataclass
from math import prod

import numpy as np

from ...sides.child.messages import Held
from ...sides.naming import Mapping, described, is_needed, may_be_left, misfits
from ..records import Array, Arrays
from .owners import Owner, fit_of, role, tensors_in_pairs, words

PARTS = ("query", "key", "value", "gate", "up")
"""In this order what is fused stands in one matrix."""


@dataclass(frozen=True)
class Share:
    """B's tensor: A's one below the other, of these rows; `turned`: with their axes exchanged."""

    theirs: Held
    ours: tuple[Held, ...]
    rows: tuple[int, int] | None = None
    turned: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it is one of A's as it is."""
        return len(self.ours) == 1 and self.rows is None and not self.turned

    def value(self, state: Arrays) -> Array:
        parts = [state[item.same_as or item.name] for item in self.ours]
        parts = [x.T for x in parts] if self.turned else parts
        found = parts[0] if len(parts) == 1 else np.concatenate(parts)
        if self.rows is not None:
            found = found[slice(*self.rows)]
        return np.ascontiguousarray(found).reshape(self.theirs.shape)

    def told(self) -> str:
        """As in `q.weight and k.weight -> qk.weight`, `qkv.weight[0:8] -> q.weight`."""
        rows = "" if self.rows is None else "[{}:{}]".format(*self.rows)
        turned = ".T" if self.turned else ""
        names = " and ".join(item.name for item in self.ours)
        return f"{names}{turned}{rows} -> {self.theirs.name}"


@dataclass(frozen=True)
class Step:
    """Layers of A and of B that hold the same: one and one, or one and several that are fused."""

    ours: tuple[Owner, ...]
    theirs: tuple[Owner, ...]


def shares_of(steps: Iterable[Step]) -> tuple[Share, ...]:
    """What B's tensors are made of, where matrices of the same classes are turned alike."""
    turned = turned_kinds(steps := tuple(steps))
    found: list[Share] = []
    for step in steps:
        is_turned = kinds_of(step) in turned
        if len(step.ours) == len(step.theirs):
            for ours, theirs in tensors_in_pairs(step.ours[0], step.theirs[0]) or ():
                turns = is_turned and len(ours.shape) == 2 and ours.shape == theirs.shape
                fit = fit_of(ours, theirs)
                found.append(Share(theirs, (ours,), None, turns or fit == "turned"))
        else:
            found += fused(step) if len(step.theirs) == 1 else divided(step)
    return tuple(found)


def kinds_of(step: Step) -> tuple[str, str]:
    return step.ours[0].kind, step.theirs[0].kind


def turned_kinds(steps: Iterable[Step]) -> set[tuple[str, str]]:
    """The kinds of layers whose matrices are each other's transposes, where shapes show it."""
    found: dict[tuple[str, str], set[bool]] = {}
    for step in steps:
        if len(step.ours) != 1 or len(step.theirs) != 1:
            continue
        for ours, theirs in tensors_in_pairs(step.ours[0], step.theirs[0]) or ():
            if len(ours.shape) == 2 and ours.shape[0] != ours.shape[1]:
                found.setdefault(kinds_of(step), set()).add(fit_of(ours, theirs) == "turned")
    return {kinds for kinds, seen in found.items() if seen == {True}}


def by_part(owners: tuple[Owner, ...]) -> tuple[Owner, ...]:
    """Query, key and value in this order, whichever is called first; else as they are."""
    places = [min((PARTS.index(w) for w in o.last if w in PARTS), default=-1) for o in owners]
    if -1 in places or len(set(places)) != len(places):
        return owners
    return tuple(owner for _, owner in sorted(zip(places, owners, strict=True), key=lambda x: x[0]))


def fused(step: Step) -> list[Share]:
    """One of B's layers has what several of A's have."""
    whole = step.theirs[0]
    found = []
    for theirs in whole.held:
        parts = [tensor_of(owner, role(theirs)) for owner in by_part(step.ours)]
        ours = tuple(item for item in parts if item is not None)
        is_turned = len(theirs.shape) == 2 and theirs.shape[1] != ours[0].shape[-1]
        found.append(Share(theirs, ours, None, is_turned))
    return found


def divided(step: Step) -> list[Share]:
    """Several of B's layers have what one of A's has."""
    found = []
    for ours in step.ours[0].held:
        first = 0
        for owner in by_part(step.theirs):
            theirs = tensor_of(owner, role(ours))
            assert theirs is not None  # else it would not be this step
            is_turned = len(ours.shape) == 2 and ours.shape[1] != theirs.shape[-1]
            last = first + theirs.shape[0]
            found.append(Share(theirs, (ours,), (first, last), is_turned))
            first = last
    return found


def tensor_of(owner: Owner, wanted: str) -> Held | None:
    return next((item for item in owner.held if role(item) == wanted), None)


def is_fused(whole: Owner, parts: tuple[Owner, ...]) -> bool:
    """Whether a layer may hold the matrices of these others, one below the other."""
    matrix = tensor_of(whole, "weight")
    if matrix is None or len(matrix.shape) != 2 or "embedding" in words(whole.kind):
        return False
    if any({role(x) for x in part.held} != {role(x) for x in whole.held} for part in parts):
        return False
    if any(size != sum(elements(part)[r] for part in parts) for r, size in elements(whole).items()):
        return False
    shapes = [item.shape for part in parts for item in part.held if role(item) == "weight"]
    if any(len(shape) != 2 for shape in shapes):
        return False
    rows, width = sum(shape[0] for shape in shapes), {shape[1] for shape in shapes}
    turned = sum(shape[1] for shape in shapes), {shape[0] for shape in shapes}
    flat = matrix.shape
    return (
        (flat == (rows, *width))
        or (flat[::-1] == (rows, *width))
        or (flat == (turned[0], *turned[1]))
    )


def elements(owner: Owner) -> dict[str, int]:
    """How many numbers it holds of each role."""
    return {role(item): prod(item.shape) for item in owner.held}


def values_of(shares: Iterable[Share], state: Arrays) -> dict[str, Array]:
    """B's tensors by their names."""
    return {share.theirs.name: share.value(state) for share in shares}


def pairs_of(shares: Iterable[Share]) -> Names[str, str]:
    """The names of those that are one of A's as it is."""
    return {share.ours[0].name: share.theirs.name for share in shares if share.is_plain}


def layers_of(shares: Iterable[Share]) -> dict[str, str]:
    """B's layers by A's, of tensors that are one of A's."""
    one_each = (share for share in shares if len(share.ours) == 1 and share.rows is None)
    return {layer_of(share.ours[0]): layer_of(share.theirs) for share in one_each}


def layer_of(held: Held) -> str:
    return held.name[: -len(held.leaf)].removesuffix(".")


def with_given(
    mapping: Mapping, given: tuple[Share, ...], held: tuple[Sequence[Held], Sequence[Held]]
) -> Mapping:
    """The mapping by names, but for what is given."""
    if not given:
        return mapping
    ours = {item.name for share in given for item in share.ours}
    theirs = {share.theirs.name for share in given}
    kept = [p for p in mapping.pairs if p[0].name not in ours and p[1].name not in theirs]
    plain = [(share.ours[0], share.theirs) for share in given if share.is_plain]
    return mapping_with(
        (*kept, *plain),
        ours | {one.name for one, _ in kept},
        theirs | {other.name for _, other in kept},
        held,
    )


def mapping_with(
    pairs: tuple[tuple[Held, Held], ...],
    ours: Set[str],
    theirs: Set[str],
    held: tuple[Sequence[Held], Sequence[Held]],
) -> Mapping:
    """The pairs, and what of both sides is not among these names."""
    shared = {item.same_as for item in held[0] if item.name in ours}
    return Mapping(
        pairs,
        tuple(
            described(item)
            for item in held[0]
            if item.name not in ours | shared and is_needed(item) and item.same_as not in ours
        ),
        tuple(
            described(item)
            for item in held[1]
            if item.name not in theirs and not may_be_left(item) and not item.same_as
        ),
        tuple(misfit for pair in pairs for misfit in misfits(*pair)),
    )
