"""Elements of a tensor by tensors of one value: MindSpore's CPU build has no gradient of them.

transitions[tags[i + 1], tags[i]]  ->  compat.element(transitions, (tags[i + 1], tags[i]))
"""

from __future__ import annotations

import ast

from ....syntax.code import Code
from ....syntax.quotation import expression
from ...places import Places
from ...rewriter import Rewriter


def taken(node: ast.Subscript, to: Rewriter) -> Code | None:
    """The call that takes an element, where each index is a number or an element itself."""
    if not is_by_elements(node, to.places):
        return None
    owner, index = to.code(node.value), to.code(node.slice)
    return expression("compat.element(x, (i))", compat=to.name("compat"), x=owner, i=index)


def is_by_elements(node: ast.Subscript, places: Places) -> bool:
    """Whether a tensor is asked by several numbers, of which some are elements of tensors."""
    if not isinstance(node.slice, ast.Tuple) or not isinstance(node.ctx, ast.Load):
        return False
    if places.kind_of(node.value) != "tensor":
        return False
    parts = node.slice.elts
    are_elements = [is_element(part, places) for part in parts]
    are_numbers = [places.kind_of(part) == "int" for part in parts]
    known = map(bool.__or__, are_elements, are_numbers)
    return len(parts) > 1 and any(are_elements) and all(known)


def is_element(node: ast.expr, places: Places) -> bool:
    """Whether it is `tags[i]` of a tensor, which has one value if `tags` has one axis."""
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Tuple | ast.Slice):
        return False
    kinds = places.kind_of(node.value), places.kind_of(node.slice)
    return kinds == ("tensor", "int")
