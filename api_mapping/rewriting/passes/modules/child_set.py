"""Modules put into another one under a computed name: MindSpore's Sequential runs its own list.

setattr(parent, name, LoRA(layer))  ->  compat.set_child(parent, name, LoRA(layer))
"""

from __future__ import annotations

import ast

from ....syntax.code import Code
from ....syntax.quotation import expression
from ...places import Places
from ...rewriter import Rewriter


def replaced(node: ast.Call, to: Rewriter) -> Code | None:
    """The call that sets the child, and has it run where the parent runs its children."""
    if not is_of_child(node, to.places):
        return None
    owner, name, value = map(to.code, node.args)
    compat = to.name("compat")
    template = "compat.set_child(owner, name, value)"
    return expression(template, compat=compat, owner=owner, name=name, value=value)


def is_of_child(node: ast.Call, places: Places) -> bool:
    """Whether it is a `setattr` of a module, or of what may be one, in something but `self`."""
    if len(node.args) != 3 or places.name_of(node.func) != "builtins.setattr":
        return False
    owner, name, value = node.args
    is_named = isinstance(name, ast.Constant) and not str(name.value).isdigit()
    is_self = isinstance(owner, ast.Name) and owner.id == "self"
    return not is_named and not is_self and "module" in map(places.kind_of, (owner, value))
