"""ONNX protobuf messages as a `Graph`: plain Python values, arrays instead of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto

from ..graph.graph import Graph, Node
from ..graph.proto import name_of, value_types
from ..graph.validity import check_node, schema_of
from .tensors import Array, TensorFiles, array_of, dense


@dataclass(frozen=True)
class Reader:
    """Reads the messages of one model."""

    files: TensorFiles
    opsets: dict[str, int]

    def graph(self, proto: onnx.GraphProto) -> Graph:
        """Raises: MS103, MS104."""
        constants = self._initialisers(proto)
        nodes: list[Node] = []
        for item in proto.node:
            node = self.node(item)
            if node.op == "Constant" and not node.domain:
                self._add(constants, node.outputs[0], self._constant(node))
            else:
                nodes.append(node)
        _tell_apart(nodes)
        names = [name_of(item.name) for item in proto.input]
        inputs = [name for name in names if name not in constants]
        self._check_inputs(inputs)
        # What a file says of values in between is often wrong after a change of shapes:
        # `prepare` infers it anew and takes the file's word only where inference has none.
        said = [*proto.value_info, *proto.output, *proto.input]
        return Graph(
            name=name_of(proto.name),
            nodes=nodes,
            inputs=inputs,
            outputs=[name_of(item.name) for item in proto.output],
            constants=constants,
            types=value_types(said),
            opsets=dict(self.opsets),
        )

    def node(self, proto: onnx.NodeProto) -> Node:
        domain, op = plain_domain(proto.domain), name_of(proto.op_type)
        if domain not in self.opsets:
            raise self.files.refusal(
                "MS104",
                f"{op} {proto.name!r} is of a domain that the model does not import",
                got=repr(domain or "ai.onnx"),
                expected=f"one of {sorted(name or 'ai.onnx' for name in self.opsets)}",
                advice="export the model again",
            )
        node = Node(
            op=op,
            inputs=names_of(proto.input),
            outputs=names_of(proto.output),
            attrs={name_of(item.name): self._attribute(item) for item in proto.attribute},
            domain=domain,
            version=self._version(domain, op),
            name=name_of(proto.name),
            metadata={name_of(item.key): name_of(item.value) for item in proto.metadata_props},
        )
        check_node(node, str(self.files.path))
        node.origin = (node.name or next(filter(None, node.outputs), ""),)
        return node

    def _version(self, domain: str, op: str) -> int:
        """The since_version of the schema; the opset itself if ONNX does not know the operator."""
        schema = schema_of(domain, op, self.opsets[domain])
        return self.opsets[domain] if schema is None else schema.since_version

    def _initialisers(self, proto: onnx.GraphProto) -> dict[str, Array]:
        constants: dict[str, Array] = {}
        for tensor in proto.initializer:
            self._add(constants, name_of(tensor.name), array_of(tensor, self.files))
        for sparse in proto.sparse_initializer:
            self._add(constants, name_of(sparse.values.name), dense(sparse, self.files))
        return constants

    def _add(self, constants: dict[str, Array], name: str, value: Array) -> None:
        if name in constants or not name:
            problem = f"the weight {name!r} is there twice" if name else "a weight has no name"
            raise self.files.refusal("MS104", problem)
        constants[name] = value

    def _check_inputs(self, inputs: list[str]) -> None:
        if len(set(inputs)) < len(inputs) or "" in inputs:
            raise self.files.refusal("MS104", "an input has no name or the name of another one")

    def _constant(self, node: Node) -> Array:
        """The value of a Constant node, whichever of its attributes holds it."""
        held = [name for name in node.attrs if name in CONSTANT_FORMS]
        if len(held) != 1:
            raise self.files.refusal("MS104", f"{node.label} does not have one value")
        value = node.attrs[held[0]]
        dtype = CONSTANT_FORMS[held[0]]
        return value if dtype is None else np.array(value, dtype)

    def _attribute(self, proto: AttributeProto) -> Any:
        kind = proto.type or _old_kind(proto)
        if kind not in FORMS:
            raise self.files.refusal("MS104", f"attribute {proto.name!r} has no known type")
        return FORMS[kind](self, proto)


def names_of(texts: Sequence[str | bytes]) -> list[str]:
    return [text if type(text) is str else name_of(text) for text in texts]


def plain_domain(domain: str | bytes) -> str:
    """ONNX's own domain has two names: "" is the one used here."""
    return "" if domain == "ai.onnx" else name_of(domain)


def short_float(value: float) -> float:
    """The shortest decimal that is the same float32: 0.1, not 0.10000000149011612."""
    return float(str(np.float32(value)))


def text(value: bytes) -> str | bytes:
    """Strings of a model are bytes: text where they are UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _old_kind(proto: AttributeProto) -> int:
    """The type of an attribute that does not say it, as in files of 2017."""
    for kind, name in OLD_KINDS.items():
        if name.endswith("s") and len(getattr(proto, name)):
            return kind
        if not name.endswith("s") and proto.HasField(name):
            return kind
    return AttributeProto.UNDEFINED


CONSTANT_FORMS: dict[str, type | None] = {
    "value": None,
    "sparse_value": None,
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
    "value_string": object,
    "value_strings": object,
}
"""Attribute of Constant -> element type; None where the attribute is a tensor already."""

OLD_KINDS = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g",
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
}

FORMS: dict[int, Callable[[Reader, Any], Any]] = {
    AttributeProto.FLOAT: lambda reader, a: short_float(a.f),
    AttributeProto.INT: lambda reader, a: a.i,
    AttributeProto.STRING: lambda reader, a: text(a.s),
    AttributeProto.TENSOR: lambda reader, a: array_of(a.t, reader.files),
    AttributeProto.SPARSE_TENSOR: lambda reader, a: dense(a.sparse_tensor, reader.files),
    AttributeProto.GRAPH: lambda reader, a: reader.graph(a.g),
    AttributeProto.FLOATS: lambda reader, a: [short_float(item) for item in a.floats],
    AttributeProto.INTS: lambda reader, a: list(a.ints),
    AttributeProto.STRINGS: lambda reader, a: [text(item) for item in a.strings],
    AttributeProto.TENSORS: lambda reader, a: [array_of(item, reader.files) for item in a.tensors],
    AttributeProto.GRAPHS: lambda reader, a: [reader.graph(item) for item in a.graphs],
    AttributeProto.TYPE_PROTO: lambda reader, a: a.tp,
}
"""How the value of each type of attribute is read."""


def _tell_apart(nodes: list[Node]) -> None:
    """Gives nodes whose name an earlier one has an origin of their own: reports go by it."""
    seen: dict[str, int] = {}
    for node in nodes:
        (name,) = node.origin
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            node.origin = (f"{name} (number {seen[name]})",)
