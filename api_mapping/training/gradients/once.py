"""What is computed for its gradients alone: the function that is differentiated computes it.

outputs = net(x)                          def loss_of_x(x):
loss = criterion(outputs, y)        ->        outputs = net(x)
g = torch.autograd.grad(loss, x)[0]           loss = criterion(outputs, y)
                                              return loss

                                          g = compat.gradients(loss_of_x, (x,))[0]

So it is computed once, as in PyTorch: dropout draws once, and BatchNorm counts a batch once.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...syntax.nodes import is_name
from ..blocks import Block
from ..names import access
from ..weights import needing

OUTER = ast.Global | ast.Nonlocal
"""What makes names of a function those of the code around it."""


def computed_once(
    block: Block, body: Sequence[int], place: int, output: ast.expr
) -> list[ast.stmt] | None:
    """The statements of a body, if nobody but it and the call at a place needs what they compute.

    None if somebody may, or if they do something else.
    """
    statements = [block.statements[number] for number in body]
    moved = [s for s in statements if not is_flagging(s)]
    is_function = isinstance(block.scope, ast.FunctionDef)
    if moved and (not is_function or any(isinstance(n, OUTER) for n in ast.walk(block.scope))):
        return None
    if not all(map(is_computing, moved)):
        return None
    given = {name for statement in moved for name in access(statement).writes}
    known = {id(n) for part in (*moved, output) for n in ast.walk(part)}
    read = {n.id for n in ast.walk(block.scope) if is_name(n) and id(n) not in known}
    return None if given & read or not all(map(str.isidentifier, given)) else moved


def is_flagging(statement: ast.stmt) -> bool:
    """Whether a statement only says that gradients are wanted: it stays where it is as well."""
    return isinstance(statement, ast.Expr) and needing(statement.value) is not None


def is_computing(statement: ast.stmt) -> bool:
    """Whether a statement gives names values, and does nothing else that is to be seen."""
    if isinstance(statement, ast.With):
        return all(map(is_computing, statement.body))
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return False
    others = ast.NamedExpr | ast.Yield | ast.Await
    return not any(isinstance(n, others) for n in ast.walk(statement))
