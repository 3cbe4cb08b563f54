"""An ONNX graph that gives all its values, and takes others in their place."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, ModelProto, NodeProto, helper, numpy_helper

from .messages import LayerInfo
from .options import LONGEST

SCOPES = "pkg.torch.onnx.name_scopes"
PUT = "msconvert::put::"
"""Before the name of a value: the input that stands in its place."""


@dataclass(frozen=True)
class Node:
    """A node of the graph, by a name of its own."""

    path: str
    proto: NodeProto
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: Mapping[str, str]
    """Of its constant inputs the schema's names, and the values'."""


class Graph:
    """The nodes in order, constants aside.

    Raises: what the onnx library does for a file that is no model
    """

    def __init__(self, file: str) -> None:
        self.model: ModelProto = onnx.load(file, load_external_data=False)
        graph = self.model.graph
        self.constants = {x.name for x in graph.initializer}
        for node in graph.node:
            if self.is_constant(node):
                self.constants |= set(node.output)
        self.inputs = [x for x in graph.input if x.name not in self.constants]
        self.outputs = [x.name for x in graph.output]
        self.nodes = list(self._nodes())

    def is_constant(self, node: NodeProto) -> bool:
        """Whether nothing but constants goes into it; what has a graph in it may take more."""
        if node.op_type == "Constant":
            return True
        has_graph = any(attribute.type == AttributeProto.GRAPH for attribute in node.attribute)
        return bool(node.input) and not has_graph and self.constants.issuperset(node.input)

    def _nodes(self) -> Iterator[Node]:
        taken = {""}
        for i, proto in enumerate(self.model.graph.node):
            if self.is_constant(proto):
                continue
            path = proto.name or f"{proto.op_type}_{i}"
            path = path if path not in taken else f"{path}_{i}"
            taken.add(path)
            given = dict(zip(proto.input, formal_names(proto), strict=False))
            constants = {formal: name for name, formal in given.items() if name in self.constants}
            inputs = tuple(x for x in proto.input if x and x not in self.constants)
            outputs = tuple(x for x in proto.output if x)
            yield Node(path, proto, inputs, outputs, constants)

    def open(self, put: Mapping[str, Any], names: Collection[str]) -> ModelProto:
        """The model with these values as outputs, and inputs in the place of those in `put`.

        `put`: arrays by the names of values; only their types and shapes matter here
        """
        model = ModelProto()
        model.CopyFrom(self.model)
        graph = model.graph
        for node in graph.node:
            for i, name in enumerate(node.input):
                if name in put:
                    node.input[i] = PUT + name
        for name, array in put.items():
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            graph.input.append(helper.make_tensor_value_info(PUT + name, kind, array.shape))
        held = {x.name for x in graph.output}
        wanted = [name for name in names if name not in held]
        graph.output.extend([onnx.ValueInfoProto(name=name) for name in wanted])
        return model

    def constant(self, name: str, folder: str) -> Any:
        """A constant's array; None where it is no tensor, or computed from others (`folded`)."""
        for tensor in self.model.graph.initializer:
            if tensor.name == name:
                return numpy_helper.to_array(tensor, folder)
        for node in self.model.graph.node:
            if node.op_type == "Constant" and name in node.output:
                return constant_of(node)
            if node.op_type == "Identity" and name in node.output:
                return self.constant(node.input[0], folder)
        return None

    @property
    def computed(self) -> list[NodeProto]:
        """The nodes that give constants."""
        return [n for n in self.model.graph.node if self.constants.issuperset(n.output)]

    def folded(self, names: Collection[str]) -> ModelProto:
        """A model that takes nothing and gives these constants, which others are computed to."""
        model = ModelProto()
        model.CopyFrom(self.model)
        graph = model.graph
        used = self.computed
        for part in (graph.node, graph.input, graph.output, graph.value_info):
            del part[:]
        graph.node.extend(used)
        graph.output.extend([onnx.ValueInfoProto(name=name) for name in names])
        return model

    def layer(self, node: Node) -> LayerInfo:
        kind = f"{node.proto.domain or 'onnx'}.{node.proto.op_type}"
        named = zip(node.proto.input, formal_names(node.proto), strict=False)
        takes = tuple(formal for name, formal in named if name)
        constants = tuple(node.constants)
        options = options_of(node.proto)
        return LayerInfo(node.path, (kind,), options, constants, scope_of(node), takes=takes)


def constant_of(node: NodeProto) -> Any:
    attribute = node.attribute[0]
    if attribute.name == "value":
        return numpy_helper.to_array(attribute.t)
    value = helper.get_attribute_value(attribute)
    kinds = {"value_float": "float32", "value_floats": "float32"}
    kinds |= {"value_int": "int64", "value_ints": "int64"}
    return np.array(value, kinds[attribute.name]) if attribute.name in kinds else None


def formal_names(node: NodeProto) -> list[str]:
    """The schema's names of the inputs."""
    try:
        schema = onnx.defs.get_schema(node.op_type, domain=node.domain)
    except onnx.defs.SchemaError:  # of another domain
        return [f"input_{i}" for i in range(len(node.input))]
    names = [x.name for x in schema.inputs]
    more = [f"{names[-1]}_{i}" for i in range(len(names), len(node.input))] if names else []
    return names + more


def options_of(node: NodeProto) -> dict[str, Any]:
    """The attributes that are numbers, texts or lists of them."""
    found: dict[str, Any] = {}
    for attribute in node.attribute:
        if attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS, AttributeProto.TENSOR):
            continue
        value = helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, (int, float, str)):
            found[attribute.name] = value
        elif isinstance(value, list) and len(value) <= LONGEST:
            plain = [x.decode("utf-8", "replace") if isinstance(x, bytes) else x for x in value]
            found[attribute.name] = tuple(plain)
    return found


def scope_of(node: Node) -> str:
    """The module that a node was exported from: `layer1.0.conv` of `/layer1/layer1.0/conv/Conv`."""
    for entry in node.proto.metadata_props:
        if entry.key == SCOPES:
            return innermost(entry.value)
    parts = [part for part in node.path.split("/") if part]
    if not node.path.startswith("/") or len(parts) < 2:
        return ""
    scope = ""
    for part in parts[:-1]:
        scope = part if not scope or part.startswith(f"{scope}.") else f"{scope}.{part}"
    return scope


def innermost(text: str) -> str:
    """Of a list of scopes the last but one, which is the module; the last is the operator."""
    if not re.fullmatch(r"\[('[^']*'(, )?)*\]", text):
        return ""
    scopes = ast.literal_eval(text)
    return str(scopes[-2]) if len(scopes) > 1 else ""
