"""Optimisers of several networks: MindSpore wants the names of their parameters to differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..analysis import FileAnalysis
from ..syntax.edits import Edit
from ..syntax.nodes import start_of
from ..syntax.walk import every
from .blocks import blocks_of
from .names import access, dotted
from .text import Converted
from .weights import is_module

LISTING = frozenset({"parameters", "named_parameters"})


def renamings(analysis: FileAnalysis, converted: Converted) -> Iterator[Edit]:
    """The edits that give networks names of their own before one optimiser takes them all."""
    made = optimizers_made(analysis)
    if not made:
        return
    handed = {name for call in made for argument in call.args for name in access(argument).reads}
    for block in blocks_of(analysis.tree):
        for statement in block.statements:
            if getattr(statement, "body", None):
                continue
            networks = networks_in(statement, analysis)
            is_wanted = makes_optimizer(statement, analysis) or access(statement).writes & handed
            if len(networks) < 2 or not is_wanted:
                continue
            line = converted.comments_above(start_of(statement)[0])
            indent = converted.indent(start_of(statement)[0])
            rows = [
                f'{indent}{n}.update_parameters_name("{n.rpartition(".")[2]}.")\n' for n in networks
            ]
            yield Edit((line, 0), (line, 0), "".join(rows))


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
    for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in LISTING:
            continue
        network = call.func.value
        is_part = isinstance(network, ast.Attribute) and is_module(analysis.kind_of(network.value))
        if is_module(analysis.kind_of(network)) and dotted(network) and not is_part:
            found[dotted(network)] = None
    return list(found)
