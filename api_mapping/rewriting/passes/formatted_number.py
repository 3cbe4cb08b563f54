"""Tensors in texts with a form that numbers have, and quotes in the fields of f-strings.

f"{loss:.3f}"             ->  f"{loss.item():.3f}"
"{:d}".format(n.sum())    ->  "{:d}".format(n.sum().item())
f"{total:.3f}"            ->  f"{float(total):.3f}"  where `total` may be a number or a tensor
f"{pool(x, mode='same')}" ->  f"{pool(x, pad_mode='same')}"
"""

from __future__ import annotations

import ast
import re

from ...syntax.code import Code, Verbatim, text_of
from ...syntax.nodes import form_of, forms_in, is_name
from ...syntax.quotation import expression
from ...syntax.slots import strength
from ...table.refusal import Refusal
from ..rewriter import Rewriter

QUOTE = re.compile(r"""[A-Za-z]*("{3}|'{3}|"|')""")

WHOLE = tuple("bcdoxX")
"""How the forms end that only whole numbers have."""


def as_number(node: ast.expr, parent: ast.AST, to: Rewriter) -> Code | None:
    """The number of a tensor that is written in a form."""
    if node not in to.formatted and node not in to.notes.formatted:
        return None
    kind = to.places.kind_of(node)
    if kind == "mixed":
        sort = "int" if is_whole(node, parent) else "float"
        return expression(f"{sort}(value)", value=to.code(node))
    return expression("value.item()", value=to.code(node)) if kind == "tensor" else None


def is_whole(node: ast.expr, parent: ast.AST) -> bool:
    """Whether a number is written in a form of whole ones: f"{right:d}", format(right, "d")."""
    if isinstance(parent, ast.Call) and is_name(parent.func):
        return form_of(parent.args[1]).endswith(WHOLE)
    forms = forms_in(parent) if isinstance(parent, ast.JoinedStr | ast.Call) else ()
    return any(form.endswith(WHOLE) for value, form in forms if value is node)


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
