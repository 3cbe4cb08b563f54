"""`requires_grad_` as a value: MindSpore's returns nothing, and means nothing but of Parameters.

x = y.detach().requires_grad_(True)             ->  x = ops.stop_gradient(y)
x = y.clone().requires_grad_(); Adam([x])       ->  x = ms.Parameter(y.copy())
x.requires_grad_(True); Adam([x])               ->  x = ms.Parameter(x)
weight = layer.weight.requires_grad_(False)     ->  weight = compat.requiring(layer.weight, False)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...syntax.code import Code, Statement
from ...syntax.quotation import expression, statement
from ...table.refusal import Refusal
from ..rewriter import Rewriter

OF_CALLER = (
    "MindSpore's optimizers change Parameters: make x = ms.Parameter(x) here, give the optimizer "
    "that one, and return it to who called, whose own tensor stays as it was"
)


def flagged(node: ast.Call, to: Rewriter) -> Code | None:
    """The tensor that the flag is set of; a Parameter, where an optimizer is given it."""
    if node in to.notes.of_callers:
        raise Refusal(OF_CALLER)
    if node not in to.notes.flagged or not isinstance(node.func, ast.Attribute):
        return None
    owner = node.func.value
    tensor = to.code(owner)
    if node in to.notes.trained:
        return expression("ms.Parameter(x)", ms=to.name("ms"), x=tensor)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    flag = given[0] if given else ast.Constant(True)
    is_set = isinstance(flag, ast.Constant) and flag.value is True
    if is_set and to.places.holder_of(owner) != "parameter":
        return tensor
    value = to.code(flag) if given else expression("True")
    return expression("compat.requiring(x, flag)", compat=to.name("compat"), x=tensor, flag=value)


def begun(node: ast.Expr, to: Rewriter) -> Sequence[Statement] | None:
    """The statement that makes a tensor a Parameter, before an optimizer is given it."""
    call = node.value
    if call not in to.notes.trained or not isinstance(call, ast.Call):
        return None
    assert isinstance(call.func, ast.Attribute)
    tensor = to.code(call.func.value)
    return [statement("x = ms.Parameter(x)", ms=to.name("ms"), x=tensor)]
