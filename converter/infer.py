"""Element types and shapes of all values, by ONNX's own shape inference."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
import onnx.shape_inference

from .graph import Dim, Graph, Node, ValueType, subgraphs
from .proto import to_model
from .read import value_type

SMALL = 1024
"""Bytes: smaller constants stay in the model that is inferred, as shapes may depend on them."""

INVENTED = "unk__"
"""How ONNX's inference names sizes that it does not know."""


def infer(graph: Graph, known: Mapping[str, ValueType]) -> None:
    """Fills `graph.types`: inputs keep theirs, the rest is inferred, helped by what is `known`.

    A node that inference cannot understand leaves its outputs unknown and stops nothing.
    """
    inputs = {name: graph.types.get(name, ValueType()) for name in graph.inputs}
    bare = Graph(
        graph.name, graph.nodes, graph.inputs, graph.outputs, graph.constants, {**known, **inputs}
    )
    bare.opsets = graph.opsets
    try:
        model = onnx.shape_inference.infer_shapes(to_model(bare, SMALL), data_prop=True)
    except (onnx.shape_inference.InferenceError, RuntimeError, ValueError):
        graph.types = {**known, **inputs}
        return
    own = {dim for known in inputs.values() for dim in known.shape or ()}
    graph.types = {**_types(model.graph, own), **inputs}
    _fill_subgraphs(graph.nodes, model.graph)


def _types(proto: onnx.GraphProto, own: set[Dim]) -> dict[str, ValueType]:
    """`own` are the names of sizes that the file itself gave."""
    said = [*proto.value_info, *proto.output]
    return {item.name: _without_invented(value_type(item.type), own) for item in said}


def _without_invented(known: ValueType, own: set[Dim]) -> ValueType:
    if known.shape is None:
        return known
    shape = tuple(None if _is_invented(dim) and dim not in own else dim for dim in known.shape)
    return ValueType(known.dtype, shape, known.container)


def _is_invented(dim: Dim) -> bool:
    return isinstance(dim, str) and dim.startswith(INVENTED)


def _fill_subgraphs(nodes: list[Node], proto: onnx.GraphProto) -> None:
    """Types inside If, Loop and Scan; messages and nodes stand in the same order."""
    for node, message in zip(nodes, proto.node, strict=True):
        inner = (item.g for item in message.attribute if item.type == onnx.AttributeProto.GRAPH)
        for graph, inferred in zip(subgraphs(node), inner, strict=False):
            declared = {item.name: value_type(item.type) for item in inferred.input}
            graph.types = {**declared, **_types(inferred, set())}
            _fill_subgraphs(graph.nodes, inferred)
