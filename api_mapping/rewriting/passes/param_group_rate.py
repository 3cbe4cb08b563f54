"""Learning rates in `optimizer.param_groups`: Parameters in MindSpore, numbers in PyTorch.

group["lr"] = 0.1   ->  ops.assign(group["lr"], 0.1)
group["lr"] *= 0.5  ->  ops.assign(group["lr"], group["lr"] * 0.5)
print(group["lr"])  ->  print(group["lr"].item())
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...syntax.code import Code, Statement
from ...syntax.quotation import expression, statement
from ...syntax.reading import Unreadable
from ..rewriter import Rewriter

RATE = "lr"
OPERATORS = (ast.Mult, ast.Div, ast.Add, ast.Sub, ast.Pow)


def rate_set(node: ast.Assign, to: Rewriter) -> Sequence[Statement] | None:
    """A rate is given a value."""
    target = node.targets[0]
    if len(node.targets) > 1 or not is_rate(target, to.places.kind_of):
        return None
    return assigned(place(target, to), to.code(node.value), to)


def rate_changed(node: ast.AugAssign, to: Rewriter) -> Sequence[Statement] | None:
    """A rate is computed from its old value."""
    if not is_rate(node.target, to.places.kind_of) or not isinstance(node.op, OPERATORS):
        return None
    held = place(node.target, to)
    template = ast.unparse(ast.BinOp(ast.Name("held"), node.op, ast.Name("value")))
    return assigned(held, expression(template, held=held, value=to.code(node.value)), to)


def rate_read(node: ast.Subscript, to: Rewriter) -> Code | None:
    """A rate is read.

    Raises: Unreadable if it is set beside others
    """
    if not is_rate(node, to.places.kind_of):
        return None
    if not isinstance(node.ctx, ast.Load):
        raise Unreadable("syntax: a learning rate is set beside others: give it its own statement")
    return expression("held.item()", held=place(node, to))


def assigned(held: Code, value: Code, to: Rewriter) -> Sequence[Statement]:
    return [statement("ops.assign(held, value)", ops=to.name("ops"), held=held, value=value)]


def is_rate(node: ast.expr, kind_of: Callable[[ast.expr], str]) -> bool:
    """Whether it is `group["lr"]`."""
    if not isinstance(node, ast.Subscript) or kind_of(node.value) != "param_group":
        return False
    return isinstance(node.slice, ast.Constant) and node.slice.value == RATE


def place(node: ast.expr, to: Rewriter) -> Code:
    code = to.with_parts(node)
    assert isinstance(code, Code)
    return code
