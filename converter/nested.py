"""The graphs inside nodes (If, Loop, Scan), each converted as a model of its own."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import replace

from ..errors import MsconvertError
from .code.control import Network, asks
from .code.numbering import Names
from .graph.graph import Graph, Node, ValueType, reads
from .model import model_of
from .modules.modules import structured
from .weights import check_kept, parameters

DEEPEST = 8
"""Graphs inside graphs; what is nested deeper is refused."""

MOST = 200
"""Graphs inside nodes of one model; loops whose shapes change are converted again."""

MEMBERS = {"then_branch": "then_branch", "else_branch": "else_branch", "body": "body"}


class Nested:
    """Converts the graphs of nodes, and names the classes of all of them."""

    def __init__(self, place: str, around: Nested | None = None) -> None:
        self._place = place
        self._depth: int = 0 if around is None else around._depth + 1
        self._made: list[str] = [] if around is None else around._made
        reserved = {"Parameter", "Tensor", "Path", *dir(builtins)}
        self._names: Names = Names(reserved, first=2) if around is None else around._names

    @property
    def is_inside(self) -> bool:
        """Whether the nodes are inside another one."""
        return self._depth > 0

    def name(self, word: str) -> str:
        """A name for a class that no other has."""
        return self._names.take(word)

    def network(
        self, node: Node, key: str, around: Graph, types: Mapping[str, ValueType]
    ) -> Network:
        """The graph that is the node's attribute `key`.

        Raises: MS101 of a node in it that cannot be converted, or if there are too many
        """
        self._made.append(key)
        if self._depth >= DEEPEST or len(self._made) > MOST:
            where, problem = f"{self._place}: {node.label}", "too many graphs inside graphs"
            raise MsconvertError(
                "MS101", where, problem, expected=f"{DEEPEST} deep, {MOST} of them"
            )
        graph, captured = standing_alone(node.attrs[key], around)
        graph.types.update(types)
        model = model_of(graph, self._place)
        inner = Nested(self._place, self)
        written = structured(model.graph, self._place, inner)
        if written.traced.left:
            raise written.traced.left[0].error
        found = parameters(written.root, written.homes)
        check_kept(written.traced.statements, found)
        weights = tuple((p.name, p.weight) for p in found)
        eager = any(asks(statement.expr) for statement in written.traced.statements)
        return Network(MEMBERS[key], model.graph, captured, weights, written, eager)


def standing_alone(inner: Graph, around: Graph) -> tuple[Graph, tuple[str, ...]]:
    """A copy of the graph that takes what it reads of the graph `around` it as inputs, by name.

    Constants become its own; outputs that it does not make are handed on by an Identity.
    """
    own = {*inner.inputs, *inner.constants, *(o for node in inner.nodes for o in node.outputs)}
    read = dict.fromkeys([n for node in inner.nodes for n in reads(node)] + inner.outputs)
    outer = [name for name in read if name not in own]
    constants = {name: around.constants[name] for name in outer if name in around.constants}
    captured = tuple(name for name in outer if name not in constants)
    made = {out for node in inner.nodes for out in node.outputs}
    nodes, outputs = list(inner.nodes), []
    for i, name in enumerate(inner.outputs):
        plain = name in made and name not in outputs
        outputs.append(name if plain else f"{name}/handed_on_{i}")
        if not plain:
            nodes.append(Node("Identity", [name], [outputs[-1]], version=1, origin=("",)))
    types = {name: around.type_of(name) for name in captured}
    graph = replace(
        inner,
        nodes=nodes,
        inputs=[*inner.inputs, *captured],
        outputs=outputs,
        constants={**inner.constants, **constants},
        types={**inner.types, **types},
        opsets=dict(around.opsets),
        derived={n: around.derived[n] for n in constants if n in around.derived},
    )
    return graph, captured
