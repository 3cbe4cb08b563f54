"""Holds every rule against the nodes of a file."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...analysis import FileAnalysis
from ...syntax.walk import Layout
from .facts import Facts
from .rule import Hit, Limit, all_limits, by_node, by_use

LOADER = "torch.utils.data.DataLoader"


def hits(
    analysis: FileAnalysis, layout: Layout, lost: Mapping[int, str]
) -> Iterator[tuple[Limit, Hit]]:
    """What the rules find among the nodes of a file, each with where it stands.

    `lost` tells, by the ids of writes in place, what does not see them.
    """
    facts = facts_of(analysis, layout, lost)
    holding = {rule for rule in all_limits() if rule.holds_for(facts)}
    for node in (use.node for use in analysis.uses):
        about = by_use(facts.api(node)).get(type(node))
        rules = [rule for rule in about if rule in holding] if about else []
        if rules:
            yield from held_against(rules, [node], facts)
    for kind, of_kind in by_node().items():
        rules = [rule for rule in of_kind if rule in holding]
        yield from held_against(rules, nodes_for(rules, kind, layout), facts)


def nodes_for(rules: Sequence[Limit], kind: type[ast.AST], layout: Layout) -> Iterable[ast.AST]:
    """The nodes that some rule looks at: all of a type, or the calls by certain names."""
    nodes = layout.of_type(kind) if rules else ()
    if kind is not ast.Call or not all(rule.called for rule in rules):
        return nodes
    names = frozenset().union(*(rule.called for rule in rules))
    return (node for node in nodes if name_called(node) in names)


def name_called(call: Any) -> str:
    called = call.func
    if type(called) is ast.Attribute:
        return called.attr
    return called.id if type(called) is ast.Name else ""


def held_against(
    rules: Sequence[Limit], nodes: Iterable[ast.AST], facts: Facts
) -> Iterator[tuple[Limit, Hit]]:
    anywhere = [rule for rule in rules if not rule.is_of_modules]
    for node in nodes:
        facts.look_at(node)
        for rule in rules if facts.family == "module" else anywhere:
            for hit in rule.check(node, facts):
                yield rule, hit


def facts_of(analysis: FileAnalysis, layout: Layout, lost: Mapping[int, str]) -> Facts:
    """What the rules may ask; a union of kinds, or one that is not known, is nothing for sure."""
    apis = {
        id(use.node): use.api
        for use in analysis.uses
        if use.certainty == "is" and use.kind != "getattr"
    }
    families = {id(node): family for node, family in analysis.families.items()}
    has_buffers = "register_buffer" in analysis.source.text
    registered = buffers(layout) if has_buffers else {}
    known = frozenset(collators(analysis)), registered
    return Facts(analysis.kind_of, layout, apis, families, *known, lost, module=analysis.tree)


def collators(analysis: FileAnalysis) -> Iterator[str]:
    calls = (use.node for use in analysis.uses if use.api == LOADER)
    for call in (node for node in calls if isinstance(node, ast.Call)):
        yield from (name_of(k.value) for k in call.keywords if k.arg == "collate_fn")


def name_of(given: ast.expr) -> str:
    """The function or class of `collate`, `self.collate`, `partial(collate, 3)`, `Collate(3)`."""
    if isinstance(given, ast.Call):
        is_partial = name_of(given.func) == "partial" and given.args
        return name_of(given.args[0] if is_partial else given.func)
    if isinstance(given, ast.Attribute):
        return given.attr
    return given.id if isinstance(given, ast.Name) else ""


def buffers(layout: Layout) -> Mapping[int, set[str]]:
    """The names that each class registers buffers under, by the class's id."""
    found: dict[int, set[str]] = defaultdict(set)
    for node in layout.of_type(ast.Call):
        if isinstance(node.func, ast.Attribute):
            name = node.args[0] if node.func.attr == "register_buffer" and node.args else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                found[id(layout.scope_of(node).owner)].add(name.value)
    return found
