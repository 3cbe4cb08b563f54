"""Texts that format the attributes of objects: which of them may be tensors no field shows.

"{top1.avg:.3f}".format(top1=top1), text.format(**self.__dict__)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from string import Formatter

from ..analysis import FileAnalysis
from ..analysis.definitions import Class
from ..syntax.nodes import dotted
from ..syntax.walk import every
from ..table.kinds import NUMBERS, members_of, present

PLAIN = NUMBERS | {"str", "none", "list", "tuple", "dict", "other", "never"}
"""Kinds of values that are formatted alike on both sides."""


def formats_attributes(call: ast.Call, analysis: FileAnalysis) -> bool:
    """Whether a call of `format` writes attributes of which one may be a tensor."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "format":
        return False
    return any(may_hold_tensors(owner, name, analysis) for owner, name in attributes_in(call))


def attributes_in(call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """The objects with the names of the attributes that a text writes; "" for all."""
    assert isinstance(call.func, ast.Attribute)
    for keyword in call.keywords:
        owner = owner_of_all(keyword.value) if keyword.arg is None else None
        if owner is not None:
            yield owner, ""
    text = call.func.value
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        given = {str(n): value for n, value in enumerate(call.args)}
        given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        for field in fields_of(text.value):
            name, dot, attribute = field.partition(".")
            if dot and name in given:
                yield given[name], attribute


def owner_of_all(node: ast.expr) -> ast.expr | None:
    """The object of `x.__dict__` and `vars(x)`."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    is_vars = isinstance(node, ast.Call) and dotted(node.func) == "vars" and len(node.args) == 1
    return node.args[0] if is_vars else None  # type: ignore[attr-defined]


def fields_of(text: str) -> list[str]:
    """The fields of a text that have a form."""
    try:
        return [name for _, name, form, _ in Formatter().parse(text) if name and form]
    except ValueError:
        return []


def may_hold_tensors(owner: ast.expr, name: str, analysis: FileAnalysis) -> bool:
    """Whether an attribute of an object of the project, or any for "", may be a tensor."""
    target = present(analysis.kind_of(owner)).target
    if not isinstance(target, Class):
        return False
    if target.module.path != analysis.path:
        return True  # what it is given there is not seen here
    kinds = map(analysis.kind_of, values_of(target.name, name, analysis.tree))
    return any(part.tag not in PLAIN for kind in kinds for part in members_of(kind))


def values_of(cls: str, name: str, tree: ast.Module) -> Iterator[ast.expr]:
    """What a class sets an attribute of its instances to, or any for ""."""
    classes = (n for n in every(tree) if isinstance(n, ast.ClassDef) and n.name == cls)
    for node in (n for found in classes for n in every(found)):
        if isinstance(node, ast.Assign | ast.AugAssign):
            places = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(p, ast.Attribute) and name in ("", p.attr) for p in places):
                yield node.value


def is_formatting(call: ast.Call, analysis: FileAnalysis) -> bool:
    """Whether a call is of Python's own `format`, with a form."""
    if len(call.args) != 2 or analysis.kind_of(call.func).name != "builtins.format":
        return False
    return not isinstance(call.args[1], ast.Constant) or bool(call.args[1].value)
