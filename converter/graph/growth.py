"""What folding would add to a checkpoint: constants computed from weights that are bigger."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .graph import Graph, Node, reads

Array = np.ndarray[Any, Any]

SHARE = 0.01
"""All constants that are computed from weights may add so much of the floats that there are."""

FEWEST = 16
"""Elements: fewer are a number or a few, which nobody misses."""

LAYOUT = frozenset({"Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
"""What gives the same elements: a weight and its transpose are tied, wherever both are read."""

AS_CODE = LAYOUT | {
    *("Abs", "Add", "Cast", "Concat", "Cos", "Div", "Exp", "Expand", "Gather", "Log", "MatMul"),
    *("Max", "Min", "Mul", "Neg", "Pow", "Reciprocal", "ReduceL2", "ReduceMax", "ReduceMean"),
    *("ReduceMin", "ReduceSum", "ReduceSumSquare", "Relu", "Sigmoid", "Sin", "Slice", "Softmax"),
    *("Split", "Sqrt", "Sub", "Tanh", "Tile"),
}
"""What a script computes as well as ONNX Runtime does; the rest is folded whatever it adds."""


class Family:
    """Nodes that compute, from the same weights, what the other nodes read."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.weights: set[str] = set()

    def growth(self, graph: Graph, read: set[str]) -> float:
        """Floats that folding adds, where `read` is what all other nodes and outputs read."""
        made = {name for node in self.nodes for name in node.outputs}
        added = sum(_floats(graph, name) for name in made & read)
        return added - sum(graph.constants[name].size for name in self.weights - read)

    @property
    def is_code(self) -> bool:
        """Whether it may stay, and is more than another layout."""
        ops = {node.op for node in self.nodes if not node.domain}
        return all(not n.domain for n in self.nodes) and ops <= AS_CODE and not ops <= LAYOUT


def growing(graph: Graph, nodes: Iterable[Node]) -> set[int]:
    """The `id` of those of the foldable nodes whose results would make the checkpoint bigger.

    A weight that a constant is computed from, and both are kept, is there twice: a script that
    computes the constant has it once, and trains it.
    """
    nodes = list(nodes)
    families = _families(graph.constants, nodes)
    if not families:
        return set()
    inside = set(map(id, nodes))
    others = [node for node in graph.nodes if id(node) not in inside]
    read = {name for node in others for name in reads(node)} | set(graph.outputs)
    total = sum(x.size for x in graph.constants.values() if _is_weight(x))
    grown = [(family.growth(graph, read), family) for family in families]
    left, kept = SHARE * total, set[int]()
    for added, family in sorted(grown, key=lambda pair: pair[0]):
        if added > left and family.is_code:
            kept.update(map(id, family.nodes))
        else:
            left -= max(added, 0)
    return kept


def _families(constants: Mapping[str, Array], nodes: list[Node]) -> list[Family]:
    of: dict[str, Family] = {}  # by weights, and by what is computed of them
    for node in nodes:
        weights = [name for name in reads(node) if _is_weight(constants.get(name))]
        known = {id(of[name]): of[name] for name in reads(node) if name in of}
        if not weights and not known:
            continue  # of sizes and numbers
        first, *rest = known.values() or [Family()]
        for other in rest:
            first.nodes += other.nodes
            first.weights |= other.weights
            of.update({name: first for name, family in of.items() if family is other})
        first.nodes.append(node)
        first.weights.update(weights)
        of.update(dict.fromkeys([*weights, *filter(None, node.outputs)], first))
    return list({id(family): family for family in of.values()}.values())


def _is_weight(x: Array | None) -> bool:
    """Real numbers that take memory; a view of one number shown many times takes none."""
    return x is not None and x.dtype.kind == "f" and x.size >= FEWEST and 0 not in x.strides


def _floats(graph: Graph, name: str) -> float:
    known = graph.type_of(name)
    if known.dtype is None or known.dtype.kind != "f" or known.shape is None or not known.is_static:
        return 0.0
    return math.prod(float(str(dim)) for dim in known.shape)
