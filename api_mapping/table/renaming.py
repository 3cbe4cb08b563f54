"""Rules that write other names, for code whose own names those of the templates would hide."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import cache

from .rule import Rule

Renaming = tuple[tuple[str, str], ...]
"""Names that templates use, each with the one that is written in its place."""

BY_MACROS = re.compile(r"\b(compat)(?=\.sides\()|\b(ms)(?=\.float32\b)")
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


def in_names(text: str, names: Renaming) -> str:
    """What a macro wrote, with other names."""
    new = dict(names)
    return BY_MACROS.sub(lambda match: new.get(match[0], match[0]), text) if names else text
