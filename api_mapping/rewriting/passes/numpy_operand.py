"""NumPy's numbers and arrays beside tensors: PyTorch's operators take them, MindSpore's do not.

np.log(10) * torch.arange(4)  ->  compat.of_numpy(np.log(10)) * ops.arange(4)
x > np.float64(0.5)           ->  x > compat.of_numpy(np.float64(0.5))
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...syntax.code import Code, Statement
from ...syntax.quotation import expression
from ..rewriter import Rewriter

Operation = ast.BinOp | ast.Compare | ast.AugAssign


def computed(node: ast.BinOp | ast.Compare, to: Rewriter) -> Code | None:
    """The operation with a number, or a tensor, in the place of what is NumPy's."""
    operand = of_numpy(node, to.places.kind_of)
    if operand is None:
        return None
    code = to.with_parts(node, {operand: number(operand, to)})
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


def operands_of(node: Operation) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return [node.target, node.value]
