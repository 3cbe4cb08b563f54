"""What layers of a list computed each for itself, and the exporter once: computed in each again.

PyTorch's exporters drop common subexpressions: the first layer of a decoder broadcasts the mask or
the cosines, and all others read what it made. Written so, the first layer would be a class of its
own that hands its intermediate values to the others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..code.expr import Ref, refs, transform
from ..code.statement import Statement, names_of
from ..graph.graph import Graph
from ..graph.random_numbers import DRAWS
from .scopes import ModulePath

COSTLY = (
    frozenset(
        """MatMul Gemm Conv ConvTranspose Einsum MatMulInteger ConvInteger Attention Loop If Scan
    Dropout NonMaxSuppression TopK LSTM GRU RNN""".split()
    )
    | DRAWS
)
"""Operators that are not computed twice: they take their time, or draw other numbers. Nor are those
of other domains, of which nothing is known."""
LONGEST = 12
"""Statements that are computed again for one value, at most."""


def rematerialize(statements: list[Statement], graph: Graph) -> list[Statement]:
    """The statements, and of each that layers share a copy in every other layer that reads it.

    A value is shared if its layer reads it itself, the same place of another layer of the list
    reads it too, and all that its layer computes for it is cheap and without weights.
    """
    if all(_layer(statement.scope) is None for statement in statements):
        return statements
    return _Sharing(statements, graph).resolved()


@dataclass(frozen=True)
class _Copy:
    """A statement once more, for the readers of its value in another layer of the list."""

    of: Statement
    statement: Statement
    layers: tuple[ModulePath, ModulePath]
    readers: list[Statement]


class _Sharing:
    """The statements of a graph with who makes and who reads each value."""

    def __init__(self, statements: Sequence[Statement], graph: Graph) -> None:
        self._statements = statements
        self._graph = graph
        self._makers = {name: s for s in statements for name in names_of(s.targets)}
        self._inside: dict[ModulePath, list[Statement]] = {}
        self._indices: dict[ModulePath, dict[Statement, int]] = {}
        self._readers: dict[str, list[Statement]] = {}
        for statement in statements:
            for depth in range(len(statement.scope) + 1):
                self._inside.setdefault(statement.scope[:depth], []).append(statement)
            for name in refs(statement.expr):
                self._readers.setdefault(name, []).append(statement)

    def resolved(self) -> list[Statement]:
        copies: list[_Copy] = []
        for statement in reversed(self._statements):
            for name in names_of(statement.targets):
                copies += self._copies(statement, name)
        before: dict[Statement, list[Statement]] = {}
        for copy, place in self._places(copies):
            before.setdefault(place, []).insert(0, copy.statement)
        return [part for s in self._statements for part in (*before.get(s, []), s)]

    def _copies(self, maker: Statement, name: str) -> list[_Copy]:
        """A copy for each other layer that reads a value; none if the value is not shared so."""
        layer = _layer(maker.scope)
        readers = self._readers.get(name, [])
        if layer is None or not any(r.scope[: len(layer)] == layer for r in readers):
            return []
        twins: dict[ModulePath, list[Statement]] = {}
        for reader in readers:
            twin = _twin(maker.scope, layer, reader.scope)
            if twin is not None and twin in self._inside:
                twins.setdefault(twin, []).append(reader)
        if not twins or not self._may_repeat(name, layer):
            return []
        return [self._copy(name, layer, scope, found) for scope, found in twins.items()]

    def _may_repeat(self, name: str, layer: ModulePath) -> bool:
        """Whether all that the layer computes for a value may be computed again."""
        found: set[Statement] = set()
        waiting = [name]
        while waiting:
            maker = self._makers.get(waiting.pop())
            if maker is None or maker in found or maker.scope[: len(layer)] != layer:
                continue
            found.add(maker)
            if not _is_cheap(maker) or len(found) > LONGEST:
                return False
            waiting += refs(maker.expr)
        return True

    def _copy(
        self, name: str, layer: ModulePath, scope: ModulePath, readers: list[Statement]
    ) -> _Copy:
        """The maker of a value at another place, where `readers` read it now."""
        maker = self._makers[name]
        new = f"{name}@{'.'.join(scope)}"
        for reader in readers:
            reader.expr = transform(
                reader.expr, lambda e: Ref(new) if isinstance(e, Ref) and e.name == name else e
            )
        twin = Statement(new, maker.expr, maker.node, scope)
        self._graph.types[new] = self._graph.type_of(name)
        for operand in refs(maker.expr):
            self._readers[operand].append(twin)
        return _Copy(maker, twin, (layer, scope[: len(layer)]), readers)

    def _places(self, copies: Sequence[_Copy]) -> Iterator[tuple[_Copy, Statement]]:
        """Each copy, last ones first, with the statement before which it is written.

        In its layer a copy stands where the statement stands in its own, so that both layers are
        the same lines.
        """
        copied: dict[tuple[ModulePath, ModulePath], list[int]] = {}
        for copy in reversed(copies):
            copied.setdefault(copy.layers, []).append(self._index(copy.layers[0])[copy.of])
        places: dict[Statement, int] = {}
        for copy in copies:
            layer, twin = copy.layers
            index = self._index(layer)[copy.of]
            missing = bisect_left(copied[copy.layers], index)
            known = (places[r] if r in places else self._index(twin)[r] for r in copy.readers)
            places[copy.statement] = min([index - missing, *known])
            yield copy, self._inside[twin][places[copy.statement]]

    def _index(self, layer: ModulePath) -> dict[Statement, int]:
        """Where each statement of a layer stands in it."""
        if layer not in self._indices:
            self._indices[layer] = {s: i for i, s in enumerate(self._inside[layer])}
        return self._indices[layer]


def _layer(scope: ModulePath) -> ModulePath | None:
    """The innermost element of a list that a scope stands in."""
    last = next((i for i in reversed(range(len(scope))) if scope[i].isdigit()), None)
    return None if last is None else scope[: last + 1]


def _twin(scope: ModulePath, layer: ModulePath, reader: ModulePath) -> ModulePath | None:
    """`scope` in the list's element that `reader` stands in; None if in none, or in the same."""
    depth = len(layer)
    if reader[: depth - 1] != layer[:-1] or len(reader) < depth or not reader[depth - 1].isdigit():
        return None
    return None if reader[:depth] == layer else (*reader[:depth], *scope[depth:])


def _is_cheap(statement: Statement) -> bool:
    node = statement.node
    is_plain = isinstance(statement.targets, str) and not node.domain and node.op not in COSTLY
    return is_plain and all(isinstance(part, Ref) for part in statement.expr.tensors)
