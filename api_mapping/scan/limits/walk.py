"""Holds every rule against a file: one walk for all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...analysis import FileAnalysis
from ...analysis.classes import family_of
from .facts import SCOPES, Facts, Scope
from .rule import Hit, Limit, by_node


def hits(analysis: FileAnalysis) -> Iterator[tuple[Limit, Hit]]:
    """What the rules find, in no order."""
    facts = facts_of(analysis)
    rules = by_node()
    for node, scope in nodes(analysis.tree):
        for rule in rules.get(type(node), ()):
            facts.scope = scope
            yield from ((rule, hit) for hit in rule.check(node, facts))


def facts_of(analysis: FileAnalysis) -> Facts:
    """What the rules may ask; a union of kinds, or one that is not known, is nothing for sure."""
    apis = {id(use.node): use.api for use in analysis.uses if use.certainty == "is"}
    families = {id(cls.node): family_of(cls) for cls in analysis.module.classes}
    return Facts(analysis.kind_of, apis, families, analysis.tree)


def nodes(tree: ast.AST) -> Iterator[tuple[ast.AST, Scope]]:
    """Every node with where it stands; a function or class stands outside of itself."""
    stack: list[tuple[ast.AST, Scope]] = [(tree, Scope())]
    while stack:
        node, scope = stack.pop()
        yield node, scope
        inner = inside(node, scope) if isinstance(node, SCOPES) else scope
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, ast.AST):
                stack.append((child, inner))
            elif isinstance(child, list):
                stack.extend((c, inner) for c in child if isinstance(c, ast.AST))


def inside(node: ast.AST, scope: Scope) -> Scope:
    if isinstance(node, ast.ClassDef):
        return Scope(None, node, scope)
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return Scope(node, scope.owner, scope)
