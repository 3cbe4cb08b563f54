"""Names of PyTorch's that stand in texts: `getattr(torch, "relu")`, `hasattr(layer, "weight")`.

getattr(torch, "float32")       ->  ms.float32
hasattr(torch, "compile")       ->  False
hasattr(norm, "weight")         ->  hasattr(norm, "gamma")
"""

from __future__ import annotations

import ast

import libcst as cst

from ...syntax.code import Code, text_of
from ...syntax.quotation import expression
from ...table import registry
from ...table.named import Named
from ...table.refusal import Refusal
from ..rewriter import Rewriter
from .references import referred


def asked(node: ast.Call, to: Rewriter) -> Code | None:
    """A call of `getattr` and the like on one of PyTorch's modules."""
    named = to.places.resolve(node)
    return None if named is None or named.receiver is node else by_literal(named, node, to)


def by_literal(named: Named, call: ast.Call, to: Rewriter) -> Code | None:
    """The code of `getattr(torch, "relu")`; of `hasattr`, whether MindSpore has it.

    Raises: Refusal, also of `setattr`
    """
    function = call.func.id if isinstance(call.func, ast.Name) else ""
    if function == "hasattr":
        return cst.Name(repr(registry.has_target(named.api)))
    if function == "setattr":
        raise Refusal(f"{named.api} is set by its name: write an assignment")
    return referred(named, to)


def literal(node: ast.Constant, to: Rewriter) -> Code | None:
    """A text that is the name of an attribute of a layer."""
    named = to.places.resolve(node) if isinstance(node.value, str) else None
    return None if named is None else name_in_layer(named, to)


def name_in_layer(named: Named, to: Rewriter) -> Code:
    """The literal for an attribute of a layer that `hasattr` and the like are given.

    Raises: Refusal if MindSpore's layer has not just another name for it
    """
    code = referred(named, to)
    owner = None if named.receiver is None else to.code(named.receiver)
    if isinstance(code, cst.Attribute) and code.value is owner:
        return expression(f'"{code.attr.value}"')
    if owner is not None and is_compat(code, to):
        name = named.api.rpartition(".")[2]
        holes = {"compat": to.name("compat"), "owner": owner}
        return expression(f'compat.own_name(owner, "{name}")', **holes)
    instead = "" if code is None else text_of(code)
    raise Refusal(f"{named.api} is no attribute of MindSpore's layer: write {instead}")


def is_compat(code: Code | None, to: Rewriter) -> bool:
    """Whether it is a function of the compat module, or its call."""
    called = code.func if isinstance(code, cst.Call) else code
    if not isinstance(called, cst.Attribute) or not isinstance(called.value, cst.Name):
        return False
    return called.value.value == to.name("compat").value
