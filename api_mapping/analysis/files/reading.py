"""Source text and syntax tree of one file; whatever is wrong with it becomes a problem."""

from __future__ import annotations

import ast
import codecs
import errno
import io
import re
import tokenize
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from ....errors import MsconvertError
from ....formats.storage.opening import UnopenedError, bytes_of, json_in, reason
from ....formats.storage.recovery import settled
from ...syntax.notebook import Cell, join_cells, notebook_cells
from .one_line import taken_apart
from .problems import Problem

MAX_BYTES = 16 * 2**20
"""More than this is no source that somebody maintains, and its tree would not fit in memory."""

PYTHON2_MESSAGE = re.compile(
    r"Missing parentheses in call to|multiple exception types must be parenthesized"
    r"|leading zeros in decimal integer|'<>'|invalid hexadecimal literal"
)
PYTHON2_LINE = re.compile(
    r"^\s*(print\s+[\"'\w%]|print\s*$|exec\s+\w|raise\s+\w[\w.]*\s*,|except\s+[\w.]+\s*,\s*\w+\s*:)"
    r"|<>|\bur['\"]|`[^`]+`|\b0[0-7]+L?\b|\b\d+L\b"
)


@dataclass(slots=True)
class Source:
    """One file: text, lines as Python counts them, tree; an empty tree where it cannot be read.

    Where training steps shared a line, `text` has them on lines of their own: `written` is the
    text as it was then, and `places` has for each line where it began.
    """

    path: Path
    text: str
    tree: ast.Module
    problems: list[Problem] = field(default_factory=list)
    cells: tuple[Cell, ...] = ()
    _lines: list[str] = field(default_factory=list)
    written: str = ""
    places: Sequence[tuple[int, int]] = ()

    @property
    def original(self) -> str:
        """The text of the file."""
        return self.written if self.places else self.text

    @property
    def lines(self) -> list[str]:
        """The lines, split where Python splits them: not at form feeds or other separators."""
        if not self._lines and self.text:
            self._lines = lines_of(self.text)
        return self._lines

    @property
    def line_count(self) -> int:
        return len(self.lines) - (self.text.endswith(("\n", "\r"))) if self.text else 0

    def place(self, line: int) -> tuple[int, int]:
        """(cell, line in the cell) of a line of a notebook's joined text; (0, line) elsewhere."""
        if self.places:
            return 0, self.places[line - 1][0] if line <= len(self.places) else line
        after = bisect_right(self.cells, line, key=lambda cell: cell.first_line)
        if not after:
            return 0, line
        cell = self.cells[after - 1]
        return cell.number, line - cell.first_line + 1

    def column(self, line: int, offset: int) -> int:
        """The column, from one and in characters, of ast's offset in bytes of UTF-8."""
        if line > len(self.lines):
            return offset + 1
        text = self.lines[line - 1]
        if self.places:
            at, shift = self.places[line - 1]
            text, offset = lines_of(self.written)[at - 1], offset + shift
        return offset + 1 if text.isascii() else characters_before(text, offset) + 1


@lru_cache(4)
def lines_of(text: str) -> list[str]:
    """The lines of a text, without their ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


CONTINUED = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that begin no character."""
STRETCH = 512
"""So many bytes of a line are counted at once: a line may be as long as a file."""


def characters_before(text: str, offset: int) -> int:
    """How many characters of a line begin before an offset in bytes of UTF-8."""
    data, counts = counted(text)
    number = offset // STRETCH
    rest = data[number * STRETCH : offset]
    return counts[number] + len(rest.translate(None, CONTINUED))


@lru_cache(4)
def counted(text: str) -> tuple[bytes, list[int]]:
    """A line in UTF-8, and the characters before each of its stretches."""
    data = text.encode()
    starts = range(0, len(data), STRETCH)
    lengths = (len(data[i : i + STRETCH].translate(None, CONTINUED)) for i in starts)
    return data, list(accumulate(lengths, initial=0))


def read_source(path: Path) -> Source:
    """The file's text and tree, with a problem and an empty tree where there are none."""
    source = read_text(path)
    if source.text and not source.cells:
        problem = parse_into(source)
        if problem is not None:
            source.problems.append(problem)
    return source


