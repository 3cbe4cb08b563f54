"""Walks syntax trees: much of a scan's time, so what is of no interest is not visited."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

PLAIN = frozenset(
    "ctx op ops id attr arg name names module level value_kind kind type_comment is_async simple "
    "conversion n s rest type_ignores kwd_attrs".split()
)
"""Fields without expressions or statements in them."""

FIELDS = {
    cls: tuple(field for field in cls._fields if field not in PLAIN)
    for cls in vars(ast).values()
    if isinstance(cls, type) and issubclass(cls, ast.AST)
}
"""The fields of each type of node that have nodes in them."""
FIELDS[ast.Constant] = FIELDS[ast.MatchSingleton] = ()
BACKWARDS = {cls: fields[::-1] for cls, fields in FIELDS.items()}


LEAVES = frozenset({ast.Name, ast.Attribute, ast.Constant})
COMPOUND = FIELDS.keys() - LEAVES
SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
PARTS = frozenset({ast.Module, ast.ExceptHandler, ast.match_case})
"""What stands in the place of a statement and is none."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The function and class that a node stands in, the innermost ones."""

    function: FunctionNode | None = None
    owner: ast.ClassDef | None = None
    outer: Scope | None = None


BLOCKS = {
    cls: tuple(f for f in cls._fields if f in ("body", "orelse", "handlers", "finalbody", "cases"))
    for cls in FIELDS
    if issubclass(cls, ast.stmt | ast.mod | ast.excepthandler | ast.match_case)
}
"""The fields of each statement, and of what stands in statements, that have statements in them."""


@dataclass(frozen=True)
class Layout:
    """The statements of a file by their types, and the scope of each of its lines.

    `evaluated` are the expressions that the analysis has seen.
    """

    statements: Mapping[type[ast.AST], Sequence[Any]]
    scopes: Sequence[Scope]
    evaluated: Collection[ast.AST] = ()

    @cached_property
    def expressions(self) -> Mapping[type[ast.AST], Sequence[Any]]:
        """The evaluated expressions by their types, but names, attributes and constants."""
        return by_type(of_types(self.evaluated, COMPOUND))

    def of_type(self, kind: type[ast.AST]) -> Sequence[Any]:
        return self.statements.get(kind) or self.expressions.get(kind, ())

    def scope_of(self, node: ast.AST) -> Scope:
        """Where a node stands; the whole of a function or class stands in it."""
        return self.scopes[node.lineno]  # type: ignore[attr-defined]


def by_type(nodes: Iterable[ast.AST]) -> Mapping[type[ast.AST], Sequence[Any]]:
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for node in nodes:
        found[type(node)].append(node)
    return found


def of_types(nodes: Collection[ast.AST], types: Set[type[ast.AST]]) -> Iterator[Any]:
    """The nodes of these types, picked without a step of Python's for each of the others."""
    return compress(nodes, map(types.__contains__, map(type, nodes)))


def layout_of(tree: ast.Module, lines: int, evaluated: Collection[ast.AST] = ()) -> Layout:
    """What is where in a file of so many lines."""
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    scopes = [Scope()] * (lines + 2)
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        cls = type(node)
        if cls in SCOPES:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            last = node.end_lineno
            scopes[first : last + 1] = [inside(node, scopes[first])] * (last + 1 - first)
        found[cls].append(node)
        for field in BLOCKS[cls]:
            stack += getattr(node, field)
    statements = {cls: nodes for cls, nodes in found.items() if cls not in PARTS}
    return Layout(statements, scopes, evaluated)


def every(node: ast.AST) -> list[Any]:
    """A node and all under it, names too, in the order of the text."""
    found: list[Any] = []
    stack: list[Any] = [node]
    pop, push, add = stack.pop, stack.append, found.append
    while stack:
        node = pop()
        if node is None:
            continue
        add(node)
        for field in BACKWARDS[type(node)]:
            child = getattr(node, field)
            if type(child) is list:
                stack += child[::-1]
            else:
                push(child)
    return found


def all_in(node: ast.AST) -> list[Any]:
    """The same nodes as they are found soonest: each behind the one that it stands in."""
    found: list[Any] = [node]
    add = found.append
    for part in found:  # which grows
        for field in FIELDS[type(part)]:
            child = getattr(part, field)
            if type(child) is list:
                found += filter(None, child)
            elif child is not None:
                add(child)
    return found


def inner(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right under a node, in the order of its fields."""
    for field in FIELDS[type(node)]:
        child = getattr(node, field)
        if type(child) is list:
            yield from (c for c in child if c is not None)
        elif child is not None:
            yield child


def inside(node: FunctionNode | ast.ClassDef, scope: Scope) -> Scope:
    """The scope of what is in a function or class."""
    if isinstance(node, ast.ClassDef):
        return Scope(None, node, scope)
    return Scope(node, scope.owner, scope)
