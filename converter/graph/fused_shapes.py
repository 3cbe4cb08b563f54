"""Shapes of the results of com.microsoft's operators that keep code of their own."""

from __future__ import annotations

from .graph import Dim, Graph, Node


def same_shape(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """The shape of the first input."""
    return graph.type_of(node.inputs[0]).shape


def fused_matmul(node: Node, graph: Graph) -> tuple[Dim, ...] | None:
    """The shape of a matrix product whose operands may be transposed; None if one is a vector."""
    left, right = (graph.type_of(name).shape for name in node.inputs[:2])
    if left is None or right is None or min(len(left), len(right)) < 2:
        return None
    rows = left[-1] if node.attrs.get("transA", 0) else left[-2]
    columns = right[-2] if node.attrs.get("transB", 0) else right[-1]
    rank = max(len(left), len(right)) - 2
    pairs = zip(_padded(left, rank), _padded(right, rank), strict=True)
    return (*(b if a == 1 else a for a, b in pairs), rows, columns)


def _padded(shape: tuple[Dim, ...], rank: int) -> tuple[Dim, ...]:
    """The axes before the matrix, as many as `rank`."""
    return (1,) * (rank + 2 - len(shape)) + shape[:-2]
