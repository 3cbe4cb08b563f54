"""What stands between two parts of a module, made of it and read by it alone, is a part of it.

An exporter that writes a reshape before a linear layer instead of behind it leaves it to the module
around: the attention would be called in two halves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..code.expr import refs
from ..code.statement import Statement, names_of
from .blocks import container_paths
from .scopes import ModulePath

Places = Collection[ModulePath | None]
"""Modules; None stands for what is outside of the network."""


def enclose(statements: Sequence[Statement], outputs: Iterable[str]) -> None:
    """Moves such statements into their module; `outputs` are read from outside."""
    if not any(statement.scope for statement in statements):
        return
    containers = container_paths(statements)
    made: dict[str, ModulePath | None] = {}
    sources: dict[Statement, ModulePath | None] = {}
    for statement in statements:
        places = {made.get(name) for name in refs(statement.expr)}
        module = sources[statement] = _module_around(statement, places, containers)
        made.update(dict.fromkeys(names_of(statement.targets), module or statement.scope))
    read: dict[str, set[ModulePath | None]] = {name: {None} for name in outputs}
    for statement in reversed(statements):
        places = {p for name in names_of(statement.targets) for p in read.get(name, ())}
        module = _module_around(statement, places, containers)
        if module is not None and module == sources[statement]:
            statement.scope = module
        for name in refs(statement.expr):
            read.setdefault(name, set()).add(statement.scope)


def _module_around(
    statement: Statement, places: Places, containers: Collection[ModulePath]
) -> ModulePath | None:
    """The member of the statement's module that all places are in; None if there is no such."""
    depth = len(statement.scope) + 1
    members = {None if place is None else place[:depth] for place in places}
    member = members.pop() if len(members) == 1 else None
    if statement.cell_path is not None or member is None:
        return None
    is_inside = len(member) == depth and member[:-1] == statement.scope
    return member if is_inside and member not in containers and not member[-1].isdigit() else None
