"""Which line of the user's code is at work."""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import os
import sys
import sysconfig
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

from ..caught import INSTALLED
from ..messages import Line

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STANDARD = os.path.join(sysconfig.get_path("stdlib"), "")
COMPAT = "_ms_compat.py"
"""What the converters write beside a script; who calls it is who wrote something."""

LONGEST = 300
DEEPEST = 8
BLOCKS = ("forward", "construct")
"""The functions in which blocks stand: who called these is not of the block."""


class Lines:
    """Finds the innermost line that belongs to no framework: its folders are `packages`."""

    def __init__(self, packages: Sequence[str]) -> None:
        self.foreign = tuple(os.path.join(folder, "") for folder in (HERE, *packages))
        self.known: dict[str, bool] = {}

    def is_users(self, file: str) -> bool:
        if file not in self.known:
            path = os.path.abspath(file)
            is_made = file.startswith("<") and not linecache.getline(file, 1)  # by a decorator
            foreign = path.startswith(self.foreign) or os.path.basename(file) == COMPAT
            foreign = foreign or (path.startswith(STANDARD) and not INSTALLED.search(path))
            self.known[file] = not (foreign or is_made)
        return self.known[file]

    def current(self) -> Line:
        """The user's line that has led here; an empty one if there is none."""
        frame: FrameType | None = sys._getframe(1)
        found: list[Line] = []
        while frame is not None and len(found) < DEEPEST:
            if self.is_users(frame.f_code.co_filename):
                found.append(line_of(frame))
                if frame.f_code.co_name in BLOCKS:
                    break
            frame = frame.f_back
        return replace(found[0], callers=tuple(found[1:])) if found else Line()


def line_of(frame: FrameType) -> Line:
    file, number = frame.f_code.co_filename, frame.f_lineno
    first, last, expression = expression_of(frame) or (number, number, "")
    text = linecache.getline(file, first).strip()[:LONGEST]
    return Line(os.path.abspath(file), first, text, expression, last, frame.f_code.co_name)


def return_of(layer: Any) -> Line:
    """The line on which a layer's function gives its result; empty if there are several."""
    function = next((f for f in (getattr(type(layer), name, None) for name in BLOCKS) if f), None)
    try:
        source, start = inspect.getsourcelines(inspect.unwrap(function))  # type: ignore[arg-type]
        tree = ast.parse(textwrap.dedent("".join(source)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return Line()
    found = [x for x in own_nodes(tree.body[0]) if isinstance(x, ast.Return)]
    if len(found) != 1 or found[0].end_lineno is None:
        return Line()
    first, last = start + found[0].lineno - 1, start + found[0].end_lineno - 1
    file = os.path.abspath(inspect.getsourcefile(function) or "")  # type: ignore[arg-type]
    text = source[found[0].lineno - 1].strip()[:LONGEST]
    return Line(file, first, text, "", last, tree.body[0].name)  # type: ignore[attr-defined]


def own_nodes(function: ast.stmt) -> Iterator[ast.AST]:
    """Without those of functions and classes in it."""
    waiting: list[ast.AST] = [*ast.iter_child_nodes(function)]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            yield node
            waiting += ast.iter_child_nodes(node)


def expression_of(frame: FrameType) -> tuple[int, int, str] | None:
    """First and last line of what is being evaluated, and its text; None before Python 3.11."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return None
    place: Any = next(itertools.islice(positions(), frame.f_lasti // 2, None), (None,) * 4)
    if None in place:
        return None
    first, last, start, end = place
    lines = [linecache.getline(frame.f_code.co_filename, n) for n in range(first, last + 1)]
    if not all(lines):
        return None
    parts = [line.encode() for line in lines]
    parts[-1] = parts[-1][:end]
    parts[0] = parts[0][start:]
    text = " ".join(b" ".join(parts).decode("utf-8", "replace").split())
    return first, last, text[:LONGEST]
