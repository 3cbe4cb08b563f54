"""Graph -> classes: the middle of a conversion, from nodes to a tree of modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..code.control import Nesting
from ..graph.graph import Graph
from ..trace import Traced, trace
from .blocks import Block, build_tree
from .classes import ModuleClass, build_classes
from .enclosure import enclose
from .homes import Home, find_homes
from .inheritance import mark_derived
from .members import drop_unused, name_members
from .naming import name_homes
from .own_sizes import own_sizes
from .place import place
from .rematerialization import rematerialize
from .repeats import place_repeats
from .scopes import ModulePath, node_classes
from .signatures import unify_signatures


@dataclass(frozen=True)
class Structured:
    """A graph as classes: the tree of module calls, the constants' homes, the classes."""

    traced: Traced
    root: Block
    homes: Mapping[str, Home]
    classes: list[ModuleClass]


def structured(graph: Graph, place_name: str, nesting: Nesting | None = None) -> Structured:
    """The graph as statements, module calls and classes."""
    traced = trace(graph, place_name, nesting)
    told = place(traced.statements, graph)
    if told:
        enclose(traced.statements, graph.outputs)
        again = rematerialize(traced.statements, graph)
        traced = replace(traced, statements=again)
    else:
        place_repeats(traced.statements, graph.inputs, graph.outputs)
    traced = replace(traced, statements=own_sizes(traced.statements, graph))
    found = find_homes(traced.statements)
    paths = {name: home.path for name, home in found.items()}
    root = build_tree(traced.statements, graph.inputs, graph.outputs, paths)
    unify_signatures(root)
    if told:
        mark_derived(root, paths)
    held = {n: replace(h, path=paths[n]) for n, h in found.items()}
    name_members(root, held)
    homes = name_homes(drop_unused(held, root), root)
    hints: dict[ModulePath, str] = {}
    for node in graph.nodes:
        hints.update(node_classes(node))
    return Structured(traced, root, homes, build_classes(root, homes, hints))
