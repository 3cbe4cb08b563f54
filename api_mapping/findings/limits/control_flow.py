"""Python's control flow on the values of tensors, in code that runs as a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .rule import Hit, in_modules, limit

HEAD = "class M(nn.Module):\n    def forward(self, x: torch.Tensor, n: int):\n        "


@limit(
    "MS222",
    *(ast.If, ast.IfExp, ast.Assert),
    advice="use ops.where or ops.select on the tensors, or run this part in PyNative mode",
    found=(
        f"{HEAD}if x.sum() > 0:  # !\n            x = -x\n        return x",
        f"{HEAD}y = x.max().item()\n        return x if y > 1 else -x  # !",
        f"{HEAD}if torch.isnan(x).any():  # !\n            raise ValueError\n        return x",
        f"{HEAD}return self.scaled(x)\n    def scaled(self, x: torch.Tensor):\n"
        "        if x.mean() > 1:  # !\n            return x / 2\n        return x",
    ),
    clean=(
        f"{HEAD}if self.training and n > 2:\n            x = -x\n        return x",
        f"{HEAD}if x.shape[0] > 2 or x is None:\n            x = -x\n        return x",
        "def f(loss: torch.Tensor):\n    if loss.item() > 3:\n        print(loss)",
        "class M(nn.Module):\n    def check(self, x: torch.Tensor):\n"
        "        if x.sum() > 0:\n            print(x)",
    ),
    holds_for=in_modules,
)
def branch_on_a_tensor(node: ast.If | ast.IfExp | ast.Assert, facts: Facts) -> Iterator[Hit]:
    """`if x.sum() > 0` in forward, or in a method that forward calls."""
    if facts.is_graph_code and facts.is_from_data(node.test):
        yield Hit(node.test, "which branch is taken follows from values of a tensor")


@limit(
    "MS223",
    *(ast.While, ast.For),
    advice="graph mode unrolls loops when it compiles: use ops.while_loop, or a fixed number",
    found=(
        f"{HEAD}while x.norm() > 1:  # !\n            x = x / 2\n        return x",
        f"{HEAD}for i in range(int(x.max())):  # !\n            x = x + i\n        return x",
    ),
    clean=(
        f"{HEAD}for i in range(n):\n            x = x + i\n        return x",
        f"{HEAD}for row in x:\n            n = n + 1\n        return n",
        f"{HEAD}while n > 1:\n            n = n - 1\n        return x",
    ),
    holds_for=in_modules,
)
def loop_on_a_tensor(node: ast.While | ast.For, facts: Facts) -> Iterator[Hit]:
    """`while x.norm() > 1` and `range(int(x.max()))` in forward."""
    if not facts.is_graph_code:
        return
    tested = [node.test] if isinstance(node, ast.While) else range_arguments(node.iter)
    found = next((part for part in tested if facts.is_from_data(part)), None)
    if found is not None:
        yield Hit(found, "how often the loop runs follows from values of a tensor")


def range_arguments(node: ast.expr) -> list[ast.expr]:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return node.args if is_call and node.func.id == "range" else []  # type: ignore[attr-defined]
