"""Gradients that loops clear or clip by hand: `for p in net.parameters(): p.grad = None`."""

from __future__ import annotations

import ast

from ..syntax.nodes import dotted

CLEARING = frozenset({"{}.grad = None", "{}.grad.zero_()", "{}.grad.data.zero_()"})
BESIDE = frozenset({"{}.grad.detach_()", "{}.grad.requires_grad_(False)"})
"""What is written before that, and says nothing of the gradients of the next round."""

CLIPPING = frozenset({"{}.grad.clamp_", "{}.grad.data.clamp_"})
TESTS = frozenset({"{}.grad is not None", "{}.grad"})


def cleared_by(loop: ast.For) -> ast.expr | None:
    """The network whose gradients a loop clears, and does nothing else."""
    network = network_of(loop)
    if network is None:
        return None
    forms = {form(statement, dotted(loop.target)) for statement in done_by(loop)}
    return network if forms & CLEARING and forms <= CLEARING | BESIDE else None


def clipped_by(loop: ast.For) -> ast.Call | None:
    """`clip(net.parameters(), 1)` of a loop that clips all gradients to -1 and 1."""
    if network_of(loop) is None:
        return None
    body = done_by(loop)
    call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
    if not isinstance(call, ast.Call):
        return None
    given = [*call.args, *(k.value for k in call.keywords if k.arg in ("min", "max"))]
    if form(call.func, dotted(loop.target)) not in CLIPPING or len(given) != 2:
        return None
    names = [keyword.arg for keyword in call.keywords]
    least, most = reversed(given) if names == ["max", "min"] else given
    is_even = isinstance(least, ast.UnaryOp) and ast.dump(least.operand) == ast.dump(most)
    return ast.Call(call.func, [loop.iter, most], []) if is_even else None


def network_of(loop: ast.For) -> ast.expr | None:
    """The network whose parameters a loop is over."""
    called = loop.iter.func if isinstance(loop.iter, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr != "parameters" or loop.orelse:
        return None
    return called.value if dotted(loop.target) else None


def done_by(loop: ast.For) -> list[ast.stmt]:
    """What a loop does with each parameter, or with those that have gradients."""
    body, name = loop.body, dotted(loop.target)
    if len(body) == 1 and isinstance(body[0], ast.If) and form(body[0].test, name) in TESTS:
        return [] if body[0].orelse else body[0].body
    return body


def form(node: ast.AST, name: str) -> str:
    """The text of a node with a mark for a name that it begins with."""
    text = ast.unparse(node)
    return "{}" + text.removeprefix(name) if text.startswith(f"{name}.") else text
