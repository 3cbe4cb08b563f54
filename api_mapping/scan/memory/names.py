"""The names of one scope: its own, those of others, and where they are read."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeGuard

from ...analysis.bound import bound_names
from ...analysis.expressions import all_arguments
from ..tree import FunctionNode, every
from .liveness import FUNCTIONS, NO_NAMES, Liveness, reads

Scope = FunctionNode | ast.Module


@dataclass(frozen=True)
class ScopeNames:
    """What follows from the text of a scope alone.

    `declared` are the names that it sets elsewhere, `always` those that functions in it read;
    `gives`: it returns something, or yields.
    """

    parameters: tuple[str, ...]
    declared: frozenset[str]
    always: frozenset[str]
    liveness: Liveness
    gives: bool

    @classmethod
    def of(cls, scope: Scope) -> ScopeNames:
        bound = bound_names(scope.body)
        given = () if isinstance(scope, ast.Module) else all_arguments(scope.args)
        nodes = [n for part in scope.body for n in every(part) if type(n) in TOLD]
        walrus = {n.target.id for n in nodes if type(n) is ast.NamedExpr}
        at_the_end = bound.names | walrus if isinstance(scope, ast.Module) else NO_NAMES
        return cls(
            tuple(argument.arg for argument in given),
            frozenset(bound.declared_global | bound.declared_nonlocal),
            NO_NAMES.union(*(reads(n) for n in nodes if type(n) in INNER)),
            Liveness.of(scope.body, frozenset(at_the_end)),
            any(type(n) in GIVING and not is_nothing(n.value) for n in nodes),
        )


GIVING = frozenset({ast.Return, ast.Yield, ast.YieldFrom})
INNER = frozenset({*FUNCTIONS, ast.Lambda})
"""What reads names of the scope around it at any time."""
TOLD = GIVING | INNER | {ast.NamedExpr}
"""The nodes of a scope that say something of its names."""


def is_nothing(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def dotted(node: ast.AST) -> str:
    """`self.net.head` of a chain of attributes of a name; "" of anything else."""
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return node.id if isinstance(node, ast.Name) else ""


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
    return any(isinstance(n, ast.Attribute) and n.attr == "is_complex" for n in every(test))
