"""One walk along the graph in which shapes give values and values give shapes."""

from __future__ import annotations

from collections.abc import Mapping

from .fused_shapes import CLASSIFIERS, SHAPES, element_type, scores
from .graph import Dim, Graph, Node, ValueType
from .infer import infer_node, is_newer
from .shapes import SIZED, Array, named, numbers, shape_of_result, value_of

LATE = frozenset({*SIZED, *CLASSIFIERS, *(op for _, op in SHAPES)})
"""What the inference of the whole graph did not see, or knows less of."""


def learn(graph: Graph, known: Mapping[str, ValueType]) -> None:
    """Takes types that are better known than the graph's, and what follows from them."""
    better = {name: _better(graph.type_of(name), item) for name, item in known.items()}
    new = {name: item for name, item in better.items() if item != graph.type_of(name)}
    if new:
        graph.types.update(new)
        propagate(graph, new)


def propagate(
    graph: Graph, learnt: Mapping[str, ValueType] | None = None
) -> tuple[dict[str, Array], dict[str, ValueType]]:
    """Values of shape arithmetic by name, and types that are now better known.

    `graph.types` is brought up to date. A node is inferred again only if what it reads is better
    known than when the whole graph was inferred, or was `learnt` since.
    """
    values: dict[str, Array] = {}
    better: dict[str, ValueType] = dict(learnt or {})
    for node in graph.nodes:
        late = node.op in LATE or is_newer(node, graph)
        if late or any(name in better or name in values for name in node.inputs):
            better.update(_improved(node, graph, values))
            graph.types.update({name: better[name] for name in node.outputs if name in better})
        found = _named_sizes(node, graph)
        better.update(found)
        graph.types.update(found)
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
    for index, name in enumerate(node.outputs):
        shape = _shape_of(node, graph, values, index) if name else None
        if shape is not None:
            dtype = old[name].dtype or element_type(node, graph)
            inferred = new.get(name, ValueType())
            new[name] = ValueType(inferred.dtype or dtype, _merged(inferred.shape, shape))
    merged = {name: _better(old[name], known) for name, known in new.items() if name in old}
    return {name: known for name, known in merged.items() if known != old[name]}


def _shape_of(
    node: Node, graph: Graph, values: Mapping[str, Array], index: int
) -> tuple[Dim, ...] | None:
    if node.domain == "ai.onnx.ml" and node.op in CLASSIFIERS and index == 1:
        return scores(node, graph)
    known = SHAPES.get((node.domain, node.op))
    if known is not None:
        return known(node, graph) if index == 0 else None
    return shape_of_result(node, graph, values, index)


def _named_sizes(node: Node, graph: Graph) -> dict[str, ValueType]:
    """The input of a Shape with a name for each size that is unknown."""
    if node.op not in ("Shape", "Size") or node.domain:
        return {}
    name = node.inputs[0]
    known = graph.type_of(name)
    if known.shape is None or known.container or None not in known.shape:
        return {}
    return {name: ValueType(known.dtype, named(name, known.shape))}


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
