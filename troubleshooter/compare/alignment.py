"""Which call of one network answers to which of the other's."""

from __future__ import annotations

from dataclasses import dataclass

from ..sides.child.messages import Call
from .recorded import Run


@dataclass(frozen=True)
class Alignment:
    """Pairs of calls (A's, B's) in A's order; the calls that have no counterpart."""

    pairs: tuple[tuple[Call, Call], ...]
    missing: tuple[Call, ...]
    extra: tuple[Call, ...]


def aligned(a: Run, b: Run) -> Alignment:
    """By path and by which call of its layer it is."""
    pairs = [(call, b.by_place[place]) for place, call in a.by_place.items() if place in b.by_place]
    ones, others = {one.number for one, _ in pairs}, {other.number for _, other in pairs}
    return Alignment(
        tuple(pairs),
        tuple(call for call in a.calls if call.number not in ones),
        tuple(call for call in b.calls if call.number not in others),
    )
