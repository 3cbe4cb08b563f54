"""Attributes of modules that are set: MindSpore registers buffers and some values by a call.

self.mask = m                          ->  self.register_buffer("mask", m)
self.mask = self.mask + 1              ->  self.mask.copy_(self.mask + 1)
self.scale = nn.Buffer(x)              ->  self.register_buffer("scale", x)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from ...syntax.code import Statement
from ...syntax.nodes import operands
from ...syntax.quotation import statement
from ...table.argument import Call, written
from ...table.template import instantiate
from ..rewriter import Rewriter
from .conv1d_weight import line_set

Statements = Sequence[Statement]


def buffer_set(node: ast.Assign, to: Rewriter) -> Statements | None:
    """The statement that gives a buffer a new value: it is registered anew.

    Where the value comes from the buffer's own, its shape stays, and it is written there.
    """
    place = node.targets[0]
    if len(node.targets) > 1 or not to.places.is_buffer(place):
        return None
    value, source = to.code(node.value), to.reading.source
    if source.of_node(place) in map(source.of_node, operands(node.value)):
        return [statement("place.copy_(value)", place=to.code(place), value=value)]
    is_passing = to.places.holder_of(place) == "passing buffer"
    more = ", persistent=False" if is_passing else ""
    template = f'owner.register_buffer("{place.attr}", value{more})'
    return [statement(template, owner=to.code(place.value), value=value)]


def weight_set(node: ast.Assign, to: Rewriter) -> Statements | None:
    """`conv.weight.data = value` of a Conv1d layer."""
    place = node.targets[0]
    if len(node.targets) > 1 or not (isinstance(place, ast.Attribute) and place.attr == "data"):
        return None
    line = line_set(place, to.code(node.value), to)
    return None if line is None else [line]


def registered(node: ast.Assign, to: Rewriter) -> Statements | None:
    """What a row makes of the whole assignment of its call to an attribute."""
    value, place = node.value, node.targets[0]
    named = to.places.resolve(value.func) if isinstance(value, ast.Call) else None
    rules = to.rules(named.api) if named is not None else ()
    if not rules or not rules[0].assigned or not isinstance(value, ast.Call):
        return None
    if not isinstance(place, ast.Attribute) or len(node.targets) > 1:
        return None
    call = Call.of(None, value.args, value.keywords, to.code)
    owner = written(place.value, to.code)
    whole = call._replace(set_to=(owner, place.attr))
    return [cst.Expr(instantiate(rules[0], whole, names=to.names))]
