"""Whether an expression does more than give a value, so that it must stand once in the code."""

from __future__ import annotations

import ast
from collections.abc import Callable

from . import registry
from .facts.views import SIZES
from .named import Resolve

ACTS = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
PURE = {
    "builtins": frozenset(
        "len int float bool str tuple list range min max abs sum round type".split()
    ),
    "numpy": frozenset("sqrt log exp prod sum abs floor ceil array".split()),
}
"""Functions of modules that only give a value; those of `math` all do."""

EMPTY = frozenset({"empty", "new_empty", "empty_like"})

NameOf = Callable[[ast.expr], str]
"""The full name of a function of Python's own or of another library, as "math.sqrt"; else ""."""


def acts(node: ast.expr, resolve: Resolve, name_of: NameOf) -> bool:
    """Whether an expression may do more than give a value, or give another one each time."""
    if isinstance(node, ast.Name | ast.Constant):
        return False
    nodes = list(ast.walk(node))
    return any(isinstance(n, ACTS) for n in nodes) or not all(
        is_pure(n.func, resolve, name_of) for n in nodes if isinstance(n, ast.Call)
    )


def is_pure(called: ast.expr, resolve: Resolve, name_of: NameOf) -> bool:
    """Whether calls of it only give a value, always the same one."""
    named = resolve(called)
    if named is None:
        if isinstance(called, ast.Attribute) and called.attr in SIZES:
            return True  # of whatever has it: nobody makes `size()` change something
        home, _, name = name_of(called).rpartition(".")
        return home == "math" or name in PURE.get(home, ())
    if named.api.rpartition(".")[2] in EMPTY:
        return True  # they compare by shape only, as nobody knows their values
    rules = registry.find(named.api)
    return bool(rules) and not any(r.writes or r.check != "value" for r in rules)
