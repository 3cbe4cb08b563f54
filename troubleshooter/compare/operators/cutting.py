"""Where a gradient is cut off on one side only."""

from __future__ import annotations

from collections.abc import Iterator

from .equality import Equality
from .finding import Search
from .graph import Graph, Node
from .kinds import kind_of
from .placing import Found
from .regions import Region


def first_cut(graphs: tuple[Graph, Graph]) -> Found | None:
    """The first `detach` or `stop_gradient` that the other side lacks, of the same value."""
    equality = Equality(*graphs, 0.0)
    ours, theirs = (list(cuts(graph)) for graph in graphs)
    found: list[tuple[int, Found]] = []
    for node in alone(ours, theirs, equality.partners):
        near = place(equality, node, 1, equality.partners)
        found += [] if near is None else [(node.number, Found("missing", node, None, near))]
    for node in alone(theirs, ours, equality.partners_of_theirs):
        near = place(equality, node, 0, equality.partners_of_theirs)
        found += [] if near is None else [(node.number, Found("extra", None, node, near))]
    return min(found, key=lambda item: item[0])[1] if found else None


def cuts(graph: Graph) -> Iterator[Node]:
    for node in graph.nodes:
        if node.is_operator and node.inputs and kind_of(node.name) in ("detach", "data"):
            yield node


def alone(own: list[Node], others: list[Node], partners: dict[str, list[str]]) -> Iterator[Node]:
    """Those of values that the other side does not cut as often."""
    left = [node.inputs[0].digest for node in others]
    for node in own:
        digest = node.inputs[0].digest
        twin = next((y for y in left if y in partners.get(digest, ())), None)
        if twin is None:
            yield node
        else:
            left.remove(twin)


def place(equality: Equality, node: Node, side: int, partners: dict[str, list[str]]) -> Node | None:
    """Where the other side would cut: a line with the same value, the one that is most alike."""
    graph = (equality.ours, equality.theirs)[side]
    equal = set(partners.get(node.inputs[0].digest, ()))
    takers = [one for one in graph.nodes if equal & {v.digest for v in one.inputs}]
    if not takers:
        return None
    value = next(v for v in takers[0].inputs if v.digest in equal)
    search = Search(Region(equality, (value.digest, value.digest)), (takers[0], takers[0]))
    found = [search.placing.nearest(node, side, value, taker) for taker in takers]
    return max(found, key=lambda one: search.placing.like(node, one, side))
