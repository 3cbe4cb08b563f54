"""Attributes of modules that are set: MindSpore registers buffers and some values by a call.

self.mask = m                          ->  self.register_buffer("mask", m)
self.mask = self.mask + 1              ->  self.mask.copy_(self.mask + 1)
self.scale = nn.Buffer(x)              ->  self.register_buffer("scale", x)
p.data = value                         ->  ops.assign(p, value)
p.grad.data = value                    ->  p.grad = value
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from ...syntax.code import Statement
from ...syntax.nodes import operands
from ...syntax.quotation import statement
from ...table.argument import Call, written
from ...table.facts.gradients import ATTRIBUTE
from ...table.facts.views import CASTS
from ...table.template import instantiate
from ..rewriter import Rewriter
from . import in_place
from .weights.conv1d import line_set

Statements = Sequence[Statement]

OF_TYPE = CASTS - {"cpu", "cuda"}
"""Methods that give elements of another type."""


def buffer_set(node: ast.Assign, to: Rewriter) -> Statements | None:
    """The statement that gives a buffer a new value: it is registered anew.

    Where the value comes from the buffer's own, its shape stays, and it is written there.
    """
    place = node.targets[0]
    if len(node.targets) > 1 or not to.places.is_buffer(place) or is_other(node.value, to):
        return None
    value, source = to.code(node.value), to.reading.source
    if source.of_node(place) in map(source.of_node, operands(node.value)):
        return [statement("place.copy_(value)", place=to.code(place), value=value)]
    is_passing = to.places.holder_of(place) == "passing buffer"
    more = ", persistent=False" if is_passing else ""
    template = f'owner.register_buffer("{place.attr}", value{more})'
    return [statement(template, owner=to.code(place.value), value=value)]


def is_other(node: ast.expr, to: Rewriter) -> bool:
    """Whether a value is no buffer: the attribute is one where another branch is taken."""
    is_weight = to.places.holder_of(node) == "parameter"
    return is_weight or to.places.kind_of(node) in NO_BUFFERS


NO_BUFFERS = frozenset("module list tuple dict str shape int float bool number".split())


def weight_set(node: ast.Assign, to: Rewriter) -> Statements | None:
    """`weight.data = value`: MindSpore's optimizers would not change it any more."""
    place = node.targets[0]
    if len(node.targets) > 1 or not (isinstance(place, ast.Attribute) and place.attr == "data"):
        return None
    value = to.code(node.value)
    line = line_set(place, value, to)
    if line is not None:
        return [line]
    if in_place.is_data_of_tensor(place, to) and is_gradient(place.value):
        return [statement("own = value", own=to.code(place.value), value=value)]
    if to.places.holder_of(place.value) != "parameter" or is_cast(node.value):
        return None
    return [in_place.weight_set(to.code(place.value), value, to)]


def is_gradient(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == ATTRIBUTE


def is_cast(node: ast.expr) -> bool:
    """Whether a value may be of another element type: then it takes the place of the old one."""
    names = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return not names.isdisjoint(OF_TYPE)


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
