"""Entries of a network's state that are counted: MindSpore's BatchNorm has one less."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.walk import every
from .facts import Facts
from .rule import Hit, limit

STATE = "torch.nn.Module.state_dict"
PARTS = frozenset({"keys", "values", "items"})
COUNTING = frozenset({"len", "enumerate", "list"})
HEAD = "net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))\n"


def has_batch_norm(facts: Facts) -> bool:
    return any(api.startswith("torch.nn.BatchNorm") for api in facts.apis.values())


@limit(
    "MS243",
    *(ast.Call, ast.For),
    advice="count named_parameters(), or go by the names: MindSpore's state is one entry shorter "
    "for each BatchNorm",
    found=(
        f"{HEAD}n = len(net.state_dict())  # !",
        f"{HEAD}for k, (name, v) in enumerate(net.state_dict().items()):  # !\n    print(k, name)",
        f"{HEAD}names = list(net.state_dict().keys())  # !",
        f"{HEAD}last = list(net.state_dict())[-1]  # !",
        f"{HEAD}def f(model: nn.Module):\n    k = 0\n"
        "    for v in model.state_dict().values():  # !\n        v.fill_(k)\n        k += 1",
    ),
    clean=(
        "net = nn.Linear(2, 2)\nn = len(net.state_dict())",
        f"{HEAD}n = len(list(net.parameters()))",
        f"{HEAD}for name, v in net.state_dict().items():\n    print(name)",
        f"{HEAD}total = 0\nfor v in net.state_dict().values():\n    total += v.numel()",
        f"{HEAD}state = net.state_dict()",
    ),
    holds_for=has_batch_norm,
)
def state_counted(node: ast.Call | ast.For, facts: Facts) -> Iterator[Hit]:
    """`len(net.state_dict())`: PyTorch's has num_batches_tracked of each BatchNorm, too."""
    if isinstance(node, ast.For):
        is_counted = any(is_counter(part) for statement in node.body for part in every(statement))
        if is_counted and is_state(node.iter, facts):
            yield Hit(node.iter, "MindSpore's state has no num_batches_tracked")
        return
    is_counting = isinstance(node.func, ast.Name) and node.func.id in COUNTING
    if is_counting and len(node.args) == 1 and is_state(node.args[0], facts):
        yield Hit(node, "MindSpore's state has no num_batches_tracked")


def is_counter(node: ast.AST) -> bool:
    """Whether it is `k += 1`."""
    is_plain = isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    return is_plain and isinstance(node, ast.AugAssign) and isinstance(node.value, ast.Constant)


def is_state(node: ast.expr, facts: Facts) -> bool:
    """Whether it is the state of a network, or its names, values or both."""
    while isinstance(node, ast.Call):
        if facts.api(node) == STATE:
            return True
        called = node.func
        if not isinstance(called, ast.Attribute):
            return False
        if called.attr == "state_dict" and facts.tag(called.value) in ("unknown", "module"):
            return True
        if called.attr not in PARTS:
            return False
        node = called.value
    return False
