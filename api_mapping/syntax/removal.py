"""Takes statements out of a source: with their lines, but for comments behind them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from .edits import Edit, between
from .nodes import end_of, start_of
from .walk import BLOCKS


def without(tree: ast.Module, lines: Sequence[str], gone: Collection[ast.stmt]) -> Iterator[Edit]:
    """The edits that take statements out; a block that would be empty keeps a `pass`."""
    if not gone:
        return
    kept = needed_in(tree, {id(node) for node in gone})
    for node in gone:
        yield removal(node, lines) if id(node) not in kept else replaced(node)


def needed_in(tree: ast.Module, gone: Collection[int]) -> frozenset[int]:
    """The first statement of each block of which all statements go."""
    found = set()
    waiting: list[Any] = [*tree.body]
    while waiting:
        node = waiting.pop()
        for name in BLOCKS[type(node)]:
            block = getattr(node, name)
            waiting += block
            if block and all(id(s) in gone for s in block):
                found.add(id(block[0]))
    return frozenset(found)


def removal(node: ast.stmt, lines: Sequence[str]) -> Edit:
    """The edit that takes one statement out; `pass` where others share its line."""
    start, end = start_of(node), end_of(node)
    before = between(lines, (start[0], 0), start)
    behind = between(lines, end, (end[0] + 1, 0))
    if before.strip() or not is_blank_or_comment(behind):
        return replaced(node)
    if behind.strip():
        return Edit(start, (end[0], end[1] + len(behind) - len(behind.lstrip())), "")
    return Edit((start[0], 0), (end[0] + 1, 0), "")


def replaced(node: ast.stmt) -> Edit:
    return Edit(start_of(node), end_of(node), "pass")


def is_blank_or_comment(text: str) -> bool:
    return not text.strip() or text.lstrip().startswith("#")
