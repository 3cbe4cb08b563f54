"""Local functions of a model are replaced by their bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx
import onnx.inliner

from ...errors import MsconvertError
from ..guard import MALFORMED, reason_of

MOST_NODES = 250_000
"""A model of more nodes is refused, as it stands or unfolded: the largest known have 50,000."""

Key = tuple[str, str]


def inlined(model: onnx.ModelProto, where: str) -> onnx.ModelProto:
    """The model without local functions.

    Raises: MS104 for recursive or exploding functions, and for far too many nodes
    """
    if _count(model.graph.node) > MOST_NODES:
        problem, advice = "the graph has too many nodes", "convert it in parts: --output_nodes"
        raise MsconvertError(
            "MS104", where, problem, expected=f"at most {MOST_NODES}", advice=advice
        )
    if not len(model.functions):
        return model
    _check_size(model, where)
    try:
        return onnx.inliner.inline_local_functions(model, convert_version=True)
    except MALFORMED as error:
        problem = "the model's local functions cannot be inlined"
        raise _refusal(where, problem, reason_of(error)) from error


def _check_size(model: onnx.ModelProto, where: str) -> None:
    """Raises: MS104. The library would recurse without end."""
    bodies = {(item.domain, item.name): item.node for item in model.functions}
    sizes: dict[Key, int] = {}
    for key in bodies:
        _measure(key, bodies, sizes, where)
    if _total(model.graph.node, sizes) > MOST_NODES:
        raise _refusal(
            where, "the model's local functions unfold to too many nodes", f"over {MOST_NODES}"
        )


def _measure(
    start: Key, bodies: Mapping[Key, Iterable[onnx.NodeProto]], sizes: dict[Key, int], where: str
) -> None:
    """Fills `sizes` for a function and all that it calls, without recursion in Python."""
    path: dict[Key, list[Key]] = {start: _called(bodies, start)}
    while path:
        key, waiting = next(reversed(path.items()))
        called = waiting.pop() if waiting else None
        if called is None:
            sizes[key] = _total(bodies[key], sizes)
            del path[key]
        elif called in path:
            raise _refusal(where, "a local function calls itself", "::".join(called))
        elif called not in sizes:
            path[called] = _called(bodies, called)


def _called(bodies: Mapping[Key, Iterable[onnx.NodeProto]], key: Key) -> list[Key]:
    """The functions that a function calls."""
    return sorted({(node.domain, node.op_type) for node in _all(bodies[key])} & bodies.keys())


def _total(nodes: Iterable[onnx.NodeProto], sizes: dict[Key, int]) -> int:
    return sum(sizes.get((node.domain, node.op_type), 1) for node in _all(nodes))


def _all(nodes: Iterable[onnx.NodeProto]) -> Iterable[onnx.NodeProto]:
    """The nodes and those in their subgraphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _all(graph.node)


def _count(nodes: Iterable[onnx.NodeProto]) -> int:
    return sum(1 for _ in _all(nodes))


def _refusal(where: str, problem: str, got: str) -> MsconvertError:
    return MsconvertError("MS104", where, problem, got=got, advice="export without functions")
