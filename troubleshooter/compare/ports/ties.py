"""Weights that a network uses in several places, and whether the other one does so, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...sides.child.messages import Held

Ties = Mapping[str, str]
"""The name under which a parameter is listed first, by its other names."""

BOTH = "tied in both: {names}"
ONE = (
    "A ties {names}; B has them apart, so that a training step changes only one of both",
    "B ties {names}; A has them apart, and B has the values of one of both",
)
MOST = 3
"""So many are named."""


def told_ties(
    ties: tuple[Ties, Ties], held: tuple[Iterable[Held], Iterable[Held]], names: Mapping[str, str]
) -> tuple[str, ...]:
    """What is to be said of weights that are tied. `names`: B's by A's."""
    back = {new: old for old, new in names.items()}
    ours = {frozenset((alias, first)) for alias, first in ties[0].items()}
    theirs = {frozenset((back.get(k, k), back.get(v, v))) for k, v in ties[1].items()}
    known = [{item.name for item in items} for items in held]
    apart = {
        pair for pair in ours - theirs if all(names.get(name, name) in known[1] for name in pair)
    }
    merged = {pair for pair in theirs - ours if pair <= known[0]}
    groups = ((BOTH, ours - apart), (ONE[0], apart), (ONE[1], merged))
    return tuple(text.format(names=listed(pairs)) for text, pairs in groups if pairs)


def listed(pairs: Iterable[frozenset[str]]) -> str:
    found = [" = ".join(sorted(pair)) for pair in pairs]
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    return ", ".join(sorted(found)[:MOST]) + more
