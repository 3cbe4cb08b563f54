"""The top level of a module without parsing what stands in its functions and classes."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import pairwise

from .reading import parsed

TOP = re.compile(r"^(?:[^\s#)\]}])", re.MULTILINE)
METHOD = re.compile(
    r"^    (?:async def|def) (?:.*\n(?!    [^\s#)\]}]))*?.*:[ \t]*(?:#.*)?"
    r"\n((?:[ \t]*\n|     +\S.*\n|    [#)\]}].*\n|[)\]}].*\n)+)",
    re.MULTILINE,
)
"""A method of a class that is indented by four; its body."""
MARK = "\0"
BODY = f"        {MARK!r}"
DEFINITION = re.compile(r"(?:async\s+def|def|class)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """The lines of one function or class of the top level, decorators included."""

    name: str
    first_line: int
    text: str

    def parse(self) -> ast.stmt:
        """The statement, where it stands in the file, its methods' bodies empty where they can be.

        Raises: SyntaxError
        """
        before = "\n" * (self.first_line - 1)
        short, cut = without_bodies(self.text)
        if cut:
            try:
                statement = parsed(before + short).body[0]
            except SyntaxError:  # it was cut at the wrong places, or has an error anyway
                return parsed(before + self.text).body[0]
            if emptied(statement) == cut:
                return statement
        return parsed(before + self.text).body[0]


@dataclass(frozen=True, slots=True)
class Outline:
    """A module's definitions as text, and its other statements as a tree."""

    chunks: list[Chunk]
    rest: ast.Module


def without_bodies(text: str) -> tuple[str, int]:
    """A class's text with a mark for each method's body, as many lines; how many there were.

    Most classes of other files are asked for a method or two, whose lines are then parsed alone.
    """
    kept: list[str] = []
    behind = cut = 0
    for method in METHOD.finditer(text):
        start, end = method.span(1)
        body = text[start:end].rstrip()
        if not is_closed(text[behind : method.start()]) or not is_closed(method[0]):
            return text, 0
        kept.append(text[behind:start])
        kept.append("\n" * body.count("\n") + BODY + text[start + len(body) : end])
        behind = end
        cut += 1
    kept.append(text[behind:])
    return "".join(kept), cut


def is_closed(piece: str) -> bool:
    """Whether no text that spans lines begins in the piece and ends behind it."""
    return not (piece.count('"""') % 2 or piece.count("'''") % 2 or piece.endswith("\\\n"))


def emptied(statement: ast.stmt) -> int:
    """How many methods have had their bodies cut: they are taken to have none."""
    cut = 0
    for node in statement.body if isinstance(statement, ast.ClassDef) else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_cut(node.body[0]):
            node.body = []
            cut += 1
    return cut


def is_cut(first: ast.stmt) -> bool:
    value = first.value if isinstance(first, ast.Expr) else None
    return isinstance(value, ast.Constant) and value.value == MARK


def outline_of(text: str) -> Outline | None:
    """The outline; None where the text cannot be cut by its lines alone."""
    if "\r" in text or "\f" in text:
        return None
    starts = [match.start() for match in TOP.finditer(text)]
    starts.append(len(text))
    chunks: list[Chunk] = []
    rest: list[str] = [text[: starts[0]]]
    line = rest[0].count("\n") + 1
    decorated = ""
    for start, end in pairwise(starts):
        piece = text[start:end]
        if piece.startswith("@"):
            decorated += piece
            continue
        definition = DEFINITION.match(piece)
        piece, decorated = decorated + piece, ""
        lines = piece.count("\n")
        if definition is None:
            rest.append(piece)
        elif piece.count('"""') % 2 or piece.count("'''") % 2:
            return None  # ends in the middle of a text that spans lines
        else:
            chunks.append(Chunk(definition[1], line, piece))
            rest.append("\n" * lines)
        line += lines
    try:
        return Outline(chunks, parsed("".join(rest)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
