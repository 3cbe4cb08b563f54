"""One walk along the graph in which shapes give values and values give shapes."""

from __future__ import annotations

from collections.abc import Mapping

from .graph import Dim, Graph, Node, ValueType
from .infer import infer_node
from .shapes import RESHAPING, Array, numbers, shape_of_result, value_of

LATE = frozenset({*RESHAPING, "Slice"})
"""What the inference of the whole graph did not see, or knows less of."""


def propagate(graph: Graph) -> tuple[dict[str, Array], dict[str, ValueType]]:
    """Values of shape arithmetic by name, and types that are now better known.

    `graph.types` is brought up to date. A node is inferred again only if what it reads is better
    known than when the whole graph was inferred.
    """
    values: dict[str, Array] = {}
    better: dict[str, ValueType] = {}
    for node in graph.nodes:
        if node.op in LATE or any(name in better or name in values for name in node.inputs):
            better.update(_improved(node, graph, values))
            graph.types.update({name: better[name] for name in node.outputs if name in better})
        value = value_of(node, graph, values)
        if value is not None:
            values[node.outputs[0]] = value
    return values, better


def _improved(node: Node, graph: Graph, values: Mapping[str, Array]) -> dict[str, ValueType]:
    """The types of the node's outputs that are better known than in `graph.types`."""
    old = {name: graph.type_of(name) for name in node.outputs if name}
    if all(known.is_static for known in old.values()):
        return {}
    data = {
        name: numbers(values[name], graph.type_of(name).dtype)
        for name in node.inputs
        if name in values
    }
    new = infer_node(node, graph, {name: x for name, x in data.items() if x is not None})
    shape = shape_of_result(node, graph, values)
    if shape is not None:
        dtype = old[node.outputs[0]].dtype or graph.type_of(node.inputs[0]).dtype
        inferred = new.get(node.outputs[0], ValueType())
        new[node.outputs[0]] = ValueType(inferred.dtype or dtype, _merged(inferred.shape, shape))
    merged = {name: _better(old[name], known) for name, known in new.items() if name in old}
    return {name: known for name, known in merged.items() if known != old[name]}


def _better(old: ValueType, new: ValueType) -> ValueType:
    if new.shape is None or old.container:
        return old
    return ValueType(old.dtype or new.dtype, _merged(old.shape, new.shape))


def _merged(old: tuple[Dim, ...] | None, new: tuple[Dim, ...]) -> tuple[Dim, ...]:
    if old is None or len(old) != len(new):
        return new
    return tuple(
        b if a is None or (isinstance(a, str) and isinstance(b, int)) else a
        for a, b in zip(old, new, strict=True)
    )
