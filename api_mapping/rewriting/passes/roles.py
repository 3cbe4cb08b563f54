"""Names in the roles of base classes, annotations and decorators, and modules that are values.

class Net(nn.Module)     ->  class Net(nn.Cell)
x: torch.tensor          ->  x: ms.Tensor
n: torch.jit.Final[int]  ->  n: int
dir(torch.nn)            ->  dir(nn)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...syntax.code import Code
from ...syntax.quotation import expression
from ...syntax.reading import unparsed
from ...table.argument import Call
from ...table.facts.spelling import OWN_BASES
from ...table.named import Named
from ...table.refusal import Refusal
from ...table.rule import Rule
from ...table.template import instantiate, plain_callee
from ..rewriter import Rewriter
from ..suggestion import AS_TYPES, base_alone, name_alone
from .references import referred

FUNCTION = ast.Name("function")
"""Stands for what is decorated."""


def module(node: ast.Name | ast.Attribute, to: Rewriter) -> Code | None:
    """MindSpore's module for one of PyTorch's that is a value."""
    name = to.notes.modules.get(node)
    return None if name is None else to.name(name)


def final(node: ast.Subscript, to: Rewriter) -> Code | None:
    """What is in `torch.jit.Final[...]`."""
    is_annotation = to.notes.roles.get(node.value) == "annotation"
    named = to.places.resolve(node.value) if is_annotation else None
    return to.code(node.slice) if named is not None and named.api == "torch.jit.Final" else None


def in_role(node: ast.Name | ast.Attribute, to: Rewriter) -> Code | None:
    """The code of a name that is a base class, an annotation or a decorator."""
    role = to.notes.roles.get(node)
    if role is None:
        return None
    named = to.places.resolve(node)
    name = None if named is None else name_in_role(named, role, node in to.notes.growing, to)
    return to.with_parts(node) if name is None else name


def name_in_role(named: Named, role: str, is_growing: bool, to: Rewriter) -> Code | None:
    if role == "base" and named.api in OWN_BASES:
        named = named._replace(api=OWN_BASES[named.api])
    rules = to.rules(named.api)
    if is_growing and rules[0].base:
        return expression(rules[0].base)
    if role == "decorator":
        return decorated(rules)
    if role == "base":
        try:
            return referred(named, to) if makes_objects(rules) else None
        except Refusal:
            return named_alone(base_alone(rules[0]))
    return named_alone(AS_TYPES.get(named.api) or name_alone(rules[0]))


def makes_objects(rules: Sequence[Rule]) -> bool:
    """Whether rows name a class, or call one, by PEP 8: what only stands for one is no base."""
    if not all(rule.is_callable for rule in rules):
        return True
    called = (plain_callee(rule) for rule in rules if rule.is_callable and rule.target)
    return next(called, "").rpartition(".")[2][:1].isupper()


def named_alone(name: str) -> Code | None:
    return expression(name) if name else None


def decorated(rules: Sequence[Rule]) -> Code:
    """What stands for a decorator without a call: it is called with the function it decorates.

    The function's own name if the decorator is left out. Raises: Refusal if no row takes a function
    """
    reason = "it takes no function"
    for rule in (rule for rule in rules if rule.is_callable):
        try:
            return instantiate(rule, Call.of(None, [FUNCTION], (), unparsed))
        except Refusal as refusal:
            reason = str(refusal)
    raise Refusal(reason)
