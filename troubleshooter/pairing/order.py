"""Pairs by shapes and the order of layers, where these leave no choice.

Two files are aligned layer by layer, as texts are by their lines. What the best alignments do
not all agree about gets no pair: where one file lacks one of many equal layers, nothing says
which, and its neighbours must not slide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ...formats.names.naming import Shape
from .alignment import certain, common_length
from .change import SAME, change_of
from .matching import Matching
from .names import ROLES, common_form
from .pair import Pair, Tensors

IN_LAYER, ALONE, IN_ORDER, UNPROVED_ORDER = 0.9, 0.7, 0.6, 0.5
Part = tuple[str, Shape]
Places = tuple[int, int]


@dataclass(frozen=True)
class Layer:
    """The tensors of one layer: all names; those that have no pair, by role and shape."""

    path: str
    names: list[str] = field(default_factory=list)
    left: dict[Part, str] = field(default_factory=dict)

    @property
    def is_free(self) -> bool:
        """Whether none of its tensors has a pair."""
        return len(self.left) == len(self.names)

    @property
    def token(self) -> tuple[Part, ...]:
        """What layers that may be the same have in common."""
        return tuple(sorted(self.left))


def layers_of(tensors: Tensors, left: Mapping[str, None]) -> list[Layer]:
    """The layers in the file's order; a tensor without a role that is known is one of its own."""
    found: dict[str, Layer] = {}
    for name in tensors:
        path, _, leaf = common_form(name).rpartition(".")
        if leaf not in ROLES:
            path, leaf = name, ""
        layer = found.setdefault(path, Layer(path))
        layer.names.append(name)
        if name in left:
            shape = tuple(size for size in tensors[name].shape if size != 1)
            layer.left[leaf, shape] = name
    return list(found.values())


def by_order(so_far: Matching) -> None:
    """Layers that can only be each other, by their tensors' roles and shapes."""
    ours = layers_of(so_far.a, so_far.left_a)
    theirs = layers_of(so_far.b, so_far.left_b)
    known = anchors(ours, theirs, so_far.of_a)
    for i, j in known:
        join(so_far, ours[i], theirs[j], IN_LAYER)
    found = dict.fromkeys(only_ones(ours, theirs), ALONE)
    if len(known) > 1 and is_rising(known):
        found = dict.fromkeys(between(known, ours, theirs), IN_ORDER) | found
    elif is_part(ours, theirs):
        found = dict.fromkeys(between([], ours, theirs), UNPROVED_ORDER) | found
    for (i, j), confidence in found.items():
        join(so_far, ours[i], theirs[j], confidence)


def anchors(
    ours: Sequence[Layer], theirs: Sequence[Layer], paired: Mapping[str, Pair]
) -> list[Places]:
    """The places of the layers of which some tensors are paired."""
    place = {name: j for j, layer in enumerate(theirs) for name in layer.names}
    found: dict[Places, None] = {}
    for i, layer in enumerate(ours):
        for name in layer.names:
            pair = paired.get(name)
            if pair is not None and pair.b is not None:
                found[i, place[pair.b]] = None
    return list(found)


def is_rising(known: Sequence[Places]) -> bool:
    """Whether the layers that are paired stand in the same order in both files."""
    return all(i < m and j < n for (i, j), (m, n) in pairwise(known))


def is_part(ours: Sequence[Layer], theirs: Sequence[Layer]) -> bool:
    """Whether the layers of one file all stand in the other, in the same order."""
    a, b = ([layer.token for layer in side if layer.is_free] for side in (ours, theirs))
    return common_length(a, b) == min(len(a), len(b))


def only_ones(ours: Sequence[Layer], theirs: Sequence[Layer]) -> Iterator[Places]:
    """The layers that no other of their file is like, wherever they stand."""
    sides = [
        {layer.token: place for place, layer in enumerate(side) if layer.left and layer.is_free}
        for side in (ours, theirs)
    ]
    counts = [Counter(layer.token for layer in side if layer.is_free) for side in (ours, theirs)]
    for token, i in sides[0].items():
        if token in sides[1] and counts[0][token] == counts[1][token] == 1:
            yield i, sides[1][token]


def between(
    known: Sequence[Places], ours: Sequence[Layer], theirs: Sequence[Layer]
) -> Iterator[Places]:
    """The layers that every best alignment pairs, between those that are known."""
    for start, end in pairwise([(-1, -1), *known, (len(ours), len(theirs))]):
        a = [i for i in range(start[0] + 1, end[0]) if ours[i].is_free]
        b = [j for j in range(start[1] + 1, end[1]) if theirs[j].is_free]
        tokens = [ours[i].token for i in a], [theirs[j].token for j in b]
        for i, j in certain(*tokens):
            yield a[i], b[j]


def join(so_far: Matching, a: Layer, b: Layer, confidence: float) -> None:
    """Pairs what two layers have of the same role and shape."""
    for part, name in a.left.items():
        other = b.left.get(part)
        if other is not None and name in so_far.left_a and other in so_far.left_b:
            change = change_of(*so_far.shapes(name, other))
            so_far.add(Pair(name, other, "shape", confidence, change or SAME))