def read_text(path: Path) -> Source:
    """The file's text without its tree, but for notebooks; a problem where it has none."""
    try:
        data = content(path)
    except UnopenedError as error:
        return _failed(path, "too-large" if error.expected else "unreadable", str(error))
    except OSError as error:
        return _failed(path, "unreadable", f"the file cannot be read: {reason(error)}")
    if path.suffix == ".ipynb":
        return _read_notebook(path, data)
    if b"\0" in data:
        return _failed(path, "binary", "the file holds zero bytes: it is no Python source")
    try:
        text = decoded(data)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return _failed(path, "encoding", f"the text cannot be decoded: {error}")
    return Source(path, text, ast.Module([], []))


def content(path: Path) -> bytes:
    """The bytes of a file. Raises: OSError for pipes and devices, too: they may never end"""
    try:
        settled(path)
    except MsconvertError as error:
        raise OSError(errno.EBUSY, error.problem) from error
    return bytes_of(path, MAX_BYTES)


def decoded(data: bytes) -> str:
    """The text by its byte order mark, its PEP 263 comment, or UTF-8.

    Raises: SyntaxError for an unknown encoding, UnicodeDecodeError for bytes it does not have
    """
    if data.isascii() and b"coding" not in data[:400]:
        return data.decode("ascii")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)


def parse_into(source: Source) -> Problem | None:
    """The problem that kept the text from being parsed; else the source has its tree."""
    try:
        source.tree = parsed(source.text)
        take_apart(source)
    except SyntaxError as error:
        return syntax_problem(source, error)
    except (MemoryError, RecursionError):
        return Problem(source.path, 1, 1, "nesting", "too deeply nested to be parsed")
    except ValueError as error:
        return Problem(source.path, 1, 1, "syntax", str(error))
    return None


def take_apart(source: Source) -> None:
    """Gives training steps that share a line lines of their own."""
    text = source.text
    ends = {text.count(end) for end in ("\r", "\n", "\r\n")}
    if ".backward" not in text or source.cells or source.places or len(ends - {0}) > 1:
        return
    apart = taken_apart(source.tree, source.lines)
    if apart is not None:
        source.written, source.places = text, apart.places
        source.text = ("\r\n" if "\r" in text else "\n").join(apart.lines)
        source._lines = []
        source.tree = parsed(source.text)


def parsed(text: str) -> ast.Module:
    """The tree of a text. Raises: what ast.parse raises"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the scanned project, which is not asked about them
        return ast.parse(text)


def syntax_problem(source: Source, error: SyntaxError) -> Problem:
    line, column = error.lineno or 1, error.offset or 1
    text = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    if "too many nested" in error.msg or "too many statically nested" in error.msg:
        kind = "nesting"
    elif PYTHON2_MESSAGE.search(error.msg) or PYTHON2_LINE.search(text):
        kind = "python2"
    else:
        kind = "syntax"
    return Problem(source.path, line, column, kind, error.msg)


def _failed(path: Path, kind: str, message: str) -> Source:
    line = 1 if kind in ("encoding", "binary") else 0
    return Source(path, "", ast.Module([], []), [Problem(path, line, line, kind, message)])


def _read_notebook(path: Path, data: bytes) -> Source:
    try:
        cells = notebook_cells(notebook_in(data))
    except ValueError as error:
        return _failed(path, "notebook", f"the notebook cannot be read: {error}")
    problems = []
    kept = []
    for cell in cells:
        problem = problem_of(cell, path)
        if problem is not None:
            message = f"cell {cell.number}: {problem.message}"
            line = cell.first_line + problem.line - 1
            problems.append(Problem(path, line, problem.column, problem.kind, message))
        kept.append(cell if problem is None else cell.blanked())
    source = Source(path, join_cells(kept), ast.Module([], []), problems, tuple(cells))
    problem = parse_into(source)
    if problem is not None:
        source.problems.append(problem)
    return source


def notebook_in(data: bytes) -> Any:
    """What the JSON of a notebook says. Raises: ValueError"""
    return json_in(data.removeprefix(codecs.BOM_UTF8), any_number=True)


def problem_of(cell: Cell, path: Path) -> Problem | None:
    """What keeps a cell from being read; its line counts in the cell."""
    if cell.problem:
        return Problem(path, 1, 1, "notebook", cell.problem)
    return parse_into(Source(path, cell.text, ast.Module([], [])))
