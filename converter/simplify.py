"""Nodes that do nothing, or whose results nobody reads, leave the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import helper

from .graph import Graph, Node, reads, subgraphs

Array = np.ndarray[Any, Any]

FAR = 2**31 - 1
"""An end of Slice that means: to the end, whatever the size."""


def bypass(graph: Graph) -> list[tuple[Node, str]]:
    """Takes out the nodes that hand their first input on; returns them with the reason.

    A graph output keeps its name: what made the value is renamed, or the node stays.
    """
    gone: list[tuple[Node, str]] = []
    same: dict[str, str] = {}
    kept: list[Node] = []
    for node in graph.nodes:
        rename(node, same)
        reason = _reason(node, graph)
        if reason and _hand_on(graph, node, kept, same):
            gone.append((node, reason))
        else:
            kept.append(node)
    graph.nodes[:] = kept
    for node in kept:
        rename(node, same)
    return gone


def prune(graph: Graph) -> list[Node]:
    """Takes out nodes and constants that no output needs; returns the nodes."""
    needed = set(graph.outputs)
    kept: list[Node] = []
    gone: list[Node] = []
    for node in reversed(graph.nodes):
        if any(out in needed for out in node.outputs):
            needed.update(reads(node))
            kept.append(node)
        else:
            gone.append(node)
    graph.nodes[:] = reversed(kept)
    for name in [name for name in graph.constants if name not in needed]:
        del graph.constants[name]
    graph.aliases = {a: name for a, name in graph.aliases.items() if name in needed}
    graph.derived = {name: d for name, d in graph.derived.items() if name in needed}
    return gone[::-1]


def rename(node: Node, names: dict[str, str]) -> None:
    """Reads other values instead, in subgraphs too where they do not make the name themselves."""
    if not names:
        return
    node.inputs[:] = [names.get(name, name) for name in node.inputs]
    for graph in subgraphs(node):
        own = set(graph.inputs) | graph.constants.keys()
        own.update(out for inner in graph.nodes for out in inner.outputs)
        outer = {old: new for old, new in names.items() if old not in own}
        graph.outputs[:] = [outer.get(name, name) for name in graph.outputs]
        for inner in graph.nodes:
            rename(inner, outer)


def _hand_on(graph: Graph, node: Node, before: list[Node], same: dict[str, str]) -> bool:
    """Makes the node's output another name of its first input; False if it cannot be."""
    x, y = node.inputs[0], node.outputs[0]
    if y not in graph.outputs:
        same[y] = x
        if x in graph.constants:
            graph.aliases[y] = x
        return True
    maker = next((other for other in before if x in other.outputs), None)
    if maker is None or x in graph.outputs:
        return False
    maker.outputs[:] = [y if out == x else out for out in maker.outputs]
    same.update({old: y for old, new in same.items() if new == x})
    same[x] = y
    for other in before:
        rename(other, {x: y})
    return True


def _reason(node: Node, graph: Graph) -> str:
    """Why the node may go; empty if it may not."""
    rule = None if node.domain else NO_OPS.get(node.op)
    if rule is None or not node.inputs or not node.inputs[0] or not node.outputs[0]:
        return ""
    return rule(node, graph)


def _identity(node: Node, graph: Graph) -> str:
    return "hands its input on"


def _dropout(node: Node, graph: Graph) -> str:
    uses = graph.consumers()
    mask = node.outputs[1] if len(node.outputs) > 1 else ""
    training = node.inputs[2] if len(node.inputs) > 2 else ""
    if mask and (mask in uses or mask in graph.outputs):
        return ""
    if training and (training not in graph.constants or graph.constants[training].any()):
        return ""
    return "does nothing outside training"


def _cast(node: Node, graph: Graph) -> str:
    dtype = graph.type_of(node.inputs[0]).dtype
    wanted = node.attrs.get("to")
    same = dtype is not None and wanted == helper.np_dtype_to_tensor_dtype(dtype)
    return "casts to the type that its input has" if same else ""


def _transpose(node: Node, graph: Graph) -> str:
    perm = node.attrs.get("perm")
    rank = graph.type_of(node.inputs[0]).rank
    same = perm == list(range(len(perm))) if perm is not None else rank in (0, 1)
    return "leaves the axes in order" if same else ""


def _pad(node: Node, graph: Graph) -> str:
    pads = node.attrs.get("pads") if node.version < 11 else _constant(node, graph, 1)
    return "pads nothing" if pads is not None and not np.any(pads) else ""


def _slice(node: Node, graph: Graph) -> str:
    shape = graph.type_of(node.inputs[0]).shape
    if node.version < 10:
        starts, ends, axes = (node.attrs.get(key) for key in ("starts", "ends", "axes"))
        steps = None
    else:
        starts, ends, axes, steps = (_constant(node, graph, index) for index in (1, 2, 3, 4))
        if any(_missing(node, graph, index) for index in (3, 4)):
            return ""
    if shape is None or starts is None or ends is None or np.any(starts):
        return ""
    if steps is not None and np.any(np.asarray(steps) != 1):
        return ""
    axes = range(len(starts)) if axes is None else axes
    sizes = [shape[int(axis)] for axis in axes]
    whole = (
        int(end) >= FAR or (isinstance(size, int) and int(end) >= size)
        for end, size in zip(ends, sizes, strict=True)
    )
    return "takes everything" if all(whole) else ""


def _same_shape(node: Node, graph: Graph) -> str:
    before, after = graph.type_of(node.inputs[0]).shape, graph.type_of(node.outputs[0]).shape
    known = before is not None and None not in before
    return "leaves the shape as it is" if known and before == after else ""


def _only_input(node: Node, graph: Graph) -> str:
    return "has one input only" if len(node.inputs) == 1 else ""


def _constant(node: Node, graph: Graph, index: int) -> Array | None:
    name = node.inputs[index] if index < len(node.inputs) else ""
    return graph.constants.get(name)


def _missing(node: Node, graph: Graph, index: int) -> bool:
    """Whether an optional input is given but not constant."""
    name = node.inputs[index] if index < len(node.inputs) else ""
    return bool(name) and name not in graph.constants


NO_OPS: dict[str, Callable[[Node, Graph], str]] = {
    "Identity": _identity,
    "Dropout": _dropout,
    "Cast": _cast,
    "Transpose": _transpose,
    "Pad": _pad,
    "Slice": _slice,
    "Expand": _same_shape,
    "Reshape": _same_shape,
    "Flatten": _same_shape,
    "Squeeze": _same_shape,
    "Unsqueeze": _same_shape,
    "Tile": _same_shape,
    "Concat": _only_input,
    "Sum": _only_input,
    "Mean": _only_input,
    "Max": _only_input,
    "Min": _only_input,
}
"""Operator -> the rule that finds out whether a node of it does nothing."""
