"""The first operator of a region whose inputs agree and whose output does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...sides.child.messages import Value
from .difference import OperatorVerdict
from .graph import Node
from .regions import Region


@dataclass(frozen=True)
class Found:
    """Both operators, or that of one side and what goes on with it on the other, `near`.

    `taken`: the values that the two sides take for each other, where they take others.
    """

    verdict: OperatorVerdict
    one: Node | None
    other: Node | None
    near: Node | None = None
    taken: tuple[Value, Value] | None = None


@dataclass
class Search:
    """Goes along the aligned operators of a region; `ends`: who takes its result on each side."""

    region: Region
    ends: tuple[Node, Node]
    ours: list[Node] = field(default_factory=list)
    theirs: list[Node] = field(default_factory=list)

    def found(self) -> Iterator[Found]:
        """What differs by itself, the first before all."""
        for one, other in self.region.pairs:
            if other is None and one is not None:
                self.ours.append(one)
            elif one is None and other is not None:
                self.theirs.append(other)
            elif one is not None and other is not None:
                yield from self.of_pair(one, other)
        yield from self.of_ends()

    def of_pair(self, one: Node, other: Node) -> Iterator[Found]:
        if self.region.takes_equal(one, other):
            yield Found("differs", one, other)
            return
        for x, y in clashing(self.region, one, other):
            yield from self.clash(x, y, one, other)

    def of_ends(self) -> Iterator[Found]:
        x, y = (
            graph.values.get(digest)
            for graph, digest in zip(
                (self.region.equality.ours, self.region.equality.theirs),
                self.region.target,
                strict=True,
            )
        )
        if x is not None and y is not None:
            yield from self.clash(x, y, *self.ends)
        if self.ours and self.theirs:
            yield Found("differs", self.ours[0], self.theirs[0])

    def clash(self, x: Value, y: Value, one: Node, other: Node) -> Iterator[Found]:
        """What it means that the operators take these two for each other."""
        is_known = x.digest in self.region.equality.partners
        is_theirs_known = y.digest in self.region.equality.partners_of_theirs
        givers = self.region.equality.ours.givers, self.region.equality.theirs.givers
        mine, their = givers[0].get(x.digest), givers[1].get(y.digest)
        if is_known and is_theirs_known:
            yield Found("value", one, other, taken=(x, y))
        elif is_theirs_known and mine in self.ours:
            yield Found("missing", self.first(mine, self.ours), None, other)
        elif is_known and their in self.theirs:
            yield Found("extra", None, self.first(their, self.theirs), one)
        elif mine is None and their is None:
            yield Found("value", one, other, taken=(x, y))
        elif mine in self.ours and their in self.theirs:
            yield Found("differs", mine, their)
        elif mine in self.ours:
            yield Found("missing", mine, None, their or other)
        elif their in self.theirs:
            yield Found("extra", None, their, mine or one)

    def first(self, last: Node | None, among: list[Node]) -> Node | None:
        """Of operators that follow each other the first that only one side has."""
        while last is not None:
            digests = {value.digest for value in last.inputs}
            before = [
                node for node in among if digests & {v.digest for v in node.outputs} and node != last
            ]
            if not before:
                return last
            last = before[0]
        return None


def clashing(region: Region, one: Node, other: Node) -> Iterator[tuple[Value, Value]]:
    """What two operators take that is not equal, in order; equal ones aside."""
    ours, theirs = list(one.inputs), list(other.inputs)
    for x in one.inputs:
        y = next((y for y in theirs if region.agree(x, y)), None)
        if y is not None:
            ours.remove(x)
            theirs.remove(y)
    yield from zip(ours, theirs, strict=False)
