"""A number of an ONNX file, against the code of the other side that computes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...sides.child.messages import Value
from ..records import Array, FunctionRecord
from .graph import Graph, Node
from .placing import Found
from .regions import behind

if TYPE_CHECKING:
    from ...diagnosis import Hypothesis
    from ...diagnosis.functions.chain import Link

LARGEST = 100_000
"""Of more elements nothing is computed anew."""

MOST = 30
"""So many further values are tried in the place of others."""


def unfolded(
    graphs: tuple[Graph, Graph], found: Found
) -> tuple[Found, tuple[Hypothesis, ...]] | None:
    """The function that must be another one so that its side computes the other side's number,
    and how; None where there is no such number, or no one change gives it."""
    from ...diagnosis.functions.chain import Chain  # which has its records from here

    if found.taken is None:
        return None
    side = computing(graphs, found.taken)
    if side is None:
        return None
    graph = graphs[side]
    nodes = behind(graph, found.taken[side].digest, set())
    wanted = graphs[1 - side].array(found.taken[1 - side])
    links = list(links_of(graph, nodes))
    if wanted is None or not links or sum(x.record.outputs[0].size for x in links) > LARGEST:
        return None
    changed = Chain(links, wanted, others(graph, nodes)).changed()
    if changed is None:
        return None
    node = nodes[changed.number]
    placed = replace(found, other=node) if side else replace(found, one=node)
    return placed, (changed.hypothesis,)


def computing(graphs: tuple[Graph, Graph], taken: tuple[Value, Value]) -> int | None:
    """The side that computes its value, of nothing that is given, where the other's is a number of
    its file."""
    for side in (1, 0):
        other = 1 - side
        is_held = taken[other].digest in graphs[other].constants
        if is_held and taken[side].digest in graphs[side].givers:
            return side if graphs[side].is_fixed(taken[side]) else None
    return None


def links_of(graph: Graph, nodes: tuple[Node, ...]) -> Iterator[Link]:
    """None at all where one of them has no record, or gives several values."""
    from ...diagnosis.functions.chain import Link  # which has its records from here

    records = [record_of(graph, node) for node in nodes]
    if any(x is None or len(x.outputs) != 1 for x in records):
        return
    for node, record in zip(nodes, records, strict=True):
        if record is not None:
            takes = tuple(value.digest for value in node.inputs)
            yield Link(record, takes, node.outputs[0].digest)


def others(graph: Graph, nodes: tuple[Node, ...]) -> dict[str, Array]:
    """What else the code computes of nothing that is given, before the last of these functions."""
    found: dict[str, Array] = {}
    for node in graph.nodes[: nodes[-1].number]:
        for value in node.outputs if node.is_operator and node.inputs else ():
            array = graph.array(value) if graph.is_made(value) else None
            if array is not None and array.size <= LARGEST and len(found) < MOST:
                found[f"`{node.line.expression}`, line {node.line.number}"] = array
    return found


def record_of(graph: Graph, node: Node) -> FunctionRecord | None:
    """None where its tensors were not kept."""
    inputs = [graph.array(value) for value in node.inputs]
    outputs = [graph.array(value) for value in node.outputs]
    if any(x is None for x in (*inputs, *outputs)):
        return None
    return FunctionRecord(
        node.name,
        graph.side,
        node.arguments,
        tuple(x for x in inputs if x is not None),
        tuple(x for x in outputs if x is not None),
        f"the {node.name} of {node.line.expression}" if node.is_part else node.line.expression,
    )
