"""Writes in place through another name of a tensor: MindSpore code gives that name a new value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..tree import FunctionNode, every
from .facts import Facts
from .rule import Hit, limit

VIEWS = frozenset(
    f"torch.{owner}{name}"
    for owner in ("", "Tensor.")
    for name in """view view_as reshape transpose t permute narrow select squeeze unsqueeze expand
    diagonal unfold swapaxes swapdims movedim moveaxis T mT real imag flatten unflatten""".split()
)
"""What gives another view of the same values."""
STATEFUL = frozenset({"requires_grad_", "share_memory_", "retain_grad_", "detach_"})
ADVICE = "write to the tensor itself: x[0] = x[0].add(1)"


@limit(
    "MS229",
    ast.Call,
    advice=ADVICE,
    found=(
        "def f(x: torch.Tensor):\n    x.view(-1).mul_(2)  # !\n    return x",
        "def f(x: torch.Tensor):\n    row = x[0]\n    row.zero_()  # !\n    return x",
        "def f(x: torch.Tensor):\n    y = x\n    y.add_(1)  # !\n    return x",
    ),
    clean=(
        "def f(x: torch.Tensor):\n    x.add_(1)\n    return x",
        "def f(x: torch.Tensor):\n    x[0].add_(1)\n    return x",
        "def f(x):\n    x.view(-1).add_(1)\n    return x",
        "def f(x: torch.Tensor):\n    return x.relu().add_(1)",
        "def f():\n    x = torch.zeros(3)\n    y = x[0]\n    y.add_(1)\n    return y",
    ),
    of_use=True,
)
def written_through_another_name(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """`row = x[0]; row.zero_()`, `x.view(-1).mul_(2)`: x itself changes in PyTorch only."""
    called = node.func
    if not isinstance(called, ast.Attribute) or not is_in_place(called.attr):
        return
    api = facts.api(node)
    if not api.startswith("torch.Tensor.") or isinstance(called.value, ast.Subscript):
        return
    value = called.value
    if isinstance(value, ast.Name):
        alias = facts.only_value(value.id)
    else:
        alias = value if is_view(value, facts) else None
    if alias is not None and is_shared(alias, node, facts):
        yield Hit(node, f"{api} writes to {ast.unparse(alias)} by another name", api)


@limit(
    "MS229",
    ast.AugAssign,
    advice=ADVICE,
    found=("def f(x: torch.Tensor):\n    row = x[0]\n    row += 1  # !\n    return x",),
    clean=(
        "def f(x: torch.Tensor):\n    x += 1\n    return x",
        "def f(x: torch.Tensor):\n    x[0] += 1\n    return x",
        "def f(x: torch.Tensor):\n    n = x.shape[0]\n    n += 1\n    return n",
        "def f(x: torch.Tensor, y: torch.Tensor):\n    z = x[y]\n    z += 1\n    return x",
    ),
)
def added_to_another_name(node: ast.AugAssign, facts: Facts) -> Iterator[Hit]:
    """`row = x[0]; row += 1`: x itself changes in PyTorch only."""
    if isinstance(node.target, ast.Name):
        alias = facts.first_value(node.target.id)
        if alias is not None and is_shared(alias, node, facts):
            yield Hit(node, f"it writes to {ast.unparse(alias)} by another name")


@limit(
    "MS229",
    ast.Assign,
    advice=ADVICE,
    found=(
        "def f(x: torch.Tensor):\n    flat = x.view(-1)\n    flat[0] = 1  # !\n    return x",
        "x = torch.zeros(3, 2)\nrow = x[0]\nrow[:] = 1  # !\nprint(x)",
    ),
    clean=(
        "def f(x: torch.Tensor):\n    x[0] = 1\n    return x",
        "x = torch.zeros(3, 2)\ny = x.clone()\ny[0] = 1\nprint(x)",
        "x = torch.zeros(3, 2)\nrow = x[0]\nrow[:] = 1\nprint(row)",
    ),
)
def set_through_another_name(node: ast.Assign, facts: Facts) -> Iterator[Hit]:
    """`row = x[0]; row[:] = 1`: x itself changes in PyTorch only."""
    for place in (t for t in node.targets if isinstance(t, ast.Subscript)):
        alias = facts.only_value(place.value.id) if isinstance(place.value, ast.Name) else None
        if alias is not None and is_view(alias, facts) and is_shared(alias, node, facts):
            yield Hit(node, f"it writes to {ast.unparse(alias)} by another name")


@limit(
    "MS229",
    ast.Assign,
    advice="write it as a statement of its own: x = x.add(1), then y = x",
    found=(
        "def f(x: torch.Tensor):\n    y = x.add_(1)  # !\n    return x + y",
        "x = torch.zeros(3)\ny = x.scatter_(0, i, 1.0).mul_(2)  # !\nprint(x)",
    ),
    clean=(
        "def f(x: torch.Tensor):\n    x = x.add_(1)\n    return x",
        "def f(x: torch.Tensor):\n    y = x.relu().add_(1)\n    return x + y",
        "def f(x: torch.Tensor):\n    y = x.requires_grad_(True)\n    return x + y",
        "x = torch.zeros(3)\ny = x.add(1)\nprint(x)",
    ),
)
def changed_under_a_new_name(node: ast.Assign, facts: Facts) -> Iterator[Hit]:
    """`y = x.add_(1)`: x itself changes in PyTorch only, y gets the new value in both."""
    changed, api = node.value, ""
    while isinstance(changed, ast.Call) and isinstance(changed.func, ast.Attribute):
        if not is_in_place(changed.func.attr) or not facts.is_tensor(changed.func.value):
            return
        changed, api = changed.func.value, facts.api(changed)
    names = {target.id for target in node.targets if isinstance(target, ast.Name)}
    if api and isinstance(changed, ast.Name) and changed.id not in names:
        yield Hit(node.value, f"{api} writes to {changed.id}, which is known by another name", api)


def is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__") and name not in STATEFUL


def is_shared(alias: ast.expr, node: ast.AST, facts: Facts) -> bool:
    """Whether an expression is a tensor that something else sees behind `node`, or outside."""
    if not facts.is_tensor(alias) or not (isinstance(alias, ast.Name) or is_view(alias, facts)):
        return False
    root = root_of(alias)
    if root is None or facts.block is None:
        return False
    return root == "self" or is_seen(root, facts.block, node.lineno)  # type: ignore[attr-defined]


def is_seen(name: str, function: FunctionNode | ast.Module, line: int) -> bool:
    """Whether a name is a parameter, or is read behind a line."""
    nodes = list(every(function))
    if any(isinstance(n, ast.arg) and n.arg == name for n in nodes):
        return True
    reads = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return any(read.id == name and read.lineno > line for read in reads)


def is_view(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression makes a view of a tensor."""
    if isinstance(node, ast.Subscript):
        return facts.is_tensor(node.value) and is_basic(node.slice, facts)
    return facts.api(node) in VIEWS


def root_of(node: ast.expr) -> str | None:
    """The name that a view is taken of, through further views."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_method = isinstance(node.func.value, ast.Name) and node.func.value.id != "torch"
            node = node.func.value if is_method or not node.args else node.args[0]
        else:
            return None
    return node.id


def is_basic(index: ast.expr, facts: Facts) -> bool:
    """Whether an index is of numbers and slices only: others make a copy in PyTorch, too."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(p, ast.Slice | ast.Constant) or facts.tag(p) == "int" for p in parts)
