"""Sizes that a module asks of what is far away, asked of what it takes anyway.

An exporter reads the batch once, from the network's input, and every reshape takes it from there:
so the input would be handed down to each attention for its shape alone.
"""

from __future__ import annotations

import builtins
import keyword
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from ..code.expr import Attribute, Expr, Index, Literal, Ref, Size, children, transform, walk
from ..code.statement import Statement, names_of
from ..graph.graph import Dim, Graph
from .scopes import ModulePath

OFTEN = 2
"""Sizes that are asked more often get names: `batch, length = x.shape[:2]`."""


def own_sizes(statements: Sequence[Statement], graph: Graph) -> list[Statement]:
    """The statements, those of a module asking sizes of the first value that it takes and has them.

    Only sizes that have the same name in the file are the same.
    """
    inside: dict[ModulePath, list[Statement]] = {}
    for statement in statements:
        inside.setdefault(statement.scope, []).append(statement)
    place = {name: i for i, s in enumerate(statements) for name in names_of(s.targets)}
    index = {statement: i for i, statement in enumerate(statements)}
    before: dict[Statement, Statement] = {}
    for scope, own in inside.items():
        if scope:
            module = _Module(own, graph, place, index)
            module.ask_near()
            before |= module.named()
    return [part for s in statements for part in (*([before[s]] if s in before else []), s)]


class _Module:
    """The statements of one call of a module, without those of the modules inside."""

    def __init__(
        self,
        own: Sequence[Statement],
        graph: Graph,
        place: dict[str, int],
        index: dict[Statement, int],
    ) -> None:
        self._own = own
        self._graph = graph
        self._place = place
        self._index = index
        made = {name for s in own for name in names_of(s.targets)}
        read = (name for s in own for name in _read_whole(s.expr))
        taken = [n for n in dict.fromkeys(read) if n not in made and n not in graph.constants]
        self._whole = set(taken)
        self._places = [index[s] for s in own]
        self._named: dict[str, list[tuple[str, int]]] = {}
        for name in taken:
            for axis, size in enumerate(graph.type_of(name).shape or ()):
                if isinstance(size, str):
                    self._named.setdefault(size, []).append((name, axis))

    def ask_near(self) -> None:
        """Replaces `input_ids.shape[0]` by `x.shape[0]`, where x is read anyway."""
        for statement in self._own:
            asked = {a for part in walk(statement.expr) if (a := _asked(part)) is not None}
            near = {a: e for a in asked if (e := self._nearest(a, self._index[statement]))}
            if near:
                statement.expr = _put(statement.expr, near)

    def _nearest(self, asked: tuple[str, int], until: int) -> Expr | None:
        """The same size of the first value taken that has it; None if it is asked near already."""
        name, axis = asked
        wanted = self._size(name, axis)
        if name in self._whole or not isinstance(wanted, str):
            return None
        places = self._named.get(wanted, [])
        found = next(((n, i) for n, i in places if self._place.get(n, -1) < until), None)
        return None if found is None else Ref(found[0]).attribute("shape")[found[1]]

    def _size(self, name: str, axis: int) -> Dim:
        shape = self._graph.type_of(name).shape or ()
        return shape[axis] if axis < len(shape) else None

    def named(self) -> dict[Statement, Statement]:
        """Names for the first sizes of a value that are asked often, and before which statement."""
        axes: dict[str, list[int]] = {}
        for statement in self._own:
            for asked in filter(None, map(_asked, walk(statement.expr))):
                axes.setdefault(asked[0], []).append(asked[1])
        found: dict[Statement, Statement] = {}
        put: dict[tuple[str, int], Expr] = {}
        for name, uses in axes.items():
            is_often = len(uses) > OFTEN and {*uses} == {*range(max(uses) + 1)} != {0}
            first = self._first_after(name) if is_often else None
            if first is not None and first not in found:
                made = found[first] = self._unpacked(name, max(uses) + 1, first)
                refs = enumerate(map(Ref, names_of(made.targets)))
                put |= {(name, axis): ref for axis, ref in refs}
        for statement in self._own if put else ():
            statement.expr = _put(statement.expr, put)
        return found

    def _first_after(self, name: str) -> Statement | None:
        """The first statement that stands behind the one that makes a value."""
        behind = bisect_right(self._places, self._place.get(name, -1))
        return self._own[behind] if behind < len(self._own) else None

    def _unpacked(self, name: str, count: int, first: Statement) -> Statement:
        """`batch, length = x.shape[:2]`."""
        targets = tuple(f"{name} size {i} in {'.'.join(first.scope)}" for i in range(count))
        whole = Ref(name).attribute("shape")
        words = tuple(_word(self._size(name, axis)) for axis in range(count))
        lead = whole[:count] if self._graph.type_of(name).rank != count else whole
        return Statement(targets, Size(lead, words), first.node, first.scope)


def _asked(e: Expr) -> tuple[str, int] | None:
    """Value and axis of `x.shape[0]`."""
    match e:
        case Index(Attribute(Ref(name), "shape"), (Literal(int(axis)),)):
            return name, axis
    return None


def _read_whole(e: Expr) -> Iterator[str]:
    """The values that an expression reads for more than their shapes."""
    if isinstance(e, Ref):
        yield e.name
    elif not (isinstance(e, Attribute) and e.name == "shape" and isinstance(e.obj, Ref)):
        for part in children(e):
            yield from _read_whole(part)


def _put(e: Expr, new: Mapping[tuple[str, int], Expr]) -> Expr:
    """The expression with others for the sizes that it asks."""

    def leaf(part: Expr) -> Expr:
        asked = _asked(part)
        return part if asked is None else new.get(asked, part)

    return transform(e, leaf)


def _word(size: Dim) -> str:
    """The file's own name of a size, if it is a word that hides none of Python's."""
    plain = isinstance(size, str) and re.fullmatch(r"[a-z][a-z0-9_]{1,19}", size) is not None
    hides = keyword.iskeyword(str(size)) or hasattr(builtins, str(size))
    return str(size) if plain and not hides else "size"
