"""The code cells of a Jupyter notebook, as Python that keeps its lines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .source_text import indent_of

MAGIC = re.compile(r"^\s*(%|!|\?)|\?\??\s*$")
ASSIGNED_MAGIC = re.compile(r"^(\s*[\w.,\s]+=\s*)[%!].*$")
OTHER_CELLS = frozenset({"markdown", "raw"})
CELL_MAGIC = re.compile(r"^\s*%%(\w+)")
TEXT_OR_COMMENT = re.compile(r"'[^']*'|\"[^\"]*\"|#.*")
PYTHON_CELLS = frozenset({"time", "timeit", "capture", "prun"})
"""Cell magics whose cells are Python still."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its number among all cells, its text, the line of the joined text it begins.

    `raw` is the text with its magics, as the notebook has it; `problem` is why there is no text.
    """

    number: int
    text: str
    first_line: int
    raw: str = ""
    problem: str = ""

    def blanked(self) -> Cell:
        return replace(self, text="\n" * self.text.count("\n"))


def notebook_cells(notebook: Any) -> list[Cell]:
    """The code cells, magics blanked out, and those that cannot be told.

    Raises: ValueError if it is no notebook of format 4
    """
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise ValueError("no list of cells: the notebook's format is not 4")
    found = []
    line = 1
    for number, cell in enumerate(cells, 1):
        kind = cell.get("cell_type") if isinstance(cell, dict) else None
        if isinstance(kind, str) and kind in OTHER_CELLS:
            continue
        text, problem = text_of(cell)
        cell_text = without_magics(text)
        found.append(Cell(number, cell_text, line, text, problem))
        line += cell_text.count("\n") + 1
    return found


def text_of(cell: Any) -> tuple[str, str]:
    """The text of a cell, and why it has none."""
    if not isinstance(cell, dict):
        return "", "it is no object"
    if cell.get("cell_type") != "code":
        return "", "its cell_type is none of code, markdown and raw"
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    if all(isinstance(line, str) for line in lines):
        return "".join(lines), ""
    return "", "its source is neither a text nor a list of texts"


def without_magics(text: str) -> str:
    """The cell with IPython's lines made `pass`, every line where it was.

    A line in brackets is never one: there a percent sign is an operator.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = next((line for line in lines if line.strip()), "")
    cell_magic = CELL_MAGIC.match(first)
    if cell_magic and cell_magic[1] not in PYTHON_CELLS:
        return "\n" * (len(lines) - 1)
    found = []
    depth = 0
    for line in lines:
        if depth == 0:
            line = _without_magic(line)
        found.append(line)
        code = TEXT_OR_COMMENT.sub("", line)
        depth = max(0, depth + sum(map(code.count, "([{")) - sum(map(code.count, ")]}")))
    return "\n".join(found)


def _without_magic(line: str) -> str:
    assigned = ASSIGNED_MAGIC.match(line)
    if assigned:
        return f"{assigned[1]}None"
    if MAGIC.search(line) and not line.lstrip().startswith("#"):
        return f"{indent_of(line)}pass"
    return line


def join_cells(cells: Iterable[Cell]) -> str:
    """All cells as one text, each beginning at its first line."""
    return "\n".join(cell.text for cell in cells) + "\n"
