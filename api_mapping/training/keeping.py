"""Where the gradients of a training step live from one round to the next."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from ..syntax.nodes import start_of
from .blocks import Block
from .events import Events
from .group import Group, clears_of
from .placement import Place


class Keeping(StrEnum):
    """How gradients are kept.

    ONCE      each round begins without any
    SUMMED    a variable of the scope adds them up
    HELD      the parameters hold them: calls of the scope, or other functions, go on from them
    """

    ONCE = "once"
    SUMMED = "summed"
    HELD = "held"


def keeping_of(group: Group, place: Place, events: Events, others: Iterable[Group]) -> Keeping:
    """How the gradients of a group are kept; `others` are the other groups of the file."""
    if group.taker is not None:
        return Keeping.HELD
    if not group.sums:
        return Keeping.ONCE
    scope = group.block.scope
    beside = [other for other in others if other.block.scope is scope]
    if any(other.optimizers != group.optimizers for other in beside):
        return Keeping.HELD  # a variable is for the gradients of one optimiser
    if isinstance(scope, ast.Module):
        is_first = not any(is_before(other, group) for other in beside)
        return Keeping.ONCE if place.loop is None and is_first else Keeping.SUMMED
    return (
        Keeping.SUMMED
        if place.loop is not None and is_begun(group, place, events)
        else (Keeping.HELD)
    )


def is_before(one: Group, other: Group) -> bool:
    first, second = (group.block.statements[group.places[0]] for group in (one, other))
    return start_of(first) < start_of(second)


def is_begun(group: Group, place: Place, events: Events) -> bool:
    """Whether gradients are cleared before the loop that adds them up."""
    if place.loop is None:
        return False
    clears = clears_of(group, events)
    if any(start_of(clear.node) < start_of(place.loop) for clear in clears):
        return True
    return any(id(clear.node) in statements_before(group.block) for clear in clears)


def statements_before(block: Block) -> set[int]:
    """The statements that run before a block, in the blocks around it, by their ids."""
    return {id(s) for outer, place in block.around() for s in outer.statements[:place]}


@dataclass(frozen=True)
class Variables:
    """What gradients are called in a scope: those that are applied, and those that are added."""

    grads: str = "grads"
    more: str = "more_grads"

    @classmethod
    def beside(cls, taken: Collection[str]) -> Variables:
        """The names that none of these is."""
        return cls(unused("grads", taken), unused("more_grads", taken))


def unused(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name


def names_in(scope: ast.AST) -> set[str]:
    """Every name that is mentioned in a scope, and in the functions in it."""
    nodes = list(ast.walk(scope))
    found = {node.id for node in nodes if isinstance(node, ast.Name)}
    found |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return found | {node.name for node in nodes if isinstance(node, kinds)}
