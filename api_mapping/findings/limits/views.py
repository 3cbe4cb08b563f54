"""Writes in place through another name of a tensor that no MindSpore code lets the others see."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .facts import Facts
from .rule import Hit, limit


@limit(
    "MS229",
    *(ast.Call, ast.AugAssign, ast.Subscript),
    advice="write to the tensor itself: x[0] = x[0].add(1)",
    found=(
        "def f(x: torch.Tensor):\n    a, b = x.chunk(2)\n    a.zero_()  # !\n    return x",
        "def f(x: torch.Tensor):\n    y = x.t()\n    y += 1  # !\n    return x",
        "def f(x: torch.Tensor):\n    y = x.permute(1, 0)\n    y[0] = 1  # !\n    return x",
        "def f(x: torch.Tensor):\n    row = x[0]\n    x.add_(1)  # !\n    return row",
        "x = torch.zeros(3, 2)\nrow = x[0]\nx[:] = 1  # !\nprint(row)",
        "x = torch.zeros(3, 2)\nrow = x[0]\nx[:] = 1  # !",
        "def g(t: torch.Tensor):\n    t.add_(1)\n\ndef f(x: torch.Tensor):\n    g(x[0])  # !\n"
        "    return x",
        "act = nn.ReLU(inplace=True)\nx = torch.randn(3)\ny = act(x)  # !\nprint(x)",
        "def f(x):\n    x.view(-1).add_(1)  # !\n    return x",
        "def f(x: torch.Tensor):\n    y = x.detach()\n    y.t_()  # !\n    return x + y.t()",
    ),
    clean=(
        "def f(x: torch.Tensor):\n    x.add_(1)\n    return x",
        "def f(x: torch.Tensor):\n    x[0].add_(1)\n    return x",
        "def f(x: torch.Tensor):\n    row = x[0]\n    row.zero_()\n    return x",
        "def f(x: torch.Tensor):\n    y = x\n    y.add_(1)\n    return x",
        "def f(x: torch.Tensor):\n    return x.relu().add_(1)",
        "def f():\n    x = torch.zeros(3)\n    y = x[0]\n    y.add_(1)\n    return y",
        "if __name__ == '__main__':\n    x = torch.zeros(3, 2)\n    for k in range(2):\n"
        "        x[k] = 1\n        row = x[0]\n        print(row)",
        "def f(n):\n    x = torch.zeros(n)\n    q, k = x.chunk(2)\n    q *= 2\n    return q + k",
        "def f(n):\n    x = torch.zeros(n, n)\n    x = x.t()\n    x += 1\n    return x",
        "def f(x: torch.Tensor, y: torch.Tensor):\n    z = x[y]\n    z += 1\n    return x",
        "def f(x: torch.Tensor):\n    n = x.shape[0]\n    n += 1\n    return n",
    ),
    holds_for=lambda facts: bool(facts.lost),
)
def written_by_another_name(
    node: ast.Call | ast.AugAssign | ast.Subscript, facts: Facts
) -> Iterator[Hit]:
    """`a, b = x.chunk(2); a.zero_()`: x itself changes in PyTorch only."""
    message = facts.lost.get(id(node))
    if message is not None:
        yield Hit(node, message, facts.api(node))
