"""Parts of `x.data`, and of all of a Parameter, that are assigned to, as MindSpore writes them.

It writes to a copy of `x.data` where a tensor, a list or `...` is the index, and takes the whole of
a Parameter for a view behind `weight[:] = y`, which can be assigned to no more.

weight.data[mask] = 0.0  ->  weight.data[:][mask] = 0.0
weight.data[...] = y     ->  weight.data[()] = y
weight[:] = y            ->  weight.data[:] = y
"""

from __future__ import annotations

import ast

import libcst as cst

from ....syntax.code import Code
from ....syntax.nodes import dotted
from ....syntax.quotation import expression
from ....syntax.walk import Layout
from ...places import Places
from ...rewriter import Rewriter
from . import numpy_index

WEIGHTS = frozenset({"weight", "bias"})


def stored(node: ast.Subscript, to: Rewriter) -> Code | None:
    """The place that is assigned to."""
    if not is_stored(node, to.places):
        return None
    code = numpy_index.indexed(node, to) or to.with_parts(node)
    assert isinstance(code, cst.Subscript)
    owner: Code = code.value
    if not is_of_data(node, to.places):
        owner = expression("owner.data", owner=owner)
    if is_all(node.slice):
        return expression("owner[()]", owner=owner)
    if not is_plain(node.slice, to.places):
        owner = expression("owner[:]", owner=owner)
    assert isinstance(owner, cst.BaseExpression)
    return code.with_changes(value=owner)


def is_stored(node: ast.Subscript, places: Places) -> bool:
    """Whether MindSpore would write to a copy, or to what it can assign to no more."""
    if isinstance(node.ctx, ast.Load):
        return False
    if is_of_data(node, places):
        return not is_plain(node.slice, places)
    is_whole = all(is_all(part) or isinstance(part, ast.Slice) for part in parts_of(node.slice))
    return is_whole and places.holder_of(node.value) == "parameter"


def is_of_data(node: ast.Subscript, places: Places) -> bool:
    """Whether it is a part of `x.data` of a tensor, or of a name that was given one."""
    owner = node.value
    if isinstance(owner, ast.Name):
        return owner.id in places.of_data and places.kind_of(owner) == "tensor"
    if not isinstance(owner, ast.Attribute) or owner.attr != "data":
        return False
    kind, last = places.kind_of(owner.value), dotted(owner.value).rpartition(".")[2]
    is_tensor = last in WEIGHTS or any(map(is_mask, parts_of(node.slice)))
    return kind == "tensor" or (kind in ("unknown", "union") and is_tensor)


def names_of_data(layout: Layout) -> frozenset[str]:
    """The names that are given some `x.data`."""
    assigned = (n for n in layout.of_type(ast.Assign) if is_data(n.value))
    return frozenset(t.id for n in assigned for t in n.targets if isinstance(t, ast.Name))


def is_data(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "data"


def is_plain(index: ast.expr, places: Places) -> bool:
    """Whether an index cuts a part that shares the memory, of slices and numbers alone."""
    parts = parts_of(index)
    cuts = [isinstance(part, ast.Slice) or places.kind_of(part) == "int" for part in parts]
    return any(cuts) and all(map(bool.__or__, cuts, map(places.is_place, parts)))


def is_all(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and index.value is ...


def is_mask(index: ast.expr) -> bool:
    """Whether an index can be nothing but an array of bools: no list is indexed by `x < 0`."""
    while isinstance(index, ast.UnaryOp):
        index = index.operand
    if isinstance(index, ast.BinOp):
        return is_mask(index.left) or is_mask(index.right)
    return isinstance(index, ast.Compare)


def parts_of(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]
