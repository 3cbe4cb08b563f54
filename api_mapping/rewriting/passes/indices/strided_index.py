"""Slices with steps behind other axes: MindSpore's CPU reads their gradient out of bounds.

x[:, 0::2, 1::2]  ->  compat.strided(x, np.s_[:, 0::2, 1::2])
x[::2], x[..., ::2]  stay: a step along the first or the last axis has a gradient
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from ....syntax.code import Code
from ....syntax.nodes import is_none
from ....syntax.quotation import expression
from ....syntax.reading import bare
from ...places import Places
from ...rewriter import Rewriter


def taken(node: ast.Subscript, to: Rewriter) -> Code | None:
    """The call that takes every other element, where the tensor may be differentiated."""
    if not is_strided(node, to.places):
        return None
    plain = to.with_parts(node)
    assert isinstance(plain, cst.Subscript)
    index = plain.with_changes(value=expression("np.s_", np=to.name("np")), lpar=(), rpar=())
    return expression(
        "compat.strided(x, i)", compat=to.name("compat"), x=bare(plain.value), i=index
    )


def is_strided(node: ast.Subscript, places: Places) -> bool:
    """Whether a part of a tensor is read by steps along an axis between others."""
    if not isinstance(node.slice, ast.Tuple) or not isinstance(node.ctx, ast.Load):
        return False
    return any(steps_between(node.slice.elts, places)) and places.is_view(node)


def steps_between(parts: list[ast.expr], places: Places) -> Iterator[ast.Slice]:
    """The slices with steps that have an axis before them, and may have one behind them."""
    axes = [part for part in parts if not is_none(part)]
    for n, part in enumerate(axes):
        if not isinstance(part, ast.Slice) or is_one(part.step):
            continue
        is_first = all(places.kind_of(before) == "int" for before in axes[:n])
        is_last = n == len(axes) - 1 and any(map(is_ellipsis, axes[:n]))
        if not is_first and not is_last:
            yield part


def is_one(step: ast.expr | None) -> bool:
    return step is None or (isinstance(step, ast.Constant) and step.value in (1, None))


def is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...
