"""The code of a call by the rows of its API: arguments bound, the first row that fits filled."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

import libcst as cst

from ..syntax import unpacking
from ..syntax.code import Code, text_of
from ..syntax.quotation import expression
from ..table import registry
from ..table.argument import Argument, Call, FinalRefusal, Refusal, bind
from ..table.facts.spelling import PACKED, TRANSFORMS
from ..table.named import Named
from ..table.rule import Rule
from ..table.side_arguments import asides_of, is_told_to_write
from ..table.template import instantiate
from .places import Kind, Places
from .rewriter import Rewriter
from .suggestion import ALIKE, Key, Suggestion, is_by_text, remembered

OWN_METHODS = frozenset({"torch.Tensor.requires_grad_", "torch.Tensor.register_hook"})
"""Methods of a Parameter, not of its value."""

MAKING_TENSORS = frozenset({"torch.tensor", "torch.as_tensor"})

DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)
"""Sequences that are written out: of the kind "display", whatever is in them."""


def called(named: Named, node: ast.Call, to: Rewriter) -> Code:
    """The code of a call, which is noted as its suggestion.

    Raises: Refusal of the row that comes nearest
    """
    key = key_of(named, node, to)
    suggestion = ALIKE.get(key) if key else None
    if suggestion is None:
        suggestion = judged(named, node, to)
        if key:
            remembered(key, suggestion)
    to.chosen[node] = suggestion
    if suggestion.new is None:
        raise Refusal(suggestion.refusal)
    return suggestion.new if not is_of_bases(named.receiver) else itself(named, suggestion.new)


def is_of_bases(receiver: ast.expr | None) -> TypeGuard[ast.Call]:
    """Whether it is `super()`, by which methods are found, and which is no value of its own."""
    called = receiver.func if isinstance(receiver, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "super"


def itself(named: Named, code: Code) -> Code:
    """The code of a method of `super()`: the instance where nothing is left but `super()`."""
    receiver = named.receiver
    if not is_of_bases(receiver) or text_of(code) != ast.unparse(receiver):
        return code
    return cst.Name(ast.unparse(receiver.args[1]) if len(receiver.args) == 2 else "self")


def key_of(named: Named, node: ast.Call, to: Rewriter) -> Key | None:
    """What the code of a call follows from, None if more than its text says it."""
    if to.ends is None or not is_by_text(named.api) or named.receiver is node.func:
        return None
    if (to.notes.packs and named.api in PACKED) or named.api in TRANSFORMS:
        return None
    is_spread = None in [k.arg for k in node.keywords] or ast.Starred in map(type, node.args)
    if is_spread or to.has_use(node, several=True):
        return None
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if any(map(to.places.sort_of, given if named.receiver is None else [named.receiver, *given])):
        return None
    if node.lineno != node.end_lineno or is_told_to_write(node, registry.find(named.api)):
        return None
    text = to.reading.source.of_node(node)
    return named.api, named.receiver is None, to.mint, to.names, text


def judged(named: Named, node: ast.Call, to: Rewriter) -> Suggestion:
    """The code by the first row that fits, or the refusal of the row that comes nearest.

    A row of some kinds that has no code is for these to the end.
    """
    call = call_of(named, node, to)
    reason, last = "the table has no row for it", 0
    for row, rule in enumerate(to.calls(named.api)):
        if not rule.is_callable:
            continue
        try:
            check_kinds(rule, call, to)
            if rule.kinds and not rule.target:
                raise FinalRefusal(rule.advice)
            return Suggestion(row, instantiate(rule, call, mint=to.mint, names=to.names))
        except Refusal as refusal:
            reason, last = (str(refusal), row) if str(refusal) else (reason, last)
            if isinstance(refusal, FinalRefusal):
                break
    return Suggestion(last, refusal=reason)


def call_of(named: Named, node: ast.Call, to: Rewriter) -> Call:
    changed = to.places.written(node)
    is_own = named.api in OWN_METHODS

    def code_of(part: ast.expr) -> Code:
        if part is named.receiver and is_own:
            return to.part(part, node)
        if isinstance(part, unpacking.Chosen):
            return chosen(part, named, given, to)
        return new_value(to.places.bare(part), to) if part is changed else to.code(part)

    given = keywords(named, node, to)
    return Call.of(
        named.receiver,
        list(unpacking.places(node.args, to.places.unpacking)),
        given,
        code_of,
        acts=to.places.acts,
        sort_of=to.places.sort_of,
    )


def chosen(
    part: unpacking.Chosen, named: Named, given: Sequence[ast.keyword], to: Rewriter
) -> Code:
    """An argument that is given on a condition, and otherwise is what PyTorch's default is.

    Raises: Refusal if the condition is no plain value, or there is no default
    """
    name = next(keyword.arg for keyword in given if keyword.value is part)
    params = (p for rule in to.calls(named.api) for p in rule.params if p.name == name)
    default = next((p.default for p in params if p.default is not None), None)
    if default is None or to.places.acts(part.test):
        raise Refusal("it is given on a condition: write the call out for both cases")
    branches = [part.body, part.orelse]
    one, other = (expression(default) if b is None else to.code(b) for b in branches)
    return expression("one if test else other", one=one, test=to.code(part.test), other=other)


def keywords(named: Named, node: ast.Call, to: Rewriter) -> list[ast.keyword]:
    """The keyword arguments that targets take."""
    if not node.keywords:
        return []
    left_out = asides_of(node, registry.find(named.api)).names
    given = unpacking.keywords(node.keywords, to.places.unpacking)
    return [keyword for keyword in given if keyword.arg not in left_out]


def new_value(node: ast.expr, to: Rewriter) -> Code:
    """The code of a call that writes, and of those it goes on from, without the writing."""
    named = to.places.resolve(node.func) if isinstance(node, ast.Call) else None
    if named is None or not isinstance(node, ast.Call) or to.places.written(node) is None:
        return to.code(node)
    return called(named, node, to)


def check_kinds(rule: Rule, call: Call, to: Rewriter) -> None:
    """Raises: Refusal if an argument is not known to be what the overload is for"""
    if rule.kinds:
        bound = bind(rule, call)
        for name, kind in rule.kinds.items():
            if name not in bound:
                raise Refusal(f"argument {name!r} is not given")
            if not is_kind(bound[name], kind, to):
                raise Refusal(f"whether {name}={bound[name].text} is a {kind} is not known")


def is_kind(argument: Argument, kind: Kind, to: Rewriter) -> bool:
    """Whether an argument is of a kind: a type, "display", "literal", or the name of an API.

    "growing" are tensors of which one may have no elements: what is joined to from nothing; "new"
    is what is made there of something that may be one number: `torch.tensor(y)`.
    """
    if argument.node is None or not argument.given:
        return not argument.given or "shape" in kind.split("|")
    if kind.startswith(("'", "True", "False")):
        return bool(argument.literal == ast.literal_eval(kind))
    if kind == "()":
        return argument.literal in ((), [])
    kinds, places = kind.split("|"), to.places
    if "parameter" in kinds:
        return places.holder_of(places.bare(argument.node)) == "parameter"
    if "display" in kinds and isinstance(argument.node, DISPLAYS):
        return True
    if "literal" in kinds and is_literal(argument):
        return True
    if "growing" in kinds:
        return places.is_growing(argument.node)
    if "new" in kinds:
        return is_new(argument.node, places)
    if "unsigned" in kinds:
        return argument.is_unsigned
    named = places.resolve(argument.node)
    return places.kind_of(argument.node) in kinds or (named is not None and named.api in kinds)


def is_new(node: ast.expr, places: Places) -> bool:
    """Whether it is a call that makes a tensor of one argument, which is not written as a list."""
    named = places.resolve(node.func) if isinstance(node, ast.Call) else None
    if named is None or not isinstance(node, ast.Call) or named.api not in MAKING_TENSORS:
        return False
    return bool(node.args) and not isinstance(node.args[0], DISPLAYS)


def is_literal(argument: Argument) -> bool:
    """Whether it is made of plain values; of complex numbers MindSpore makes wider ones."""
    nodes = ast.walk(argument.node) if argument.node is not None else ()
    values = (node.value for node in nodes if isinstance(node, ast.Constant))
    return argument.literal is not ... and not any(isinstance(v, complex) for v in values)
