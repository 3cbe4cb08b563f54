"""Whether a node is what its operator's schema says: attributes and the number of inputs."""

from __future__ import annotations

from functools import lru_cache

import onnx
from onnx import AttributeProto

from ...errors import MsconvertError
from .graph import Node
from .proto import kind_in, kind_of


@lru_cache(maxsize=4096)
def schema_of(domain: str, op: str, opset: int) -> onnx.defs.OpSchema | None:
    """The newest schema of the operator up to `opset`; None if ONNX has none."""
    try:
        return onnx.defs.get_schema(op, opset, domain)
    except onnx.defs.SchemaError:
        return None


@lru_cache(maxsize=4096)
def required_inputs(domain: str, op: str, version: int) -> tuple[int, ...]:
    """The inputs that a node of the operator must have, by number; none if ONNX knows it not."""
    schema = schema_of(domain, op, version)
    option = onnx.defs.OpSchema.FormalParameterOption.Single
    formal = () if schema is None else schema.inputs
    return tuple(i for i, item in enumerate(formal) if item.option == option)


def check_node(node: Node, where: str) -> None:
    """Raises: MS104 for a lacking, unknown or wrong attribute, or a wrong number of inputs."""
    schema = schema_of(node.domain, node.op, node.version)
    if schema is None or schema.deprecated:
        return
    for name, attribute in schema.attributes.items():
        if attribute.required and name not in node.attrs:
            raise _refusal(node, where, f"lacks the attribute {name!r}", "")
    for name, value in node.attrs.items():
        if name not in schema.attributes:
            known = ", ".join(sorted(schema.attributes)) or "no attributes"
            raise _refusal(node, where, f"has an unknown attribute {name!r}", known)
        wanted = kind_in(schema.attributes[name])
        kind = kind_of(value, wanted)
        if kind != wanted:
            names = AttributeProto.AttributeType.Name
            raise _refusal(
                node, where, f"has an attribute {name!r} of type {names(kind)}", names(wanted)
            )
    _check_count(node, where, "inputs", len(node.inputs), (schema.min_input, schema.max_input))
    _check_count(node, where, "outputs", len(node.outputs), (schema.min_output, schema.max_output))


def _check_count(node: Node, where: str, what: str, got: int, allowed: tuple[int, int]) -> None:
    least, most = allowed
    if not least <= got <= most:
        expected = str(least) if least == most else f"{least} to {most}"
        raise _refusal(node, where, f"has {got} {what}", expected)


def _refusal(node: Node, where: str, problem: str, expected: str) -> MsconvertError:
    return MsconvertError(
        "MS104",
        where,
        f"{node.label} {problem}",
        expected=expected or f"what {node.op} needs at version {node.version}",
        advice="export the model again",
    )
