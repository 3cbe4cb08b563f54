"""Operations whose output has a shape that follows from values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...table.facts.element_types import gives_bools
from ...table.facts.shapes import ONE_HOT, SHAPED_BY_VALUES, SIZES
from .facts import Facts
from .rule import Hit, limit


@limit(
    "MS221",
    ast.Call,
    advice="graph mode compiles for each new shape: keep the shape and mask the values",
    found=(
        "def f(x: torch.Tensor):\n    return torch.nonzero(x)  # !",
        "def f(x: torch.Tensor):\n    return x.masked_select(x > 0)  # !",
        "def f(x: torch.Tensor):\n    return torch.where(x > 0)  # !",
    ),
    clean=(
        "def f(x: torch.Tensor, y):\n    return torch.where(x > 0, x, y)",
        "def f(x):\n    return x.unique()",
        "def f(x: torch.Tensor):\n    return hasattr(x, 'unique') and hasattr(torch, 'unique')",
        "def f(x: torch.Tensor):\n    return x.topk(3)",
    ),
    about=SHAPED_BY_VALUES.__contains__,
)
def output_shaped_by_values(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """nonzero, unique, masked_select, where(condition)..."""
    api = facts.api(node)
    is_one_sided = len(node.args) + len(node.keywords) == 1
    if api != "torch.where" or is_one_sided:
        yield Hit(node, f"the shape of what {api} gives follows from values", api)


@limit(
    "MS221",
    ast.Call,
    advice="graph mode compiles for each new size: take the largest that there is, and mask",
    found=(
        "def f(x: torch.Tensor, n: torch.Tensor):\n    return x.topk(int(n.max()))  # !",
        "def f(x: torch.Tensor):\n    k = (x > 0).sum().item()\n    return torch.topk(x, k)  # !",
        "def f(n: torch.Tensor):\n    return torch.arange(n.max())  # !",
        "def f(x: torch.Tensor, n: torch.Tensor):\n    return x.new_zeros(int(n.max()), 3)  # !",
        "def f(n: torch.Tensor):\n    return torch.randn(n.max().item(), 3)  # !",
        "def f(x: torch.Tensor, n: torch.Tensor):\n    return x.split(n.tolist())  # !",
        "def f(x: torch.Tensor, n: torch.Tensor):\n    sizes = n.tolist()\n"
        "    return torch.split(x, split_size_or_sections=sizes, dim=1)  # !",
        "def f(i: torch.Tensor):\n    return F.one_hot(i)  # !",
        "def f(i: torch.Tensor):\n    return F.one_hot(i, num_classes=-1)  # !",
    ),
    clean=(
        "def f(x: torch.Tensor, k: int):\n    return x.topk(k)",
        "def f(x: torch.Tensor):\n    return torch.arange(x.shape[0])",
        "def f(x: torch.Tensor):\n    return torch.zeros(x.size(0), 3)",
        "def f(x: torch.Tensor, n: int):\n    return x.split(n), torch.split(x, [1, n])",
        "def f(i: torch.Tensor, n: int):\n    return F.one_hot(i, n), F.one_hot(i, 3)",
        "def f(i: torch.Tensor, options):\n    return F.one_hot(i, **options)",
    ),
    about=SIZES.__contains__,
)
def size_from_values(node: ast.Call, facts: Facts) -> Iterator[Hit]:
    """topk's k, arange's end and other sizes that are read from a tensor."""
    api = facts.api(node)
    name, place = SIZES[api]
    given = [k.value for k in node.keywords if k.arg == name] or node.args[place : place + 1]
    is_open = api == ONE_HOT and is_left_open(node, given)
    if is_open or (given and facts.is_from_data(given[0])):
        yield Hit(node, f"{name} of {api} follows from values of a tensor", api)


def is_left_open(node: ast.Call, given: Sequence[ast.expr]) -> bool:
    """Whether a call of one_hot leaves it to the values how many classes there are."""
    is_spread = None in [k.arg for k in node.keywords] or ast.Starred in map(type, node.args)
    return (not given and not is_spread) or [ast.unparse(part) for part in given] == ["-1"]


@limit(
    "MS221",
    ast.Subscript,
    advice="graph mode compiles for each new shape: use where, or multiply by the mask",
    found=(
        "def f(x: torch.Tensor):\n    return x[x > 0]  # !",
        "def f(x: torch.Tensor):\n    keep = ~torch.isnan(x)\n    return x[keep]  # !",
    ),
    clean=(
        "def f(x: torch.Tensor):\n    x[x > 0] = 1\n    return x",
        "def f(x: torch.Tensor, i: torch.Tensor):\n    return x[i]",
        "def f(x, n):\n    return x[x > n]",
    ),
)
def boolean_indexing(node: ast.Subscript, facts: Facts) -> Iterator[Hit]:
    """Reading the elements of a tensor that a mask selects."""
    is_read = isinstance(node.ctx, ast.Load)
    if is_read and facts.is_tensor(node.value) and is_mask(node.slice, facts):
        yield Hit(node, "how many elements a mask selects follows from values")


def is_mask(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is a tensor of bool, for certain."""
    if isinstance(node, ast.Name):
        value = facts.only_value(node.id)
        return value is not None and not isinstance(value, ast.Name) and is_mask(value, facts)
    if isinstance(node, ast.Compare):
        return facts.is_tensor(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return is_mask(node.operand, facts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return is_mask(node.left, facts) or is_mask(node.right, facts)
    return gives_bools(facts.api(node))
