"""Tensors in formatted text."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .rule import Hit, limit


@limit(
    "MS232",
    *(ast.FormattedValue, ast.Call),
    advice="format a number: loss.item()",
    found=(
        "def f(loss: torch.Tensor):\n    return f'{loss:.3f}'  # !",
        "def f(loss: torch.Tensor):\n    return format(loss, '.3f')  # !",
    ),
    clean=(
        "def f(loss: torch.Tensor):\n    return f'{loss}'",
        "def f(loss: torch.Tensor):\n    return f'{loss.item():.3f}'",
        "def f(loss):\n    return f'{loss:.3f}'",
    ),
    called=("format",),
)
def formatted_tensor(node: ast.FormattedValue | ast.Call, facts: Facts) -> Iterator[Hit]:
    """`f"{loss:.3f}"` of a tensor: MindSpore's raise a TypeError."""
    value = formatted(node)
    if value is not None and facts.is_tensor(value):
        yield Hit(value, "MindSpore's tensors take no format")


def formatted(node: ast.FormattedValue | ast.Call) -> ast.expr | None:
    """What is formatted by a specification, None if nothing is."""
    if isinstance(node, ast.FormattedValue):
        return None if node.format_spec is None else node.value
    is_format = isinstance(node.func, ast.Name) and node.func.id == "format"
    return node.args[0] if is_format and len(node.args) == 2 else None
