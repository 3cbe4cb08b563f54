"""Whether an expression does more than give a value, so that it must stand once in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from . import registry
from .named import Named

ACTS = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
PURE = frozenset(
    "len int float bool str tuple list range min max abs sum round type sqrt exp log".split()
)
"""Functions of Python and of its math that only give a value."""

PURE_CALLS = re.compile(r"math\.\w+|(np|numpy)\.(sqrt|log|exp|prod|sum|abs|floor|ceil|array)")
"""Functions of other modules that only give a value."""

EMPTY = frozenset({"empty", "new_empty", "empty_like"})

Resolve = Callable[[ast.expr], Named | None]
"""Names the API that an expression is."""


def acts(node: ast.expr, resolve: Resolve) -> bool:
    """Whether an expression may do more than give a value, or give another one each time."""
    if isinstance(node, ast.Name | ast.Constant):
        return False
    nodes = list(ast.walk(node))
    return any(isinstance(n, ACTS) for n in nodes) or not all(
        is_pure(n.func, resolve) for n in nodes if isinstance(n, ast.Call)
    )


def is_pure(called: ast.expr, resolve: Resolve) -> bool:
    """Whether calls of it only give a value, always the same one."""
    if isinstance(called, ast.Name) and called.id in PURE:
        return True
    named = resolve(called)
    if named is None:
        return PURE_CALLS.fullmatch(ast.unparse(called)) is not None
    if named.api.rpartition(".")[2] in EMPTY:
        return True  # they compare by shape only, as nobody knows their values
    rules = registry.find(named.api)
    return bool(rules) and not any(r.writes or r.check != "value" for r in rules)
