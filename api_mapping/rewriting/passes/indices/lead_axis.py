"""Values with an axis of one element in front for parts of tensors: MindSpore refuses them.

x[t] = value.view(1, -1)  ->  x[t] = compat.fitted(value.view(1, -1), x[t])
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from ....syntax.code import Statement
from ....syntax.nodes import dotted, is_none, operands
from ....syntax.quotation import expression, statement
from ....syntax.walk import Layout
from ....table.facts.shapes import OF_SAME_SHAPE, SIZED
from ....table.named import Resolve
from ...places import Places
from ...rewriter import Rewriter
from ..in_place import as_place

SHAPING = frozenset({"reshape", "view"})


def fitted(node: ast.Assign, to: Rewriter) -> Sequence[Statement] | None:
    """The assignment of a value that fits; other names keep it as it is."""
    if not is_deepened(node, to.places):
        return None
    value, own = to.code(node.value), []
    for name in (target for target in node.targets if isinstance(target, ast.Name)):
        own.append(statement("name = value", name=cst.Name(name.id), value=value))
        value = cst.Name(name.id)
    (place,) = (target for target in node.targets if isinstance(target, ast.Subscript))
    code = as_place(place, to)
    fit = expression("compat.fitted(x, p)", compat=to.name("compat"), x=value, p=code)
    return [*own, statement("place = value", place=code, value=fit)]


def is_deepened(node: ast.Assign, places: Places) -> bool:
    """Whether a part of a tensor, and names beside it, are given a value with such an axis."""
    parts = [target for target in node.targets if not isinstance(target, ast.Name)]
    if len(parts) != 1 or not places.is_view(parts[0]) or places.acts(parts[0]):
        return False
    return is_led_by_one(node.value, places.led_by_one, places.resolve)


def names_led_by_one(layout: Layout, resolve: Resolve) -> frozenset[str]:
    """The names and attributes that hold a tensor with such an axis somewhere, as written."""
    assigned = layout.of_type(ast.Assign)
    pairs = [(target, node.value) for node in assigned for target in node.targets]
    if not any(isinstance(target, ast.Subscript) for target, _ in pairs):
        return frozenset()  # no part of a tensor is assigned to: most files have none
    named = [(dotted(target), value) for target, value in pairs]
    found: frozenset[str] = frozenset()
    while True:
        more = {name for name, value in named if is_led_by_one(value, found, resolve)} - {""}
        if more <= found:
            return found
        found |= more


def is_led_by_one(node: ast.expr, names: frozenset[str], resolve: Resolve) -> bool:
    """Whether an expression may give a tensor of several axes whose first has one element."""
    if isinstance(node, ast.Name | ast.Attribute) and dotted(node) in names:
        return True
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Tuple) and is_none(node.slice.elts[0])
    if isinstance(node, ast.Call):
        return is_call_led_by_one(node, names, resolve)
    if isinstance(node, ast.IfExp):
        return any(is_led_by_one(part, names, resolve) for part in (node.body, node.orelse))
    return any(is_led_by_one(part, names, resolve) for part in operands(node))


def is_call_led_by_one(call: ast.Call, names: frozenset[str], resolve: Resolve) -> bool:
    named = resolve(call.func)
    if named is None:
        return False
    receiver, last = named.receiver, named.api.rpartition(".")[2]
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if last == "unsqueeze":
        return bool(given) and is_number(given[-1], 0)
    if last in SIZED:
        return begins_with_one(given)
    operand = given.pop(0) if receiver is None and given else receiver
    if last in SHAPING:
        return begins_with_one(given)
    return last in OF_SAME_SHAPE and operand is not None and is_led_by_one(operand, names, resolve)


def begins_with_one(sizes: Sequence[ast.expr]) -> bool:
    """Whether a shape of at least two axes, given at once or by axis, begins with one element."""
    if sizes and isinstance(sizes[0], ast.Tuple | ast.List):
        sizes = sizes[0].elts
    return len(sizes) > 1 and is_number(sizes[0], 1)


def is_number(node: ast.expr, number: int) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == number
