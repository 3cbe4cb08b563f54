"""Weights that some steps use and others do not: MindSpore's gradients of these are zeros."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...syntax.nodes import dotted
from ...syntax.walk import every
from ...table.facts.seeds import GENERATORS
from ...table.facts.weightless import is_weightless
from .facts import Facts, is_parameter, is_self, method_of
from .rule import Hit, in_modules, limit

DRAWING = tuple(f"{module}." for module in (*GENERATORS, "np.random"))
DRAWN = ("torch.rand", "torch.bernoulli", "torch.multinomial", "torch.normal")
LISTS = frozenset({"torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList"})
PARAMETER = "torch.nn.Parameter"
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
        f"{HEAD}if task == 'a':\n            x = self.a(x)\n"
        "        else:\n            x = self.a(2 * x)\n        return x",
        f"{HEAD}for _ in range(random.randint(1, 3)):\n            x = self.a(x)\n        return x",
        f"{HEAD}x = self.one(0, x)\n        return self.one(1, x)\n"
        "    def one(self, i, x):\n        return self.heads[i](x)",
        f"{HEAD}self.act = nn.ReLU()\n        if task == 'a':\n            x = self.act(x)\n"
        "        return x",
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
        is_list = facts.kind_of(node.value).name in LISTS and method_of(facts.scope) == "forward"
        chosen = said_by_caller(node.slice, facts) or drawn_in(node.slice, facts)
        if is_list and chosen:
            yield Hit(node, f"{TOLD}{chosen}")
        return
    decided = node.iter if isinstance(node, ast.For) else node.test
    chosen = drawn_in(decided, facts) or compared_in(decided, facts)
    branches: list[Sequence[ast.AST]] = (
        [[node.body], [node.orelse]] if isinstance(node, ast.IfExp) else [node.body, node.orelse]
    )
    used = [weights_in(branch, facts) for branch in branches]
    if chosen and used[0] != used[1] and not is_sure(decided):
        yield Hit(decided, f"{TOLD}{chosen}")


def is_sure(node: ast.expr) -> bool:
    """Whether a loop runs once at least: `range(random.randint(1, 3))`."""
    if not isinstance(node, ast.Call) or dotted(node.func) != "range" or len(node.args) != 1:
        return False
    drawn = node.args[0]
    least = drawn.args[0] if isinstance(drawn, ast.Call) and len(drawn.args) == 2 else None
    return isinstance(least, ast.Constant) and least.value != 0


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


def weights_in(nodes: Sequence[ast.AST], facts: Facts) -> set[str]:
    """The layers and parameters of the module that code computes with, by their names."""
    inner = (n for node in nodes for n in every(node))
    attributes = (n for n in inner if isinstance(n, ast.Attribute) and is_self(n.value))
    kinds = ((n.attr, facts.kind_of(n)) for n in attributes)
    return {
        name
        for name, kind in kinds
        if (kind.tag == "module" and not is_weightless(kind.name)) or kind.name == PARAMETER
    }
