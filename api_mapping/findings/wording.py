"""Words that reports of findings share."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...errors import printable
from .model import Standing


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def emptiness(excluded: int) -> str:
    """Why there was no file to scan."""
    if excluded:
        return "all is left out by exclude, of the command line or of [tool.msconvert]"
    return "there is no Python file and no notebook"


LIMIT, PROBLEM = "limit", "not read"


VERDICTS = (
    *((standing.value, standing.name.lower()) for standing in Standing),
    (LIMIT, "limit"),
    (PROBLEM, "problem"),
)
"""What a row of the list can be, and the name of its colour."""


def short_names(paths: Sequence[str]) -> list[str]:
    """The paths from the folder that they have in common."""
    folders = {os.path.dirname(path) for path in paths}
    are_alike = len({os.path.isabs(path) for path in paths}) == 1
    shared = os.path.commonpath(folders) if are_alike else ""
    return [printable(os.path.relpath(path, shared) if shared else path) for path in paths]
