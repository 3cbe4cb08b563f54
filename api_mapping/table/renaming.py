"""Rules that write other names, for code whose own names those of the templates would hide."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import libcst as cst

from ..syntax.code import Code
from ..syntax.quotation import Filling, rebuilt
from .rule import Rule

Renaming = tuple[tuple[str, str], ...]
"""Names that templates use, each with the one that is written in its place."""

BY_MACROS = frozenset({"compat", "ms"})
"""Names that macros write."""


@cache
def renamed(rule: Rule, names: Renaming) -> Rule:
    """The rule with other names in its code; its verdict stays."""
    own = {name: new for name, new in names if all(param.name != name for param in rule.params)}
    found = replace(rule, target=rewritten(rule.target, own), mint=rewritten(rule.mint, own))
    vars(found)["verdict"] = rule.verdict
    return found


def rewritten(code: str, names: dict[str, str]) -> str:
    """An expression with other names."""
    tree = ast.parse(code, mode="eval") if code else None
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)] if tree else []
    if tree is None or not any(node.id in names for node in nodes):
        return code
    for node in nodes:
        node.id = names.get(node.id, node.id)
    return ast.unparse(tree).replace("'", '"')


def in_names(code: Filling, names: Renaming, own: Sequence[Code]) -> Filling:
    """What a macro wrote, with other names; those in `own`, the user's code, stay."""
    new = {name: cst.Name(other) for name, other in names if name in BY_MACROS}
    if isinstance(code, Code):
        return in_code(code, new, own)
    return [arg.with_changes(value=in_code(arg.value, new, own)) for arg in code]


def in_code(code: Code, new: Mapping[str, cst.Name], own: Sequence[Code]) -> Code:
    if any(code is part for part in own):
        return code
    if isinstance(code, cst.Name):
        return new.get(code.value, code)
    return rebuilt(code, lambda inner: in_code(inner, new, own))
