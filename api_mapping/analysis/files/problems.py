"""What kept a file, or a part of it, from being analysed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that could not be read: the rest of the project is analysed all the same.

    `kind` is one of syntax, python2, encoding, binary, nesting, unreadable, missing, notebook,
    too-large, symlink-loop. Lines and columns count from one; 0 where there is no place.
    """

    path: Path
    line: int
    column: int
    kind: str
    message: str
