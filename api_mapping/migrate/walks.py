"""Loops over `modules()`: over `cells_and_names()` they need no list in between."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..analysis import Use

MODULES = "torch.nn.Module.modules"


def walked(tree: ast.Module, uses: Sequence[Use]) -> Iterator[ast.expr]:
    """The targets of loops over all modules, and what they go through: a target, a call...

    None in a file that reads `_`, which would be bound to the modules' names.
    """
    calls = {id(use.node) for use in uses if use.api == MODULES and is_plain(use.node)}
    if not calls or any(is_read(node) for node in ast.walk(tree)):
        return
    for node in ast.walk(tree):
        is_loop = isinstance(node, ast.For | ast.comprehension) and id(node.iter) in calls
        if is_loop and isinstance(node.target, ast.Name):  # type: ignore[attr-defined]
            yield from (node.target, node.iter)  # type: ignore[attr-defined]


def is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and not node.args and not node.keywords


def is_read(node: ast.AST) -> bool:
    """Whether it is a use of the name `_`."""
    return isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Load)
