"""Nodes that do nothing, or whose results nobody reads, leave the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import helper

from ..guard import MALFORMED, reason_of
from .graph import Graph, Node, reads, subgraphs

Array = np.ndarray[Any, Any]

FAR = 2**31 - 1
"""An end of Slice that means: to the end, whatever the size."""


def bypass(graph: Graph) -> list[tuple[Node, str]]:
    """Takes out the nodes that hand their first input on; returns them with the reason.

    A graph output keeps its name: what made the value is renamed, or the node stays.
    """
    gone: list[tuple[Node, str]] = []
    handed = _Handed(graph)
    _forget_masks(graph)
    for node in graph.nodes:
        rename(node, handed.same)
        reason = _reason(node, graph)
        if reason and handed.takes(node):
            gone.append((node, reason))
        else:
            handed.keep(node)
    graph.nodes[:] = handed.kept
    for node in handed.kept:
        rename(node, handed.same)
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
        needed = {*graph.outputs, *(name for inner in graph.nodes for name in reads(inner))}
        outer = {name: names[name] for name in needed - own if name in names}
        graph.outputs[:] = [outer.get(name, name) for name in graph.outputs]
        for inner in graph.nodes:
            rename(inner, outer)


class _Handed:
    """Which values are others' second names: `same`, and the nodes that are `kept` so far."""

    def __init__(self, graph: Graph) -> None:
        self.same: dict[str, str] = {}
        self.kept: list[Node] = []
        self._graph = graph
        self._outputs = frozenset(graph.outputs)
        self._makers: dict[str, Node] = {}
        self._others: dict[str, list[str]] = {}

    def keep(self, node: Node) -> None:
        self.kept.append(node)
        self._makers.update(dict.fromkeys(filter(None, node.outputs), node))

    def takes(self, node: Node) -> bool:
        """Makes the node's output another name of its first input; False if it cannot be."""
        x, y = node.inputs[0], node.outputs[0]
        if y not in self._outputs:
            self._call(y, x)
            if x in self._graph.constants:
                self._graph.aliases[y] = x
            return True
        maker = self._makers.get(x)
        if maker is None or x in self._outputs:
            return False
        maker.outputs[:] = [y if out == x else out for out in maker.outputs]
        self._makers[y] = self._makers.pop(x)
        for old in self._others.pop(x, []):
            self._call(old, y)
        self._call(x, y)
        return True

    def _call(self, name: str, other: str) -> None:
        """From now on `name` is `other`."""
        self.same[name] = other
        self._others.setdefault(other, []).append(name)


def _reason(node: Node, graph: Graph) -> str:
    """Why the node may go; empty if it may not."""
    rule = None if node.domain else NO_OPS.get(node.op)
    if rule is None or not node.inputs or not node.inputs[0] or not node.outputs[0]:
        return ""
    try:
        return rule(node, graph)
    except MALFORMED as error:
        reason_of(error)
        return ""


def _forget_masks(graph: Graph) -> None:
    """Takes the names of masks that nothing reads from the Dropouts that make them."""
    makers = [node for node in graph.nodes if node.op == "Dropout" and len(node.outputs) > 1]
    read = {*graph.outputs, *graph.consumers()} if makers else set()
    for node in makers:
        node.outputs[1:] = [mask if mask in read else "" for mask in node.outputs[1:]]


def _identity(node: Node, graph: Graph) -> str:
    return "hands its input on"


def _dropout(node: Node, graph: Graph) -> str:
    mask = node.outputs[1] if len(node.outputs) > 1 else ""
    training = node.inputs[2] if len(node.inputs) > 2 else ""
    if mask:
        return ""
    if training and (training not in graph.constants or graph.constants[training].any()):
        return ""
    return "does nothing outside training"


def _cast(node: Node, graph: Graph) -> str:
    dtype = graph.type_of(node.inputs[0]).dtype
    wanted = node.attrs.get("to")
    same = dtype is not None and wanted == helper.np_dtype_to_tensor_dtype(dtype)
    return "casts to the type that its input has" if same else ""


def _cast_like(node: Node, graph: Graph) -> str:
    dtype, wanted = (graph.type_of(name).dtype for name in node.inputs)
    return "casts to the type that its input has" if dtype == wanted is not None else ""


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
    "CastLike": _cast_like,
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
