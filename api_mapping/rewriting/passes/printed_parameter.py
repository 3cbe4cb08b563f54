"""The values of a Parameter in a text: a Parameter itself is printed with its name and shape only.

print(layer.weight.data)       ->  print(layer.weight.value())
f"{layer.bias.data}"           ->  f"{layer.bias.value()}"
"{}".format(layer.bias.data)   ->  "{}".format(layer.bias.value())
"""

from __future__ import annotations

import ast

from ...syntax.code import Code
from ...syntax.nodes import is_name
from ...syntax.quotation import expression
from ..rewriter import Rewriter

PRINTING = frozenset({"print", "str", "repr"})


def printed(node: ast.expr, parent: ast.AST, to: Rewriter) -> Code | None:
    """The values of a Parameter that is printed, or stands in a field of a text."""
    if not isinstance(node, ast.Attribute) or node.attr != "data" or not is_text_of(node, parent):
        return None
    if node in to.formatted or node in to.notes.formatted:
        return None
    if to.places.holder_of(node.value) != "parameter":
        return None
    return expression("parameter.value()", parameter=to.code(node.value))


def is_text_of(node: ast.expr, parent: ast.AST) -> bool:
    """Whether the text that `parent` makes is that of `node`."""
    if isinstance(parent, ast.Call):
        function = parent.func
        is_format = isinstance(function, ast.Attribute) and is_literal(function.value)
        is_printing = is_name(function) and function.id in PRINTING
        return node in parent.args and (is_printing or is_format)
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, ast.Mod) and is_literal(parent.left)
    fields = parent.values if isinstance(parent, ast.JoinedStr) else ()
    return any(isinstance(f, ast.FormattedValue) and f.value is node for f in fields)


def is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
