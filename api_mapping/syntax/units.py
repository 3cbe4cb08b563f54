"""The units that a source is converted by: simple statements, and the heads of compound ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .nodes import children, start_of

Block = ast.stmt | ast.excepthandler
"""What may have statements in it."""


@dataclass(frozen=True, eq=False)
class Unit:
    """A simple statement, or what a compound one has besides the statements in it.

    `parts` are written anew one by one, or stay all as they are.
    """

    node: Block
    parts: tuple[ast.AST, ...]

    @property
    def is_simple(self) -> bool:
        return self.parts == (self.node,)

    @property
    def line(self) -> int:
        """The line that the unit begins on, its first decorator's if it has any."""
        return start_of(self.node)[0]


def units_of(tree: ast.Module) -> Iterator[Unit]:
    """Every unit of a file, in the order of the text."""
    stack: list[ast.AST] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        assert isinstance(node, Block)
        parts = list(children(node))
        inner = [part for part in parts if isinstance(part, Block)]
        if inner:
            yield Unit(node, tuple(part for part in parts if not isinstance(part, Block)))
            stack += reversed(inner)
        else:
            yield Unit(node, (node,))
