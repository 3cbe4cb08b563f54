"""Walks syntax trees: much of a scan's time, so what is of no interest is not visited."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Scope:
    """The function and class that a node stands in, the innermost ones."""

    function: FunctionNode | None = None
    owner: ast.ClassDef | None = None
    outer: Scope | None = None


SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})


def nodes_with_scopes(
    tree: ast.AST, wanted: Collection[type[ast.AST]]
) -> list[tuple[ast.AST, Scope]]:
    """The nodes of the wanted types, none of them names, with where they stand, in no order.

    A function or class stands outside of itself.
    """
    found = []
    stack: list[tuple[ast.AST, Scope]] = [(tree, Scope())]
    while stack:
        pair = node, scope = stack.pop()
        kind = type(node)
        if kind in wanted:
            found.append(pair)
        if kind in SCOPES:
            scope = inside(node, scope)
        for field in FIELDS[kind]:
            child = getattr(node, field)
            if type(child) is list:
                stack += [(c, scope) for c in child if type(c) is not ast.Name and c is not None]
            elif child is not None and type(child) is not ast.Name:
                stack.append((child, scope))
    return found


def every(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all under it, names too, in the order of the text."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        for field in reversed(FIELDS[type(found)]):
            child = getattr(found, field)
            if type(child) is list:
                stack += [c for c in reversed(child) if c is not None]
            elif child is not None:
                stack.append(child)


def inside(node: ast.AST, scope: Scope) -> Scope:
    """The scope of what is in a function or class."""
    if isinstance(node, ast.ClassDef):
        return Scope(None, node, scope)
    return Scope(node, scope.owner, scope) if isinstance(node, FunctionNode) else scope
