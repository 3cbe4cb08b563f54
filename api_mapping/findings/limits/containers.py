"""Modules and parameters in Python's own containers, where nobody finds them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from ...syntax.walk import all_in
from .facts import Facts, is_self
from .rule import Hit, in_modules, limit

REGISTERING = frozenset(
    f"torch.nn.{name}"
    for name in ("ModuleList", "ModuleDict", "Sequential", "ParameterList", "ParameterDict")
)
"""What registers the modules or parameters that it is made of."""

HEAD = "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        "
WRITTEN = frozenset({ast.List, ast.ListComp, ast.Tuple, ast.Dict, ast.DictComp, ast.Set})


@limit(
    "MS226",
    *(ast.Assign, ast.AnnAssign),
    advice="nn.CellList, nn.SequentialCell or ms.ParameterTuple: what is in a list is not trained",
    found=(
        f"{HEAD}self.layers = [nn.Linear(2, 2) for _ in range(3)]  # !",
        f"{HEAD}self.layers = [nn.Linear(2, 2)]  # !\n        self.net = nn.ModuleList()\n\n"
        "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layers = nn.ModuleList()",
        f"{HEAD}self.heads = {{'a': nn.Linear(2, 2)}}  # !",
        f"{HEAD}self.scales = [nn.Parameter(torch.ones(3))]  # !",
    ),
    clean=(
        f"{HEAD}self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])",
        f"{HEAD}layers = [nn.Linear(2, 2)]\n        self.net = nn.Sequential(*layers)",
        f"{HEAD}self.layers = [nn.Linear(2, 2)]\n        self.net = nn.Sequential(*self.layers)",
        f"{HEAD}self.layers = [nn.Linear(2, 2)]\n        layers = [self.layers[0]]\n"
        "        self.layers = nn.ModuleList(layers)",
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
    names = [target.attr for target in targets if is_own(target)]
    if not names or any(is_registered(name, facts) for name in names):
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
        f"{HEAD}self.layers = []\n        self.layers.append(nn.Linear(2, 2))\n"
        "        self.layers = nn.ModuleList(self.layers)",
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
    is_one = facts.tag(called.value) == "list" and facts.tag(node.args[0]) == "module"
    if is_one and not is_registered(called.value.attr, facts):
        yield Hit(node, "modules in a Python container are not registered")


def is_registered(name: str, facts: Facts) -> bool:
    """Whether the class registers what an attribute has: in a container, or under its own name."""
    layout, owner = facts.layout, facts.scope.owner
    calls = [c for c in layout.of_type(ast.Call) if facts.api(c) in REGISTERING]
    calls = [c for c in calls if layout.scope_of(c).owner is owner]
    given = [part for call in calls for part in call.args]
    made = set(map(id, calls))
    set_to = [s.targets for s in layout.of_type(ast.Assign) if id(s.value) in made]
    found = [n for part in given for n in all_in(part)] + [t for some in set_to for t in some]
    return any(is_own(node) and node.attr == name for node in found)


def is_own(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether it is an attribute of self."""
    return type(node) is ast.Attribute and is_self(node.value)
