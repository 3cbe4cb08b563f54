"""Statements whose MindSpore code would do nothing."""

from __future__ import annotations

import ast
import re

UNENTERED = re.compile(
    r"(ms\._no_grad\(\) if not \w+ else )?(compat\.(null_context|enable_grad)|ms\._no_grad)\(\)"
)
"""A context that no `with` enters: PyTorch's `set_grad_enabled(True)` alone."""


def is_idle(node: ast.AST, code: str) -> bool:
    """Whether a statement does nothing if a part of it, or all of it, becomes this code."""
    code = code.strip()
    if isinstance(node, ast.Assign):
        return len(node.targets) == 1 and is_same(node.targets[0], code)
    return isinstance(node, ast.Expr) and (UNENTERED.fullmatch(code) is not None or is_plain(code))


def is_plain(code: str) -> bool:
    """Whether it names or says a value, and no more."""
    if code.endswith(")") and not code.startswith("(") and "#" not in code:
        return False  # most are calls
    try:
        tree = ast.parse(code, mode="eval").body
    except SyntaxError:
        return False
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return isinstance(tree, ast.Name | ast.Constant)


def is_same(place: ast.expr, code: str) -> bool:
    """Whether a place is given the value that it has: `x = x`, `x, y = x, y`."""
    if code.endswith(")") and not code.startswith("("):
        return False
    try:
        tree = ast.parse(code).body
    except SyntaxError:
        return False
    if len(tree) != 1 or not isinstance(tree[0], ast.Expr | ast.Assign):
        return False
    return ast.unparse(tree[0].value) == ast.unparse(place)
