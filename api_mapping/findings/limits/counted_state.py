"""Entries of a network's state that are counted or shown: MindSpore's BatchNorm has one less."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...analysis.definitions import Class
from ...syntax.walk import every
from .facts import Facts
from .rule import Hit, limit

STATE = "torch.nn.Module.state_dict"
READ = "torch.load"
WEIGHTS = re.compile(r"^(?!.*optim).*(model|net|weights|state_dict)", re.IGNORECASE)
"""How the weights in a checkpoint are called."""
PARTS = frozenset({"keys", "values", "items"})
COUNTING = frozenset({"len", "enumerate", "list", "print", "set", "sorted", "sum"})
LAYER = "BatchNorm"
HEAD = "net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))\n"
TOLD = "MindSpore's state has no num_batches_tracked"


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
        f"{HEAD}total = 0\nfor v in net.state_dict().values():  # !\n    total += v.numel()",
        f"{HEAD}total = sum(v.numel() for v in net.state_dict().values())  # !",
        f"{HEAD}size = sum([v.nbytes for k, v in net.state_dict().items()])  # !",
        f"{HEAD}state = net.state_dict()\nn = len(state)  # !",
        f"{HEAD}state = net.state_dict()\nfor name in state:  # !\n    print(name)",
        f"{HEAD}for name, v in net.state_dict().items():  # !\n    print(name, v.shape)",
        f"{HEAD}print(net.state_dict().keys())  # !",
        f"{HEAD}state = torch.load('net.pth')['model']\nn = len(state)  # !",
        f"{HEAD}saved = torch.load('net.pth')\nn = sum(v.numel() for v in saved.values())  # !",
    ),
    clean=(
        "net = nn.Linear(2, 2)\nn = len(net.state_dict())",
        f"{HEAD}n = len(list(net.parameters()))",
        f"{HEAD}state = {{name: v.clone() for name, v in net.state_dict().items()}}",
        f"{HEAD}for name, v in net.state_dict().items():\n    if 'num_batches' not in name:\n"
        "        print(name)",
        f"{HEAD}n = sum(v.numel() for v in net.state_dict().values() if v.is_floating_point())",
        f"{HEAD}state = net.state_dict()\nstate = {{}}\nn = len(state)",
        f"{HEAD}state = net.parameters()\nstate = state.items()\nn = len(state)",
        f"{HEAD}state = net.state_dict()",
        f"{HEAD}saved = torch.load('net.pth')\nprint(saved['epoch'], len(saved))",
        f"{HEAD}epoch = torch.load('net.pth')['epoch']\nprint(epoch)",
        f"{HEAD}print(torch.load('net.pth')['optimizer_state_dict'])",
    ),
)
def state_counted(node: ast.Call | ast.For, facts: Facts) -> Iterator[Hit]:
    """`len(net.state_dict())`: PyTorch's has num_batches_tracked of each BatchNorm, too."""
    if isinstance(node, ast.For):
        inner = [part for statement in node.body for part in every(statement)]
        chosen = any(isinstance(part, ast.If | ast.IfExp) for part in inner)
        if not chosen and any(map(is_counter, inner)) and is_state(node.iter, facts):
            yield Hit(node.iter, TOLD)
        return
    is_counting = isinstance(node.func, ast.Name) and node.func.id in COUNTING
    if is_counting and node.args and is_state(gone_through(node.args[0]), facts):
        yield Hit(node, TOLD)


def is_counter(node: ast.AST) -> bool:
    """Whether it is `k += 1`, or shows something."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "print"
    return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)


def gone_through(node: ast.expr) -> ast.expr:
    """What a generator or a list goes through entry by entry; others are what they are."""
    if not isinstance(node, ast.GeneratorExp | ast.ListComp):
        return node
    first = node.generators[0]
    return node if first.ifs else first.iter


def is_state(node: ast.expr, facts: Facts, depth: int = 3, *, is_taken: bool = False) -> bool:
    """Whether it is the state of a network with BatchNorm, or its names, values or both.

    `is_taken`: whether its names, its values or both are asked for.
    """
    if isinstance(node, ast.Name):
        values = facts.values_of(node.id) if depth else []
        calls = (isinstance(value, ast.Call | ast.Subscript) for value in values)
        return all(calls) and any(
            is_state(value, facts, depth - 1, is_taken=is_taken) for value in values
        )
    is_named = False
    while isinstance(node, ast.Subscript):  # of a checkpoint: `torch.load(path)["model"]`
        key = node.slice.value if isinstance(node.slice, ast.Constant) else ""
        is_named |= bool(WEIGHTS.search(str(key)))
        node = node.value
    if facts.api(node) == READ:
        return (is_named or is_taken) and has_layers(facts)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        is_own = node.func.attr == "state_dict" and facts.tag(owner) in ("unknown", "module")
        if is_own or facts.api(node) == STATE:
            return may_count(owner, facts)
        if node.func.attr not in PARTS:
            return False
        if isinstance(owner, ast.Name):
            return is_state(owner, facts, depth, is_taken=True)
        node, is_taken = owner, True
        if facts.api(node) == READ:
            return has_layers(facts)
    return False


def may_count(owner: ast.expr, facts: Facts) -> bool:
    """Whether a network may have a BatchNorm: this file has some, or the file of its class."""
    kind = facts.kind_of(owner)
    target = kind.target
    is_own = isinstance(target, Class) and LAYER in target.module.source.text
    return is_own or has_layers(facts)


def has_layers(facts: Facts) -> bool:
    return any(LAYER in api for api in facts.apis.values())
