"""Walks syntax trees: much of a scan's time, so what is of no interest is not visited."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

LEAVES = frozenset(
    {int, str, type(None), ast.Constant, *ast.expr_context.__subclasses__()}
    | {*ast.operator.__subclasses__(), *ast.cmpop.__subclasses__()}
    | {*ast.boolop.__subclasses__(), *ast.unaryop.__subclasses__()}
)
"""What stands in a node and has nothing in it."""
LEAVES_AND_NAMES = LEAVES | {ast.Name}
"""Most of a tree."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The function and class that a node stands in, the innermost ones."""

    function: FunctionNode | None = None
    owner: ast.ClassDef | None = None
    outer: Scope | None = None


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
        if type(node) in wanted:
            found.append(pair)
        if isinstance(node, ast.stmt):
            scope = inside(node, scope)
        for child in node.__dict__.values():
            kind = type(child)
            if kind is list:
                stack += [(c, scope) for c in child if type(c) not in LEAVES_AND_NAMES]
            elif kind not in LEAVES_AND_NAMES:
                stack.append((child, scope))
    return found


def every(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all under it, names too, in the order of the text."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        children: list[ast.AST] = []
        for child in found.__dict__.values():
            kind = type(child)
            if kind is list:
                children += [c for c in child if type(c) not in LEAVES]
            elif kind not in LEAVES:
                children.append(child)
        stack.extend(reversed(children))


def inside(node: ast.stmt, scope: Scope) -> Scope:
    if isinstance(node, FunctionNode):
        return Scope(node, scope.owner, scope)
    return Scope(None, node, scope) if isinstance(node, ast.ClassDef) else scope
