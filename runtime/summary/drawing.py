"""The graph of a network as TensorBoard draws it: what graph mode has made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from onnx import NodeProto

from ...formats.records import events
from ..cells.cell import Cell
from ..engine.trace import Trace

MOST = 20_000
"""Nodes that are drawn; TensorBoard takes minutes for more."""


def graph_of(network: Cell) -> bytes:
    """The message of a graph; nothing where the network has not run in graph mode."""
    cache = network.__dict__.get("_graphs")
    traces = [g.trace for g in cache.graphs.values() if hasattr(g, "trace")] if cache else []
    return events.graph([*nodes_of(traces[-1])][:MOST]) if traces else b""


def nodes_of(trace: Trace) -> Iterator[events.Node]:
    """Inputs, variables by the names of their parameters, and operators."""
    names: dict[str, str] = {}
    for symbol in trace.inputs:
        yield events.Node(symbol.name, "Placeholder", (), str(symbol.shape))
    for held in trace.variables.values():
        name = str(getattr(held.tensor, "name", held.name)).replace(".", "/")
        names[held.name] = names[held.symbol.name] = f"variables/{name}"
        yield events.Node(names[held.name], "VariableV2", (), str(held.tensor.shape))
    for node in trace.nodes:
        yield from drawn(node, names)


def drawn(node: Any, names: dict[str, str]) -> Iterator[events.Node]:
    """A node under the name of its first output; the others lead to it."""
    if not node.output or node.output[0] in names:
        return
    op = node.op_type if isinstance(node, NodeProto) else "HostCall"
    names.update(dict.fromkeys(node.output, node.output[0]))
    inputs = tuple(names.get(name, name) for name in node.input if name)
    yield events.Node(node.output[0], op, tuple(n for n in inputs if not n.startswith("constant")))
