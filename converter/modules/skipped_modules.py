"""Modules whose own forward nobody called: `self.model.decoder(x)` leaves "model" untold.

PyTorch's exporters name a node by the modules whose calls it stands in. The weights are named by
the modules that hold them, so these tell where the others are, too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .scopes import ModulePath, without_call_number


def restored(told: Sequence[ModulePath], holders: Sequence[ModulePath | None]) -> list[ModulePath]:
    """The paths of statements with the modules that the exporter left out.

    `told` is what it says of each, `holders` are the modules that hold what the statements read.
    What reads no weight stands where the weights before it stand that are told alike.
    """
    places = [_places(path, holder) for path, holder in zip(told, holders, strict=True)]
    if all(place is None or place == list(range(len(place))) for place in places):
        return list(told)
    known: dict[ModulePath, _Places] = {}
    for i, (path, place, holder) in enumerate(zip(told, places, holders, strict=True)):
        for depth, end in enumerate(place or (), start=1):
            prefix = (holder or ())[: end + 1]
            for key in {path[:depth], _uncounted(path[:depth])}:
                known.setdefault(key, _Places([], [])).add(i, prefix)
    return [_restored(i, path, known) for i, path in enumerate(told)]


@dataclass(frozen=True)
class _Places:
    """The statements that are told alike and read weights, and the modules that they stand in."""

    indices: list[int]
    modules: list[ModulePath]

    def add(self, index: int, module: ModulePath) -> None:
        self.indices.append(index)
        self.modules.append(module)

    def last_before(self, index: int) -> ModulePath:
        return self.modules[max(bisect_right(self.indices, index) - 1, 0)]


def _uncounted(path: ModulePath) -> ModulePath:
    """Without the numbers of calls: the exporter takes layers that it tells alike for one."""
    return tuple(map(without_call_number, path))


def _places(path: ModulePath, holder: ModulePath | None) -> list[int] | None:
    """Where each part of a path stands in the holder's, which may go one deeper; None if not."""
    if holder is None or not path:
        return None
    found: list[int] = []
    for part in path:
        rest = range(found[-1] + 1 if found else 0, len(holder))
        place = next((i for i in rest if holder[i] in (part, without_call_number(part))), None)
        if place is None:
            return None
        found.append(place)
    return found if len(holder) - found[-1] <= 2 else None


def _restored(index: int, path: ModulePath, known: Mapping[ModulePath, _Places]) -> ModulePath:
    for depth in range(len(path), 0, -1):
        for key in (path[:depth], _uncounted(path[:depth])):
            if key in known:
                module = known[key].last_before(index)
                rest = path[depth:]
                return (*module, *(rest if module == path[:depth] else _uncounted(rest)))
    return path
