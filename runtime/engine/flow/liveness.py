"""Which local names are read later: only these are values of a branch or a loop."""

from __future__ import annotations

import ast
from typing import Any

from .jumps import UnsupportedError

REFUSED = (
    *(ast.Global, ast.Nonlocal, ast.Delete, ast.NamedExpr, ast.Yield, ast.YieldFrom),
    *(ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Match, ast.TryStar),
)
"""What a function that is rewritten has none of."""
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound(body: list[ast.stmt]) -> list[str]:
    """The names that statements bind, in the order in which they stand.

    Raises: UnsupportedError for statements that no rewritten function may have.
    """
    found: dict[str, None] = {}

    def walk(node: ast.AST) -> None:
        if isinstance(node, REFUSED):
            raise UnsupportedError(type(node).__name__)
        if isinstance(node, SCOPES):
            if not isinstance(node, ast.Lambda):
                found[node.name] = None
            return
        if isinstance(node, COMPREHENSIONS):
            walk(node.generators[0].iter)
            return
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] = None
        if isinstance(node, ast.alias):
            found[(node.asname or node.name).partition(".")[0]] = None
        if isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] = None
        for child in ast.iter_child_nodes(node):
            walk(child)

    for one in body:
        walk(one)
    return [*found]


def read(node: ast.AST | None) -> set[str]:
    """The names that are read in `node`, by functions in it too."""
    if node is None:
        return set()
    parts = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    return {one.id for one in parts if isinstance(one.ctx, ast.Load)}


def kept(body: list[ast.stmt]) -> set[str]:
    """The names that functions inside read: they may be called at any time."""
    scopes = [part for one in body for part in ast.walk(one) if isinstance(part, SCOPES)]
    return {found for scope in scopes for found in read(scope)}


def mark(body: list[ast.stmt], after: set[str]) -> set[str]:
    """Notes at each branch and loop which names are read after it (`node.after`).

    Returns what is read before it is set.
    """
    live = set(after)
    for node in reversed(body):
        live = before(node, live)
    return live


def before(node: Any, live: set[str]) -> set[str]:
    if isinstance(node, ast.If):
        return before_branch(node, live)
    if isinstance(node, (ast.While, ast.For)):
        return before_loop(node, live)
    if isinstance(node, ast.With):
        return mark(node.body, live) | {n for item in node.items for n in read(item)}
    if isinstance(node, ast.Try):
        every = live | read(node)
        for part in (node.body, node.orelse, node.finalbody, *[h.body for h in node.handlers]):
            mark(part, every)
        return every
    if isinstance(node, ast.AugAssign):
        return live | read(node) | set(bound([node]))
    if isinstance(node, SCOPES):
        return live | read(node)
    return (live - set(bound([node]))) | read(node)


def before_branch(node: Any, live: set[str]) -> set[str]:
    node.after = live
    return read(node.test) | mark(node.body, live) | mark(node.orelse, live)


def before_loop(node: Any, live: set[str]) -> set[str]:
    node.after = live
    stop = getattr(node, "stop", None)
    asked = read(node.test) if isinstance(node, ast.While) else read(stop)
    target = set(bound_by(node.target)) if isinstance(node, ast.For) else set()
    head = live | asked
    for _ in range(3):
        head = head | (mark(node.body, head) - target)
    node.head = head
    return head | (read(node.iter) if isinstance(node, ast.For) else set())


def bound_by(target: ast.expr) -> list[str]:
    return [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
