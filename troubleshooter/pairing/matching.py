"""The pairs found so far, and the names that are left."""

from __future__ import annotations

from collections.abc import Iterator

from ...formats.names.naming import Shape
from .change import SAME, change_of
from .names import fit
from .pair import How, Pair, Tensors


class Matching:
    """What each step of the search adds its pairs to."""

    def __init__(self, a: Tensors, b: Tensors) -> None:
        self.a, self.b = a, b
        self.of_a: dict[str, Pair] = {}
        self.of_b: dict[str, Pair] = {}
        self.left_a: dict[str, None] = dict.fromkeys(a)
        self.left_b: dict[str, None] = dict.fromkeys(b)
        self.more: list[Pair] = []
        """Further names of b's tensors, of which a has one only."""
        self.used: set[str] = set()
        """Names of a that are parts of a computed tensor."""

    @property
    def is_done(self) -> bool:
        return not (self.left_a and self.left_b)

    def shapes(self, name: str, other: str) -> tuple[Shape, Shape]:
        return self.a[name].shape, self.b[other].shape

    def by_names(self, name: str, other: str, how: How, confidence: float) -> None:
        """A pair because of its names: its shape changes only as the naming rules say."""
        before, after = self.shapes(name, other)
        change = change_of(before, after) if fit(before, after) else SAME
        self.add(Pair(name, other, how, confidence, change or SAME))

    def add(self, pair: Pair) -> None:
        """Notes a pair; nothing else is a counterpart of its tensors."""
        if pair.a is not None:
            self.of_a[pair.a] = pair
            self.left_a.pop(pair.a, None)
        if pair.b is not None:
            if not pair.tied:
                self.of_b[pair.b] = pair
            self.left_b.pop(pair.b, None)

    def drop_a(self, name: str) -> None:
        """Takes back the pair of a tensor of a."""
        pair = self.of_a.pop(name, None)
        if pair is not None:
            self.left_a[name] = None
            self.drop_b(pair.b or "")

    def drop_b(self, name: str) -> None:
        """Takes back the pair of a tensor of b."""
        pair = self.of_b.pop(name, None)
        if pair is not None:
            self.left_b[name] = None
            self.drop_a(pair.a or "")

    def add_name(self, pair: Pair) -> None:
        """Notes a further name of a tensor of b that has its pair."""
        self.more.append(pair)
        assert pair.b is not None
        del self.left_b[pair.b]

    def fold(self, pair: Pair) -> None:
        """Notes a pair one of whose tensors is computed of several."""
        assert pair.fold is not None
        self.add(pair)
        left = self.left_a if pair.folded == "a" else self.left_b
        for source in pair.fold.sources:
            left.pop(source, None)
        if pair.folded == "a":
            self.used |= set(pair.fold.sources)

    def pairs(self) -> Iterator[Pair]:
        """All of them: in a's order, then those that have nothing of a, in b's."""
        for name in self.a:
            if name in self.of_a:
                yield self.of_a[name]
            elif name not in self.used:
                yield Pair(name, None, "none", 0.0)
        yield from self.more
        yield from (pair for pair in self.of_b.values() if pair.a is None)
        for name in self.left_b:
            yield Pair(None, name, "none", 0.0)
