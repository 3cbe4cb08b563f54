"""Writes the MindSpore code of one call: the target of its rule, filled with its arguments."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ..syntax.walk import all_in
from .argument import Argument, Bound, Call, FinalRefusal, Refusal, check, given, parameters_of
from .brackets import beside, between_commas
from .macros import ALWAYS, MACROS
from .rule import Rule, syntax_of

HOLE = "hole_{}_of_the_template"
HOLES = re.compile(HOLE.format(r"(\d+)"))


class Hole(NamedTuple):
    """A place in a template: a macro over parameters, or (macro "") one parameter.

    `bare`: it stands between commas or brackets, so that it never needs parentheses.
    """

    macro: str
    params: tuple[str, ...]
    bare: bool


class Template(NamedTuple):
    """Text and holes, in turn: `rest` has each hole with the text behind it.

    `repeated`: the parameters that are written more than once.
    """

    first: str
    rest: tuple[tuple[Hole, str], ...]
    repeated: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str], holes: Sequence[Hole]) -> Template:
        """The template of these texts, which are one more than the holes between them."""
        times = Counter(name for hole in holes for name in hole.params)
        repeated = tuple(name for name in times if times[name] > 1)
        return cls(texts[0], tuple(zip(holes, texts[1:], strict=True)), repeated)


def instantiate(rule: Rule, call: Call, *, mint: bool = False) -> str:
    """The MindSpore code that stands for `call` by `rule`.

    Raises: Refusal if an argument has no counterpart, or if there is no target
    """
    target = (mint and rule.mint) or rule.target
    if not target:
        raise Refusal(rule.advice)
    if not rule.is_callable:
        return fill(compiled(rule, target, frozenset()), receiver_of(rule, call))
    bound = given(rule, call)
    check(rule, bound, names_in(target))
    if rule.assigned:
        bound |= place_of(rule, call)
    template = compiled(rule, target, frozenset(bound))
    return fill(template, {**parameters_of(rule).defaults, **bound})


def place_of(rule: Rule, call: Call) -> dict[str, Argument]:
    """The attribute that is set to the call: the target is of the statement."""
    if call.set_to is None:
        raise Refusal(f"write `self.name = {rule.name}(...)`: it is registered by name")
    owner, name = call.set_to
    return {"owner": owner, "attribute": Argument(f'"{name}"')}


def receiver_of(rule: Rule, call: Call) -> Bound:
    """Raises: Refusal for an attribute of the class itself, where the target is of an object"""
    if call.receiver is not None:
        return {"self": call.receiver}
    if "self" in names_in(rule.target):
        raise Refusal(f"{rule.name} is handed on without an object: wrap it")
    return {}


def fill(template: Template, bound: Bound) -> str:
    """The code: the texts with the arguments between them.

    Raises: Refusal if an argument cannot be written, or must not be written twice
    """
    for name in template.repeated:
        argument = bound.get(name)
        if argument is not None and argument.node is not None and argument.acts(argument.node):
            problem = f"{argument.text} would be computed twice: give it a name first"
            raise FinalRefusal(problem)
    parts = [template.first]
    for hole, behind in template.rest:
        parts += (written(hole, [bound[name] for name in hole.params], behind), behind)
    return "".join(parts)


def written(hole: Hole, arguments: Sequence[Argument], behind: str) -> str:
    """The code in a hole, in parentheses where it needs them before the text behind it.

    Raises: Refusal if an argument cannot be written
    """
    for argument in arguments:
        if argument.refusal:
            raise Refusal(argument.refusal)
    text = MACROS[hole.macro](*arguments) if hole.macro else arguments[0].text
    if hole.macro and hole.bare:
        return text  # several arguments, or keywords
    return between_commas(text) if hole.bare else beside(text, behind)


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
    pieces = HOLES.split(ast.unparse(tree).replace("'", '"'))
    holes = tuple(cut.holes[int(number)] for number in pieces[1::2])  # in the order of the text
    texts = [
        text.removesuffix("**") if hole.macro else text
        for text, hole in zip(pieces[::2], holes, strict=False)
    ]
    return Template.of([*texts, pieces[-1]], holes)


class Cut(ast.NodeTransformer):
    """Makes holes of the parameters in a target, and leaves out arguments that are not given."""

    def __init__(self, rule: Rule, given: frozenset[str]) -> None:
        place = {"owner", "attribute"} if rule.assigned else set()
        self.params = frozenset(p.name for p in rule.params) | {"self"} | place
        self.given = given | {"self"}
        self.holes: list[Hole] = []
        self.bare: set[int] = set()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.hole("", (node.id,), node) if node.id in self.params else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in MACROS:
            names = [a.id for a in node.args if isinstance(a, ast.Name)]
            return self.hole(node.func.id, tuple(names), node)
        while node.args and self.is_left_out(node.args[-1]):
            node.args.pop()
        node.keywords = [k for k in node.keywords if not k.arg or not self.is_left_out(k.value)]
        self.bare.update(id(a) for a in (*node.args, *(k.value for k in node.keywords)))
        return self.in_order(node)

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        self.bare.update(map(id, node.elts))
        return self.in_order(node)

    def visit_List(self, node: ast.List) -> ast.expr:
        self.bare.update(map(id, node.elts))
        return self.in_order(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.bare.add(id(node.slice))
        return self.in_order(node)

    def visit_Starred(self, node: ast.Starred) -> ast.expr:
        return self.in_order(node)

    def in_order(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        return node

    def hole(self, macro: str, params: tuple[str, ...], node: ast.expr) -> ast.expr:
        self.holes.append(Hole(macro, params, id(node) in self.bare))
        return ast.Name(HOLE.format(len(self.holes) - 1))

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
