"""Slices whose bounds are read from tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .rule import Hit, limit


@limit(
    "MS227",
    ast.Subscript,
    advice="graph mode needs bounds that do not follow from values: mask instead of cutting",
    found=(
        "def f(x: torch.Tensor, n: torch.Tensor):\n    return x[:, : n.max()]  # !",
        "def f(x: torch.Tensor):\n    n = int((x > 0).sum())\n    return x[:n]  # !",
    ),
    clean=(
        "def f(x: torch.Tensor, n: int):\n    return x[:n]",
        "def f(x: torch.Tensor):\n    return x[: x.shape[0] // 2]",
        "def f(x: list, n: torch.Tensor):\n    return x[: n.item()]",
    ),
)
def slice_from_values(node: ast.Subscript, facts: Facts) -> Iterator[Hit]:
    """`x[:n]` where n is a tensor or is read from one."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    slices = [part for part in parts if isinstance(part, ast.Slice)]
    if not slices or not facts.is_tensor(node.value):
        return
    bounds = [b for s in slices for b in (s.lower, s.upper, s.step) if b is not None]
    if any(map(facts.is_from_data, bounds)):
        yield Hit(node, "where the slice ends follows from values of a tensor")
