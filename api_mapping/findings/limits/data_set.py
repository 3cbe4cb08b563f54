"""Tensor operations in the code that prepares data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from ...table.facts.results import METHOD_RETURNS, returned
from ...table.kinds import PLAIN, TENSOR
from .facts import Facts, method_of, operands
from .rule import Hit, limit

METHODS = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__"})
ALLOWED = tuple(
    f"torch{name}"
    for name in ".utils. vision. .manual_seed .load .device .Generator .initial_seed".split()
)
"""What stands in data-set code and is told elsewhere."""
ASKING = PLAIN | {"generator", "object"}
"""What is given by what does not compute with tensors."""
LEAVES = frozenset({"torch.Tensor.numpy", "torch.Tensor.item", "torch.Tensor.tolist"})

HEAD = "class D(torch.utils.data.Dataset):\n    def __getitem__(self, i: int):\n        "


OF_ROWS = HEAD.replace(
    "    def", "    def __init__(self):\n        self.rows = torch.zeros(3, 3)\n    def", 1
)
OPERATORS = (ast.BinOp, ast.UnaryOp, ast.Compare)
Operation = ast.BinOp | ast.UnaryOp | ast.Compare | ast.AugAssign


def has_data_code(facts: Facts) -> bool:
    return bool(facts.collators) or "dataset" in facts.families.values()


@cache
def computes(api: str) -> bool:
    """Whether an API computes with tensors: not what only asks them, as `x.size(0)` does."""
    if not api.startswith("torch.") or api.startswith(ALLOWED) or api in LEAVES:
        return False
    owner, _, name = api.rpartition(".")
    given = METHOD_RETURNS.get(name, TENSOR) if owner == "torch.Tensor" else returned(api)
    return given.tag not in ASKING


@limit(
    "MS225",
    ast.Call,
    advice="return NumPy arrays and compute with NumPy: MindSpore makes the tensors itself",
    found=(
        f"{HEAD}return torch.tensor(self.rows[i])  # !",
        f"{HEAD}x = self.x[i]\n        return torch.stack([x, x])  # !",
        "def collate(batch):\n    return torch.stack(batch)  # !\n"
        "loader = torch.utils.data.DataLoader([1], collate_fn=collate)",
        "class Collate:\n    def __call__(self, batch):\n        return torch.stack(batch)  # !\n"
        "loader = torch.utils.data.DataLoader([1], collate_fn=Collate())",
        "from functools import partial\n"
        "def collate(batch, n):\n    return torch.stack(batch)  # !\n"
        "loader = torch.utils.data.DataLoader([1], collate_fn=partial(collate, n=3))",
        "class T:\n    def collate(self, batch):\n        return torch.stack(batch)  # !\n"
        "    def loader(self):\n"
        "        return torch.utils.data.DataLoader([1], collate_fn=self.collate)",
    ),
    clean=(
        f"{HEAD}return self.rows[i]",
        "class D(torch.utils.data.Dataset):\n    def __init__(self):\n"
        "        self.rows = torch.zeros(3)",
        "class D:\n    def __getitem__(self, i):\n        return torch.tensor(i)",
        f"{HEAD}if torch.is_tensor(i):\n            i = i.tolist()\n        return self.rows[i]",
        f"{HEAD}g = torch.Generator()\n        g.manual_seed(torch.initial_seed() + i)",
        f"{HEAD}x: torch.Tensor = self.x\n        return x.numpy()[i % x.size(0)]",
    ),
    about=computes,
    holds_for=has_data_code,
)
def tensor_in_data_set(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """PyTorch's operations in `__getitem__` of a data set, or in a loader's collate_fn."""
    if is_data_code(facts):
        api = facts.api(node)
        yield Hit(node, f"{api} computes with tensors inside of data-set code", api)


@limit(
    "MS225",
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign),
    advice="return NumPy arrays and compute with NumPy: MindSpore makes the tensors itself",
    found=(
        f"{HEAD}x = torch.load('x.pt')\n        y: torch.Tensor = x\n        return y * 2  # !",
        f"{OF_ROWS}return self.rows[i] * 2 + 1  # !",
        f"{OF_ROWS}return self.rows[i] > 3, -i  # !",
        f"{OF_ROWS}x = self.rows[i]\n        x = -x  # !\n        return x",
        f"{OF_ROWS}x = self.rows[i].clone()  # !\n        x += 1  # !\n        return x",
    ),
    clean=(
        f"{OF_ROWS}return self.rows[i * 2 + 1]",
        f"{OF_ROWS}return self.rows[i].numpy() * 2, self.rows.shape[0] - 1",
        f"{OF_ROWS}return i * 2\n    def scaled(self):\n        return self.rows * 2",
        "class D:\n    def __getitem__(self, x: torch.Tensor):\n        return x * 2",
    ),
    holds_for=has_data_code,
)
def operator_in_data_set(node: Operation, facts: Facts) -> Iterator[Hit]:
    """`x * 2` in `__getitem__` of a data set: of operators in operators the inner ones are told."""
    place = node.target if isinstance(node, ast.AugAssign) else node
    if not facts.is_tensor(place) or not is_data_code(facts):
        return
    inner = [node.value] if isinstance(node, ast.AugAssign) else operands(node)
    if not any(isinstance(part, OPERATORS) and facts.is_tensor(part) for part in inner):
        yield Hit(node, "an operator computes with tensors inside of data-set code")


def is_data_code(facts: Facts) -> bool:
    if facts.family == "dataset":
        return method_of(facts.scope) in METHODS
    function, owner = facts.scope.function, facts.scope.owner
    if function is None or facts.family not in ("", "object"):
        return False
    if owner is not None and owner.name in facts.collators:
        return method_of(facts.scope) == "__call__"
    return function.name in facts.collators
