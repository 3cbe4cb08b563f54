"""Holds every rule against the nodes of a file."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...analysis import FileAnalysis
from ..tree import Scope
from .facts import Facts
from .rule import Hit, Limit, by_node

LOADER = "torch.utils.data.DataLoader"


def hits(
    analysis: FileAnalysis, nodes: Sequence[tuple[ast.AST, Scope]]
) -> Iterator[tuple[Limit, Hit]]:
    """What the rules find among the nodes of a file, each with where it stands."""
    facts = facts_of(analysis, nodes)
    rules = by_node()
    for node, scope in nodes:
        facts.scope = scope
        for rule in rules.get(type(node), ()):
            for hit in rule.check(node, facts):
                yield rule, hit


def facts_of(analysis: FileAnalysis, nodes: Sequence[tuple[ast.AST, Scope]]) -> Facts:
    """What the rules may ask; a union of kinds, or one that is not known, is nothing for sure."""
    apis = {id(use.node): use.api for use in analysis.uses if use.certainty == "is"}
    families = {id(node): family for node, family in analysis.families.items()}
    if "register_buffer" not in analysis.source.text:
        nodes = ()
    known = frozenset(collators(analysis)), buffers(nodes)
    return Facts(analysis.kind_of, apis, families, *known, module=analysis.tree)


def collators(analysis: FileAnalysis) -> Iterator[str]:
    calls = (use.node for use in analysis.uses if use.api == LOADER)
    for call in (node for node in calls if isinstance(node, ast.Call)):
        functions = (k.value for k in call.keywords if k.arg == "collate_fn")
        yield from (f.id for f in functions if isinstance(f, ast.Name))


def buffers(nodes: Sequence[tuple[ast.AST, Scope]]) -> Mapping[int, set[str]]:
    """The names that each class registers buffers under, by the class's id."""
    found: dict[int, set[str]] = defaultdict(set)
    for node, scope in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.args[0] if node.func.attr == "register_buffer" and node.args else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                found[id(scope.owner)].add(name.value)
    return found
