"""Modules that are called several times: which statements belong to which call.

No exporter says it. PyTorch's older one numbers the calls of layers, its newer one does not even
that. But the statements of a module that is called n times are the same row n times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from math import gcd

from .scopes import ModulePath

MARK = "#"


def calls_apart(
    paths: Sequence[ModulePath], kinds: Sequence[Hashable], weighted: Sequence[bool]
) -> list[ModulePath | None]:
    """The paths of statements, "head#1" for the second call of "head"; None where nothing repeats.

    `kinds` tell statements of one module from each other, `weighted` is whether one reads weights:
    a module without any is called apart by nobody who can be told.
    """
    members: dict[ModulePath, list[int]] = {}
    for i, path in enumerate(paths):
        for end in range(1, len(path) + 1):
            members.setdefault(path[:end], []).append(i)
    found: list[ModulePath | None] = [None] * len(paths)
    split: set[ModulePath] = set()
    for path in sorted(members, key=len):
        around = (path[:end] in split for end in range(1, len(path)))
        inside = members[path]
        if any(around) or not _has_parts(paths, inside, len(path)):
            continue
        row = [(paths[i], kinds[i]) for i in inside]
        unit = len(row) // _repeats(row)
        if unit < len(row) and any(weighted[i] for i in inside[:unit]):
            split.add(path)
            for place, i in enumerate(inside):
                mark = f"{MARK}{place // unit}" if place >= unit else ""
                found[i] = (*path[:-1], path[-1] + mark, *paths[i][len(path) :])
    return found


def _has_parts(paths: Sequence[ModulePath], inside: Sequence[int], depth: int) -> bool:
    """Whether a module has more than one part: of one alone, the part is what is repeated."""
    return len({paths[i][depth : depth + 1] for i in inside}) > 1


def _repeats(row: Sequence[Hashable]) -> int:
    """How often the row is some shorter row, one after another."""
    most = gcd(*Counter(row).values()) if row else 1
    for times in range(most, 1, -1):
        unit = len(row) // times
        if most % times == 0 and row[: len(row) - unit] == row[unit:]:
            return times
    return 1
