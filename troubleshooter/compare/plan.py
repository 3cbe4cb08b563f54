"""What each layer of B is given in the place of its inputs and outputs: A's."""

from __future__ import annotations

from collections.abc import Sequence

from ..sides.child.messages import Forced, Value
from .alignment import Alignment


def plan_of(alignment: Alignment) -> tuple[Forced, ...]:
    """For each of B's calls that has a counterpart A's tensors."""
    return tuple(
        Forced(
            other.path,
            other.index,
            tuple(value and value.stored for value in paired(one.inputs, other.inputs)),
            tuple(value and value.stored for value in paired(one.outputs, other.outputs)),
        )
        for one, other in alignment.pairs
    )


def paired(ours: Sequence[Value], theirs: Sequence[Value]) -> list[Value | None]:
    """For each of B's tensors A's: in order, or where they are not as many, the next that fits."""
    if len(ours) == len(theirs):
        return list(ours)
    left, found = list(ours), list[Value | None]()
    for value in theirs:
        at = next((i for i, x in enumerate(left) if same_kind(x, value)), None)
        found.append(None if at is None else left[at])
        left = left if at is None else left[at + 1 :]
    return found


def same_kind(one: Value, other: Value) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype
