"""A block that is given something wrong where A is a graph, which has no blocks: what one of B's is
given has no counterpart there, so that the block itself seems to take another value."""

from __future__ import annotations

from dataclasses import dataclass

from ...sides.child.messages import CALLED, GIVEN, Value
from .equality import Equality
from .finding import Search
from .graph import Graph, Node
from .kinds import kind_of
from .placing import MOVING, Found
from .regions import Region


@dataclass(frozen=True)
class Handed:
    """What a block of B's takes as one of its inputs, by its number, and what A has there."""

    ours: Value
    index: int


def handed(graphs: tuple[Graph, Graph], found: Found) -> Handed | None:
    """None where what differs is computed in the block."""
    if found.taken is None or found.verdict != "value":
        return None
    x, y = (source(graph, value) for graph, value in zip(graphs, found.taken, strict=True))
    given = next((node for node in graphs[1].nodes if node.name == GIVEN), None)
    places = [] if given is None else [value.digest for value in given.outputs]
    return Handed(x, places.index(y.digest)) if y.digest in places else None


def source(graph: Graph, value: Value) -> Value:
    """What a value is before its axes were moved."""
    node = graph.givers.get(value.digest)
    while node is not None and node.inputs and kind_of(node.name) in MOVING:
        value = node.inputs[0]
        node = graph.givers.get(value.digest)
    return value


def at_caller(
    graphs: tuple[Graph, Graph], handed: Handed, place: tuple[str, int], away: float
) -> Found | None:
    """Where the code around a block, by its path and the number of its call, parts from A."""
    called = [x for x in graphs[1].nodes if x.name == CALLED and (x.place, x.index) == place]
    if not called or handed.index >= len(called[0].inputs):
        return None
    theirs = called[0].inputs[handed.index]
    region = Region(Equality(*graphs, away), (handed.ours.digest, theirs.digest))
    ends = taker_of(graphs[0], handed.ours), called[0]
    return next(Search(region, ends).found(), None)


def taker_of(graph: Graph, value: Value) -> Node:
    """Who first takes it; it is taken."""
    return next(x for x in graph.nodes if value.digest in {v.digest for v in x.inputs})
