"""Statements whose MindSpore code would do nothing."""

from __future__ import annotations

import ast


def is_idle(code: str) -> bool:
    """Whether a statement of this code would do nothing."""
    code = code.strip()
    if code.endswith(")") and not code.startswith("(") and "#" not in code:
        return False  # most are calls
    try:
        tree = ast.parse(code, mode="eval").body
    except SyntaxError:
        return False
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return isinstance(tree, ast.Name | ast.Constant)
