"""Pieces of the converted text: statements with their comments, moved to other places."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..syntax.edits import Edit, Position, applied, newline_of
from ..syntax.line_wrap import STEP, WIDTH, split
from ..syntax.nodes import end_of, start_of
from ..syntax.source_text import indent_of, is_whole
from ..table.aliases import Aliases
from .blocks import Block

STRINGS = frozenset({tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)})


@dataclass(frozen=True)
class Converted:
    """A source with the edits of its expressions and statements."""

    lines: Sequence[str]
    edits: Sequence[Edit]
    text: Callable[[ast.expr | ast.stmt], str]
    """The new text of a node as it stands."""
    names: Aliases

    def code(self, node: ast.expr | ast.stmt) -> str:
        """The new text of a node for another place: the brackets around its lines come along."""
        text = self.text(node)
        return (
            text
            if is_whole(text, "eval" if isinstance(node, ast.expr) else "exec")
            else f"({text})"
        )

    def between(self, start: Position, end: Position) -> str:
        """The new text of what is between two places, with newlines as line ends."""
        ends = Edit((1, 0), start, ""), Edit(end, (len(self.lines) + 1, 0), "")
        inner = [e for e in self.edits if start <= e.start and e.end <= end and e.start != end]
        text = applied(self.lines, [ends[0], *inner, ends[1]])
        return text.replace(newline_of(self.lines), "\n")

    def rows(self, first: int, last: int) -> str:
        """The new text of whole lines, both counted from one and taken in."""
        return self.between((first, 0), (last + 1, 0))

    def indent(self, line: int) -> str:
        return indent_of(self.lines[line - 1])

    def first_line(self, block: Block, place: int) -> int:
        """The first line of a statement with the comments and blank lines before it."""
        line = start_of(block.statements[place])[0]
        least = end_of(block.statements[place - 1])[0] + 1 if place else 1
        while line > least and is_between(self.lines[line - 2]):
            line -= 1
        return line

    def comments_above(self, line: int) -> int:
        """The first of the comment lines that stand directly over a line."""
        indent = self.indent(line)
        while line > 1 and self.lines[line - 2].startswith(f"{indent}#"):
            line -= 1
        return line


def statement(code: str, indent: str) -> str:
    """A statement in as many lines as it needs."""
    if len(indent) + len(code) > WIDTH and len(indent) % STEP == 0 and not indent.strip(" "):
        code = split([(code, len(indent))])[0]
    return f"{indent}{code}\n"


def is_between(line: str) -> bool:
    """Whether a line is blank or a comment."""
    return not line.strip() or line.lstrip().startswith("#")


def moved(text: str, before: str, behind: str) -> str:
    """Lines with another indentation; those inside of strings stay as they are."""
    inside = rows_in_strings(text, before)
    rows = text.split("\n")
    for number, row in enumerate(rows, 1):
        if number not in inside and row.startswith(before) and row.strip():
            rows[number - 1] = behind + row[len(before) :]
    return "\n".join(rows)


def rows_in_strings(text: str, indent: str) -> set[int]:
    """The numbers of the lines that begin inside of a string."""
    if '"""' not in text and "'''" not in text and "\\\n" not in text:
        return set()
    head = "if True:\n" if indent else ""
    found: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(head + text).readline):
            if token.type in STRINGS:
                shift = bool(head)
                found |= set(range(token.start[0] + 1 - shift, token.end[0] + 1 - shift))
    except (tokenize.TokenError, IndentationError):
        return found
    return found
