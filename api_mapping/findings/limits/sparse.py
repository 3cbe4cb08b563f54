"""Sparse tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .rule import Hit, limit

LAYERS = frozenset({"torch.nn.Embedding", "torch.nn.functional.embedding", "torch.nn.EmbeddingBag"})
BEGINNINGS = ("torch.sparse", "torch.Tensor.to_sparse", "torch.Tensor.coalesce")


@limit(
    "MS224",
    *(ast.Call, ast.Attribute),
    advice="COO tensors become a class beside the code that multiplies with tensors and knows "
    "to_dense; for whatever else is done to them, and for other layouts, keep the data dense",
    found=(
        "def f(x: torch.Tensor):\n    return x.to_sparse()  # !",
        "def f(i, v):\n    return torch.sparse_coo_tensor(i, v)  # !",
        "layer = nn.Embedding(10, 3, sparse=True)  # !",
    ),
    clean=(
        "layer = nn.Embedding(10, 3)",
        "layer = nn.Embedding(10, 3, sparse=False)",
        "def f(x):\n    return x.to_sparse()",
    ),
    about=lambda api: api.startswith(BEGINNINGS) or api in LAYERS,
)
def sparse_tensor(node: ast.Call | ast.Attribute, facts: Facts) -> Iterator[Hit]:
    """A sparse tensor is made, or a layer is told to have sparse gradients."""
    api = facts.api(node)
    if api not in LAYERS or is_told(node):
        yield Hit(node, f"{api} makes a sparse tensor", api)


def is_told(node: ast.AST) -> bool:
    given = node.keywords if isinstance(node, ast.Call) else []
    values = [k.value for k in given if k.arg == "sparse"]
    return any(isinstance(value, ast.Constant) and value.value is True for value in values)
