"""The pairs of two files: what is surest first, and each step only for what is left."""

from __future__ import annotations

from collections.abc import Iterator

from ...formats.naming import LEFT_OUT, Shape
from .change import change_of
from .mapped import Naming, named_by
from .names import Canonical
from .pair import How, Pair, Tensors

SURE, BY_RULE, WRONG_SHAPE = 1.0, 0.98, 0.5


def pair_up(a: Tensors, b: Tensors, *, naming: Naming | None = None) -> tuple[Pair, ...]:
    """Each tensor of `a` and `b` with its counterpart, in a's order, then what only b has.

    `naming`: names of a -> names of b, or the weight map of a converted model, in either
    direction; it goes before everything else.
    Raises: MS310 for a map that does not fit
    """
    finder = Finder(a, b)
    if naming is not None:
        finder.by_map(naming)
    finder.by_name()
    finder.by_rule()
    return tuple(finder.pairs())


class Finder:
    """The pairs found so far, and the names that are left."""

    def __init__(self, a: Tensors, b: Tensors) -> None:
        self.a, self.b = a, b
        self.found: dict[str, Pair] = {}
        self.only_b: dict[str, Pair] = {}
        self.left_a: dict[str, None] = dict.fromkeys(a)
        self.left_b: dict[str, None] = dict.fromkeys(b)

    def add(self, name: str, other: str, how: How, confidence: float) -> None:
        """Pairs two names that are left."""
        change = change_of(self.a[name].shape, self.b[other].shape)
        if change is None:
            confidence = min(confidence, WRONG_SHAPE if how != "name" else SURE)
        self.found[name] = Pair(name, other, how, confidence, change or "")
        del self.left_a[name], self.left_b[other]

    def by_map(self, naming: Naming) -> None:
        for name, other in named_by(naming, shapes(self.a), shapes(self.b)).items():
            if other == LEFT_OUT:
                self.found[name] = Pair(name, None, "map")
                self.left_a.pop(name, None)
            elif name in self.left_a and other in self.left_b:
                self.add(name, other, "map", SURE)

    def by_name(self) -> None:
        for name in [name for name in self.left_a if name in self.left_b]:
            self.add(name, name, "name", SURE)

    def by_rule(self) -> None:
        if not (self.left_a and self.left_b):
            return
        ours, theirs = Canonical(self.left_a), Canonical(self.left_b)
        for key, name in ours.single.items():
            other = theirs.single.get(key)
            if other is not None:
                self.add(name, other, "rule", BY_RULE)

    def pairs(self) -> Iterator[Pair]:
        for name in self.a:
            yield self.found.get(name) or Pair(name, None, "none", 0.0)
        for name in self.left_b:
            yield self.only_b.get(name) or Pair(None, name, "none", 0.0)


def shapes(tensors: Tensors) -> dict[str, Shape]:
    return {name: tensor.shape for name, tensor in tensors.items()}
