"""Sizes that a module asks of what is far away, asked of what it takes anyway.

An exporter reads the batch once, from the network's input, and every reshape takes it from there:
so the input would be handed down to each attention for its shape alone.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator, Sequence

from ..code.expr import Attribute, Expr, Index, Literal, Ref, Size, children, transform, walk
from ..code.statement import Statement, names_of
from ..graph.graph import Dim, Graph
from ..graph.sizes import same
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
        self._taken = [n for n in dict.fromkeys(read) if n not in made and n not in graph.constants]

    def ask_near(self) -> None:
        """Replaces `input_ids.shape[0]` by `x.shape[0]`, where x is read anyway."""
        for statement in self._own:
            for part in [p for p in walk(statement.expr) if _asked(p) is not None]:
                asked = _asked(part)
                near = None if asked is None else self._nearest(asked, self._index[statement])
                if near is not None:
                    statement.expr = _put(statement.expr, part, near)

    def _nearest(self, asked: tuple[str, int], until: int) -> Expr | None:
        """The same size of the first value taken that has it; None if it is asked near already."""
        name, axis = asked
        wanted = self._size(name, axis)
        if name in self._taken or not isinstance(wanted, str):
            return None
        for taken in self._taken:
            shape = self._graph.type_of(taken).shape or ()
            found = next((i for i, size in enumerate(shape) if same(size, wanted)), None)
            if found is not None and self._place.get(taken, -1) < until:
                return Ref(taken).attribute("shape")[found]
        return None

    def _size(self, name: str, axis: int) -> Dim:
        shape = self._graph.type_of(name).shape or ()
        return shape[axis] if axis < len(shape) else None

    def named(self) -> dict[Statement, Statement]:
        """Names for the first sizes of a value that are asked often, and before which statement."""
        asked = [a for s in self._own for p in walk(s.expr) if (a := _asked(p)) is not None]
        found: dict[Statement, Statement] = {}
        for name in dict.fromkeys(name for name, _ in asked):
            axes = [axis for of, axis in asked if of == name]
            is_often = len(axes) > OFTEN and {*axes} == {*range(max(axes) + 1)} != {0}
            first = self._first_after(name)
            if is_often and first is not None and first not in found:
                found[first] = self._unpacked(name, max(axes) + 1, first)
        return found

    def _first_after(self, name: str) -> Statement | None:
        """The first statement that stands behind the one that makes a value."""
        made = self._place.get(name, -1)
        return next((s for s in self._own if self._index[s] > made), None)

    def _unpacked(self, name: str, count: int, first: Statement) -> Statement:
        """`batch, length = x.shape[:2]`, and the names in place of what is asked."""
        targets = tuple(f"{name} size {i} in {'.'.join(first.scope)}" for i in range(count))
        whole = Ref(name).attribute("shape")
        for statement in self._own:
            for axis, target in enumerate(targets):
                statement.expr = _put(statement.expr, whole[axis], Ref(target))
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


def _put(e: Expr, old: Expr, new: Expr) -> Expr:
    return transform(e, lambda part: new if part == old else part)


def _word(size: Dim) -> str:
    """The file's own name of a size, if it is a word that hides none of Python's."""
    plain = isinstance(size, str) and re.fullmatch(r"[a-z][a-z0-9_]{1,19}", size) is not None
    hides = keyword.iskeyword(str(size)) or hasattr(builtins, str(size))
    return str(size) if plain and not hides else "size"
