"""Two paths as checkpoints: files of any kind, folders, in any mix."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import MsconvertError, UsageError
from ...formats import READ, kind_of, read_weights
from ...formats.storage.recovery import settle
from ...formats.stored import Checkpoint
from .comparing import Comparing, Tell
from .comparison import Comparison
from .settings import Settings

if TYPE_CHECKING:
    from ...formats.storage.atomic import Path
    from ..pairing.mapped import Naming

MOST_FOLDERS = 1000
"""In so many folders arrays are looked for."""

ARRAYS = ("npy", "npz", "csv")
"""Files that hold whatever a network computes; the others hold weights."""


def compare_paths(
    a: Path, b: Path, settings: Settings, naming: Naming | None, tell: Tell
) -> Comparison:
    """Each tensor in the file or folder `a` against its counterpart in `b`.

    Raises: MS105 for a path where nothing is, MS310 for a map that does not fit
    """
    tell("reading what the files hold")
    sides = opened(a), opened(b)
    if not settings.profile:
        settings = replace(settings, profile=profile_of(a, b))
    rows = Comparing(*sides, settings, naming, tell).rows()
    return Comparison(os.fspath(a), os.fspath(b), rows, settings)


def opened(path: Path) -> Checkpoint:
    """What is in a file or folder; of a file that cannot be read, one entry that says why.

    Raises: MS105 if there is nothing, or nothing in it
    """
    where = os.fspath(path)
    if not os.path.lexists(path):
        raise UsageError("MS105", where, "no such file or folder", advice="check the path")
    try:
        found = read_weights(path, comparing=True)
    except MsconvertError as error:
        return Checkpoint(where, {}, unreadable={os.path.basename(where): error})
    if not found and not found.unreadable:
        expected = ", ".join(f".{ending}" for ending in READ)
        raise UsageError("MS105", where, "there are no tensors in it", expected=expected)
    return found


def profile_of(*paths: Path) -> str:
    """The profile for files of these kinds: weights if all hold weights."""
    return "activations" if any(map(holds_arrays, paths)) else "weights"


def holds_arrays(path: Path) -> bool:
    """Whether a file, or one in a folder or in those under it, holds plain arrays."""
    if not os.path.isdir(path):
        return kind_of(path) in ARRAYS
    settle(str(path))
    for count, (_, _, names) in enumerate(os.walk(path)):
        if any(os.path.splitext(name)[1][1:].lower() in ARRAYS for name in names):
            return True
        if count == MOST_FOLDERS:
            break
    return False
