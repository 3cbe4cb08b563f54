"""A `Graph` as an ONNX model again: for shape inference, for folding, and for tests."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, cast

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from .graph import Dim, Graph, Node, ValueType

LITTLE = sys.byteorder == "little"

EXTENDED = 24
"""NumPy's number of the first element type that is not its own: bfloat16, float8, int4."""

OLDEST_IR = 8
"""IR versions before 4 want each initialiser to be an input as well."""


def to_model(graph: Graph, largest: int | None = None) -> onnx.ModelProto:
    """The graph as a model that onnx and ONNX Runtime read.

    Constants of more than `largest` bytes become inputs (placeholders): the model stays small.
    Raises: ValueError if the model would be over protobuf's 2 GB
    """
    imports = [helper.make_opsetid(domain, version) for domain, version in graph.opsets.items()]
    return onnx.ModelProto(
        ir_version=max(OLDEST_IR, helper.find_min_ir_version_for(imports, ignore_unknown=True)),
        opset_import=imports,
        producer_name="msconvert",
        graph=graph_proto(graph, largest),
    )


def graph_proto(graph: Graph, largest: int | None = None) -> onnx.GraphProto:
    """The graph as a message; see `to_model`."""
    proto = onnx.GraphProto(name=graph.name or "graph")
    proto.node.extend(node_proto(node, largest) for node in graph.nodes)
    _forget_second_names(proto)
    proto.input.extend(value_info(name, graph.type_of(name)) for name in graph.inputs)
    proto.output.extend(value_info(name, graph.type_of(name)) for name in graph.outputs)
    for name, array in graph.constants.items():
        if largest is None or array.nbytes <= largest:
            proto.initializer.append(tensor_proto(array, name))
        else:
            proto.input.append(value_info(name, ValueType(array.dtype, array.shape)))
    listed = {*graph.inputs, *graph.outputs, *graph.constants}
    known = [name for name in graph.types if name not in listed]
    proto.value_info.extend(value_info(name, graph.types[name]) for name in known)
    return proto


def _forget_second_names(proto: onnx.GraphProto) -> None:
    """ONNX Runtime refuses two nodes of one name; a node needs none."""
    seen: set[str] = set()
    for node in proto.node:
        if node.name in seen:
            node.name = ""
        seen.add(node.name)


def node_proto(node: Node, largest: int | None = None) -> onnx.NodeProto:
    proto = onnx.NodeProto(
        op_type=node.op,
        domain=node.domain,
        name=node.name,
        input=node.inputs,
        output=node.outputs,
    )
    kinds = attribute_kinds(node.domain, node.op, node.version) if node.attrs else {}
    for name, value in node.attrs.items():
        kind = kind_of(value, kinds.get(name, AttributeProto.UNDEFINED))
        proto.attribute.append(attribute_proto(name, value, kind, largest))
    return proto


def attribute_proto(name: str, value: Any, kind: int, largest: int | None) -> AttributeProto:
    """Raises: TypeError for a value that does not fit the kind."""
    proto = AttributeProto(name=name)
    proto.type = cast("AttributeProto.AttributeType", kind)
    if kind == AttributeProto.FLOAT:
        proto.f = value
    elif kind == AttributeProto.INT:
        proto.i = value
    elif kind == AttributeProto.STRING:
        proto.s = _bytes(value)
    elif kind == AttributeProto.TENSOR:
        proto.t.CopyFrom(tensor_proto(value, ""))
    elif kind == AttributeProto.GRAPH:
        proto.g.CopyFrom(graph_proto(value, largest))
    elif kind == AttributeProto.TYPE_PROTO:
        proto.tp.CopyFrom(value)
    else:
        _extend(proto, value, kind, largest)
    return proto


def _extend(proto: AttributeProto, value: list[Any], kind: int, largest: int | None) -> None:
    if kind == AttributeProto.FLOATS:
        proto.floats.extend(value)
    elif kind == AttributeProto.INTS:
        proto.ints.extend(value)
    elif kind == AttributeProto.STRINGS:
        proto.strings.extend(_bytes(item) for item in value)
    elif kind == AttributeProto.TENSORS:
        proto.tensors.extend(tensor_proto(item, "") for item in value)
    elif kind == AttributeProto.GRAPHS:
        proto.graphs.extend(graph_proto(item, largest) for item in value)
    else:
        raise TypeError(f"attribute {proto.name!r}: no message for a value of kind {kind}")


def kind_of(value: Any, wanted: int) -> int:
    """The AttributeProto type of a value; `wanted` decides what the value alone does not."""
    if isinstance(value, list) and not value and wanted in LISTS:
        return wanted
    kind = _kind(value)
    return wanted if (kind, wanted) in WIDENED else kind


def _kind(value: Any) -> int:
    item = value[0] if isinstance(value, list) and value else value
    for types, one, many in KINDS:
        if isinstance(item, types):
            return many if isinstance(value, list) else one
    return int(AttributeProto.INTS)


LISTS = frozenset(
    {
        AttributeProto.FLOATS,
        AttributeProto.GRAPHS,
        AttributeProto.INTS,
        AttributeProto.STRINGS,
        AttributeProto.TENSORS,
    }
)

WIDENED = frozenset(
    {
        (AttributeProto.INT, AttributeProto.FLOAT),
        (AttributeProto.INTS, AttributeProto.FLOATS),
        (AttributeProto.TENSOR, AttributeProto.SPARSE_TENSOR),
    }
)
"""What a value looks like, what the schema wants: fits all the same."""

