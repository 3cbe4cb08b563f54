"""The text of a source, by places of ast: lines from one, columns in bytes of UTF-8."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from .nodes import end_of, start_of

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""A line as Python counts them: a form feed ends none."""


@dataclass(frozen=True)
class Source:
    """Text of a file, by places of `ast` (lines from 1, columns in UTF-8 bytes)."""

    lines: Sequence[str]

    @classmethod
    def of(cls, text: str) -> Source:
        return cls(LINE.findall(text))

    def between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        first, last = start[0] - 1, end[0] - 1
        if first == last:
            return cut(self.lines[first], start[1], end[1])
        middle = self.lines[first + 1 : last]
        ends = cut(self.lines[first], start[1], None), cut(self.lines[last], 0, end[1])
        return "".join((ends[0], *middle, ends[1]))

    def of_node(self, node: ast.AST) -> str:
        if isinstance(node, ast.expr) and node.lineno == node.end_lineno:
            return cut(self.lines[node.lineno - 1], node.col_offset, node.end_col_offset)
        return self.between(start_of(node), end_of(node))


def cut(line: str, start: int, end: int | None) -> str:
    return line[start:end] if line.isascii() else encoded(line)[start:end].decode()


def indent_of(line: str) -> str:
    """The blanks that a line begins with; all of it where there is nothing else."""
    return line[: len(line) - len(line.lstrip())]


@lru_cache(4)  # a line may be as long as a file, and asked for by every node on it
def encoded(line: str) -> bytes:
    return line.encode()


def is_whole(text: str, mode: Literal["eval", "exec"]) -> bool:
    """Whether a text can stand by itself: it has no line ends but in brackets and strings."""
    if "\n" not in text:
        return True
    try:
        ast.parse(text, mode=mode)
    except SyntaxError:
        return False
    return True


def parsed_again(text: str) -> ast.Module:
    """The tree of converted code. Raises: RecursionError if its brackets are too deep for Python"""
    try:
        return ast.parse(text)
    except SyntaxError as error:
        if "too many nested" in error.msg:
            raise RecursionError(error.msg) from error
        raise
