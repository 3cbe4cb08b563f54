"""Layers that are called with keywords: MindSpore has other names for what they take.

criterion(input=y, target=t)   ->  criterion(y, t)
loss(a, b, target=t)           ->  loss(a, b, t)
"""

from __future__ import annotations

import ast

import libcst as cst

from ....syntax.code import Code
from ....table.facts.forwards import arguments_of
from ...places import Places
from ...rewriter import Rewriter


def placed(node: ast.Call, to: Rewriter) -> Code | None:
    """The call with its arguments by their places."""
    count = named_first(node, to.places)
    if not count:
        return None
    code = to.with_parts(node)
    assert isinstance(code, cst.Call)
    order = arguments_of(to.places.layer_of(node.func))
    plain = [arg for arg in code.args if arg.keyword is None]
    named = {arg.keyword.value: arg for arg in code.args if arg.keyword is not None}
    first = [
        named.pop(name).with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
        for name in order[len(plain) : len(plain) + count]
    ]
    args = zip([*plain, *first, *named.values()], code.args, strict=True)
    return code.with_changes(args=[arg.with_changes(comma=old.comma) for arg, old in args])


def named_first(node: ast.Call, places: Places) -> int:
    """How many arguments behind those given by place are given by keywords, of a layer's call."""
    if not node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        return 0
    given = [keyword.arg for keyword in node.keywords]
    order = arguments_of(places.layer_of(node.func)) if None not in given else ()
    rest = order[len(node.args) :]
    return next((n for n, name in enumerate(rest) if name not in given), len(rest))
