"""Tensor operations in the code that prepares data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts, method_of
from .rule import Hit, limit

METHODS = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__"})
ALLOWED = ("torch.utils.", "torchvision.", "torch.manual_seed", "torch.load", "torch.device")
"""What stands in data-set code and is told elsewhere."""
LEAVES = frozenset({"torch.Tensor.numpy", "torch.Tensor.item", "torch.Tensor.tolist"})

HEAD = "class D(torch.utils.data.Dataset):\n    def __getitem__(self, i: int):\n        "


def computes(api: str) -> bool:
    """Whether an API computes with tensors."""
    return api.startswith("torch.") and not api.startswith(ALLOWED) and api not in LEAVES


@limit(
    "MS225",
    ast.Call,
    advice="return NumPy arrays and compute with NumPy: MindSpore makes the tensors itself",
    found=(
        f"{HEAD}return torch.tensor(self.rows[i])  # !",
        f"{HEAD}x = self.x[i]\n        return torch.stack([x, x])  # !",
        "def collate(batch):\n    return torch.stack(batch)  # !\n"
        "loader = torch.utils.data.DataLoader([1], collate_fn=collate)",
    ),
    clean=(
        f"{HEAD}return self.rows[i]",
        "class D(torch.utils.data.Dataset):\n    def __init__(self):\n"
        "        self.rows = torch.zeros(3)",
        "class D:\n    def __getitem__(self, i):\n        return torch.tensor(i)",
    ),
    about=computes,
    holds_for=lambda facts: bool(facts.collators) or "dataset" in facts.families.values(),
)
def tensor_in_data_set(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """PyTorch's operations in `__getitem__` of a data set, or in a loader's collate_fn."""
    if is_data_code(facts):
        api = facts.api(node)
        yield Hit(node, f"{api} computes with tensors inside of data-set code", api)


def is_data_code(facts: Facts) -> bool:
    if facts.family == "dataset":
        return method_of(facts.scope) in METHODS
    function = facts.scope.function
    return facts.family == "" and function is not None and function.name in facts.collators
