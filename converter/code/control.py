"""Nodes that hold graphs: each graph is a network of its own, called by a cell with Python's `if`,
`while` and `for`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..graph.graph import Graph, Node, ValueType
from .expr import INT, Call, CellCall, Expr, FunctionName, Weight, walk


@dataclass(frozen=True, eq=False)
class Network:
    """A graph inside a node, converted: `member` of the cell around it.

    It takes its own inputs, then the values around it that it reads (`captured`). `written` is
    what its classes are written from.
    """

    member: str
    graph: Graph
    captured: tuple[str, ...]
    weights: tuple[tuple[str, Weight], ...]
    written: Any
    asks: bool = False

    @property
    def inputs(self) -> list[str]:
        """The inputs of its own."""
        return self.graph.inputs[: len(self.graph.inputs) - len(self.captured)]

    def ends(self) -> bool:
        """Whether the first output, which says if a loop goes on, may be false."""
        array = self.graph.constants.get(self.graph.outputs[0])
        return array is None or not array.all()


@dataclass(frozen=True, eq=False)
class Control:
    """A cell that is all control flow: the networks that it calls, and the lines that do so."""

    name: str
    doc: str
    networks: tuple[Network, ...]
    parameters: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def asks(self) -> bool:
        """Whether a tensor's value decides what is computed, here or in one of the networks."""
        own = any(line.lstrip().startswith(("if ", "while ")) for line in self.lines)
        return own or any(network.asks for network in self.networks)

    @property
    def weights(self) -> tuple[tuple[str, Weight], ...]:
        """The weights of all networks, by their names in the cell."""
        return tuple((f"{n.member}.{name}", w) for n in self.networks for name, w in n.weights)


ASKING = (INT, FunctionName("onnx_slice"), FunctionName("onnx_non_max_suppression"))
"""What is called with a tensor and asks for its value."""


def asks(e: Expr) -> bool:
    """Whether the code asks for the value of a tensor, which only PyNative mode knows."""
    for part in walk(e):
        if isinstance(part, Call) and part.func in ASKING:
            return True
        if isinstance(part, CellCall) and part.cell.control is not None and part.cell.control.asks:
            return True
    return False


class Nesting(Protocol):
    """What converts the graphs of nodes."""

    @property
    def is_inside(self) -> bool:
        """Whether the nodes are inside another one: they may take and give lists."""
        ...

    def name(self, word: str) -> str:
        """A name for a class that no other has."""
        ...

    def network(
        self, node: Node, key: str, around: Graph, types: Mapping[str, ValueType]
    ) -> Network:
        """The graph that is the node's attribute `key`; `types` are those of its own inputs."""
        ...
