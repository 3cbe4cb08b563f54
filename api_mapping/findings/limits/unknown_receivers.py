"""Methods of what is not known that both frameworks have, with another meaning."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...table.facts.other_meanings import MEANINGS
from .facts import Facts
from .rule import Hit, limit

NOTHING_KNOWN = frozenset({"unknown", "never", "none"})
ALIKE_ALONE = frozenset({"norm"})
"""Methods whose meaning is another one by their arguments alone."""


@limit(
    "MS238",
    ast.Call,
    advice="annotate what has the method, and convert again",
    found=(
        "def f(items):\n    for x in load(items):\n        print(x.std())  # !",
        "x = load()\ny = x.norm(2)  # !",
        "found = {}\nfill(found)\ny = torch.ones(2) * found['a'].var()  # !",
        "def f(a, b):\n    return a.equal(b)  # !",
    ),
    clean=(
        "x = torch.ones(3)\ny = x.std()",
        "def f(x: torch.Tensor):\n    return x.norm(2)",
        "import numpy as np\nx = np.ones(3)\ny = x.std()",
        "x = load()\ny = x.mean()",
        "x = load()\ny = x.norm()",
    ),
    called=MEANINGS,
)
def method_of_unknown(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """Nothing is known of what has the method: of a tensor, MindSpore gives another number."""
    called = node.func
    if not isinstance(called, ast.Attribute) or called.attr not in MEANINGS:
        return
    is_alike = called.attr in ALIKE_ALONE and not node.args and not node.keywords
    if not is_alike and not facts.api(node) and facts.tag(called.value) in NOTHING_KNOWN:
        yield Hit(node, f"if it is a tensor, {MEANINGS[called.attr]}")
