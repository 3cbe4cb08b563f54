"""Whether a node is what its operator's schema says: attributes and the number of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class _Form:
    """What a schema says of its nodes: the types of attributes, and how many values of each kind.

    Python's side of a schema makes its attributes anew each time that they are asked for.
    """

    attributes: Mapping[str, int]
    required: tuple[str, ...]
    inputs: tuple[int, int]
    outputs: tuple[int, int]


@lru_cache(maxsize=4096)
def _form(domain: str, op: str, version: int) -> _Form | None:
    """None where ONNX says nothing of the operator."""
    schema = schema_of(domain, op, version)
    if schema is None or schema.deprecated:
        return None
    return _Form(
        {name: kind_in(item) for name, item in schema.attributes.items()},
        tuple(name for name, item in schema.attributes.items() if item.required),
        (schema.min_input, schema.max_input),
        (schema.min_output, schema.max_output),
    )


def check_node(node: Node, where: str) -> None:
    """Raises: MS104 for a lacking, unknown or wrong attribute, or a wrong number of inputs."""
    form = _form(node.domain, node.op, node.version)
    if form is None:
        return
    for name in form.required:
        if name not in node.attrs:
            raise _refusal(node, where, f"lacks the attribute {name!r}", "")
    for name, value in node.attrs.items():
        if name not in form.attributes:
            known = ", ".join(sorted(form.attributes)) or "no attributes"
            raise _refusal(node, where, f"has an unknown attribute {name!r}", known)
        wanted = form.attributes[name]
        kind = kind_of(value, wanted)
        if kind != wanted:
            names = AttributeProto.AttributeType.Name
            raise _refusal(
                node, where, f"has an attribute {name!r} of type {names(kind)}", names(wanted)
            )
    _check_count(node, where, "inputs", len(node.inputs), form.inputs)
    _check_count(node, where, "outputs", len(node.outputs), form.outputs)


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
