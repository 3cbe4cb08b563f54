"""Which of A's masks of dropout each of B's is to be."""

from __future__ import annotations

from ...sides.child.messages import Draw
from ..matching.alignment import Alignment
from ..recorded import Run

Place = tuple[str, int, int]
"""Path of a layer, which of its calls, which of the draws in it."""


def masks(a: Run, b: Run, alignment: Alignment) -> tuple[tuple[Place, Place], ...]:
    """B's draws with A's: those of layers that answer to each other, then the others in order.

    Of equal sizes: a function may do in one network what a layer does in the other.
    """
    partner = {
        (pair.other.path, pair.other.index): (pair.one.path, pair.one.index)
        for pair in alignment.pairs
        if pair.one is not None and pair.other is not None
    }
    left = {place_of(draw): draw.size for draw in a.recording.draws}
    found: dict[Place, Place] = {}
    others: list[Draw] = []
    for draw in b.recording.draws:
        call = partner.get((draw.path, draw.index))
        place = (*call, draw.count) if call is not None else None
        if place is not None and left.get(place) == draw.size:
            found[place_of(draw)] = place
            del left[place]
        else:
            others.append(draw)
    for draw in others:
        same = [place for place, size in left.items() if size == draw.size]
        if same:
            found[place_of(draw)] = same[0]
            del left[same[0]]
    return tuple(found.items())


def place_of(draw: Draw) -> Place:
    return draw.path, draw.index, draw.count
