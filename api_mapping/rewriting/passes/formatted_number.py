"""Tensors in texts with a form that numbers have, and quotes in the fields of f-strings.

f"{loss:.3f}"             ->  f"{loss.item():.3f}"
"{:d}".format(n.sum())    ->  "{:d}".format(n.sum().item())
f"{pool(x, mode='same')}" ->  f"{pool(x, pad_mode='same')}"
"""

from __future__ import annotations

import ast
import re

from ...syntax.code import Code, Verbatim, text_of
from ...syntax.quotation import expression
from ...syntax.slots import strength
from ...table.refusal import Refusal
from ..rewriter import Rewriter

QUOTE = re.compile(r"""[A-Za-z]*("{3}|'{3}|"|')""")


def as_number(node: ast.expr, parent: ast.AST, to: Rewriter) -> Code | None:
    """The number of a tensor that is written in a form."""
    is_formatted = node in to.formatted or node in to.notes.formatted
    if not is_formatted or to.places.kind_of(node) != "tensor":
        return None
    return expression("value.item()", value=to.code(node))


def in_field(node: ast.expr, parent: ast.AST, to: Rewriter) -> Code | None:
    """The code of a field of an f-string, in the quotes that the string leaves.

    Raises: Refusal if it has quotes of both kinds
    """
    if not isinstance(parent, ast.JoinedStr) or not to.has_use(node):
        return None
    code = as_number(node, parent, to) or to.code(node)
    source, text = to.reading.source, text_of(code)
    opening = QUOTE.match(source.of_node(parent))
    mark = opening[1] if opening else '"'
    if mark not in text or text == source.of_node(node):
        return code
    other = "'" if mark == '"' else '"'
    if other in text or len(mark) == 3:
        raise Refusal("its code has quotes that do not fit into the f-string: take it out")
    return Verbatim(value=text.replace(mark, other), binding=strength(code))
