"""The graph that the converter works on: an ONNX graph without protobuf, weights as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Dim = int | str | None
"""A size: known, named ("batch"), or unknown."""


@dataclass(frozen=True)
class ValueType:
    """Element type and shape of a tensor; `None` where ONNX does not say. Strings are object.

    `container` is what the tensor is wrapped in, outermost first: ("sequence",),
    ("optional", "sequence"), ("sparse",); a map is ("map",) and says no more.
    """

    dtype: np.dtype[Any] | None = None
    shape: tuple[Dim, ...] | None = None
    container: tuple[str, ...] = ()

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def is_static(self) -> bool:
        return self.shape is not None and all(isinstance(d, int) for d in self.shape)


@dataclass(eq=False)
class Node:
    """One operator call. An absent optional input or output is the empty name.

    `version` is the schema version of the operator (ONNX's since_version), not the opset.
    Attributes are plain Python values: int, float, str, bytes, arrays, graphs and lists of them.
    `origin` names the nodes of the user's file that this one stands for.
    """

    op: str
    inputs: list[str]
    outputs: list[str]
    attrs: dict[str, Any] = field(default_factory=dict)
    domain: str = ""
    version: int = 0
    name: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    origin: tuple[str, ...] = ()

    def copied(self) -> Node:
        """The node with inputs, outputs and attributes in lists and a table of its own."""
        ins, outs, attrs = list(self.inputs), list(self.outputs), dict(self.attrs)
        domain, version, name = self.domain, self.version, self.name
        return Node(self.op, ins, outs, attrs, domain, version, name, self.metadata, self.origin)

    @property
    def label(self) -> str:
        """What messages call it: "Conv 'layer1.0/conv1'"."""
        kind = f"{self.domain}::{self.op}" if self.domain else self.op
        return f"{kind} '{self.name or (self.outputs[0] if self.outputs else '')}'"


@dataclass(frozen=True)
class Derivation:
    """Where a folded constant comes from: weights of the file, and the operators on the way."""

    weights: tuple[str, ...]
    ops: tuple[str, ...]


UNFOLDED = "unfolded"
"""The last step to a table or condition that the file does not have, but what was made of it."""

SPREAD = "taken once"
"""The last step to numbers that the file has many times in one table, which is not trained."""


@dataclass(eq=False)
class Graph:
    """Nodes in topological order, the constants they read, and what is known of each value.

    `constants` maps a name to its array: initialisers and folded constants alike. Arrays may be
    memory-mapped or broadcast views: never write to them. `aliases` gives the second names of
    constants (tied weights: Identity on an initialiser) -> the name in `constants`; `derived`
    says of a folded constant which named weights it was computed from. `files` are the model's own;
    `stored`: the bytes that they take up on the disk, of which holes are none.
    """

    name: str
    nodes: list[Node]
    inputs: list[str]
    outputs: list[str]
    constants: dict[str, np.ndarray[Any, Any]]
    types: dict[str, ValueType] = field(default_factory=dict)
    opsets: dict[str, int] = field(default_factory=dict)
    producer: str = ""
    aliases: dict[str, str] = field(default_factory=dict)
    derived: dict[str, Derivation] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    stored: int = 0

    def type_of(self, name: str) -> ValueType:
        if name in self.constants:
            array = self.constants[name]
            return ValueType(array.dtype, array.shape)
        return self.types.get(name, ValueType())

    def producers(self) -> dict[str, Node]:
        """The node that makes each value."""
        return {out: node for node in self.nodes for out in node.outputs if out}

    def consumers(self) -> dict[str, list[Node]]:
        """The nodes that read each value, subgraphs included, in order, one entry per use."""
        uses: dict[str, list[Node]] = {}
        for node in self.nodes:
            for name in reads(node):
                uses.setdefault(name, []).append(node)
        return uses


def subgraphs(node: Node) -> Iterator[Graph]:
    """The graphs among a node's attributes (If, Loop, Scan)."""
    for value in node.attrs.values():
        items: Iterable[Any] = value if isinstance(value, list) else (value,)
        yield from (item for item in items if isinstance(item, Graph))


def reads(node: Node) -> list[str]:
    """Every value that the node needs: its inputs, and what its subgraphs take from outside."""
    found = [name for name in node.inputs if name]
    for graph in subgraphs(node) if node.attrs else ():
        own = set(graph.inputs) | set(graph.constants)
        own.update(out for inner in graph.nodes for out in inner.outputs)
        found += [name for inner in graph.nodes for name in reads(inner) if name not in own]
        found += [name for name in graph.outputs if name not in own]
    return found
