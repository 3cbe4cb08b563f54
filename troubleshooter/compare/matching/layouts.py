"""Layers that take the same numbers as their counterparts, with the axes in another order."""

from __future__ import annotations

from dataclasses import replace

from ....numerics.limits import OF_SKETCHES
from ..recorded import Run
from .alignment import Alignment, Link, Pairing
from .closeness import distance, plain_shape, same_figures


def set_apart(a: Run, b: Run, alignment: Alignment) -> Alignment:
    """The alignment without the pairs in another layout, which become its `relaid`.

    A Dense over points answers to a Conv1d of kernel 1 over channels: what the one takes cannot be
    given to the other. What both take and give in the plain runs must be the same numbers; then
    each is judged with the code around it.
    """
    relaid = tuple(pair for pair in alignment.pairs if is_relaid(a, b, pair))
    left = tuple(pair for pair in alignment.pairs if pair not in relaid)
    return replace(alignment, pairs=left, relaid=relaid) if relaid else alignment


def is_relaid(a: Run, b: Run, pair: Pairing) -> bool:
    """Whether some tensors have other axes, and none other numbers."""
    links = (*pair.inputs, *pair.outputs)
    if not pair.inputs or not pair.outputs or not all(of_same_numbers(a, b, x) for x in links):
        return False
    return any(has_other_axes(a, b, link) for link in pair.inputs)


def of_same_numbers(a: Run, b: Run, link: Link) -> bool:
    x, y = link.ours.of(a), link.theirs.of(b)
    return x is not None and y is not None and same_figures(a, x, b, y)


def has_other_axes(a: Run, b: Run, link: Link) -> bool:
    """Whether shape and order of the elements differ, so that no reshape makes one the other."""
    x, y = link.ours.of(a), link.theirs.of(b)
    if x is None or y is None or plain_shape(x) == plain_shape(y):
        return False
    return distance(a, x, b, y) > OF_SKETCHES
