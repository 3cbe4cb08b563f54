"""Writes through views and aliases: MindSpore's views are copies."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .rule import Hit, limit

VIEWS = frozenset(
    f"torch.{owner}{name}"
    for owner in ("", "Tensor.")
    for name in """view view_as reshape transpose t permute narrow select squeeze unsqueeze expand
    diagonal unfold swapaxes swapdims movedim moveaxis detach T mT data real imag flatten
    unflatten""".split()
)
LIKE_VIEWS = frozenset({"torch.Tensor.data", "torch.Tensor.detach"})
"""The whole tensor: assigning through them is a way to set a parameter, and has rules."""
STATEFUL = frozenset({"requires_grad_", "share_memory_", "retain_grad_"})


@limit(
    "MS229",
    ast.Call,
    advice="assign the new value to the part: x[0] = x[0].add(1)",
    found=(
        "def f(x: torch.Tensor):\n    x[0].add_(1)  # !\n    return x",
        "def f(x: torch.Tensor):\n    x.view(-1).mul_(2)  # !\n    return x",
        "def f(x: torch.Tensor):\n    row = x[0]\n    row.zero_()  # !\n    return x",
    ),
    clean=(
        "def f(x: torch.Tensor):\n    x.add_(1)\n    return x",
        "def f(x):\n    x[0].add_(1)\n    return x",
        "def f(x: torch.Tensor):\n    x[0] = 1\n    return x",
        "def f(x: torch.Tensor):\n    return x.relu().add_(1)",
    ),
)
def write_into_a_view(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """`x[0].add_(1)`, `x.view(-1).mul_(2)`: x itself changes in PyTorch only."""
    called = node.func
    if not isinstance(called, ast.Attribute) or not is_in_place(called.attr):
        return
    api = facts.api(node)
    if api.startswith("torch.Tensor.") and is_view(called.value, facts):
        yield Hit(node, f"{api} writes into a view: in MindSpore the view is a copy", api)


@limit(
    "MS229",
    ast.AugAssign,
    advice="write into the tensor itself: x[0] = x[0] + 1",
    found=("def f(x: torch.Tensor):\n    row = x[0]\n    row += 1  # !\n    return x",),
    clean=(
        "def f(x: torch.Tensor):\n    x += 1\n    return x",
        "def f(x: torch.Tensor):\n    x[0] += 1\n    return x",
        "def f(x: torch.Tensor):\n    n = x.shape[0]\n    n += 1\n    return n",
    ),
)
def added_to_a_view(node: ast.AugAssign, facts: Facts) -> Iterator[Hit]:
    """`row = x[0]; row += 1`: x itself changes in PyTorch only."""
    if isinstance(node.target, ast.Name):
        first = facts.first_value(node.target.id)
        if first is not None and facts.is_tensor(first) and is_view_made(first, facts):
            yield Hit(node, "it writes into a view: in MindSpore the view is a copy")


def is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__") and name not in STATEFUL


def is_view(node: ast.expr, facts: Facts) -> bool:
    if isinstance(node, ast.Name):
        value = facts.only_value(node.id)
        return value is not None and facts.is_tensor(value) and is_view_made(value, facts)
    return facts.is_tensor(node) and is_view_made(node, facts)


def is_view_made(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression makes a view of a tensor that has a name."""
    if isinstance(node, ast.Subscript):
        return facts.is_tensor(node.value) and is_basic(node.slice, facts)
    api = facts.api(node)
    return api in VIEWS and api not in LIKE_VIEWS


def is_basic(index: ast.expr, facts: Facts) -> bool:
    """Whether an index is of numbers and slices only: others make a copy in PyTorch, too."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(p, ast.Slice | ast.Constant) or facts.tag(p) == "int" for p in parts)
