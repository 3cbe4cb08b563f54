"""The order of a graph's nodes, and the refusal of graphs that have none."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable
from itertools import islice

from ...errors import MsconvertError
from .graph import Graph, Node, reads, subgraphs

MOST_COMPARED = 2000
"""Names that are looked at for one that is meant: comparing each takes a while."""


def order(graph: Graph, where: str, outer: bool = False) -> None:
    """Sorts the nodes so that each value is made before it is read, else as they stand.

    `outer` says that the graph is a subgraph: what it does not make comes from outside.
    Raises: MS104 for a value made twice, read but never made, or made of itself (a cycle)
    """
    makers = _makers(graph, where)
    known = set(graph.inputs) | graph.constants.keys()
    if not outer:
        _check_made(graph, known | makers.keys(), where)
    graph.nodes[:] = _sorted(graph.nodes, makers, where)
    for node in graph.nodes:
        for inner in subgraphs(node):
            order(inner, where, outer=True)


def nearest(name: str, names: Iterable[str]) -> str:
    """The names most like `name`, for an error's advice; empty if none is."""
    short = {known[:200]: known for known in islice(names, MOST_COMPARED)}
    found = difflib.get_close_matches(name[:200], short, n=3, cutoff=0.5)
    return ", ".join(repr(short[match]) for match in found)


def _makers(graph: Graph, where: str) -> dict[str, int]:
    """The position of the node that makes each value."""
    makers: dict[str, int] = {}
    given = set(graph.inputs) | graph.constants.keys()
    for index, node in enumerate(graph.nodes):
        for out in node.outputs:
            if out and (out in makers or out in given):
                first = graph.nodes[makers[out]].label if out in makers else "an input or constant"
                raise MsconvertError(
                    "MS104",
                    where,
                    f"the value {out!r} is made twice",
                    got=f"{first} and {node.label}",
                    expected="one node for each value",
                )
            if out:
                makers[out] = index
    return makers


def _check_made(graph: Graph, made: set[str], where: str) -> None:
    readers = ((name, node) for node in graph.nodes for name in reads(node))
    results = ((name, None) for name in graph.outputs)
    for name, node in (*readers, *results):
        if name not in made:
            close = nearest(name, made)
            like = f" such as {close}" if close else ""
            reader = "the graph's outputs" if node is None else node.label
            raise MsconvertError(
                "MS104",
                where,
                f"{reader} reads {name!r}, which nothing makes",
                expected=f"an input, a weight or a node's output{like}",
                advice="export the model again",
            )


def _sorted(nodes: list[Node], makers: dict[str, int], where: str) -> list[Node]:
    needs = [{makers[name] for name in reads(node) if name in makers} for node in nodes]
    users: list[list[int]] = [[] for _ in nodes]
    for index, wanted in enumerate(needs):
        for maker in wanted:
            users[maker].append(index)
    waiting = [len(wanted) for wanted in needs]
    ready = [index for index, count in enumerate(waiting) if count == 0]
    done: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        done.append(index)
        for user in users[index]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(ready, user)
    if len(done) < len(nodes):
        raise _cycle_error(nodes, needs, set(range(len(nodes))) - set(done), where)
    return [nodes[index] for index in done]


def _cycle_error(
    nodes: list[Node], needs: list[set[int]], left: set[int], where: str
) -> MsconvertError:
    """Each node that is left waits for another one that is left: following them finds the cycle."""
    path = [min(left)]
    seen: set[int] = set()
    while path[-1] not in seen:
        seen.add(path[-1])
        path.append(min(needs[path[-1]] & left))
    cycle = path[path.index(path[-1]) :]
    labels = [nodes[index].label for index in reversed(cycle)]
    return MsconvertError(
        "MS104",
        where,
        "the graph has a cycle",
        got=" -> ".join(labels[:6] + ["..."] * (len(labels) > 6)),
        expected="nodes that do not need their own results",
        advice="export the model again; loops are written with Loop or Scan",
    )
