"""Weights of Conv1d: MindSpore's have an axis of one, so what is read is no place to write to.

conv.weight[0] = 1        ->  compat.line(conv.weight)[0] = 1
conv.weight.grad          ->  conv.weight.grad
fill_(conv.weight)        ->  fill_(conv.weight)
conv.weight.requires_grad ->  conv.weight.requires_grad
"""

from __future__ import annotations

import ast

from ....syntax.code import Code, Statement
from ....syntax.quotation import expression, statement
from ....table.layer_macros import as_parameter
from ...rewriter import Rewriter
from ...rows import OWN_METHODS

APIS = frozenset({"torch.nn.Conv1d.weight", "torch.nn.ConvTranspose1d.weight"})
OWN = frozenset({"requires_grad", "grad"})
"""Attributes that belong to the Parameter, not to its value."""

DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred)


def line_weight(node: ast.AST, to: Rewriter) -> Code | None:
    """The Parameter that a node is the value of, as `.data` may be; None if it is no such one."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    named = to.places.resolve(node) if isinstance(node, ast.Attribute) else None
    if named is None or named.api not in APIS or not isinstance(node, ast.Attribute):
        return None
    return as_parameter(to.code(node))


def stored_part(node: ast.Attribute | ast.Subscript, to: Rewriter) -> Code | None:
    """The place of a part of one, or its Parameter's own attribute: `weight[0]`, `.grad`."""
    is_own = isinstance(node, ast.Attribute) and node.attr in OWN
    return line_part(node, to) if is_own or isinstance(node.ctx, ast.Store) else None


def line_part(node: ast.AST, to: Rewriter) -> Code | None:
    if isinstance(node, ast.Attribute) and node.attr in OWN:
        whole = line_weight(node.value, to)
        return None if whole is None else expression(f"whole.{node.attr}", whole=whole)
    if not isinstance(node, ast.Subscript) or (whole := line_weight(node.value, to)) is None:
        return None
    line = expression("compat.line(whole)", compat=to.name("compat"), whole=whole)
    code = to.with_parts(node, {node.value: line})
    assert isinstance(code, Code)
    return code


def itself(node: ast.expr, parent: ast.AST, to: Rewriter) -> Code | None:
    """The Parameter where it is asked for: in a list, by a function that fills it."""
    if not isinstance(node, ast.Attribute) or not is_identity(node, parent, to):
        return None
    return line_weight(node, to)


def is_identity(node: ast.AST, parent: ast.AST, to: Rewriter) -> bool:
    if isinstance(parent, ast.Call):
        named = to.places.resolve(parent.func)
        if named is not None and named.api in OWN_METHODS and node is named.receiver:
            return True
        last = ast.unparse(parent.func).rpartition(".")[2]
        is_asked = last.endswith("_") or "init" in last or last == "id"
        return node is not parent.func and is_asked
    if isinstance(parent, ast.Compare):
        return any(isinstance(sign, ast.Is | ast.IsNot) for sign in parent.ops)
    return isinstance(parent, DISPLAYS)


def line_set(place: ast.AST, value: Code, to: Rewriter) -> Statement | None:
    """The statement that gives one a new value, which has PyTorch's axes; None of others."""
    whole = line_weight(place, to)
    if whole is None:
        return None
    return statement("whole.copy_(value.expand_dims(-2))", whole=whole, value=value)
