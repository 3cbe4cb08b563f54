"""Equal names of different layers: one file lacks a block, and all behind it have other numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from .matching import Matching
from .names import NUMBER, common_form, family
from .pair import Pair, Tensors
from .sketch import BY_VALUE, Sketch, equal_rows, rows, sketched

Prefix = tuple[str, ...]


def by_renumbering(so_far: Matching) -> None:
    """Where layers of a numbered family are left over, values say which is which.

    What names pair stays so unless another layer of the family holds the very same values.
    """
    families = {family(form_of(name)) for name in (*so_far.left_a, *so_far.left_b)}
    families = {form for form in families if "#" in form}
    ours = members(so_far.a, families, so_far.of_a)
    theirs = members(so_far.b, families, so_far.of_b)
    moved: dict[Prefix, set[Prefix]] = defaultdict(set)
    for form in ours.keys() & theirs.keys():
        for name, other in same_values(so_far, ours[form], theirs[form]):
            prefixes = numbered_prefixes(common_form(name), common_form(other))
            if prefixes is not None:
                moved[prefixes[0]].add(prefixes[1])
    found = {before: next(iter(after)) for before, after in moved.items() if len(after) == 1}
    others = {before: after for before, after in found.items() if before != after}
    if others:
        renumber(so_far, others)


def form_of(name: str) -> str:
    """The layer's common form."""
    return common_form(name).rpartition(".")[0]


def members(
    tensors: Tensors, families: set[str], paired: Mapping[str, Pair]
) -> dict[str, list[str]]:
    """The names in these families that have no pair, or one by their names."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in tensors if families else ():
        pair = paired.get(name)
        is_open = pair is None or (pair.how in ("name", "rule") and pair.fold is None)
        form = common_form(name)
        if is_open and family(form.rpartition(".")[0]) in families:
            found[family(form)].append(name)
    return found


def same_values(
    so_far: Matching, names: Iterable[str], others: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The tensors of one family that hold the same, and the same as no other of it."""
    ours, theirs = of_sizes(so_far.a, names), of_sizes(so_far.b, others)
    for size in ours.keys() & theirs.keys():
        a, b = ours[size], theirs[size]
        with np.errstate(over="ignore", invalid="ignore"):
            for i, j, _sure in equal_rows(rows(a), rows(b)):
                yield a[i].tensor.name, b[j].tensor.name


def of_sizes(tensors: Tensors, names: Iterable[str]) -> dict[int, list[Sketch]]:
    found: dict[int, list[Sketch]] = defaultdict(list)
    for it in sketched(tensors, names):
        found[it.tensor.size].append(it)
    return found


def numbered_prefixes(form: str, other: str) -> tuple[Prefix, Prefix] | None:
    """Both names up to the only number that differs; all of the layer if none does."""
    a, b = form.split(".")[:-1], other.split(".")[:-1]
    places = [place for place, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if not places:
        places = [place for place, part in enumerate(a) if NUMBER.search(part)][-1:]
    if len(places) != 1:
        return None
    end = places[0] + 1
    return tuple(a[:end]), tuple(b[:end])


def renumber(so_far: Matching, found: Mapping[Prefix, Prefix]) -> None:
    """Pairs the layers anew, all that stands under a prefix with it."""
    forms = {common_form(name): name for name in so_far.b}
    wanted: dict[str, str] = {}
    longest = max(map(len, found))
    for name in so_far.a:
        parts = tuple(common_form(name).split("."))
        for end in range(1, min(len(parts), longest + 1)):
            after = found.get(parts[:end])
            if after is not None:
                wanted[name] = ".".join((*after, *parts[end:]))
    for name, form in wanted.items():
        so_far.drop_a(name)
        so_far.drop_b(forms.get(form, ""))
    for name, form in wanted.items():
        other = forms.get(form)
        if other is not None and other in so_far.left_b and name in so_far.left_a:
            so_far.by_names(name, other, "value", BY_VALUE)
