"""How much memory and time a conversion may take: little for a small file, whatever is in it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..child_process import Bounds, extend
from .graph.graph import Graph, Node

MEMORY, CPU_S = 3 << 29, 20
"""Bytes and seconds of CPU time for a small model."""

COPIES = 8
"""So many times the weights' bytes beside: as arrays, in the checkpoint, in both runtimes."""

BYTES_PER_S, NODES_PER_S = 1 << 20, 1000
"""A second more for so many bytes of weights, and for so many nodes."""

ENDLESS = 1 << 80
"""Bytes: more than this is not counted."""


def bounds_of(memory: int | None = None, timeout_s: int | None = None) -> Bounds:
    """What was asked for, else what any model may take."""
    return Bounds(memory or MEMORY, timeout_s or CPU_S)


def gigabytes(size: int) -> str:
    """As a command line has it, rounded up: "4GB"."""
    return f"{-(-size // 10**9)}GB"


def extend_for(graph: Graph, memory: int | None, timeout_s: int | None) -> None:
    """Lets this process take what weights and nodes of the file call for, unless it was said."""
    weights = min(sum(array.nbytes for array in graph.constants.values()), graph.stored)
    seconds = weights // BYTES_PER_S + len(graph.nodes) // NODES_PER_S
    extend(0 if memory else COPIES * weights, 0 if timeout_s else seconds)


def largest_step(graph: Graph) -> tuple[int, Node | None]:
    """The bytes that any run of the graph needs at least at one node, and that node.

    What a node makes of known shape; sizes that are not known count as nothing.
    """
    made = ((sum(_bytes_of(node, graph)), node) for node in graph.nodes)
    return max(made, key=lambda pair: pair[0], default=(0, None))


def _bytes_of(node: Node, graph: Graph) -> Iterator[int]:
    for name in node.outputs:
        known = graph.type_of(name)
        if known.shape is not None and known.dtype is not None and not known.container:
            sizes = [dim for dim in known.shape if isinstance(dim, int)]
            if len(sizes) == len(known.shape):
                yield min(math.prod(sizes) * known.dtype.itemsize, ENDLESS)
