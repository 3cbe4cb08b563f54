"""Element types and shapes of all values, by ONNX's own shape inference."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import onnx.shape_inference
from onnx.defs import ONNX_ML_DOMAIN

from ..guard import MALFORMED
from .graph import Dim, Graph, Node, ValueType, subgraphs
from .proto import node_proto, tensor_proto, to_model, type_proto, value_type, value_types
from .validity import schema_of

SMALL = 1024
"""Bytes: smaller constants stay in the model that is inferred, as shapes may depend on them."""

HIDDEN = "msconvert.hidden"
"""Domain of nodes that the inference of the whole graph shall not see; `propagate` infers them."""

_TERM = r"[A-Za-z]*(\.\.\.)?[A-Za-z]*"
EQUATION = re.compile(rf"{_TERM}(,{_TERM})*(->{_TERM})?")
"""What may be the equation of an Einsum, without its spaces."""

LEARNED = frozenset({"Binarizer", "LinearRegressor", "Normalizer", "Scaler"})
"""Those of ai.onnx.ml's operators that have a handler; the inference of others is not needed."""

INVENTED = "unk__"
"""How ONNX's inference names sizes that it does not know."""


def infer(graph: Graph, known: Mapping[str, ValueType]) -> None:
    """Fills `graph.types`: inputs keep theirs, the rest is inferred, helped by what is `known`.

    A node that inference cannot understand leaves its outputs unknown and stops nothing.
    ONNX's data propagation is not used: it makes an object for each element of every vector that
    is added or multiplied (23 GB for a Tile in a file of 200 bytes); `propagate` does its work.
    """
    inputs = {name: graph.types.get(name, ValueType()) for name in graph.inputs}
    nodes = [replace(node, domain=HIDDEN) if _kills(node, graph) else node for node in graph.nodes]
    bare = Graph(
        graph.name, nodes, graph.inputs, graph.outputs, graph.constants, {**known, **inputs}
    )
    bare.opsets = {**graph.opsets, HIDDEN: 1}
    try:
        model = onnx.shape_inference.infer_shapes(to_model(bare, SMALL))
    except MALFORMED:
        graph.types = {**known, **inputs}
        return
    own = {dim for known in inputs.values() for dim in known.shape or ()}
    graph.types = {**_types(model.graph, own), **inputs}
    _fill_subgraphs(graph.nodes, model.graph)


def _kills(node: Node, graph: Graph) -> bool:
    """Whether onnx's inference does not come back from a node of this kind."""
    return _backwards(node, graph) or _is_deadly(node) or is_newer(node, graph)


def is_newer(node: Node, graph: Graph) -> bool:
    """Whether the node is of a later opset than its graph, as ONNX Runtime's optimiser writes."""
    return not node.domain and node.version > graph.opsets.get("", node.version)


def _is_deadly(node: Node) -> bool:
    """Whether onnx's inference may crash on the node, or loop without end, for its attributes.

    It reads what operators of ai.onnx.ml lack, counts a Split's parts twice, and goes in circles in
    an Einsum's text that is no equation.
    """
    if node.domain == ONNX_ML_DOMAIN:
        return node.op not in LEARNED
    if node.op == "Split" and not node.domain:
        return bool(node.attrs.get("num_outputs", len(node.outputs)) != len(node.outputs))
    if node.op != "Einsum" or node.domain:
        return False
    equation = node.attrs.get("equation")
    return not isinstance(equation, str) or EQUATION.fullmatch(equation.replace(" ", "")) is None


def _backwards(node: Node, graph: Graph) -> bool:
    """Whether it is a Slice with a negative step: onnx's inference aborts on it if a size is 0."""
    if node.op != "Slice" or node.domain or len(node.inputs) < 5:
        return False
    steps = graph.constants.get(node.inputs[4])
    return steps is not None and bool((steps < 0).any())


def infer_node(
    node: Node, graph: Graph, data: Mapping[str, np.ndarray[Any, Any]]
) -> dict[str, ValueType]:
    """The types of one node's outputs, from those of its inputs and the values in `data`."""
    schema = schema_of(node.domain, node.op, node.version)
    if schema is None or any(True for _ in subgraphs(node)) or _is_deadly(node):
        return {}
    if _backwards(node, graph) and 0 in (graph.type_of(node.inputs[0]).shape or ()):
        return {}
    names = [name for name in node.inputs if name]
    known = {name: graph.type_of(name) for name in names}
    if any(item.dtype is None for item in known.values()):
        return {}
    held = {name: graph.constants[name] for name in known if name in graph.constants}
    small = {name: x for name, x in held.items() if x.nbytes <= SMALL}
    try:
        inferred = onnx.shape_inference.infer_node_outputs(
            schema,
            node_proto(node, SMALL),
            {name: type_proto(item) for name, item in known.items()},
            {name: tensor_proto(x, name) for name, x in {**small, **data}.items()},
            opset_imports=[onnx.helper.make_opsetid(*item) for item in graph.opsets.items()],
        )
    except MALFORMED:
        return {}
    return {name: _without_invented(value_type(item), set()) for name, item in inferred.items()}


def _types(proto: onnx.GraphProto, own: set[Dim]) -> dict[str, ValueType]:
    """`own` are the names of sizes that the file itself gave."""
    said = value_types((*proto.value_info, *proto.output))
    plain = {known: _without_invented(known, own) for known in set(said.values())}
    return {name: plain[known] for name, known in said.items()}


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
        if not node.attrs:
            continue
        inner = (item.g for item in message.attribute if item.type == onnx.AttributeProto.GRAPH)
        for graph, inferred in zip(subgraphs(node), inner, strict=False):
            graph.types = {**value_types(inferred.input), **_types(inferred, set())}
            _fill_subgraphs(graph.nodes, inferred)
