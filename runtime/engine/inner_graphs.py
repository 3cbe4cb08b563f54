"""Nodes with graphs inside of them (If, Loop): other names, and no declared sizes."""

from __future__ import annotations

from collections.abc import Callable

from onnx import GraphProto, NodeProto

from .trace import WITH_GRAPHS


def renamed(node: NodeProto, name: Callable[[str], str]) -> NodeProto:
    """A copy of `node` with every value called `name(value)`, inside of its graphs too."""
    copy = NodeProto()
    copy.CopyFrom(node)
    copy.input[:] = [name(value) for value in node.input]
    copy.output[:] = [name(value) for value in node.output]
    for graph in graphs_of(copy):
        nodes = [renamed(inner, name) for inner in graph.node]
        del graph.node[:]
        graph.node.extend(nodes)
        for info in (*graph.input, *graph.output):
            info.name = name(info.name)
    return copy


def without_sizes(node: NodeProto) -> NodeProto:
    """`node`, or a copy whose inner graphs declare no sizes: only numbers of axes."""
    if node.op_type not in WITH_GRAPHS:
        return node
    copy = NodeProto()
    copy.CopyFrom(node)
    for graph in graphs_of(copy):
        for info in (*graph.input, *graph.output):
            for size in info.type.tensor_type.shape.dim:
                size.Clear()
        nodes = [without_sizes(inner) for inner in graph.node]
        del graph.node[:]
        graph.node.extend(nodes)
    return copy


def graphs_of(node: NodeProto) -> list[GraphProto]:
    if node.op_type not in WITH_GRAPHS:
        return []
    return [a.g for a in node.attribute if a.HasField("g")]
