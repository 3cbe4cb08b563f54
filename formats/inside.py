"""Files that another file names: they lie in its folder, or are not opened."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath, PureWindowsPath

PLAIN = re.compile(r"[^/\\:]+")
"""A name without folders, on any system: pathlib takes fifty times as long to say so."""


def target_of(folder: Path, location: str) -> tuple[Path | None, bool]:
    """The file at a relative path, None if there is none; and whether it lies outside `folder`.

    Outside is also what a link leads to from within; what has no name lies outside, too.
    """
    if leads_away(location):
        return None, True
    try:
        target = (folder / location).resolve()
        outside = not target.is_relative_to(folder.resolve())
        return (target if target.is_file() else None), outside
    except (OSError, ValueError, RuntimeError):
        return None, False


def instead_of_file(folder: Path, location: str) -> str:
    """What is at a relative path where no file is, in words."""
    there = folder / location
    try:
        if not there.exists():
            return f"no file {location!r} beside the model"
        return f"{location!r} is {'a folder' if there.is_dir() else 'a pipe or a device'}"
    except (OSError, ValueError):  # no name that a file can have
        return f"no file {location!r} beside the model"


def leads_away(location: str) -> bool:
    """Whether a path, of any system, is empty, absolute or goes upwards."""
    if PLAIN.fullmatch(location):
        return location == ".."
    posix, windows = PurePosixPath(location), PureWindowsPath(location)
    return not location or posix.is_absolute() or bool(windows.anchor) or ".." in windows.parts
