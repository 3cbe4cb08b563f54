"""Tensors that programs saved one after the other, each with its number before its name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

from .matching import Matching
from .names import common_form

NUMBERED = re.compile(r"(?P<folder>.*/)?(?P<number>\d{1,9})_(?P<name>.+)")
BY_NUMBER = 0.98


def by_running_number(so_far: Matching) -> None:
    """`3_conv` and `5_conv`, or `conv`: what `save` numbers, as another program counts otherwise.

    Of equal names the first answers to the first, if there are as many on both sides.
    """
    if not (are_numbered(so_far.left_a) or are_numbered(so_far.left_b)):
        return
    ours, theirs = by_name(so_far.left_a), by_name(so_far.left_b)
    forms = [form for form in ours if len(ours[form]) == len(theirs.get(form, ()))]
    for name, other in [p for form in forms for p in zip(ours[form], theirs[form], strict=True)]:
        if name == other:
            so_far.by_names(name, other, "name", 1.0)
        else:
            so_far.by_names(name, other, "rule", BY_NUMBER)


def are_numbered(names: Collection[str]) -> bool:
    return bool(names) and all(NUMBERED.fullmatch(name) for name in names)


def by_name(names: Collection[str]) -> dict[str, list[str]]:
    """The names without their numbers, if all have one; with each those that have it, in order."""
    matches = {name: NUMBERED.fullmatch(name) for name in names}
    has_numbers = are_numbered(names)
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for name, match in matches.items():
        if match is None or not has_numbers:
            found[common_form(name)].append((0, name))
        else:
            form = (match["folder"] or "") + common_form(match["name"])
            found[form].append((int(match["number"]), name))
    return {form: [name for _, name in sorted(several)] for form, several in found.items()}
