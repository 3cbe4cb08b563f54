"""Functions that one side calls as a whole are written out, where the other side has steps."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ....numerics.distance import apart
from ....numerics.limits import OF_EXPRESSIONS
from ...sides.child.messages import Value
from ...sides.child.recording import is_one_number
from ...sides.child.sketch import sketch_of
from ...sides.child.store import digest_of
from ..records import Array, FunctionRecord
from .graph import Graph, Node
from .kinds import kind_of

if TYPE_CHECKING:
    from ...diagnosis.functions.steps import Step

LARGEST = 1_000_000
"""What takes or gives more elements is not written out."""

RANKS = 3
MOST = 60
"""So many functions of a block are written out."""


def expanded(graphs: tuple[Graph, Graph]) -> tuple[Graph, Graph]:
    """The graphs, each with the steps of functions of whose kind the other has none; those that
    are steps of others themselves come last."""
    for rank in range(RANKS):
        kinds = [
            frozenset(kind_of(n.name) for n in graph.nodes if n.is_operator) for graph in graphs
        ]
        graphs = of_side(graphs[0], kinds[1], rank), of_side(graphs[1], kinds[0], rank)
    return graphs


def of_side(graph: Graph, others: frozenset[str], rank: int) -> Graph:
    """The graph with the functions of a rank written out where the other side lacks their kind."""
    made = Made(graph, others, rank)
    nodes: list[Node] = []
    left = MOST
    for node in graph.nodes:
        parts = made.parts(node) if left and node.is_operator else []
        left -= bool(parts)
        nodes += parts or [node]
    if left == MOST:
        return graph
    placed = tuple(replace(node, number=i) for i, node in enumerate(nodes))
    rows = np.concatenate([graph.sketches, *[row[None] for row in made.rows]])
    return replace(graph, nodes=placed, sketches=rows, made={**graph.made, **made.arrays})


class Made:
    """The steps of a graph's functions as nodes, with the values that only they have."""

    def __init__(self, graph: Graph, others: frozenset[str], rank: int) -> None:
        self.graph = graph
        self.others = others
        self.rank = rank
        self.rows: list[Array] = []
        self.arrays: dict[str, Array] = {}

    def parts(self, node: Node) -> list[Node]:
        """The nodes that stand for it; none if it stays as it is."""
        from ...diagnosis.functions.composites import RANK_OF  # has its records from here

        kind = kind_of(node.name)
        if kind in self.others or RANK_OF.get(kind) != self.rank:
            return []
        if len(node.outputs) != 1 or not node.inputs:
            return []
        inputs = [self.graph.array(value) for value in node.inputs]
        output = self.graph.array(node.outputs[0])
        arrays = [x for x in (*inputs, output) if x is not None]
        if len(arrays) <= len(inputs) or sum(x.size for x in arrays) > LARGEST:
            return []
        told = node.arguments
        record = FunctionRecord(
            node.name, self.graph.side, told, tuple(arrays[:-1]), (arrays[-1],), ""
        )
        return list(self.nodes_of(node, steps_of(record, self.others)))

    def nodes_of(self, node: Node, steps: list[Step]) -> Iterator[Node]:
        known = dict(self.known(node))
        for number, step in enumerate(steps, 1):
            inputs: list[Value] = []
            told: dict[str, Any] = {}
            for i, operand in enumerate(step.operands):
                told[str(i)] = self.argument(operand, inputs, known)
            for name, option in step.options.items():
                told[name] = self.argument(option, inputs, known)
            if number == len(steps):
                outputs: tuple[Value, ...] = node.outputs
            else:
                outputs = (self.value(step.result, known),)
            yield replace(
                node,
                name=step.kind,
                arguments=told,
                inputs=tuple(inputs),
                outputs=outputs,
                is_part=True,
            )

    def known(self, node: Node) -> Iterator[tuple[str, Value]]:
        for value in node.inputs:
            array = self.graph.array(value)
            if array is not None:
                yield digest_of(wide(array)), value

    def argument(self, given: Any, inputs: list[Value], known: dict[str, Value]) -> Any:
        if not isinstance(given, np.ndarray):
            return given
        inputs.append(self.value(given, known))
        return f"#{len(inputs) - 1}"

    def value(self, array: Array, known: dict[str, Value]) -> Value:
        array = wide(array)
        digest = digest_of(array)
        if digest not in known:
            if digest not in self.arrays:
                self.arrays[digest] = array
                self.rows.append(sketch_of(array))
            place = list(self.arrays).index(digest)
            row = len(self.graph.sketches) + place
            kind, shape = kind_name(array), tuple(array.shape)
            is_plain = is_one_number(self.rows[place])
            known[digest] = Value("0", kind, shape, digest, row, None, is_plain)
        return known[digest]


def steps_of(record: FunctionRecord, others: frozenset[str]) -> list[Step]:
    """What the function is written out as; nothing if that does not give what it gave."""
    from ...diagnosis.functions.composites import EXPANSIONS
    from ...diagnosis.functions.differing import MISFIT
    from ...diagnosis.functions.reading import call_of
    from ...diagnosis.functions.steps import Steps

    steps = Steps(others)
    try:
        call = call_of(record)
        function = EXPANSIONS[call.kind]
        names = inspect.signature(function).parameters
        options = {k: v for k, v in call.options.items() if k in names}
        with np.errstate(all="ignore"):
            function(steps, *call.operands, **options)
    except MISFIT:
        return []
    if not steps.done or not is_close(steps.done[-1].result, record.outputs[0]):
        return []
    return steps.done


def is_close(found: Array, wanted: Array) -> bool:
    if found.size != wanted.size:
        return False
    return apart(found.reshape(-1), wide(wanted).reshape(-1)) <= 10 * OF_EXPRESSIONS


def wide(array: Array) -> Array:
    return np.asarray(array, np.float64) if array.dtype.kind == "f" else array


def kind_name(array: Array) -> str:
    return "float32" if array.dtype.kind == "f" else str(array.dtype)
