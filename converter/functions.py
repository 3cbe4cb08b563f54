"""Local functions of a model are replaced by their bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx
import onnx.inliner
from google.protobuf.message import DecodeError

from ..errors import MsconvertError

MOST_NODES = 1_000_000
"""A model that grows beyond this by inlining is refused."""

Key = tuple[str, str]


def inlined(model: onnx.ModelProto, where: str) -> onnx.ModelProto:
    """The model without local functions. Raises: MS104 for recursive or exploding functions"""
    if not len(model.functions):
        return model
    _check_size(model, where)
    try:
        return onnx.inliner.inline_local_functions(model, convert_version=True)
    except (RuntimeError, ValueError, DecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _refusal(where, "the model's local functions cannot be inlined", reason) from error


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
    path: list[Key] = [start]
    while path:
        key = path[-1]
        called = {(node.domain, node.op_type) for node in _all(bodies[key])} & bodies.keys()
        open_calls = sorted(called - sizes.keys())
        if not open_calls:
            sizes[key] = _total(bodies[key], sizes)
            path.pop()
        elif open_calls[0] in path:
            raise _refusal(where, "a local function calls itself", "::".join(open_calls[0]))
        else:
            path.append(open_calls[0])


def _total(nodes: Iterable[onnx.NodeProto], sizes: dict[Key, int]) -> int:
    return sum(sizes.get((node.domain, node.op_type), 1) for node in _all(nodes))


def _all(nodes: Iterable[onnx.NodeProto]) -> Iterable[onnx.NodeProto]:
    """The nodes and those in their subgraphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _all(graph.node)


def _refusal(where: str, problem: str, got: str) -> MsconvertError:
    return MsconvertError("MS104", where, problem, got=got, advice="export without functions")
