"""Texts that format attributes which may be tensors: MindSpore's take no form.

"{top1.avg:.3f}".format(top1=top1)  ->  compat.format_text("{top1.avg:.3f}", top1=top1)
"""

from __future__ import annotations

import ast

from ...syntax.code import Code, call_argument
from ...syntax.quotation import expression
from ..rewriter import Rewriter


def formatted_text(node: ast.Call, to: Rewriter) -> Code | None:
    """The code of `text.format(...)` that finds the numbers of the tensors when it runs."""
    if node not in to.notes.texts or not isinstance(node.func, ast.Attribute):
        return None
    given = [call_argument(to.code(node.func.value)), *map(call_argument, map(to.code, node.args))]
    for keyword in node.keywords:
        code = to.code(keyword.value)
        star = "**" if keyword.arg is None else ""
        given.append(call_argument(code, keyword.arg or "", star))
    return expression("compat.format_text(given)", compat=to.name("compat"), given=tuple(given))
