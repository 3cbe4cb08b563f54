"""Statements whose MindSpore code would do nothing."""

from __future__ import annotations

import ast

from ..edit import is_assignable
from .writer import Writer


def is_flag(node: ast.Assign, writer: Writer) -> bool:
    """Whether a statement sets what MindSpore has no place for, and nothing of the project's."""
    target = node.targets[0]
    named = writer.resolve(target) if isinstance(target, ast.Attribute) else None
    if named is None or named.receiver is not None:
        return False
    code = writer.referred(named)
    return code is not None and not is_assignable(code)


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
