"""`x >> n` of a tensor: MindSpore's have the functions, not the operators.

x >> 2   ->  ops.bitwise_right_shift(x, 2)
x <<= 1  ->  x = ops.bitwise_left_shift(x, 1)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...syntax.code import Code, Statement
from ...syntax.quotation import statement
from ...table.argument import Call
from ...table.template import instantiate
from ..rewriter import Rewriter
from .numpy_operand import operands_of

FUNCTIONS: dict[type[ast.operator], str] = {
    ast.LShift: "torch.bitwise_left_shift",
    ast.RShift: "torch.bitwise_right_shift",
}

Operation = ast.BinOp | ast.AugAssign


def shifted(node: ast.BinOp, to: Rewriter) -> Code | None:
    """The call that takes the place of the operator."""
    return code_of(node, to) if is_of_tensors(node, to.places.kind_of) else None


def augmented(node: ast.AugAssign, to: Rewriter) -> Sequence[Statement] | None:
    """`x >>= 1`, where nothing else has the memory of `x`."""
    if not is_of_tensors(node, to.places.kind_of):
        return None
    return [statement("own = value", own=to.code(node.target), value=code_of(node, to))]


def code_of(node: Operation, to: Rewriter) -> Code:
    """The call of the function that the operator is."""
    (rule,) = to.rules(FUNCTIONS[type(node.op)])
    call = Call.of(None, operands_of(node), (), to.code)
    return instantiate(rule, call, mint=False, names=to.names)


def is_of_tensors(node: Operation, kind_of: Callable[[ast.expr], str]) -> bool:
    """Whether it is a shift with a tensor on one side."""
    return type(node.op) in FUNCTIONS and "tensor" in map(kind_of, operands_of(node))
