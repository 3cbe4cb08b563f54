"""The top level of a module without parsing what stands in its functions and classes."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import pairwise

from .reading import parsed

TOP = re.compile(r"\n(?=[^\s#)\]}])")
"""Behind it begins a statement of the top level, or its decorator; `^` is ten times slower."""
DEFINITION = re.compile(r"(async\s+def|def|class)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """The lines of one function or class of the top level, decorators included."""

    name: str
    first_line: int
    text: str
    is_class: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """A module's definitions as text, and its other statements as a tree."""

    chunks: list[Chunk]
    rest: ast.Module


def outline_of(text: str) -> Outline | None:
    """The outline; None where the text cannot be cut by its lines alone."""
    if "\r" in text or "\f" in text:
        return None
    starts = [match.end() for match in TOP.finditer(text)]
    if TOP.match(f"\n{text[:1]}"):
        starts.insert(0, 0)
    starts.append(len(text))
    marks = [quotes for quotes in ('"""', "'''") if quotes in text]
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
        elif any(piece.count(quotes) % 2 for quotes in marks):
            return None  # ends in the middle of a text that spans lines
        else:
            chunks.append(Chunk(definition[2], line, piece, definition[1] == "class"))
            rest.append("\n" * lines)
        line += lines
    try:
        return Outline(chunks, parsed("".join(rest)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
