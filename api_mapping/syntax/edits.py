"""Changes of a source text by place: everything outside of them stays byte for byte."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .source_text import cut

Position = tuple[int, int]
"""A place as ast has it: line from one, column from zero in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Text that takes the place of what is between two positions; between equal ones it is put."""

    start: Position
    end: Position
    text: str


def applied(lines: Sequence[str], edits: Iterable[Edit]) -> str:
    """The text of the lines with the edits; of edits that overlap, the first one holds.

    `lines` have their line ends; those in edits are newlines, and become the text's own.
    """
    newline = newline_of(lines)
    parts: list[str] = []
    at = (1, 0)
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < at:
            continue
        parts += [between(lines, at, edit.start), edit.text.replace("\n", newline)]
        at = edit.end
    return "".join([*parts, between(lines, at, (len(lines) + 1, 0))])


def unchanged_from(tree: ast.Module, edits: Iterable[Edit]) -> int:
    """The number of lines before the first statement of a parsed text that no edit reaches.

    It stands at the beginning of its line, with all that is behind it: of the new text only the
    lines before it need to be parsed again. Infinitely many if there is no such statement.
    """
    end = max((edit.end for edit in edits), default=(0, 0))
    free = (n for n in tree.body if not n.col_offset and not getattr(n, "decorator_list", ()))
    found = (n.lineno - 1 for n in free if (n.lineno, 0) > end)
    return next(found, sys.maxsize)


def newline_of(lines: Sequence[str]) -> str:
    """How the first line ends; a newline if there is none."""
    first = lines[0] if lines else ""
    return "\r\n" if first.endswith("\r\n") else "\r" if first.endswith("\r") else "\n"


def between(lines: Sequence[str], start: Position, end: Position) -> str:
    """The text between two positions; a line behind the last one is empty."""
    first, last = start[0] - 1, end[0] - 1
    if first >= len(lines):
        return ""
    if first == last:
        return cut(lines[first], start[1], end[1])
    ending = cut(lines[last], 0, end[1]) if last < len(lines) else ""
    return "".join([cut(lines[first], start[1], None), *lines[first + 1 : last], ending])
