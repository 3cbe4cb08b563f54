"""Modules and parameters in Python's own containers, where nobody finds them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts, is_self
from .rule import Hit, in_modules, limit

HEAD = "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        "
WRITTEN = frozenset({ast.List, ast.ListComp, ast.Tuple, ast.Dict, ast.DictComp, ast.Set})


@limit(
    "MS226",
    *(ast.Assign, ast.AnnAssign),
    advice="nn.CellList, nn.SequentialCell or ms.ParameterTuple: what is in a list is not trained",
    found=(
        f"{HEAD}self.layers = [nn.Linear(2, 2) for _ in range(3)]  # !",
        f"{HEAD}self.heads = {{'a': nn.Linear(2, 2)}}  # !",
        f"{HEAD}self.scales = [nn.Parameter(torch.ones(3))]  # !",
    ),
    clean=(
        f"{HEAD}self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])",
        f"{HEAD}layers = [nn.Linear(2, 2)]\n        self.net = nn.Sequential(*layers)",
        f"{HEAD}self.sizes = [1, 2]",
        "class Plain:\n    def __init__(self):\n        self.layers = [nn.Linear(2, 2)]",
    ),
    holds_for=in_modules,
)
def modules_in_a_list(node: ast.Assign | ast.AnnAssign, facts: Facts) -> Iterator[Hit]:
    """`self.layers = [nn.Linear(...)]`: neither framework registers what is in it."""
    if node.value is None or type(node.value) not in WRITTEN:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if not any(map(is_own, targets)):
        return
    if facts.element(node.value) in ("module", "parameter"):
        what = facts.element(node.value)
        yield Hit(node.value, f"{what}s in a Python container are not registered")


@limit(
    "MS226",
    ast.Call,
    advice="append to an nn.CellList: what is in a Python list is not trained",
    found=(
        f"{HEAD}self.layers = []\n        for _ in range(3):\n"
        "            self.layers.append(nn.Linear(2, 2))  # !",
    ),
    clean=(
        f"{HEAD}self.layers = nn.ModuleList()\n        self.layers.append(nn.Linear(2, 2))",
        f"{HEAD}self.sizes = []\n        self.sizes.append(3)",
    ),
    called=("append", "extend"),
    holds_for=in_modules,
)
def module_appended_to_a_list(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """`self.layers.append(nn.Linear(...))` where `self.layers` is a list."""
    called = node.func
    if not isinstance(called, ast.Attribute) or called.attr not in ("append", "extend"):
        return
    if not is_own(called.value) or len(node.args) != 1:
        return
    if facts.tag(called.value) == "list" and facts.tag(node.args[0]) == "module":
        yield Hit(node, "modules in a Python container are not registered")


def is_own(node: ast.expr) -> bool:
    """Whether it is an attribute of self."""
    return type(node) is ast.Attribute and is_self(node.value)
