"""Code written as it reads: `expression("place.copy_(value)", place=x, value=y)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

import libcst as cst

from .code import Code, Statement, Verbatim, text_of
from .slots import FIELDS, SIGN, SUM, enclosed, fitted, inner, is_expression, needed, strength

Node = TypeVar("Node", bound=cst.CSTNode)

Filling = Code | Sequence[cst.Arg]
"""What stands for a name of a template: an expression, or several arguments of a call."""

Change = Callable[[Code], Filling]
"""Gives what takes an expression's place; the expression itself where it stays."""


@lru_cache(10_000)
def parsed(template: str) -> Code:
    """The tree of an expression that the project itself has written."""
    return cst.parse_expression(template)


@lru_cache(1_000)
def parsed_statement(template: str) -> Statement:
    line = cst.parse_statement(template)
    assert isinstance(line, cst.SimpleStatementLine)
    return line.body[0]


def expression(template: str, **holes: Filling) -> Code:
    """The expression of a template, with code for the names that are given.

    Parentheses follow from how tightly the code binds.
    """
    return filled(parsed(template), holes)


def statement(template: str, **holes: Filling) -> Statement:
    """The small statement of a template, with code for the names that are given."""
    return rebuilt(parsed_statement(template), lambda code: filling(code, holes))


def filled(tree: Code, holes: Mapping[str, Filling]) -> Code:
    """A tree with code in the place of names."""
    found = filling(tree, holes)
    assert isinstance(found, Code)
    return found


def filling(code: Code, holes: Mapping[str, Filling]) -> Filling:
    if type(code) is cst.Name:
        return holes.get(code.value, code)
    if names_under(code).isdisjoint(holes):
        return code
    return rebuilt(code, lambda inner: filling(inner, holes))


@cache
def names_under(code: Code) -> frozenset[str]:
    """The names in a part of a template."""
    if isinstance(code, cst.Name):
        return frozenset({code.value})
    return frozenset().union(*map(names_under, inner(code)))


def rebuilt(node: Node, change: Change) -> Node:
    """A node with what `change` gives for the expressions right under it."""
    changes: dict[str, Any] = {}
    for field in FIELDS.get(type(node), ()):
        old = getattr(node, field)
        new = renewed(old, node, field, change)
        if new is not old:
            changes[field] = new
    return unbracketed(with_fields(node, changes)) if changes else node


def with_fields(node: Node, changes: dict[str, Any]) -> Node:
    """A node with other fields: in parentheses where a keyword would touch one, as in `[0]if x`."""
    try:
        return node.with_changes(**changes)
    except cst.CSTValidationError:
        fields = {field: getattr(node, field) for field in FIELDS[type(node)]} | changes
        closed = {f: enclosed(part) for f, part in fields.items() if is_expression(part)}
        return node.with_changes(**{**changes, **closed})


def renewed(old: Any, parent: cst.CSTNode, field: str, change: Change) -> Any:
    """What a field holds after the change, the same object where nothing changes."""
    if is_expression(old) and type(old) is not cst.StarredElement:
        new = change(old)
        assert is_expression(new)
        return old if new is old else placed(new, old, parent, field)
    if type(old) in FIELDS:
        return rebuilt(old, change)
    if type(old) in (list, tuple) and old:
        parts = [part for element in old for part in spliced(element, change)]
        is_same = len(parts) == len(old) and all(a is b for a, b in zip(parts, old, strict=True))
        return old if is_same else parts
    return old


def unbracketed(node: Node) -> Node:
    """A call without the parentheses that a generator needs beside other arguments only."""
    if not isinstance(node, cst.Call) or len(node.args) != 1:
        return node
    arg = node.args[0]
    if not isinstance(arg.value, cst.GeneratorExp) or arg.keyword or arg.star:
        return node
    value = arg.value.with_changes(lpar=(), rpar=())
    return node.with_changes(args=[arg.with_changes(value=value)])


def spliced(element: cst.CSTNode, change: Change) -> Iterator[cst.CSTNode]:
    """An element of a list of arguments or values; several where arguments take its place."""
    if not isinstance(element, cst.Arg | cst.Element):
        yield rebuilt(element, change)
        return
    held = element.value
    new = change(held)
    if isinstance(new, Code):
        own = new if new is held else placed(new, held, element, "value")
        yield element if own is held else element.with_changes(value=own)
        return
    for number, arg in enumerate(new):
        comma = element.comma if number + 1 == len(new) else cst.MaybeSentinel.DEFAULT
        part = arg if isinstance(element, cst.Arg) else element_of(arg)
        yield part.with_changes(comma=comma)


def element_of(arg: cst.Arg) -> cst.BaseElement:
    """What an argument is in a list."""
    return cst.StarredElement(arg.value) if arg.star else cst.Element(arg.value)


def placed(new: Code, old: Code, parent: cst.CSTNode, field: str) -> Code:
    """An expression in the place of another, whose parentheses it keeps."""
    if old.lpar:
        return new.with_changes(lpar=old.lpar, rpar=old.rpar)
    if strength(new) >= strength(old) and not isinstance(old, cst.Name):
        return new  # it stands where the like of it stood
    if isinstance(parent, cst.Attribute) and is_number(new):
        return enclosed(new)
    if isinstance(parent, cst.FormattedStringExpression) and text_of(new).startswith("{"):
        return enclosed(new)  # two would be a brace of the text
    if isinstance(parent, cst.BinaryOperation) and begins_with_sign(new):
        is_first = field == "left" and needed(parent, field) <= SUM
        return new if is_first else enclosed(new)  # nobody writes `x - -y`
    return fitted(new, needed(parent, field))


def begins_with_sign(code: Code) -> bool:
    """Whether an expression begins with `-` or `+`."""
    while isinstance(code, cst.BinaryOperation) and not code.lpar:
        code = code.left
    if isinstance(code, Verbatim):
        return code.value[:1] in ("-", "+")
    return isinstance(code, cst.UnaryOperation) and strength(code) == SIGN


def is_number(code: Code) -> bool:
    """Whether a dot behind it would be read as its own: `1.real`."""
    return not code.lpar and isinstance(code, Verbatim | cst.Integer) and code.value[:1].isdigit()
