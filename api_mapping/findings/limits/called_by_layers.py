"""Methods that PyTorch's layers and modules call by themselves, and MindSpore's do not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...analysis import Kind
from ...analysis.definitions import Class
from .facts import Facts
from .rule import Hit, in_modules, limit

BY_LAYERS = frozenset({"_conv_forward", "reset_parameters"})
"""What torch.nn's layers call: the convolution itself, and the constructor's last step."""
BY_MODULES = frozenset(
    """_apply _load_from_state_dict _save_to_state_dict get_extra_state set_extra_state""".split()
)
"""What Module calls when it is moved, saved and loaded."""
BARE = frozenset({"Module", "Sequential", "ModuleList", "ModuleDict"})
"""Bases of torch.nn that call none of BY_LAYERS."""
MOST_BASES = 16


@limit(
    "MS241",
    ast.FunctionDef,
    advice="call it where PyTorch does: reset_parameters at the end of __init__, what "
    "_conv_forward computes in forward, the state of a checkpoint where it is saved and loaded",
    found=(
        "class M(nn.Conv2d):\n    def _conv_forward(self, x, w, b):  # !\n"
        "        return F.conv2d(x, w - w.mean(), b, self.stride, self.padding)",
        "class M(nn.Linear):\n    def reset_parameters(self):  # !\n        return None",
        "class A(nn.Linear):\n    pass\nclass M(A):\n"
        "    def reset_parameters(self):  # !\n        return None",
        "class M(nn.Module):\n    def _load_from_state_dict(self, *x):  # !\n        return None",
        "class M(nn.Module):\n    def get_extra_state(self):  # !\n        return 3",
    ),
    clean=(
        "class M(nn.Module):\n    def reset_parameters(self):\n        return None",
        "class M(nn.Sequential):\n    def reset_parameters(self):\n        return None",
        "class M(nn.Linear):\n    def __init__(self):\n        super().__init__(2, 2)\n"
        "        self.reset_parameters()\n    def reset_parameters(self):\n        return None",
        "class M(nn.Conv2d):\n    def forward(self, x):\n"
        "        return self._conv_forward(x, self.weight, self.bias)\n"
        "    def _conv_forward(self, x, w, b):\n        return x",
        "class Plain:\n    def get_extra_state(self):\n        return 3",
        "class M(nn.Linear):\n    def forward(self, x):\n"
        "        def reset_parameters():\n            return x\n        return reset_parameters()",
    ),
    holds_for=in_modules,
)
def called_by_layer(node: ast.FunctionDef, facts: Facts) -> Iterator[Hit]:
    """`def reset_parameters(self)` in a class of nn.Linear: nobody calls it."""
    owner = facts.scope.owner
    if node.name not in BY_LAYERS | BY_MODULES or owner is None or node not in owner.body:
        return
    is_called = any(node.name in names for names in facts.own_calls.get(id(owner), {}).values())
    extends = node.name in BY_MODULES or any(is_layer(facts.kind_of(b)) for b in owner.bases)
    if extends and not is_called:
        caller = "torch.nn.Module" if node.name in BY_MODULES else "PyTorch's layer"
        yield Hit(node, f"{caller} calls {node.name}, MindSpore's does not")


def is_layer(base: Kind) -> bool:
    """Whether a class, or one that it extends, is a layer of torch.nn's."""
    waiting = [base]
    for kind in waiting:
        home, _, name = kind.name.rpartition(".")
        if kind.tag == "api" and home.startswith("torch.nn") and name not in BARE:
            return True
        bases = kind.target.bases if isinstance(kind.target, Class) else None
        if len(waiting) < MOST_BASES:
            waiting += bases or ()
    return False
