"""Which calls a row is of, and which value of theirs first differs."""

from __future__ import annotations

from collections.abc import Iterator

from ...sides.child.messages import Call
from ..comparison import LayerRow
from ..matching.alignment import Link, Pairing
from ..verdicts.isolation import Isolated, around


def container_of(of: Isolated, side: int, number: int) -> Pairing | None:
    """The pair of which a side's call, by its number, is one."""
    places = [(one.path, one.index) for one in (of.a, of.b)[side].calls if one.number == number]
    for pair in of.alignment.pairs:
        own = (pair.one, pair.other)[side]
        if own is not None and (own.path, own.index) in places:
            return pair
    return None


def pairing_of(of: Isolated, row: LayerRow) -> Pairing | None:
    for pair in of.alignment.pairs:
        call = of.own(pair)
        if call is not None and (call.path, call.index) == (row.path, row.call):
            return pair
    return None


def target_of(of: Isolated, container: Pairing) -> Link | None:
    """What the block first hands to a layer in it, or gives, that is not A's."""
    walked = of.own(container)
    assert walked is not None
    inside = [
        pair
        for pair in of.alignment.pairs
        for call in [of.own(pair)]
        if call is not None and call.parent == walked.number
    ]
    links: list[Link] = [link for pair in inside for link in pair.inputs]
    deeper = [link for pair in within(of, walked) for link in pair.inputs]
    for link in (*links, *container.outputs, *deeper):
        difference = of.difference(link)
        x, y = link.ours.of(of.a), link.theirs.of(of.b)
        if difference is not None and not difference.passed and x is not None and y is not None:
            return link
    return None


def within(of: Isolated, outer: Call) -> Iterator[Pairing]:
    """The pairs of layers in layers of a block: where A is a graph, which has no such layers, what
    one of them is handed is found at the first in it that takes it."""
    if not of.alignment.walked:
        return
    for pair in of.alignment.pairs:
        call = pair.other
        if call is not None and outer.number in [one.number for one in around(of.b, call)]:
            yield pair
