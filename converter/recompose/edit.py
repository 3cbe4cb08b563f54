"""A graph while its nodes are being replaced: who makes and who reads each value, kept current."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..graph.graph import Graph, Node, ValueType, reads, subgraphs

Array = np.ndarray[Any, Any]

INPUT_OF_ATTRIBUTE: Mapping[tuple[str, str], int] = {
    ("Clip", "min"): 1,
    ("Clip", "max"): 2,
    ("Squeeze", "axes"): 1,
    ("Unsqueeze", "axes"): 1,
    **{(f"Reduce{kind}", "axes"): 1 for kind in ("Mean", "Sum", "Max", "Min", "L2", "SumSquare")},
    ("ReduceLogSumExp", "axes"): 1,
}
"""What older schemas take as an attribute and newer ones as this input."""


@dataclass(frozen=True)
class Derived:
    """Where a constant that recomposing made comes from: a source constant, and what was done."""

    source: str
    how: str


class Editor:
    """Works on copies: the graph given is left as it is."""

    def __init__(self, graph: Graph) -> None:
        self.graph = replace(graph, constants=dict(graph.constants), types=dict(graph.types))
        self.derived: dict[str, Derived] = {}
        self.made: list[Node] = []
        self.dropped: list[tuple[tuple[str, ...], str]] = []
        self._slots = [[node.copied()] for node in graph.nodes]
        self._place: dict[Node, int] = {}
        self._of_op: dict[str, dict[Node, None]] = {}
        self._producer: dict[str, Node] = {}
        self._readers: dict[str, list[Node]] = {}
        self._outputs = frozenset(graph.outputs)
        for place, (node,) in enumerate(self._slots):
            self._enter(node, place)
        self._names = {*self._producer, *graph.inputs, *graph.constants, *self._readers}
        self._unread = set(graph.constants) - set(self._readers)

    # -- questions -------------------------------------------------------------------------

    def nodes(self) -> list[Node]:
        return [node for slot in self._slots for node in slot]

    def nodes_of(self, ops: Iterable[str]) -> list[Node]:
        """The nodes of these operators, in the order of the graph."""
        found = [node for op in ops for node in self._of_op.get(op, ())]
        return sorted(found, key=self._order)

    def has_op(self, op: str) -> bool:
        """Whether the graph has a node of this operator."""
        return bool(self._of_op.get(op))

    def _order(self, node: Node) -> tuple[int, int]:
        place = self._place[node]
        slot = self._slots[place]
        return place, slot.index(node) if len(slot) > 1 else 0

    def is_alive(self, node: Node) -> bool:
        return node in self._place

    def place(self, node: Node) -> int:
        """Where in the order of the graph a node stands."""
        return self._place[node]

    def producer(self, value: str) -> Node | None:
        return self._producer.get(value)

    def readers(self, value: str) -> list[Node]:
        return self._readers.get(value, [])

    def is_output(self, value: str) -> bool:
        return value in self._outputs

    def is_read(self, value: str) -> bool:
        return bool(self._readers.get(value)) or value in self._outputs

    def is_private(self, value: str) -> bool:
        """Whether exactly one input of one node reads the value."""
        return len(self.readers(value)) == 1 and value not in self._outputs

    def constant(self, value: str) -> Array | None:
        return self.graph.constants.get(value)

    def type_of(self, value: str) -> ValueType:
        return self.graph.type_of(value)

    def argument(self, node: Node, name: str) -> str | Array | None:
        """An argument that schemas moved from the attributes to the inputs.

        Returns an array if it is known, the value's name if it is computed, None if absent.
        """
        if name in node.attrs:
            return np.asarray(node.attrs[name])
        index = INPUT_OF_ATTRIBUTE.get((node.op, name), 0)
        value = node.inputs[index] if 0 < index < len(node.inputs) else ""
        if not value:
            return None
        known = self.constant(value)
        return value if known is None else known

    def fresh(self, hint: str) -> str:
        """A value name that is not in use."""
        name, count = hint, 0
        while not name or name in self._names:
            count += 1
            name = f"{hint}_{count}"
        self._names.add(name)
        return name

    # -- changes ---------------------------------------------------------------------------

    def add_constant(self, name: str, array: Array, derived: Derived | None) -> None:
        self.graph.constants[name] = array
        if derived is not None:
            self.derived[name] = derived

    def swap(self, old: Iterable[Node], new: list[Node]) -> None:
        """Put `new` in the place of `old`; what only `old` needed goes too, into the origin."""
        old = list(old)
        kept = {out for node in new for out in node.outputs}
        place = min(self._place[n] for n in old if kept.intersection(n.outputs))
        upstream = self._leave_all(old)
        self._slots[place].extend(new)
        for node in new:
            self._enter(node, place)
        spare = tuple(label for node in self._sweep(upstream) for label in node.origin)
        new[-1].origin = _unique((*spare, *new[-1].origin))
        self.made.extend(new)

    def forget(self, old: Iterable[Node], value: str, same: str, why: str) -> None:
        """Remove `old`: its result `value` equals `same`."""
        old = list(old)
        if any(True for node in self.readers(value) for _ in subgraphs(node)):
            self._alias(old, value, same)
        elif not self.is_output(value):
            self._drop(old, value, same, why)
        elif self._can_rename(same):
            maker = self._producer[same]
            outputs = [value if out == same else out for out in maker.outputs]
            self._drop(old, value, same, why)
            self._rename(maker, outputs, same, value)
        else:
            self._alias(old, value, same)

    def _alias(self, old: list[Node], value: str, same: str) -> None:
        copy = Node("Identity", [same], [value], version=16, name=old[-1].name)
        copy.origin = _unique(label for node in old for label in node.origin)
        self.swap(old, [copy])

    def _drop(self, old: list[Node], value: str, same: str, why: str) -> None:
        upstream = self._leave_all(old)
        self._reroute(value, same)
        spare = self._sweep([name for name in upstream if name != same])
        self.dropped.append((_unique(x for n in (*spare, *old) for x in n.origin), why))

    def _can_rename(self, value: str) -> bool:
        inside = any(True for node in self.readers(value) for _ in subgraphs(node))
        return value in self._producer and not self.is_output(value) and not inside

    def _rename(self, maker: Node, outputs: list[str], old: str, new: str) -> None:
        maker.outputs[:] = outputs
        self._producer[new] = self._producer.pop(old)
        self._reroute(old, new)

    def finished(self) -> Graph:
        """The graph as it is now, without the constants that nothing reads any longer."""
        nodes = self.nodes()
        needed = {name for node in nodes for name in reads(node)} | self._outputs
        constants = {
            name: array
            for name, array in self.graph.constants.items()
            if name in needed or name in self._unread
        }
        return replace(self.graph, nodes=nodes, constants=constants)

    def _enter(self, node: Node, place: int) -> None:
        self._place[node] = place
        self._of_op.setdefault(node.op, {})[node] = None
        self._producer.update(dict.fromkeys(filter(None, node.outputs), node))
        for name in reads(node):
            self._readers.setdefault(name, []).append(node)

    def _leave(self, node: Node) -> None:
        self._slots[self._place.pop(node)].remove(node)
        del self._of_op[node.op][node]
        for out in node.outputs:
            if self._producer.get(out) is node:
                del self._producer[out]
        for name in reads(node):
            self._readers[name].remove(node)

    def _leave_all(self, nodes: list[Node]) -> list[str]:
        for node in nodes:
            self._leave(node)
        return [name for node in nodes for name in reads(node)]

    def _reroute(self, value: str, same: str) -> None:
        """Let every reader of `value` read `same`."""
        moved = self._readers.pop(value, [])
        for node in set(moved):
            node.inputs[:] = [same if name == value else name for name in node.inputs]
        self._readers.setdefault(same, []).extend(moved)

    def _sweep(self, values: list[str]) -> Iterator[Node]:
        """Remove the nodes behind `values` that nothing reads, and those behind them."""
        gone: list[Node] = []
        while values:
            node = self._producer.get(values.pop())
            if node is not None and not any(map(self.is_read, node.outputs)):
                values.extend(self._leave_all([node]))
                gone.append(node)
        return reversed(gone)


def _unique(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels))
