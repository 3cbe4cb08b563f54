"""How modules are called, and what is assigned to their buffers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .containers import is_own
from .facts import Facts
from .rule import Hit, limit

HEAD = (
    "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.register_buffer('total', torch.zeros(3))\n"
)


@limit(
    "MS230",
    *(ast.Assign, ast.AugAssign),
    advice="self.buffer.copy_(value), or ops.assign(self.buffer, value)",
    found=(
        f"{HEAD}    def forward(self, x):\n        self.total = self.total + x  # !",
        f"{HEAD}    def forward(self, x):\n        self.total += x  # !",
    ),
    clean=(
        f"{HEAD}    def forward(self, x):\n        self.other = x",
        f"{HEAD}    def forward(self, x):\n        total = self.total + x\n        return total",
        "class Plain:\n    def f(self, x):\n        self.total = x",
    ),
    holds_for=lambda facts: bool(facts.buffers),
)
def buffer_assigned(node: ast.Assign | ast.AugAssign, facts: Facts) -> Iterator[Hit]:
    """`self.buffer = ...` after register_buffer: MindSpore raises a TypeError."""
    names = facts.buffers.get(id(facts.scope.owner))
    if not names or facts.family != "module":
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if is_own(target) and target.attr in names:
            yield Hit(target, "a buffer cannot be assigned anew in MindSpore")


@limit(
    "MS231",
    ast.Call,
    advice="call the module itself: layer(x); hooks are run, and `forward` has another name",
    found=(
        "def f(layer: nn.Linear, x):\n    return layer.forward(x)  # !",
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.act = nn.ReLU()\n    def forward(self, x):\n"
        "        return self.act.forward(x)  # !",
    ),
    clean=(
        "def f(layer: nn.Linear, x):\n    return layer(x)",
        "def f(player, x):\n    return player.forward(x)",
        "class M(nn.Linear):\n    def forward(self, x):\n        return super().forward(x)",
    ),
    called=("forward",),
)
def forward_called(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """`layer.forward(x)`: the method is called construct, and the call skips what __call__ does."""
    called = node.func
    if isinstance(called, ast.Attribute) and called.attr == "forward":
        is_super = isinstance(called.value, ast.Call)
        if not is_super and facts.tag(called.value) == "module":
            yield Hit(node, "forward is called by its name")
