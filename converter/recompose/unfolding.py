"""What an exporter computed once of a table, a condition or a few numbers, computed of these again.

A positional bias is a table of which each place of a window takes the column of its distance. As a
constant it has each column many times, and trained further, equal ones would part. A mask of two
numbers is a condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from ..graph.exporter_metadata import is_computed, is_made_up
from ..graph.graph import SPREAD, UNFOLDED, Derivation, Graph, Node, ValueType, reads
from .scope import Scope, scope
from .spreading import Spread, spread

Array = np.ndarray[Any, Any]

TABLE, INDEX, MASK, GRID = "bias_table", "index", "mask", "grid"
"""What the parts are called: they get numbers."""

FEWEST = 64
"""Elements of a constant that is looked at; a smaller one is as short as it is."""

MOST = 1 << 24
"""Elements of a constant that is looked at: its places are sorted."""

OFTEN = 2
"""So often a column of a table is taken at least, on average."""

LEAST = 8
"""Columns of a table: a constant of fewer numbers is a mask of some kind."""

DISTINCT = 0.9
"""This share of a table's numbers are no others' equals, as trained ones; a mask has few."""

SUMS = frozenset({"Add", "Sub"})
"""A bias or a mask is added: what is read in another way is left as it is."""


def unfolded(graph: Graph) -> Graph:
    """The graph with nodes that take columns of a table, or choose by a condition, in place of
    constants that the exporter computed so.
    """
    if not any(_may_be_table(array) for array in graph.constants.values()):
        return graph
    return _Unfolding(graph).result()


def _may_be_table(array: Array) -> bool:
    """Whether a constant has the axes and the numbers of a table or a mask."""
    return array.ndim >= 2 and FEWEST <= array.size <= MOST and array.dtype.kind == "f"


class _Unfolding:
    """The graph while constants become nodes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = replace(
            graph,
            constants=dict(graph.constants),
            derived=dict(graph.derived),
            types=dict(graph.types),
        )
        self._taken = {*graph.outputs, *graph.aliases.values()}
        self._numbers = count()
        self._before: dict[Node, list[Node]] = {}
        self._readers: dict[str, list[Node]] = {}
        self._first: dict[Scope | None, Node] = {}
        for node in graph.nodes:
            self._first.setdefault(scope(node), node)
            for name in dict.fromkeys(reads(node)):
                self._readers.setdefault(name, []).append(node)

    def result(self) -> Graph:
        """Tables before masks, so that modules that have both begin alike."""
        constants = [*self._graph.constants.items()]
        computed = [(n, a) for n, a in constants if self._may_be_added(n, a)]
        tables = {name: _table(array) for name, array in computed}
        for name, array in computed:
            table = tables[name]
            if table is not None:
                self._put(name, self._readers[name][0], *self._of_table(name, array, *table))
        for name, array in computed:
            if tables[name] is None and _is_choice(array):
                self._choose(name, array)
        for name, array in [*self._graph.constants.items()]:
            grid = spread(array) if self._may_be_computed(name, array) else None
            if grid is not None:
                self._put(name, self._readers[name][0], *self._of_grid(name, array, grid))
        nodes = [p for node in self._graph.nodes for p in (*self._before.get(node, []), node)]
        return replace(self._graph, nodes=nodes)

    def _choose(self, name: str, array: Array) -> None:
        """Each module that reads the mask holds it itself, as it did before exporters met it."""
        for number, reader in enumerate(self._readers[name]):
            own = f"{name}/{number}" if number else name
            reader.inputs[:] = [own if i == name else i for i in reader.inputs]
            self._put(own, reader, *self._of_choice(name, own, array))

    def _may_be_added(self, name: str, array: Array) -> bool:
        readers = self._readers.get(name, [])
        return self._may_be_computed(name, array) and all(self._is_added(name, n) for n in readers)

    def _may_be_computed(self, name: str, array: Array) -> bool:
        if not _may_be_table(array):
            return False
        is_free = name in self._readers and name not in self._taken
        return is_free and (is_computed(name) or is_made_up(name) or name in self._graph.derived)

    def _is_added(self, name: str, node: Node) -> bool:
        """Whether the node adds it to what has all axes of the sum already."""
        if node.op not in SUMS or node.domain:
            return False
        out = self._graph.type_of(node.outputs[0]).shape
        (other,) = [self._graph.type_of(n).shape for n in node.inputs if n != name] or (None,)
        if out is None or other is None or len(other) != len(out):
            return False
        lead = self._graph.type_of(name).shape or ()
        repeated = [axis for axis, size in enumerate(lead[:-3]) if size != 1]
        return all(out[axis] == other[axis] == lead[axis] for axis in repeated)

    def _put(self, name: str, reader: Node, nodes: list[Node], known: ValueType) -> None:
        """Nodes that make what was the constant, at the beginning of the module that reads it."""
        self._graph.constants.pop(name, None)
        self._graph.types[name] = known
        within = scope(reader)
        place = reader if within is None else self._first[within]
        self._before.setdefault(place, []).extend(_beside(reader, nodes))

    def _part(self, name: str, word: str, array: Array, how: str = UNFOLDED) -> str:
        """The name of a constant that is made of another one."""
        part = f"{word}_{next(self._numbers)}"
        while part in self._graph.types or part in self._graph.constants:
            part = f"{word}_{next(self._numbers)}"
        source = self._graph.derived.get(name, Derivation((name,), ()))
        self._graph.constants[part] = array
        self._graph.derived[part] = Derivation(source.weights, (*source.ops, how))
        return part

    def _of_table(
        self, name: str, array: Array, table: Array, index: Array
    ) -> tuple[list[Node], ValueType]:
        """(h, p, q) of the columns of (h, columns) that (p, q) numbers."""
        inputs = [self._part(name, TABLE, table), self._part(name, INDEX, index)]
        known = ValueType(array.dtype, (table.shape[0], *index.shape))
        return [Node("Gather", inputs, [name], {"axis": 1}, version=13)], known

    def _of_choice(self, name: str, own: str, array: Array) -> tuple[list[Node], ValueType]:
        """One number where a condition holds, another one elsewhere."""
        low, high = array.min(), array.max()
        inputs = [self._part(name, MASK, array == low)]
        inputs += [self._part(name, "number", number.reshape(())) for number in (low, high)]
        return [Node("Where", inputs, [own], version=16)], ValueType(array.dtype, array.shape)

    def _of_grid(self, name: str, array: Array, grid: Spread) -> tuple[list[Node], ValueType]:
        """Each plane of its part, then all of them stacked, in the table's shape."""
        known = ValueType(array.dtype, array.shape)
        nodes: list[Node] = []
        for part in grid.parts:
            nodes.append(self._plane(name, f"{name}/{len(nodes)}", part, grid.sizes))
            self._graph.types[nodes[-1].outputs[0]] = ValueType(array.dtype, grid.sizes)
        planes = [node.outputs[0] for node in nodes]
        if len(planes) > 1:
            stacked = (*grid.sizes[: grid.axis], len(planes), *grid.sizes[grid.axis + 1 :])
            nodes.append(Node("Concat", planes, [f"{name}/all"], {"axis": grid.axis}, version=13))
            self._graph.types[f"{name}/all"] = ValueType(array.dtype, stacked)
        shape = self._part(name, "shape", np.array(array.shape, np.int64))
        nodes.append(Node("Reshape", [nodes[-1].outputs[0], shape], [name], version=14))
        return nodes, known

    def _plane(self, name: str, made: str, part: Array, sizes: tuple[int, ...]) -> Node:
        shape = self._part(name, "shape", np.array(sizes, np.int64))
        if part.size == 1:
            return Node("ConstantOfShape", [shape], [made], {"value": part.reshape(1)}, version=9)
        held = self._part(name, GRID, part, SPREAD)
        return Node("Expand", [held, shape], [made], version=13)


def _table(array: Array) -> tuple[Array, Array] | None:
    """Table (h, columns) and index (p, q) of (n, h, p, q), equal for all n; None if it is none."""
    shape: tuple[int, ...] = (1, *array.shape)
    heads, p, q = shape[-3:]
    whole = array.reshape(-1, heads, p * q)
    if not (whole == whole[0]).all() or not np.isfinite(array).all():
        return None
    columns = np.ascontiguousarray(whole[0].T)
    rows, first, index = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    is_short = LEAST <= len(rows) <= len(columns) // OFTEN
    if not is_short or len(np.unique(rows)) < DISTINCT * rows.size:
        return None
    order = np.argsort(first)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return np.ascontiguousarray(rows[order].T), number[index.reshape(-1)].reshape(p, q)


def _is_choice(array: Array) -> bool:
    low, high = array.min(), array.max()
    return bool(low != high and ((array == low) | (array == high)).all())


def _beside(reader: Node, nodes: list[Node]) -> Iterator[Node]:
    """The nodes in the module of the one that reads what they make."""
    for node in nodes:
        yield replace(node, name=reader.name, metadata=dict(reader.metadata))
