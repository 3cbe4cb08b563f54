"""Two trees of calls aligned: the layers within each pair of containers, in order, with gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ....numerics.limits import SIBLING_APART, SIBLING_CLOSE
from ...sides.child.messages import Call
from ..recorded import Run
from .alignment import Alignment, Pairing, linked
from .closeness import distance
from .kinds import family, is_layer
from .sequence import best_pairs

SAME_PATH, SAME_KIND, SAME_NAME, SAME_SHAPE, SAME_WEIGHTS = 2.0, 2.0, 1.0, 1.0, 2.0

LEAST_FAR_AWAY = 4.0
"""Layers in containers that are not paired need so much in common."""


def aligned_trees(a: Run, b: Run) -> Alignment:
    """Containers from the outermost on, then what is left of the leaves."""
    pairs = dict(from_roots(a, b))
    taken = set(pairs.values())
    left = [call for call in leaves(a) if call.number not in pairs]
    free = [call for call in leaves(b) if call.number not in taken]
    for one, other in paired(a, left, b, free, LEAST_FAR_AWAY):
        pairs[one.number] = other.number
    return alignment_of(a, b, pairs)


def alignment_of(a: Run, b: Run, pairs: dict[int, int]) -> Alignment:
    """The calls in pairs, by their numbers, with their tensors, and what has no counterpart."""
    used = set(pairs.values())
    return Alignment(
        tuple(pairing(a, b, a.calls[n], b.calls[m], pairs) for n, m in sorted(pairs.items())),
        tuple(call for call in a.calls if call.number not in pairs),
        tuple(call for call in b.calls if call.number not in used),
    )


def leaves(run: Run) -> list[Call]:
    return [call for call in run.calls if call.number not in run.children]


def from_roots(a: Run, b: Run) -> Iterator[tuple[int, int]]:
    waiting = list(zip(a.children.get(-1, ()), b.children.get(-1, ()), strict=False))
    while waiting:
        one, other = waiting.pop()
        yield one.number, other.number
        ours, theirs = a.children.get(one.number, ()), b.children.get(other.number, ())
        waiting += paired(a, ours, b, theirs, 0.0)


def paired(
    a: Run, ours: Sequence[Call], b: Run, theirs: Sequence[Call], least: float
) -> list[tuple[Call, Call]]:
    """In order; then those of the same path that are called in another order."""
    known = list(themselves(a, ours, b, theirs)) if is_in_other_order(ours, theirs) else []
    done = {call.number for call, _ in known}, {call.number for _, call in known}
    ours = [call for call in ours if call.number not in done[0]]
    theirs = [call for call in theirs if call.number not in done[1]]
    if not ours or not theirs:
        return known
    scores = np.array([[score(a, one, b, other) for other in theirs] for one in ours])
    scores[scores <= least] = 0.0
    found = known + [(ours[i], theirs[j]) for i, j in best_pairs(scores)]
    done = {call.number for call, _ in found}, {call.number for _, call in found}
    for one, row in zip(ours, scores, strict=True):
        for other, value in zip(theirs, row, strict=True):
            is_free = one.number not in done[0] and other.number not in done[1]
            if is_free and value > 0 and place(one) == place(other):
                found.append((one, other))
                done[0].add(one.number)
                done[1].add(other.number)
    return found


def is_in_other_order(ours: Sequence[Call], theirs: Sequence[Call]) -> bool:
    """Whether calls of the same places come in another order."""
    order = {place(call): i for i, call in enumerate(theirs)}
    found = [order[place(call)] for call in ours if place(call) in order]
    return found != sorted(found)


def themselves(
    a: Run, ours: Sequence[Call], b: Run, theirs: Sequence[Call]
) -> Iterator[tuple[Call, Call]]:
    """The calls of the same places, of layers with equal weights that are called as often."""
    places = {place(call): call for call in theirs}
    counts = [Counter(call.path for call in calls) for calls in (ours, theirs)]
    for one in ours:
        other = places.get(place(one)) if counts[0][one.path] == counts[1][one.path] else None
        weights = weights_of(a, one)
        if other is not None and weights and weights == weights_of(b, other):
            yield one, other


def weights_of(run: Run, call: Call) -> list[bytes]:
    """Those of the layer and of all layers in it."""
    prefix = f"{call.path}." if call.path else ""
    held = (array for name, array in run.state.items() if name.startswith(prefix))
    return sorted(array.tobytes() for array in held if array.size > 1)


def place(call: Call) -> tuple[str, int]:
    return call.path, call.index


def score(a: Run, one: Call, b: Run, other: Call) -> float:
    """How much two calls have in common; not positive if they cannot be the same layer."""
    kinds = a.kind(one.path), b.kind(other.path)
    found = SAME_PATH if place(one) == place(other) else 0.0
    if family(kinds[0]) == family(kinds[1]):
        found += SAME_KIND if is_layer(kinds[0]) else SAME_NAME
    elif is_layer(kinds[0]) and is_layer(kinds[1]):
        found -= SAME_KIND
    ours, theirs = [[value.shape for value in call.outputs] for call in (one, other)]
    found += SAME_SHAPE if ours[:1] == theirs[:1] else -SAME_SHAPE
    sizes = a.sizes(one.path), b.sizes(other.path)
    if sizes[0] or sizes[1]:
        found += SAME_WEIGHTS if sizes[0] == sizes[1] else -SAME_NAME
    return found


def pairing(a: Run, b: Run, one: Call, other: Call, pairs: dict[int, int]) -> Pairing:
    """The pair with its tensors; where B's layer does the work of the next one, too, with that."""
    outputs = linked(one, other, "outputs")
    fused = done_by(a, b, one, other, pairs)
    if fused is not None:
        outputs = linked(fused, other, "outputs")
    return Pairing(one, other, linked(one, other, "inputs"), outputs)


def done_by(a: Run, b: Run, one: Call, other: Call, pairs: dict[int, int]) -> Call | None:
    """Of the layers behind `one` that B lacks, the one whose result B's layer gives."""
    if not one.outputs or not other.outputs or one.number in a.children:
        return None
    if distance(a, one.outputs[0], b, other.outputs[0]) < SIBLING_APART:
        return None
    around = a.children[one.parent]
    for call in around[around.index(one) + 1 :]:
        if call.number in pairs:
            return None
        if call.outputs and distance(a, call.outputs[0], b, other.outputs[0]) < SIBLING_CLOSE:
            return call
    return None
