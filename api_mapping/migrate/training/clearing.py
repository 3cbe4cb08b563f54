"""Gradients that are cleared by hand: `for p in net.parameters(): p.grad = None`."""

from __future__ import annotations

import ast

from .names import dotted

CLEARING = frozenset({"{}.grad = None", "{}.grad.zero_()", "{}.grad.data.zero_()"})
BESIDE = frozenset({"{}.grad.detach_()", "{}.grad.requires_grad_(False)"})
"""What is written before that, and says nothing of the gradients of the next round."""

TESTS = frozenset({"{}.grad is not None", "{}.grad"})


def cleared_by(loop: ast.For) -> ast.expr | None:
    """The network whose gradients a loop clears, and does nothing else."""
    walked, name = loop.iter, dotted(loop.target)
    called = walked.func if isinstance(walked, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr != "parameters" or not name:
        return None
    body = loop.body
    if len(body) == 1 and isinstance(body[0], ast.If) and form(body[0].test, name) in TESTS:
        body = [] if body[0].orelse else body[0].body
    forms = {form(statement, name) for statement in body}
    is_clearing = bool(forms & CLEARING) and forms <= CLEARING | BESIDE
    return called.value if is_clearing and not loop.orelse else None


def form(node: ast.AST, name: str) -> str:
    """The text of a node with a mark for a name that it begins with."""
    text = ast.unparse(node)
    return "{}" + text.removeprefix(name) if text.startswith(f"{name}.") else text
