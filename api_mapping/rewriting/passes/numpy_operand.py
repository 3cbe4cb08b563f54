"""NumPy's numbers and arrays beside tensors: PyTorch's operators take them, MindSpore's do not.

np.log(10) * torch.arange(4)  ->  compat.of_numpy(np.log(10)) * ops.arange(4)
x > np.float64(0.5)           ->  x > compat.of_numpy(np.float64(0.5))
lam * criterion(y, target)    ->  compat.plain_number(lam) * criterion(y, target)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...syntax.code import Code, Statement
from ...syntax.quotation import expression
from ..places import Places
from ..rewriter import Rewriter

Operation = ast.BinOp | ast.Compare | ast.AugAssign


def computed(node: ast.BinOp | ast.Compare, to: Rewriter) -> Code | None:
    """The operation with a number, or a tensor, in the place of what is NumPy's."""
    operand = of_numpy(node, to.places.kind_of)
    if operand is not None:
        part = number(operand, to)
    elif isinstance(node, ast.BinOp) and is_by_number(node, to.places):
        operand = node.left
        part = expression("compat.plain_number(x)", compat=to.name("compat"), x=to.code(operand))
    else:
        return None
    code = to.with_parts(node, {operand: part})
    assert isinstance(code, Code)
    return code


def augmented(node: ast.AugAssign, to: Rewriter) -> Sequence[Statement] | None:
    """`x *= np.sqrt(2)`."""
    operand = of_numpy(node, to.places.kind_of)
    if operand is None:
        return None
    statement = to.with_parts(node, {operand: number(operand, to)})
    assert isinstance(statement, Statement)
    return [statement]


def number(operand: ast.expr, to: Rewriter) -> Code:
    code = to.code(operand)
    return expression("compat.of_numpy(value)", compat=to.name("compat"), value=code)


def of_numpy(node: Operation, kind_of: Callable[[ast.expr], str]) -> ast.expr | None:
    """The operand that is NumPy's where the other one is a tensor, None of other operations."""
    operands = operands_of(node)
    kinds = [kind_of(operand) for operand in operands]
    return operands[kinds.index("numpy")] if sorted(kinds) == ["numpy", "tensor"] else None


def is_by_number(node: ast.BinOp, places: Places) -> bool:
    """Whether a number that may be NumPy's stands left of what may be a tensor.

    NumPy computes then, and the gradient is lost with nothing said. What may be NumPy's has a name
    that values of NumPy's have elsewhere in the file, as the share of a mixture has; what is right
    of it is a tensor, or what a function gives that is a parameter: a network, a loss.
    """
    left, right = node.left, node.right
    if not (places.kind_of(right) == "tensor" or places.of_parameter(right)):
        return False
    if places.kind_of(left) == "numpy":
        return places.kind_of(right) != "tensor"
    parts = list(ast.walk(left))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    is_plain = all(isinstance(part, PLAIN) for part in parts)
    is_open = places.kind_of(left) in ("", "unknown")
    return is_plain and is_open and bool(names & places.numpy_named)


PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)
"""What numbers are written of."""


def operands_of(node: Operation) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return [node.target, node.value]
