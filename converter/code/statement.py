"""Statements of the script: what is assigned, from which node; nodes that have none."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import MsconvertError
from ..graph.graph import Node
from .expr import (
    Expr,
)

Targets = str | tuple["Targets", ...]
"""What a statement binds: a value's name, "" for none, or a pattern of them to unpack."""


@dataclass(eq=False)
class Statement:
    """`targets = expr`, written for `node`.

    `scope` is the module that it belongs to; a component "encoder#encoder_1" is a further call of
    "encoder". `cell_path` is the full name of the layer that it calls, if the file tells one.
    """

    targets: Targets
    expr: Expr
    node: Node
    scope: tuple[str, ...] = ()
    cell_path: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Left:
    """A node that could not be converted: the placeholder's name and the refusal."""

    node: Node
    error: MsconvertError
    placeholder: str


def names_of(targets: Targets) -> list[str]:
    """Every value that a pattern binds."""
    if isinstance(targets, str):
        return [targets] if targets else []
    return [name for part in targets for name in names_of(part)]