KINDS: tuple[tuple[type | tuple[type, ...], int, int], ...] = (
    ((bool, int), AttributeProto.INT, AttributeProto.INTS),
    (float, AttributeProto.FLOAT, AttributeProto.FLOATS),
    ((str, bytes), AttributeProto.STRING, AttributeProto.STRINGS),
    (np.ndarray, AttributeProto.TENSOR, AttributeProto.TENSORS),
    (Graph, AttributeProto.GRAPH, AttributeProto.GRAPHS),
    (onnx.TypeProto, AttributeProto.TYPE_PROTO, AttributeProto.TYPE_PROTOS),
)


@lru_cache(maxsize=4096)
def attribute_kinds(domain: str, op: str, version: int) -> Mapping[str, int]:
    """Attribute name -> AttributeProto type, from the operator's schema; empty if unknown."""
    try:
        schema = onnx.defs.get_schema(op, version, domain)
    except onnx.defs.SchemaError:
        return {}
    return {name: kind_in(attribute) for name, attribute in schema.attributes.items()}


def kind_in(attribute: onnx.defs.OpSchema.Attribute) -> int:
    """The AttributeProto type that a schema wants."""
    return int(attribute.type.value)  # type: ignore[attr-defined]  # onnx's stub lacks enums


def tensor_proto(array: np.ndarray[Any, Any], name: str) -> TensorProto:
    """The array as a message, values in raw_data; strings in string_data."""
    if array.dtype == object or array.dtype.kind in "US":
        strings = [_bytes(item) for item in array.ravel().tolist()]
        return TensorProto(
            name=name, data_type=TensorProto.STRING, dims=array.shape, string_data=strings
        )
    kind = _plain_kind(array.dtype)
    if kind is None:
        return numpy_helper.from_array(np.asarray(array), name)
    return TensorProto(name=name, data_type=kind, dims=array.shape, raw_data=array.tobytes())


@lru_cache(maxsize=64)
def _plain_kind(dtype: np.dtype[Any]) -> int | None:
    """ONNX's element type of what its messages hold as it stands in memory; None of others."""
    is_plain = dtype.kind in "biufc" and dtype.num < EXTENDED and dtype.isnative
    return helper.np_dtype_to_tensor_dtype(dtype) if is_plain and LITTLE else None


def value_info(name: str, known: ValueType) -> onnx.ValueInfoProto:
    """What is known of a value; the type is left out where nothing is."""
    proto = onnx.ValueInfoProto(name=name)
    if known.dtype is not None and "map" not in known.container:
        proto.type.CopyFrom(type_proto(known))
    return proto


@lru_cache(maxsize=4096)
def type_proto(known: ValueType) -> onnx.TypeProto:
    """Raises: KeyError for an element type that ONNX does not have."""
    assert known.dtype is not None
    element = helper.np_dtype_to_tensor_dtype(known.dtype)
    sparse = known.container[-1:] == ("sparse",)
    make = helper.make_sparse_tensor_type_proto if sparse else helper.make_tensor_type_proto
    proto = make(element, known.shape)
    for wrapper in reversed(known.container):
        if wrapper == "sequence":
            proto = helper.make_sequence_type_proto(proto)
        elif wrapper == "optional":
            proto = helper.make_optional_type_proto(proto)
    return proto


def _bytes(value: str | bytes) -> bytes:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def value_types(items: Iterable[onnx.ValueInfoProto]) -> dict[str, ValueType]:
    """What is said of each value by its name; most values of a graph are of a few types."""
    known: dict[bytes, ValueType] = {}
    found: dict[str, ValueType] = {}
    for item in items:
        key = item.type.SerializeToString()
        if key not in known:
            known[key] = value_type(item.type)
        found[name_of(item.name)] = known[key]
    return found


def value_type(proto: onnx.TypeProto) -> ValueType:
    """Element type and shape of a value, through sequences and optionals."""
    kind = proto.WhichOneof("value")
    if kind == "sequence_type":
        inner = value_type(proto.sequence_type.elem_type)
        return ValueType(inner.dtype, inner.shape, ("sequence", *inner.container))
    if kind == "optional_type":
        inner = value_type(proto.optional_type.elem_type)
        return ValueType(inner.dtype, inner.shape, ("optional", *inner.container))
    if kind == "sparse_tensor_type":
        sparse = proto.sparse_tensor_type
        return ValueType(dtype_of(sparse.elem_type), _shape(sparse), ("sparse",))
    if kind == "tensor_type":
        return ValueType(_known(proto.tensor_type.elem_type), _shape(proto.tensor_type))
    return ValueType(container=("map",) if kind == "map_type" else ())


def _known(data_type: int) -> np.dtype[Any] | None:
    return dtype_of(data_type) if data_type else None


def _shape(proto: Any) -> tuple[Dim, ...] | None:
    if not proto.HasField("shape"):
        return None
    return tuple(_dim(item) for item in proto.shape.dim)


def _dim(proto: onnx.TensorShapeProto.Dimension) -> Dim:
    kind = proto.WhichOneof("value")
    if kind == "dim_value":
        return int(proto.dim_value) if proto.dim_value >= 0 else None
    return name_of(proto.dim_param) or None


def name_of(text: str | bytes) -> str:
    """A name as text. Protobuf gives bytes where the file breaks its rule of UTF-8."""
    return text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")


@lru_cache(maxsize=256)
def dtype_of(data_type: int) -> np.dtype[Any] | None:
    """NumPy's (or ml_dtypes') type for an ONNX element type; str is object; None if unknown."""
    try:
        return np.dtype(helper.tensor_dtype_to_np_dtype(data_type))
    except KeyError:
        return None
