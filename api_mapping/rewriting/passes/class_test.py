"""Classes that types are tested by: the class that MindSpore's calls build.

isinstance(m, nn.Linear)       ->  isinstance(m, nn.Dense)
type(m) in (nn.ReLU, nn.GELU)  ->  type(m) in (nn.ReLU, nn.GELU)
"""

from __future__ import annotations

import ast

from ...syntax.code import Code
from ...syntax.nodes import classes_in
from ...syntax.quotation import expression
from ...table.named import Named
from ...table.refusal import Refusal
from ...table.template import plain_callee
from ..rewriter import Rewriter


def tested(node: ast.expr, parent: ast.AST, to: Rewriter) -> Code | None:
    """The code of a class in a test of a type."""
    is_one = isinstance(parent, ast.Call | ast.Compare) and node in classes_in(parent)
    return class_code(node, to) if is_one else None


def class_code(node: ast.expr, to: Rewriter) -> Code:
    """The class that the calls of one of PyTorch's build.

    Raises: Refusal if they build none
    """
    if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.BinOp):
        parts = list(to.reading.parts(node))
        code = to.with_parts(node, {part: class_code(part, to) for part in parts})
        assert isinstance(code, Code)
        return code
    named = to.places.resolve(node) if isinstance(node, ast.Name | ast.Attribute) else None
    found = None if named is None else class_of(named, to)
    return to.code(node) if found is None else found


def class_of(named: Named, to: Rewriter) -> Code | None:
    """The class that calls build; None of what is a value, or a function's own.

    Raises: Refusal if they build none
    """
    rules = to.rules(named.api)
    rule = next((rule for rule in rules if rule.is_callable), None)
    is_built = rule is not None and rule.target and "." in plain_callee(rule)
    if rule is None or not (is_built or rules[0].is_callable):
        return None
    if not is_built:
        raise Refusal(rule.advice or f"{rule.name} is no class of MindSpore's")
    return expression(plain_callee(rule, mint=to.mint))
