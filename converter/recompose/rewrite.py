"""Apply the rules to a graph, phase by phase, until none fits any longer."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.graph import Graph, Node
from ..guard import guard
from . import (
    activation,
    dense,
    layout,
    normalization,
    pooling,
    positions,
    quantisation,
    recurrent,
)
from .edit import Derived, Editor
from .pattern import Found
from .rule import NO_FIT, Match, Refused, Result, Rule, Same

PHASES: tuple[tuple[Rule, ...], ...] = (
    quantisation.RULES,
    recurrent.RULES,
    layout.RULES,
    positions.RULES,
    layout.RULES,
    activation.SIMPLE,
    activation.RULES,
    normalization.RULES,
    dense.RULES,
    pooling.RULES,
    recurrent.RULES,
    layout.RULES,
)
"""In this order; within a phase earlier rules go first, until none fits any longer."""

RULES: dict[str, Rule] = {rule.name: rule for phase in PHASES for rule in phase}


@dataclass(frozen=True)
class Change:
    """What nodes of the user's file became: the label of a node, or a phrase if they vanished."""

    origin: tuple[str, ...]
    became: str


@dataclass(frozen=True)
class Kept:
    """A place where a rule's pattern fits and that stays as it is, with the reason."""

    node: str
    rule: str
    reason: str


@dataclass(frozen=True)
class Recomposed:
    """The new graph, what changed in it, and the constants made from the file's."""

    graph: Graph
    changes: tuple[Change, ...]
    kept: tuple[Kept, ...]
    derived: dict[str, Derived]


def recompose(graph: Graph) -> Recomposed:
    """`graph` with layers in place of the nodes that exporters write for them.

    The graph given stays as it is. It should be prepared: constants folded, shapes inferred;
    what is not known is left alone.
    """
    editor = Editor(graph)
    kept: dict[tuple[str, str], Kept] = {}
    for phase in PHASES:
        while any(_sweep(editor, one, kept) for one in phase):
            pass
    made = [Change(node.origin, node.label) for node in editor.made if editor.is_alive(node)]
    dropped = [Change(origin, why) for origin, why in editor.dropped]
    standing = {node.label for node in editor.nodes()}
    refusals = tuple(item for item in kept.values() if item.node in standing)
    return Recomposed(editor.finished(), (*made, *dropped), refusals, editor.derived)


def _sweep(editor: Editor, rule: Rule, kept: dict[tuple[str, str], Kept]) -> bool:
    """Apply one rule wherever it fits, last nodes first. Returns whether anything changed."""
    roots = rule.pattern.roots()
    changed = False
    if not rule.pattern.may_occur(editor):
        return False
    for node in reversed(editor.nodes_of(roots)):
        value = next(filter(None, node.outputs), "")
        if not editor.is_alive(node) or not rule.pattern.may_match(value, editor):
            continue
        reason = _try(editor, rule, node)
        changed |= reason is None
        if reason:
            kept[node.label, rule.name] = Kept(node.label, rule.name, reason)
    return changed


def _try(editor: Editor, rule: Rule, root: Node) -> str | None:
    """Apply a rule at a node. Returns None if done, else why not (empty: it does not fit)."""
    try:
        with guard(Refused):
            match, result, old = _fit(editor, rule, root)
    except Refused as refusal:
        return str(refusal)
    for name, (array, derived) in match.constants.items():
        editor.add_constant(name, array, derived)
    if isinstance(result, Same):
        editor.forget(old, match.out, result.value, result.why)
    else:
        editor.swap(old, _nodes(result))
    return None


def _fit(editor: Editor, rule: Rule, root: Node) -> tuple[Match, Result, list[Node]]:
    """The first match that the rule takes, what it becomes, and the nodes that then go.

    Raises: Refused, with the reason of the first match that says one
    """
    reason = NO_FIT
    value = next(filter(None, root.outputs), "")
    for found in rule.pattern.match(value, Found(), editor):
        match = Match(editor, found, root)
        try:
            result = rule.rewrite(match)
            return match, result, _removable(match, result)
        except Refused as refusal:
            reason = reason or str(refusal)
    raise Refused(reason)


def _nodes(result: Result) -> list[Node]:
    if isinstance(result, Same):
        return []
    return result if isinstance(result, list) else [result]


def _removable(match: Match, result: Result) -> list[Node]:
    """The matched nodes that `result` replaces.

    Raises: Refused if somebody else reads what would vanish
    """
    graph = match.graph
    produced = {match.out, *(out for node in _nodes(result) for out in node.outputs)}
    matched = set(match.nodes)
    gone = [node for node in match.nodes if node.op != "Shape" or _is_within(graph, node, matched)]
    for node in gone:
        for out in set(node.outputs) - produced:
            is_free = not graph.is_output(out) and matched.issuperset(graph.readers(out))
            match.require(is_free, f"{out} is read elsewhere too")
    return gone


def _is_within(graph: Editor, node: Node, matched: set[Node]) -> bool:
    return matched.issuperset(graph.readers(node.outputs[0])) and not graph.is_output(
        node.outputs[0]
    )
