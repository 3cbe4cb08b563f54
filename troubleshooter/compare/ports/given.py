"""Names that the user says: a map, or parts of names that are others in B."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ....errors import MsconvertError, UsageError
from ....formats.names.naming import LEFT_OUT
from ...pairing.mapped import Naming, named_by
from ...sides.child.messages import Held
from ...sides.naming import candidates
from .shares import Share

ARROW = "->"
SHOWN = 3
"""So many names are shown."""


@dataclass(frozen=True)
class Rename:
    """`old` in a name of A's, between dots, is `new` in B's; `*` stands for one part of a name."""

    old: str
    new: str

    def of(self, name: str) -> str:
        """The name in B; the same name where `old` is not in it."""
        pattern = re.escape(self.old).replace(r"\*", r"([^.]+)")
        parts = iter(range(1, self.old.count("*") + 1))
        new = "".join(rf"\g<{next(parts, 0)}>" if x == "*" else escaped(x) for x in self.new)
        found = re.sub(rf"(?<![^.]){pattern}(?![^.])", new, name)
        return ".".join(part for part in found.split(".") if part)


def escaped(character: str) -> str:
    return r"\\" if character == "\\" else character


def rename_of(text: str) -> Rename:
    """Of `features.*->blocks.*.conv`. Raises: MS105"""
    old, arrow, new = (part.strip() for part in text.partition(ARROW))
    if not arrow or not old or new.count("*") > old.count("*"):
        problem = "is no pair of names" if not arrow or not old else "has more * on the right"
        raise UsageError("MS105", "--rename", f"{text!r} {problem}", expected="'old->new'")
    return Rename(old, new)


def given_shares(
    naming: Naming | None,
    renames: Sequence[Rename],
    ours: Sequence[Held],
    theirs: Sequence[Held],
) -> tuple[Share, ...]:
    """What the user says of names, as far as both networks have them.

    Raises: MS310 for a map that pairs nothing, a part of a name that no name has, or a pair of
    tensors of other sizes, or renames to what B has not
    """
    a, b = ({item.name: item for item in held} for held in (ours, theirs))
    found: dict[str, Share] = {}
    if naming is not None:
        naming, more = divided(naming, a, b)
        renames = [*more, *renames]
        shapes = [{name: item.shape for name, item in held.items()} for held in (a, b)]
        named = named_by(naming, shapes[0], shapes[1]) if naming or not more else {}
        for old, (new, turned) in named.items():
            if old in a and new in b and new != LEFT_OUT:
                found[old] = Share(b[new], (a[old],), None, turned)
    for one, other in renamed(renames, ours, theirs):
        found.setdefault(one.name, Share(other, (one,)))
    for share in found.values():
        if prod(share.ours[0].shape) != prod(share.theirs.shape):
            raise other_size(share)
    return tuple(found.values())


def divided(
    naming: Naming, a: Mapping[str, Held], b: Mapping[str, Held]
) -> tuple[Naming, list[Rename]]:
    """A map of names, without those that are parts of names, which are renamed."""
    if not isinstance(naming, Mapping):
        return naming, []
    whole = {k: v for k, v in naming.items() if k in a or k in b}
    parts = {k: v for k, v in naming.items() if k not in whole and v != LEFT_OUT}
    there = [Rename(old, new) for old, new in parts.items()]
    back = [Rename(new, old) for old, new in parts.items()]
    return whole, max(there, back, key=lambda group: changed(group, a))


def changed(renames: Sequence[Rename], names: Mapping[str, Held]) -> int:
    return sum(rename.of(name) != name for name in names for rename in renames)


def renamed(
    renames: Sequence[Rename], ours: Sequence[Held], theirs: Sequence[Held]
) -> Iterator[tuple[Held, Held]]:
    """A's tensors whose names are others by these, with B's of the new names."""
    idle = [
        r for r in renames if all(r.of(n) == n for item in ours for n in names_of(item, renames))
    ]
    if idle:
        raise nothing_renamed(idle[0], ours, theirs)
    by_name = {name: item for item in theirs for name in reversed(candidates(item))}
    there = [
        new
        for held in ours
        for name in candidates(held)
        if (new := under(name, renames)[-1]) != name and new in by_name
    ]
    if renames and not there:
        raise nothing_renamed(renames[-1], ours, theirs, "no name of B has what A's become")
    for held in ours:
        news = [under(name, renames)[-1] for name in candidates(held)]
        changed_to = [new for new in news if new not in candidates(held) and new in by_name]
        if changed_to:
            yield held, by_name[changed_to[0]]


def names_of(held: Held, renames: Sequence[Rename]) -> list[str]:
    return [step for name in candidates(held) for step in under(name, renames)]


def under(name: str, renames: Sequence[Rename]) -> list[str]:
    """The name, and what it becomes by one after the other."""
    found = [name]
    for rename in renames:
        found.append(rename.of(found[-1]))
    return found


def other_size(share: Share) -> MsconvertError:
    return MsconvertError(
        "MS310",
        share.told(),
        "the two that are named do not have the same size",
        got=str(share.theirs.shape),
        expected=str(share.ours[0].shape),
        advice="name the tensor of B that holds what A's does, or leave the name out",
    )


def nothing_renamed(
    rename: Rename,
    ours: Sequence[Held],
    theirs: Sequence[Held],
    problem: str = "no name of A has that part",
) -> MsconvertError:
    names = [", ".join(item.name for item in held[:SHOWN]) for held in (ours, theirs)]
    return MsconvertError(
        "MS310",
        f"{rename.old}{ARROW}{rename.new}",
        problem,
        got=names[0],
        expected=names[1],
        advice="parts of names are whole between dots; * stands for one of them",
    )
