"""Optimisers of several networks: MindSpore wants the names of their parameters to differ."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..analysis import FileAnalysis
from ..syntax.edits import Edit
from ..syntax.nodes import dotted, start_of
from ..syntax.walk import every
from ..table.kinds import PARAMETER
from .blocks import blocks_of
from .names import access
from .text import Converted
from .weights import is_module

LISTING = frozenset({"parameters", "named_parameters"})


def renamings(analysis: FileAnalysis, converted: Converted) -> Iterator[Edit]:
    """The edits that give networks names of their own before one optimiser takes them all."""
    made = optimizers_made(analysis)
    if not made:
        return
    given = [v for call in made for v in (*call.args, *(k.value for k in call.keywords))]
    handed = {name for value in given for name in access(value).reads}
    for block in blocks_of(analysis.tree):
        lists: dict[str, Listing] = {}
        for statement in block.statements:
            if getattr(statement, "body", None):
                continue
            networks = networks_in(statement, analysis)
            if makes_optimizer(statement, analysis):
                lists[f"line {statement.lineno}"] = Listing(statement, networks)
            for name in access(statement).writes & handed:
                before = lists[name].networks if name in lists and is_growing(statement) else []
                lists[name] = Listing(statement, list(dict.fromkeys((*before, *networks))))
        named = {one.statement: one.networks for one in lists.values() if len(one.networks) > 1}
        yield from (named_apart(node, networks, converted) for node, networks in named.items())


@dataclass(frozen=True)
class Listing:
    """The networks whose parameters a list has, and the last statement that lists some."""

    statement: ast.stmt
    networks: list[str]


def named_apart(node: ast.stmt, networks: Iterable[str], converted: Converted) -> Edit:
    """Gives networks names of their own before a statement that lists their parameters."""
    line = converted.comments_above(start_of(node)[0])
    indent = converted.indent(start_of(node)[0])
    rows = [f'{indent}{n}.update_parameters_name("{n.rpartition(".")[2]}.")\n' for n in networks]
    return Edit((line, 0), (line, 0), "".join(rows))


def is_growing(node: ast.stmt) -> bool:
    """Whether a statement adds to what a name held: `+=`, `.extend(...)`, `a = a + b`."""
    if isinstance(node, ast.AugAssign):
        return True
    return bool(access(node).writes & set(access(node).reads))


def makes_optimizer(node: ast.AST, analysis: FileAnalysis) -> bool:
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    return any(analysis.kind_of(call).tag == "optimizer" for call in calls)


def optimizers_made(analysis: FileAnalysis) -> list[ast.Call]:
    """The calls that give optimisers."""
    if not any(kind.tag == "optimizer" for kind in analysis.kinds.values()):
        return []
    calls = (node for node in every(analysis.tree) if isinstance(node, ast.Call))
    return [call for call in calls if analysis.kind_of(call).tag == "optimizer"]


def networks_in(node: ast.AST, analysis: FileAnalysis) -> list[str]:
    """The networks whose parameters a statement lists, but those that are parts of another."""
    found: dict[str, None] = {}
    for part in ast.walk(node):
        is_weight = isinstance(part, ast.Attribute) and analysis.kind_of(part) == PARAMETER
        if is_weight and (owner := owner_of(part, analysis)):
            found[owner] = None
    for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in LISTING:
            continue
        network = call.func.value
        is_part = isinstance(network, ast.Attribute) and is_module(analysis.kind_of(network.value))
        if is_module(analysis.kind_of(network)) and dotted(network) and not is_part:
            found[dotted(network)] = None
    return list(found)


def owner_of(weight: ast.AST, analysis: FileAnalysis) -> str:
    """The outermost network that a weight is named through: `net` of `net.fc.weight`."""
    node: ast.AST = weight.value if isinstance(weight, ast.Attribute) else weight
    owner = ""
    while is_module(analysis.kind_of(node)) and dotted(node):
        owner = dotted(node)
        if not isinstance(node, ast.Attribute):
            break
        node = node.value
    return owner if owner != "self" else ""
