"""A module's method that is called by a class above, with the instance.

nn.Linear.forward(self, x)      ->  compat.Linear.construct(self, x)
nn.Module.train(self, mode)     ->  nn.Cell.set_train(self, mode)
Encoder.train(self, mode)       ->  Encoder.set_train(self, mode)
"""

from __future__ import annotations

import ast

import libcst as cst

from ...syntax.code import Code
from ...table.template import plain_callee
from ..rewriter import Rewriter

CLASSES = frozenset({"api", "class"})
"""The kinds of what a class is."""


def by_class(node: ast.Call, to: Rewriter) -> Code | None:
    """The call of MindSpore's method by the same class: not the instance's own, which calls it."""
    named = to.places.resolve(node.func)
    if named is None or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    owner = node.func.value
    is_of_class = named.receiver is owner and to.places.kind_of(owner) in CLASSES
    if not is_of_class or named.api != f"torch.nn.Module.{node.func.attr}":
        return None
    method = plain_callee(to.rules(named.api)[0]).rpartition(".")[2]
    callee = cst.Attribute(to.code(owner), cst.Name(method))
    found = to.with_parts(node, {node.func: callee})
    assert isinstance(found, Code)
    return found
