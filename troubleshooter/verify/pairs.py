"""Which files make a pair."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...formats.storage.opening import bytes_of
from ...formats.storage.recovery import settle_below, settled
from ..sides.places import MAX_BYTES, roots_of


@dataclass(frozen=True)
class Pair:
    """An original file and the converted one, each below the root of its project."""

    original: Path
    converted: Path
    roots: tuple[Path, Path]


def pairs_of(original: Path, converted: Path) -> list[Pair]:
    """The pair of two files, or each file of a folder with its counterpart in the other.

    Raises: MS401 if one is missing, or they are not both files or both folders
    """
    for path in (original, converted):
        if not path.exists():
            raise UsageError("MS401", str(path), "there is no such file or folder")
        if path.is_file():
            settled(path, "MS401")
        else:
            settle_below(str(path))
    if original.is_file() and converted.is_file():
        return [Pair(original, converted, roots_of(original, converted))]
    if original.is_file() or converted.is_file():
        problem = "one of the two is a file, the other a folder"
        raise UsageError("MS401", str(converted), problem, advice="give two files or two folders")
    found = [
        Pair(path, converted / path.relative_to(original), (original, converted))
        for path in sorted(original.rglob("*.py"))
        if (converted / path.relative_to(original)).is_file() and not is_hidden(path, original)
    ]
    if not found:
        problem = "no Python file of the original folder is in it"
        raise UsageError("MS401", str(converted), problem)
    return [pair for pair in found if not is_same(pair.original, pair.converted)]


def is_same(one: Path, other: Path) -> bool:
    """Whether two sources have the same bytes; not if one cannot be read, which is told later."""
    try:
        return bytes_of(one, MAX_BYTES) == bytes_of(other, MAX_BYTES)
    except OSError:
        return False


def is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)
