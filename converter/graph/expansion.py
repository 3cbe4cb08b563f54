"""Operators without code of their own become nodes of operators that have it.

An expansion says of an operator, mostly one that ONNX Runtime's optimiser or quantiser wrote, what
ONNX itself would say: so its shapes are inferred, its constants folded and its layers found as in
any other file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from .graph import Derivation, Graph, Node, ValueType
from .validity import schema_of

Array = np.ndarray[Any, Any]
Expansion = Callable[["Body"], "Sequence[str] | str | None"]
"""Writes the nodes and gives the name of each output, None while too little is known."""

NAME_IN_OUTPUT = re.compile(r"(/[^/].{0,500})_output_[0-9]{1,3}")

EXPANSIONS: dict[tuple[str, str], Expansion] = {}
"""Domain and operator -> its expansion."""


def expansion(op: str, domain: str = "com.microsoft") -> Callable[[Expansion], Expansion]:
    """Registers what an operator is made of."""

    def register(function: Expansion) -> Expansion:
        EXPANSIONS[domain, op] = function
        return function

    return register


class Body:
    """What an expansion may ask of its node, and the nodes that it writes.

    `shared` are values that nodes before it have made, by what makes them equal.
    """

    def __init__(self, node: Node, graph: Graph, shared: dict[Hashable, str]) -> None:
        self.node = node
        self.graph = graph
        self.shared = shared
        self.nodes: list[Node] = []
        self.constants: dict[str, Array] = {}
        self.derived: dict[str, Derivation] = {}

    def input(self, index: int) -> str:
        """The name of an input; "" if it is not given."""
        return self.node.inputs[index] if index < len(self.node.inputs) else ""

    def inputs(self, count: int) -> tuple[str, ...]:
        """The first `count` inputs, "" for those that are not given."""
        return tuple(self.input(index) for index in range(count))

    def attr(self, name: str, default: Any = None) -> Any:
        return self.node.attrs.get(name, default)

    def type(self, index: int) -> ValueType:
        return self.graph.type_of(self.input(index)) if self.input(index) else ValueType()

    def array(self, index: int) -> Array | None:
        """The input if it is a constant."""
        return self.graph.constants.get(self.input(index))

    def wants(self, index: int) -> bool:
        return index < len(self.node.outputs) and self.node.outputs[index] != ""

    def constant(self, values: Any, dtype: Any = None, source: Sequence[int] = ()) -> str:
        """The name of a new constant, made of the inputs of these numbers."""
        name = f"{self._stem}/constant{len(self.constants)}"
        self.constants[name] = np.asarray(values, dtype)
        if source:
            told = tuple(self.input(index) for index in source if self.input(index))
            self.derived[name] = Derivation(told, (self.node.op,))
        return name

    def op(self, op: str, *inputs: str, **attrs: Any) -> str:
        """The name of the first output of a new node."""
        return self.ops(op, *inputs, outputs=1, **attrs)[0]

    def ops(self, op: str, *inputs: str, outputs: int, **attrs: Any) -> tuple[str, ...]:
        """The names of the outputs of a new node; absent inputs at the end are left out."""
        names = self._names(outputs)
        while inputs and not inputs[-1]:
            inputs = inputs[:-1]
        given = {key: value for key, value in attrs.items() if value is not None}
        version = version_at(op, self.graph.opsets.get("", 1))
        node = Node(op, list(inputs), names, given, "", version, "", {}, self.node.origin)
        if not self.nodes:  # the others stand where their neighbours do
            node.name, node.metadata = self.node.name, self.node.metadata
        self.nodes.append(node)
        return tuple(names)

    def stay_together(self, start: int = 0) -> None:
        """Lets the new nodes stand in the module of the node, not where their neighbours do; those
        before `start` are not of it.
        """
        name = self.node.name if self.node.name[:1] == "/" else name_of_maker(self.node)
        for made in self.nodes[:start]:
            made.name, made.metadata = "", {}
        for made in self.nodes[start:]:
            made.name, made.metadata = name or self.node.name, self.node.metadata

    def stand_outside(self) -> None:
        """Lets the last new node stand in the module that calls the one which gives the output."""
        scope = name_of_maker(self.node).rpartition("/")[0].rpartition("/")[0]
        if scope:
            self.nodes[-1].name = f"{scope}/{self.nodes[-1].op}"

    def _names(self, count: int) -> list[str]:
        return [f"{self._stem}/{len(self.nodes)}.{i}" for i in range(count)]

    @property
    def _stem(self) -> str:
        return next(filter(None, self.node.outputs), self.node.name)


def version_at(op: str, opset: int) -> int:
    """The schema version of an operator of ONNX at `opset`; its first if it came later."""
    schema = schema_of("", op, opset)
    while schema is None:
        opset += 1
        schema = schema_of("", op, opset)
    return schema.since_version


def expand(graph: Graph) -> bool:
    """Replaces what has an expansion, as far as enough is known; True if anything changed."""
    nodes: list[Node] = []
    changed = False
    shared: dict[Hashable, str] = {}
    for node in graph.nodes:
        made = _expanded(node, graph, shared)
        changed = changed or made is not None
        nodes.extend([node] if made is None else made)
    graph.nodes[:] = nodes
    return changed


def _expanded(node: Node, graph: Graph, shared: dict[Hashable, str]) -> list[Node] | None:
    function = EXPANSIONS.get((node.domain, node.op))
    if function is None:
        return None
    body = Body(node, graph, shared)
    results = function(body)
    if results is None:
        return None
    graph.constants.update(body.constants)
    graph.derived.update(body.derived)
    results = [results] if isinstance(results, str) else list(results)
    _hand_on(body, results)
    for made in body.nodes[1:]:
        made.name = made.name or name_of_maker(made)
    return body.nodes


def name_of_maker(node: Node) -> str:
    """What PyTorch's older exporter called the node that made the first output; "" if it did not.

    What an optimiser puts in the place of several nodes has a name that it counts itself, and gives
    what the last of them gave.
    """
    return next((m[1] for out in node.outputs[:1] if (m := NAME_IN_OUTPUT.fullmatch(out))), "")


def _hand_on(body: Body, results: list[str]) -> None:
    """Gives the results the names of the node's outputs."""
    makers = {name: made for made in body.nodes for name in made.outputs}
    named: set[str] = set()
    for result, output in zip(results, body.node.outputs, strict=False):
        if not output:
            continue
        if result in named or result not in makers:
            body.op("Identity", result)
            body.nodes[-1].outputs[:] = [output]
            continue
        named.add(result)
        for made in body.nodes:
            made.inputs[:] = [output if name == result else name for name in made.inputs]
            made.outputs[:] = [output if name == result else name for name in made.outputs]
        results[:] = [output if name == result else name for name in results]
        named.add(output)
