"""Masks of minus infinity: scores of which a whole row may be nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import numpy as np

from .graph import Graph, Node

Array: TypeAlias = np.ndarray[Any, Any]
Producer: TypeAlias = Callable[[str], Node | None]

PASSED_ON = frozenset(
    (
        *("Add", "Sub", "Max", "Min", "Where", "Concat", "Identity", "Cast", "Expand", "Tile"),
        *("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice", "Gather", "Pad"),
    )
)
"""Operators whose result is infinite where one of what they take is."""

MOST_LOOKED_AT = 64
"""Nodes behind a softmax: a mask is made in a few."""


def may_mask_rows(
    scores: str, producer: Producer, constants: Mapping[str, Array], inputs: Collection[str]
) -> bool:
    """Whether a row of these scores may be minus infinity throughout.

    So it may be where a constant that is infinite in a whole row, or an input of the model, is
    chosen or added on the way. A mask of each position's own past leaves something in each row.
    """
    left, seen = [scores], {scores}
    while left and len(seen) <= MOST_LOOKED_AT:
        name = left.pop()
        if name in constants:
            if _has_masked_row(constants[name]):
                return True
            continue
        if name in inputs and name != scores:
            return True
        node = producer(name)
        if node is not None and node.op in PASSED_ON and not node.domain:
            fresh = [one for one in _masking(node) if one and one not in seen]
            seen.update(fresh)
            left += fresh
    return bool(left)  # what was not looked at may be such a mask


def masked_without_guard(graph: Graph) -> list[Node]:
    """Nodes that take the softmax of such scores."""
    producers, inputs = graph.producers(), set(graph.inputs)
    return [
        node
        for node in graph.nodes
        if node.op == "Softmax"
        and not node.domain
        and may_mask_rows(node.inputs[0], producers.get, graph.constants, inputs)
    ]


def _masking(node: Node) -> list[str]:
    """What a node's result may get its infinities of: not a condition, a shape, an index."""
    if node.op == "Where":
        return node.inputs[1:]
    return node.inputs if node.op in ("Add", "Sub", "Max", "Min", "Concat") else node.inputs[:1]


def _has_masked_row(array: Array) -> bool:
    if array.dtype.kind != "f" or not array.size:
        return False
    return bool(np.isneginf(array.reshape(-1, array.shape[-1] if array.ndim else 1)).all(1).any())
