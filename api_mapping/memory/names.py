"""The names of one scope: its own, those of others, and where they are read."""

from __future__ import annotations

import ast
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

from ..analysis.evaluation.expressions import all_arguments
from ..syntax.bindings import Bound, bound_names
from ..syntax.nodes import dotted, is_none
from ..syntax.walk import FunctionNode, all_in, of_types
from .liveness import FUNCTIONS, NO_NAMES, Liveness, reads

Scope = FunctionNode | ast.Module


@dataclass(frozen=True)
class ScopeNames:
    """What follows from the text of a scope alone, each when it is asked for."""

    scope: Scope

    @cached_property
    def parameters(self) -> list[str]:
        if isinstance(self.scope, ast.Module):
            return []
        return [argument.arg for argument in all_arguments(self.scope.args)]

    @cached_property
    def bound(self) -> Bound:
        return bound_names(self.scope.body)

    @cached_property
    def declared(self) -> Set[str]:
        """The names that it sets elsewhere."""
        return self.bound.declared_global | self.bound.declared_nonlocal

    @cached_property
    def told(self) -> list[Any]:
        """The nodes that say something of its names, but those that read or bind them."""
        return [n for part in self.scope.body for n in of_types(all_in(part), TOLD)]

    @cached_property
    def always(self) -> frozenset[str]:
        """The names that functions in it read."""
        return NO_NAMES.union(*(reads(n) for n in self.told if type(n) in INNER))

    @cached_property
    def gives(self) -> bool:
        """Whether it returns something, or yields."""
        return any(type(n) in GIVING and not is_nothing(n.value) for n in self.told)

    @cached_property
    def liveness(self) -> Liveness:
        if not isinstance(self.scope, ast.Module):
            return Liveness.of(self.scope.body)
        walrus = {n.target.id for n in self.told if type(n) is ast.NamedExpr}
        imported = bound_names(part for part in self.scope.body if not is_guard(part)).names
        return Liveness.of(self.scope.body, frozenset(imported | walrus))


def is_guard(statement: ast.stmt) -> bool:
    """Whether it runs in a script alone: nobody imports what `if __name__ == "__main__"` binds."""
    test = statement.test if isinstance(statement, ast.If) and not statement.orelse else None
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = [test.left, *test.comparators]
    names = {side.id for side in sides if isinstance(side, ast.Name)}
    return names == {"__name__"} and any(
        isinstance(side, ast.Constant) and side.value == "__main__" for side in sides
    )


GIVING = frozenset({ast.Return, ast.Yield, ast.YieldFrom})
INNER = frozenset({*FUNCTIONS, ast.Lambda})
"""What reads names of the scope around it at any time."""
TOLD = GIVING | INNER | {ast.NamedExpr}
"""The nodes of a scope that say something of its names."""


def is_nothing(node: ast.expr | None) -> bool:
    return node is None or is_none(node)


def names_of(target: ast.expr) -> list[str]:
    """The places that a target gives values to."""
    if isinstance(target, ast.Tuple | ast.List):
        return [name for element in target.elts for name in names_of(element)]
    return [dotted(target)]


def is_data(node: ast.expr) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and node.attr == "data"


def is_alike(node: ast.expr, target: ast.Tuple | ast.List) -> TypeGuard[ast.Tuple | ast.List]:
    """Whether a value is written out with as many elements as a target has."""
    return isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(target.elts)


def is_of_complex(test: ast.expr) -> bool:
    """Whether a test asks for complex numbers: their parts are written to by views."""
    return any(isinstance(n, ast.Attribute) and n.attr == "is_complex" for n in all_in(test))
