"""What stands before the names of one file and not of the other: `module.`, `backbone.`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .names import NUMBER, family

WRAPPERS = ("module", "_orig_mod", "model", "net", "network", "backbone", "state_dict")
"""What wrappers and training programs put before the names of a network's parameters."""
MOST_PARTS, MOST_ALIKE, MOST_EXCHANGES = 4, 8, 64
BY_WRAPPER, BY_PREFIX, BY_OTHER_PREFIX = 0.95, 0.9, 0.7


@dataclass(frozen=True)
class Exchange:
    """Names that begin with `a` in one file begin with `b` in the other: parts, without dots."""

    a: tuple[str, ...]
    b: tuple[str, ...]

    @property
    def is_of_wrappers(self) -> bool:
        return all(part in WRAPPERS for part in (*self.a, *self.b))

    @property
    def confidence(self) -> float:
        if self.is_of_wrappers:
            return BY_WRAPPER
        return BY_OTHER_PREFIX if self.a and self.b else BY_PREFIX

    def pairs(self, a: Iterable[str], b: Mapping[str, str]) -> dict[str, str]:
        """The forms in a with their counterparts in b."""
        found = {}
        for form in a:
            parts = tuple(form.split("."))
            if parts[: len(self.a)] == self.a:
                other = ".".join((*self.b, *parts[len(self.a) :]))
                if other in b:
                    found[form] = other
        return found


def unwrapped(form: str) -> str:
    """The form without `module` and `_orig_mod`, which stand inside of names as well."""
    return ".".join(part for part in form.split(".") if part not in WRAPPERS[:2])


def exchanges(a: Iterable[str], b: Iterable[str]) -> list[Exchange]:
    """What could have been exchanged, the commonest first; none of two that are as common."""
    ends: dict[str, list[tuple[str, ...]]] = {}
    for form in b:
        for start, end in cuts(form):
            ends.setdefault(end, []).append(start)
    votes = Counter(
        Exchange(start, other)
        for form in a
        for start, end in cuts(form)
        if len(others := ends.get(end, ())) <= MOST_ALIKE
        for other in others
        if start[-1:] != other[-1:]
    )
    alone = lonely(votes)
    ranked = sorted(votes, key=lambda it: (-votes[it], not it.is_of_wrappers, len(it.a + it.b)))
    return [it for it in ranked if it.is_of_wrappers or it in alone][:MOST_EXCHANGES]


def lonely(votes: Counter[Exchange]) -> set[Exchange]:
    """The exchanges that are commoner than every other one of the same prefix, of both."""
    of_a: dict[tuple[str, ...], list[Exchange]] = {}
    of_b: dict[tuple[str, ...], list[Exchange]] = {}
    for it, _count in votes.most_common():
        of_a.setdefault(it.a, []).append(it)
        of_b.setdefault(it.b, []).append(it)
    firsts = [
        {rivals[0] for rivals in side.values() if votes[rivals[0]] > votes_of_next(rivals, votes)}
        for side in (of_a, of_b)
    ]
    return firsts[0] & firsts[1]


def votes_of_next(rivals: list[Exchange], votes: Counter[Exchange]) -> int:
    return votes[rivals[1]] if len(rivals) > 1 else 0


def cuts(form: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The name in two at each of its first dots; the first part may be none."""
    parts = form.split(".")
    for place in range(min(len(parts), MOST_PARTS + 1)):
        yield tuple(parts[:place]), ".".join(parts[place:])


def is_renumbered(it: Exchange) -> bool:
    """Whether only numbers differ, so that it would pair a layer with its neighbour."""
    a, b = ".".join(it.a), ".".join(it.b)
    return family(a) == family(b) and bool(NUMBER.search(a))
