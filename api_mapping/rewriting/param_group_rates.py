"""Learning rates in `optimizer.param_groups`: Parameters in MindSpore, numbers in PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Callable

RATE = "lr"
OPERATORS = {
    ast.Mult: "*",
    ast.Div: "/",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Pow: "**",
}


def rate_code(
    node: ast.AST, text: Callable[[ast.AST], str], kind_of: Callable[[ast.expr], str], ops: str
) -> str | None:
    """The code of what reads or sets a learning rate of a group; None of anything else.

    `ops` is what mindspore.ops is called.
    """
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if is_rate(target, kind_of):
            return f"{ops}.assign({place(target, text)}, {text(node.value)})"
    if isinstance(node, ast.AugAssign) and is_rate(node.target, kind_of):
        operator = OPERATORS.get(type(node.op))
        if operator is not None:
            value = text(node.value)
            value = value if isinstance(node.value, ast.Name | ast.Constant) else f"({value})"
            held = place(node.target, text)
            return f"{ops}.assign({held}, {held} {operator} {value})"
    if isinstance(node, ast.expr) and is_rate(node, kind_of):
        return f"{place(node, text)}.item()"
    return None


def is_rate(node: ast.expr, kind_of: Callable[[ast.expr], str]) -> bool:
    """Whether it is `group["lr"]`."""
    if not isinstance(node, ast.Subscript) or kind_of(node.value) != "param_group":
        return False
    return isinstance(node.slice, ast.Constant) and node.slice.value == RATE


def place(node: ast.expr, text: Callable[[ast.AST], str]) -> str:
    assert isinstance(node, ast.Subscript)
    return f"{text(node.value)}[{text(node.slice)}]"
