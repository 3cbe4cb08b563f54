"""The second step of a conversion: cut, infer, fold and simplify, until nothing changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...reporting.report import Finding
from . import fused, fused_attention, quantised  # noqa: F401  # they register what they expand
from .branch import inline_branches
from .cut import cut, set_shapes
from .expansion import expand
from .fold import fold
from .graph import Graph, Node, ValueType
from .infer import infer
from .propagate import propagate
from .shapes import settle, settle_reshapes
from .simplify import bypass, prune
from .validity import schema_of

ROUNDS = 20
"""A graph that still changes after so many rounds is left as it is: correct, if not simplest."""


@dataclass(frozen=True)
class Prepared:
    """A graph ready for conversion.

    `simplified`: label of each node of the file that is gone, and why; `findings`: what the
    user must know of.
    """

    graph: Graph
    simplified: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]


def prepare(
    graph: Graph,
    shapes: Sequence[Sequence[int]] | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Prepared:
    """The graph between `inputs` and `outputs`, with types, constants folded, no-ops removed.

    `shapes` go with `inputs`, or with the graph's inputs in order. The graph given stays as it is.
    Raises: MS105 for names or shapes that do not fit the graph
    """
    given = graph.constants.keys()
    graph = _copy(graph)
    known = _unknown_to_onnx(graph)
    if inputs is not None:
        infer(graph, known)
    cut(graph, inputs, outputs)
    if shapes is not None:
        set_shapes(graph, shapes)
    beside = prune(graph)
    gone = [(node, "no output needs it") for node in beside if inputs is None and outputs is None]
    for _ in range(ROUNDS):
        changes, changed = _round(graph, known)
        gone += changes
        if not changed:
            break
    simplified = tuple((node.label, reason) for node, reason in gone)
    return Prepared(graph, simplified, (*_dropouts(gone), *_not_finite(graph, given)))


def _round(graph: Graph, known: dict[str, ValueType]) -> tuple[list[tuple[Node, str]], bool]:
    """Infers and simplifies once; the nodes that are gone, and whether anything changed."""
    infer(graph, known)
    values, better = propagate(graph)
    expanded = expand(graph)
    gone = [(node, "shape arithmetic with known sizes") for node in settle(graph, values)]
    changed = settle_reshapes(graph, values)
    gone += bypass(graph)
    gone += [(node, "computed during the conversion") for node in fold(graph)]
    gone += [(node, "its condition is constant") for node in inline_branches(graph)]
    gone += [(node, "no output needs it") for node in prune(graph)]
    known.update(better)
    return gone, changed or expanded or bool(gone or better)


def _copy(graph: Graph) -> Graph:
    """The graph with nodes and tables of its own; arrays are shared."""
    new = copy(graph)
    new.nodes = [_copy_node(node) for node in graph.nodes]
    new.inputs, new.outputs = list(graph.inputs), list(graph.outputs)
    new.constants, new.types = dict(graph.constants), dict(graph.types)
    new.aliases, new.derived = dict(graph.aliases), dict(graph.derived)
    return new


def _copy_node(node: Node) -> Node:
    new = node.copied()
    for key, value in node.attrs.items():
        if isinstance(value, Graph):
            new.attrs[key] = _copy(value)
    return new


def _unknown_to_onnx(graph: Graph) -> dict[str, ValueType]:
    """What the file says of results of operators that ONNX's inference does not know."""
    nodes = (n for n in graph.nodes if schema_of(n.domain, n.op, n.version) is None)
    names = (out for node in nodes for out in node.outputs)
    return {name: graph.types[name] for name in names if name in graph.types}


def _dropouts(gone: list[tuple[Node, str]]) -> Iterator[Finding]:
    for node, _ in gone:
        if node.op == "Dropout":
            message = f"dropout at {node.name or node.outputs[0]} exists only in training"
            advice = "put nn.Dropout there to train further"
            yield Finding("MS109", node.label, message, advice, "note")


def _not_finite(graph: Graph, given: Set[str]) -> Iterator[Finding]:
    """Of the file's own weights: what is folded from them says nothing new."""
    for name, array in graph.constants.items():
        if name not in given or array.dtype.kind not in "fc" or np.isfinite(_witness(array)):
            continue
        if np.isnan(array).any():
            advice = "check the training run that made the model"
            yield Finding("MS109", name, "the weight holds NaN", advice)
        elif not np.isfinite(array).all():
            yield Finding("MS109", name, "the weight holds infinity", "fine if it is a mask")


def _witness(array: np.ndarray[Any, Any]) -> float:
    """A number that is not finite if the array holds one that is not; cheap, no copy.

    Of large weights it may be infinite all the same: halves are added up in a wider type.
    """
    if 0 in array.strides:
        array = array[tuple(slice(0, 1) if step == 0 else slice(None) for step in array.strides)]
    with np.errstate(all="ignore"):
        return float(abs(array.sum(dtype=np.float32 if array.dtype.itemsize == 2 else None)))
