"""Two trees of calls aligned where layers have other names: by the layers known to be the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from math import prod

from ....numerics.limits import SIBLING_APART, SIBLING_CLOSE
from ...sides.child.messages import Call
from ..recorded import Run
from .alignment import Alignment, Link, Pairing, Role
from .closeness import distance, plain_shape, same_figures
from .kinds import family, is_layer
from .siblings import SAME_KIND, SAME_SHAPE, alignment_of, leaves
from .wholes import SameWeights, wholes

SAME_INPUT, SAME_NEIGHBOUR, SAME_OUTPUT = 3.0, 3.0, 3.0
ROLES: tuple[Role, Role] = ("inputs", "outputs")
SAME_RESULT = 1e-5
"""Results that are closer agree but for rounding."""

LEAST = 5.0
"""Layers without weights need so much in common."""


def aligned_by_layers(a: Run, b: Run, same: SameWeights) -> Alignment:
    """The calls of layers that are known, the containers that hold the same of them, and what
    is left: layers without weights."""
    known = dict(known_pairs(a, b, same.single))
    pairs = {**known, **dict(containers(a, b, known))}
    whole = dict(wholes(a, b, same, pairs))
    pairs.update(whole)
    for one, other in left_in_pairs(a, b, pairs, same):
        pairs[one.number] = other.number
    agreeing = set(agreeing_calls(a, b, pairs))
    kept = {
        number: other
        for number, other in pairs.items()
        if not number or is_comparable(a, b, a.calls[number], b.calls[other], agreeing)
    }
    found = alignment_of(a, b, kept)
    return replace(found, pairs=tuple(taking_alike(a, b, x, whole) for x in found.pairs))


def taking_alike(a: Run, b: Run, pair: Pairing, whole: Container[int]) -> Pairing:
    """A layer against one that is written out: what both take otherwise, as a mask, is no input
    that one could give the other."""
    if pair.one is None or pair.one.number not in whole:
        return pair
    return replace(pair, inputs=tuple(link for link in pair.inputs if is_alike(a, b, link)))


def is_alike(a: Run, b: Run, link: Link) -> bool:
    x, y = link.ours.of(a), link.theirs.of(b)
    return x is not None and y is not None and prod(x.shape) == prod(y.shape)


def is_comparable(a: Run, b: Run, one: Call, other: Call, agreeing: Set[int]) -> bool:
    """Whether two calls do the same part of the work, on tensors that are laid out alike.

    Where a call around them gives the same, what differs within is another way to it.
    """
    agree = one.parent in agreeing
    for role in ROLES:
        for x, y in zip(getattr(one, role)[:1], getattr(other, role)[:1], strict=False):
            shapes = plain_shape(x), plain_shape(y)
            if shapes[0] != shapes[1] and sorted(shapes[0]) == sorted(shapes[1]):
                return False
            if agree and not same_figures(a, x, b, y, SIBLING_APART):
                return False
    return True


def agreeing_calls(a: Run, b: Run, pairs: Mapping[int, int]) -> Iterator[int]:
    """The calls whose counterparts give the same, and all that are in them."""
    found: set[int] = set()
    for call in a.calls:
        theirs = b.calls[pairs[call.number]].outputs if call.number in pairs else ()
        values = list(zip(call.outputs, theirs, strict=False))
        is_same = len(call.outputs) == len(theirs) > 0 and all(
            distance(a, x, b, y) < SAME_RESULT for x, y in values
        )
        if is_same or call.parent in found:
            found.add(call.number)
            yield call.number


def known_pairs(a: Run, b: Run, layers: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    for call in a.calls:
        other = b.by_place.get((layers.get(call.path, ""), call.index))
        if other is not None and call.path in layers and call.number not in a.children:
            yield call.number, other.number


def containers(a: Run, b: Run, known: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Those that have the same known calls in them, from the outermost on."""
    ours = held_by(a, {number: number for number in known})
    theirs = held_by(b, {other: number for number, other in known.items()})
    places: dict[frozenset[int], list[int]] = {}
    for number, held in theirs.items():
        if number in b.children:
            places.setdefault(held, []).append(number)
    for number, held in ours.items():
        fits = places.get(held) if number in a.children else None
        if held and fits:
            yield number, fits.pop(0)


def held_by(run: Run, names: Mapping[int, int]) -> dict[int, frozenset[int]]:
    """The known calls in each call, by the names that both sides have for them."""
    found: dict[int, set[int]] = {call.number: set() for call in run.calls}
    for number, name in names.items():
        around = number
        while around >= 0:
            found[around].add(name)
            around = run.calls[around].parent
    return {number: frozenset(held) for number, held in found.items()}


def left_in_pairs(
    a: Run, b: Run, pairs: Mapping[int, int], same: SameWeights
) -> Iterator[tuple[Call, Call]]:
    """Leaves that are not paired yet, the likest first."""
    taken = set(pairs.values())
    ours, theirs = (
        [call for call in leaves(run) if call.number not in known and call.path not in parts]
        for run, known, parts in zip((a, b), (pairs, taken), same.parts, strict=True)
    )
    before = neighbours(a, pairs.keys()), neighbours(b, taken)
    scored = []
    for one in ours:
        for other in theirs:
            if not may_be_same(a, one, b, other):
                continue
            value = likeness(a, one, b, other)
            near = [
                pairs.get(x, -1) == y
                for x, y in zip(before[0][one.number], before[1][other.number], strict=True)
            ]
            value += SAME_NEIGHBOUR * sum(near)
            scored.append((-value, one.number, other.number))
    used: Counter[tuple[str, int]] = Counter()
    for value, i, j in sorted(scored):
        if -value >= LEAST and not used["a", i] and not used["b", j]:
            used["a", i] += 1
            used["b", j] += 1
            yield a.calls[i], b.calls[j]


def may_be_same(a: Run, one: Call, b: Run, other: Call) -> bool:
    """Whether two leaves have no weights, or some that give the same shape."""
    ours, theirs = bool(a.sizes(one.path)), bool(b.sizes(other.path))
    return ours == theirs and (not ours or shape(one) == shape(other))


def shape(call: Call) -> tuple[int, ...]:
    """Of what it gives; that of a layer of weights says what these are."""
    return plain_shape(call.outputs[0]) if call.outputs else ()


def likeness(a: Run, one: Call, b: Run, other: Call) -> float:
    """What kinds, shapes and values say."""
    kinds = a.kind(one.path), b.kind(other.path)
    found = SAME_KIND if family(kinds[0]) == family(kinds[1]) else 0.0
    found -= 0.0 if found or not all(map(is_layer, kinds)) else SAME_KIND
    for role, worth in (("inputs", SAME_INPUT), ("outputs", SAME_OUTPUT)):
        x, y = getattr(one, role)[:1], getattr(other, role)[:1]
        if x and y:
            found += SAME_SHAPE if x[0].shape == y[0].shape else -SAME_SHAPE
            found += worth if distance(a, x[0], b, y[0]) < SIBLING_CLOSE else 0.0
    return found


def neighbours(run: Run, known: Iterable[int]) -> dict[int, tuple[int, int]]:
    """The known leaves that are called right before and right after each other leaf; -2: none."""
    held, ordered = set(known), leaves(run)
    found: dict[int, list[int]] = {call.number: [-2, -2] for call in ordered}
    for place, calls in enumerate((ordered, ordered[::-1])):
        last = -2
        for call in calls:
            if call.number in held:
                last = call.number
            else:
                found[call.number][place] = last
    return {number: (one, other) for number, (one, other) in found.items()}
