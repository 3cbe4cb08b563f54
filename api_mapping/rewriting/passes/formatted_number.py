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
from ...syntax.quotation import expression
from ...syntax.slots import strength
from ...table.refusal import Refusal
from ..rewriter import Rewriter

QUOTE = re.compile(r"""[A-Za-z]*("{3}|'{3}|"|')""")


WHOLE = frozenset("bcdoxX")
FIELD = re.compile(r"\{[^{}:]*:?([^{}]*)\}")


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
    """Whether a number is written in a form of whole ones: f"{right:d}"."""
    if isinstance(parent, ast.JoinedStr):
        fields = (part for part in parent.values if isinstance(part, ast.FormattedValue))
        specs = [ast.unparse(f.format_spec) for f in fields if f.value is node and f.format_spec]
    else:
        specs = specs_of(node, parent)
    return any(spec.rstrip("'\"}")[-1:] in WHOLE for spec in specs)


def specs_of(node: ast.expr, parent: ast.AST) -> list[str]:
    """The forms in which a call of `format` writes an argument: its field's, or all of them."""
    if not isinstance(parent, ast.Call):
        return []
    specs = FIELD.findall(ast.unparse(parent.func))
    return [specs[parent.args.index(node)]] if len(specs) == len(parent.args) else specs


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
