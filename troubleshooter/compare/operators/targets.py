"""Which calls a row is of, and which value of theirs first differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...sides.child.messages import Call
from ..comparison import LayerRow
from ..matching.alignment import Link, Pairing
from ..verdicts.isolation import Isolated, around
from .equality import Equality
from .graph import Graph, Node
from .placing import Found


def container_of(of: Isolated, side: int, number: int) -> Pairing | None:
    """The pair of which a side's call, by its number, is one."""
    places = [(one.path, one.index) for one in (of.a, of.b)[side].calls if one.number == number]
    for pair in of.alignment.pairs:
        own = (pair.one, pair.other)[side]
        if own is not None and (own.path, own.index) in places:
            return pair
    return None


def counterpart(graphs: tuple[Graph, Graph], side: int, found: Found, path: str) -> Node | None:
    """What the other side than a call's calls in its place, a layer by its path or a file's node:
    of several calls the one that takes the same."""
    node = (found.one, found.other)[side]
    nodes = [x for x in graphs[1 - side].nodes if x.place == path]
    equality = Equality(*graphs, 0.0)
    known = (equality.partners, equality.partners_of_theirs)[side]
    taken = () if node is None else known.get(node.inputs[0].digest, ())
    same = (x for x in nodes if any(value.digest in taken for value in x.inputs))
    return next(same, next(iter(nodes), None))


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


def is_right_elsewhere(of: Isolated, row: LayerRow, wrong: Sequence[LayerRow]) -> bool:
    """Whether a layer that gives something else than a node of a file gives what it should where it
    is called another time: so it is not the layer that is called here."""
    if not of.alignment.walked or row.verdict != "differs" or not row.is_leaf:
        return False
    failed = {(one.path, one.call) for one in wrong}
    pairs = (p for p in of.alignment.pairs if p.one is not None and p.other is not None)
    calls = [p.other for p in pairs if p.other is not None and p.other.path == row.path]
    return any((call.path, call.index) not in failed for call in calls)
