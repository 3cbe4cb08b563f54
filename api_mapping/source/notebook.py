"""Notebooks: the cells that change are written anew, everything else stays byte for byte.

The cells are converted as one text, with a comment before each and one behind each magic; then
they are taken apart by these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..syntax.edits import Edit
from ..syntax.notebook import Cell

CELL, MAGIC = "# msconvert: cell {} begins here", "  # msconvert: magic of line {}"
CELLS = re.compile("^" + CELL.format(r"(\d+)") + "\n", re.M)
MAGICS = re.compile("^.*" + MAGIC.format(r"(\d+)") + "$", re.M)
MAGIC_TAIL = re.compile(MAGIC.format(r"\d+") + "$", re.M)

DECODER = json.JSONDecoder()
START, SPACE, COLON, COMMA = map(re.compile, (r"\ufeff?\s*", r"\s*", r"\s*:\s*", r"\s*,?\s*"))


def boundaries(cells: Sequence[Cell], lines: Sequence[str]) -> Iterator[Edit]:
    """The edits that mark where cells begin in their joined lines, and what is a magic."""
    for cell in cells:
        start = (cell.first_line, 0)
        yield Edit(start, start, f"{CELL.format(cell.number)}\n")
        raw = split(cell.raw)
        for number, text in enumerate(split(cell.text)):
            line = cell.first_line + number
            joined = lines[line - 1].rstrip("\n")
            if text and text == joined and text != raw[number]:  # not of a cell that is left out
                end = (line, len(joined.encode()))
                yield Edit(end, end, MAGIC.format(number))


def split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def rebuilt(notebook: str, original: str, text: str, cells: Sequence[Cell]) -> str:
    """The notebook with the cells of the converted text."""
    converted = taken_apart(text)
    lines = original.split("\n")
    new = {}
    for cell in cells:
        first = cell.first_line - 1
        before = "\n".join(lines[first : first + cell.text.count("\n") + 1])
        if MAGIC_TAIL.sub("", converted[cell.number]) != before:
            new[cell.number] = with_magics(converted[cell.number], cell)
    return with_sources(notebook, new)


def taken_apart(text: str) -> dict[int, str]:
    """The text of each cell; what stands before the first one goes to it."""
    head, *rest = CELLS.split(text)
    texts = [part.removesuffix("\n") for part in rest[1::2]]
    texts[0] = head + texts[0]
    return dict(zip(map(int, rest[::2]), texts, strict=True))


def with_magics(text: str, cell: Cell) -> str:
    raw = split(cell.raw)
    return MAGICS.sub(lambda match: raw[int(match[1])], text)


def with_sources(notebook: str, new: Mapping[int, str]) -> str:
    """The JSON of a notebook with other texts for some cells (from one)."""
    parts, at = [], 0
    for place in sources(notebook):
        if place.cell in new:
            parts += [notebook[at : place.start], place.written(new[place.cell], notebook)]
            at = place.end
    return "".join([*parts, notebook[at:]])


@dataclass(frozen=True)
class Place:
    """Where the source of a cell stands in the JSON."""

    cell: int
    start: int
    end: int

    def written(self, text: str, notebook: str) -> str:
        """The JSON of a new source, laid out as the old one is."""
        old = notebook[self.start : self.end]
        dumps = json.JSONEncoder(ensure_ascii=notebook.isascii()).encode
        if old.startswith('"'):
            return dumps(text)
        items = list(inside(notebook, self.start).values())
        lead, tail = notebook[self.start + 1 : items[0].start], notebook[items[-1].end : self.end]
        lines = re.findall(r"[^\n]*\n|[^\n]+", text) or [""]
        blank = lead or (" " if notebook[self.start - 1] == " " else "")
        return f"[{lead}{f',{blank}'.join(map(dumps, lines))}{tail}"


def sources(notebook: str) -> Iterator[Place]:
    """The sources of the cells, in order."""
    cells = inside(notebook, START.match(notebook).end())["cells"]  # type: ignore[union-attr]
    for number, cell in enumerate(inside(notebook, cells.start).values(), 1):
        is_object = notebook[cell.start] == "{"
        source = inside(notebook, cell.start).get("source") if is_object else None
        if source is not None:
            yield Place(number, source.start, source.end)


@dataclass(frozen=True)
class Span:
    """Where a value stands in the JSON."""

    start: int
    end: int


def inside(text: str, at: int) -> dict[str, Span]:
    """The values in the object or array that begins at a place; an array's by their numbers."""
    found: dict[str, Span] = {}
    is_object = text[at] == "{"
    at = past(SPACE, text, at + 1)
    while text[at] not in "]}":
        key = str(len(found))
        if is_object:
            key, at = DECODER.raw_decode(text, at)
            at = past(COLON, text, at)
        end = DECODER.raw_decode(text, at)[1]
        found[key] = Span(at, end)
        at = past(COMMA, text, end)
    return found


def past(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None
    return match.end()
