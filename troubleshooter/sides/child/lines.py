"""Which line of the user's code is at work."""

from __future__ import annotations

import itertools
import linecache
import os
import sys
import sysconfig
from collections.abc import Sequence
from types import FrameType

from .caught import INSTALLED
from .messages import Line

HERE = os.path.dirname(os.path.abspath(__file__))
STANDARD = os.path.join(sysconfig.get_path("stdlib"), "")
COMPAT = "_ms_compat.py"
"""What the converters write beside a script; who calls it is who wrote something."""

LONGEST = 300


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
        while frame is not None and not self.is_users(frame.f_code.co_filename):
            frame = frame.f_back
        return Line() if frame is None else line_of(frame)


def line_of(frame: FrameType) -> Line:
    file, number = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, number).strip()[:LONGEST]
    return Line(os.path.abspath(file), number, text, expression_of(frame))


def expression_of(frame: FrameType) -> str:
    """The part of the code that is being evaluated, on one line; "" before Python 3.11."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return ""
    place = next(itertools.islice(positions(), frame.f_lasti // 2, None), (None,) * 4)
    if None in place:
        return ""
    first, last, start, end = place
    lines = [linecache.getline(frame.f_code.co_filename, n) for n in range(first, last + 1)]
    if not all(lines):
        return ""
    parts = [line.encode() for line in lines]
    parts[-1] = parts[-1][:end]
    parts[0] = parts[0][start:]
    return " ".join(b" ".join(parts).decode("utf-8", "replace").split())[:LONGEST]
