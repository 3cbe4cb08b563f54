"""Writes the MindSpore code of one call: the target of its rule, filled with its arguments."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ..syntax.code import Code
from ..syntax.quotation import Filling, expression, filled
from ..syntax.walk import all_in
from .argument import Argument, Bound, Call, FinalRefusal, Refusal, check, given, parameters_of
from .macros import ALWAYS, MACROS
from .renaming import Renaming, in_names
from .rule import Rule, syntax_of

HOLE = "hole_{}_of_the_template"


class Hole(NamedTuple):
    """A place in a template: a macro over parameters, or (macro "") one parameter."""

    macro: str
    params: tuple[str, ...]


class Template(NamedTuple):
    """A tree with names in the places of holes, and the holes by these names.

    `repeated`: the parameters that are written more than once.
    """

    tree: Code
    holes: Mapping[str, Hole]
    repeated: tuple[str, ...]


def instantiate(rule: Rule, call: Call, *, mint: bool = False, names: Renaming = ()) -> Code:
    """The MindSpore code that stands for `call` by `rule`.

    Raises: Refusal if an argument has no counterpart, or if there is no target
    """
    target = (mint and rule.mint) or rule.target
    if not target:
        raise Refusal(rule.advice)
    if not rule.is_callable:
        return fill(compiled(rule, target, frozenset()), receiver_of(rule, call), names)
    bound = given(rule, call)
    check(rule, bound, names_in(target))
    if rule.assigned:
        bound |= place_of(rule, call)
    template = compiled(rule, target, frozenset(bound))
    return fill(template, {**parameters_of(rule).defaults, **bound}, names)


def place_of(rule: Rule, call: Call) -> dict[str, Argument]:
    """The attribute that is set to the call: the target is of the statement."""
    if call.set_to is None:
        raise Refusal(f"write `self.name = {rule.name}(...)`: it is registered by name")
    owner, name = call.set_to
    return {"owner": owner, "attribute": Argument(expression(f'"{name}"'))}


def receiver_of(rule: Rule, call: Call) -> Bound:
    """Raises: Refusal for an attribute of the class itself, where the target is of an object"""
    if call.receiver is not None:
        return {"self": call.receiver}
    if "self" in names_in(rule.target):
        raise Refusal(f"{rule.name} is handed on without an object: wrap it")
    return {}


def fill(template: Template, bound: Bound, names: Renaming = ()) -> Code:
    """The tree with the arguments in its holes; `names` are others for those that macros write.

    Raises: Refusal if an argument cannot be written, or must not be written twice
    """
    for name in template.repeated:
        argument = bound.get(name)
        if argument is not None and argument.node is not None and argument.acts(argument.node):
            problem = f"{argument.text} would be computed twice: give it a name first"
            raise FinalRefusal(problem)
    holes = {
        name: written(hole, [bound[param] for param in hole.params], names)
        for name, hole in template.holes.items()
    }
    return filled(template.tree, holes)


def written(hole: Hole, arguments: Sequence[Argument], names: Renaming) -> Filling:
    """The code in a hole.

    Raises: Refusal if an argument cannot be written
    """
    for argument in arguments:
        if argument.refusal:
            raise Refusal(argument.refusal)
    if not hole.macro:
        return arguments[0].code
    code = MACROS[hole.macro](*arguments)
    return in_names(code, names, [a.code for a in arguments]) if names else code


@cache
def names_in(target: str) -> frozenset[str]:
    """The names that a target mentions, parameters among them."""
    return frozenset(names_of(syntax_of(target)))


def names_of(tree: ast.expr) -> list[str]:
    return [node.id for node in all_in(tree) if type(node) is ast.Name]


@cache
def compiled(rule: Rule, target: str, given: frozenset[str]) -> Template:
    """The target for calls that give just these parameters."""
    cut = Cut(rule, given)
    tree = cut.visit(ast.parse(target, mode="eval").body)
    times = Counter(name for hole in cut.holes.values() for name in hole.params)
    repeated = tuple(name for name in times if times[name] > 1)
    code = expression(ast.unparse(tree).replace("'", '"'))
    return Template(code, cut.holes, repeated)


class Cut(ast.NodeTransformer):
    """Makes holes of the parameters in a target, and leaves out arguments that are not given."""

    def __init__(self, rule: Rule, given: frozenset[str]) -> None:
        place = {"owner", "attribute"} if rule.assigned else set()
        self.params = frozenset(p.name for p in rule.params) | {"self"} | place
        self.given = given | {"self"}
        self.holes: dict[str, Hole] = {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.hole("", (node.id,)) if node.id in self.params else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in MACROS:
            names = [a.id for a in node.args if isinstance(a, ast.Name)]
            return self.hole(node.func.id, tuple(names))
        while node.args and self.is_left_out(node.args[-1]):
            node.args.pop()
        node.keywords = [k for k in node.keywords if not k.arg or not self.is_left_out(k.value)]
        self.generic_visit(node)
        return node

    def hole(self, macro: str, params: tuple[str, ...]) -> ast.expr:
        name = HOLE.format(len(self.holes))
        self.holes[name] = Hole(macro, params)
        return ast.Name(name)

    def is_left_out(self, value: ast.expr) -> bool:
        """Whether it only hands on what the call does not give: then both defaults are the same."""
        names = set(names_of(value))
        mentioned = names & self.params
        return bool(mentioned) and not mentioned & self.given and not names & ALWAYS


@cache
def plain_callee(rule: Rule, *, mint: bool = False) -> str:
    """The name that a target calls, to be handed on in place of PyTorch's."""
    tree = syntax_of((mint and rule.mint) or rule.target)
    return ast.unparse(tree.func if isinstance(tree, ast.Call) else tree)
