"""Absolute values in a project with complex tensors: MindSpore's are complex, PyTorch's are real.

self.weight.abs()  ->  compat.absolute(self.weight)
abs(wave)          ->  compat.absolute(wave)
"""

from __future__ import annotations

import ast

from ...syntax.code import Code
from ...syntax.quotation import expression
from ..places import Places
from ..rewriter import Rewriter

NAMES = frozenset(
    f"torch.{owner}{name}" for owner in ("", "Tensor.") for name in ("abs", "absolute")
)


def absolute(node: ast.Call, to: Rewriter) -> Code | None:
    """The absolute values of what is not known to be real."""
    tensor = measured(node, to.places) if to.notes.is_complex else None
    if tensor is None:
        return None
    return expression("compat.absolute(x)", compat=to.name("compat"), x=to.code(tensor))


def measured(node: ast.Call, places: Places) -> ast.expr | None:
    """The tensor that a call takes the absolute values of; None of other calls."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    is_own = len(given) == 1 and places.name_of(node.func) == "builtins.abs"
    if is_own and places.kind_of(given[0]) == "tensor":
        return given[0]
    named = places.resolve(node.func)
    if named is None or named.api not in NAMES:
        return None
    operands = given if named.receiver is None else [named.receiver, *given]
    return operands[0] if len(operands) == 1 else None
