"""Weights that some steps use and others do not: MindSpore's gradients of these are zeros."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.nodes import dotted
from ...syntax.walk import every
from .facts import Facts, is_parameter, is_self
from .rule import Hit, in_modules, limit

DRAWING = ("random.", "np.random.", "numpy.random.", "rng.")
DRAWN = ("torch.rand", "torch.bernoulli", "torch.multinomial", "torch.normal")
LISTS = frozenset({"torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList"})
HELD = frozenset({"module", "parameter"})
HEAD = (
    "import random\nclass M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.a, self.b = nn.Linear(2, 2), nn.Parameter(torch.ones(2))\n"
    "        self.heads = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])\n"
    "    def forward(self, x: torch.Tensor, task=0, mask=None):\n        "
)
TOLD = "which weights are used follows from "


@limit(
    "MS245",
    *(ast.If, ast.IfExp, ast.For, ast.Subscript),
    advice="weights that a step does not use get gradients of zeros there, PyTorch's get none: "
    "momentum, Adam and weight decay move them all the same; give each branch an optimiser of its "
    "own, or none of these",
    found=(
        f"{HEAD}if random.random() < 0.5:  # !\n            x = self.a(x)\n        return x",
        f"{HEAD}for _ in range(random.randint(0, 2)):  # !\n            x = x + self.b\n"
        "        return x",
        f"{HEAD}return self.heads[task](x)  # !",
        f"{HEAD}return self.heads[random.choice([0, 1])](x)  # !",
        f"{HEAD}if task == 'a':  # !\n            return self.a(x)\n        return x * self.b",
        f"{HEAD}return self.a(x) if torch.rand(1) < 0.5 else x  # !",
    ),
    clean=(
        f"{HEAD}if mask is not None:\n            x = self.a(x)\n        return x",
        f"{HEAD}if self.training:\n            x = self.a(x)\n        return x",
        f"{HEAD}if random.random() < 0.5:\n            x = -x\n        return self.a(x)",
        f"{HEAD}for i in range(2):\n            x = self.heads[i](x)\n        return x",
        f"{HEAD}return self.heads[0](x)",
        f"{HEAD}for head in self.heads:\n            x = head(x)\n        return x",
    ),
    holds_for=in_modules,
)
def used_unevenly(
    node: ast.If | ast.IfExp | ast.For | ast.Subscript, facts: Facts
) -> Iterator[Hit]:
    """`if random.random() < p: x = self.layer(x)` in forward, or `self.heads[task](x)`."""
    if not facts.is_graph_code:
        return
    if isinstance(node, ast.Subscript):
        is_list = facts.kind_of(node.value).name in LISTS
        chosen = said_by_caller(node.slice, facts) or drawn_in(node.slice, facts)
        if is_list and chosen:
            yield Hit(node, f"{TOLD}{chosen}")
        return
    decided = node.iter if isinstance(node, ast.For) else node.test
    chosen = drawn_in(decided, facts) or compared_in(decided, facts)
    parts = (node.body, node.orelse) if isinstance(node, ast.IfExp) else (*node.body, *node.orelse)
    if chosen and any(holds_weights(part, facts) for part in parts):
        yield Hit(decided, f"{TOLD}{chosen}")


def drawn_in(node: ast.expr, facts: Facts) -> str:
    """Whether an expression draws a random number; "" if it does not."""
    calls = (inner for inner in every(node) if isinstance(inner, ast.Call))
    is_drawn = any(
        dotted(call.func).startswith(DRAWING) or facts.api(call).startswith(DRAWN) for call in calls
    )
    return "a random number" if is_drawn else ""


def said_by_caller(node: ast.expr, facts: Facts) -> str:
    """Whether it is a parameter of the method; "" if it is not."""
    block = facts.block
    is_given = isinstance(node, ast.Name) and block is not None and is_parameter(block, node.id)
    return "what forward is given" if is_given else ""


def compared_in(node: ast.expr, facts: Facts) -> str:
    """Whether a parameter is compared with a word or a number: `task == "a"`."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return ""
    is_constant = all(isinstance(x, ast.Constant) for x in node.comparators)
    return said_by_caller(node.left, facts) if is_constant else ""


def holds_weights(node: ast.AST, facts: Facts) -> bool:
    """Whether it computes with a layer or a parameter of the module."""
    attributes = (n for n in every(node) if isinstance(n, ast.Attribute) and is_self(n.value))
    return any(
        facts.tag(n) in HELD or facts.kind_of(n).name == "torch.nn.Parameter" for n in attributes
    )
