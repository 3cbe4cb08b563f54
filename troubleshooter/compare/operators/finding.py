"""The first operator of a region whose inputs agree and whose output does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...sides.child.messages import Line, Value
from .difference import OperatorVerdict
from .graph import Graph, Node
from .kinds import LAYOUT, are_related, kind_of
from .regions import Region, alike, likeness

MOVING = (*LAYOUT, "getitem")
DEEPEST = 6
"""So often it is looked behind operators that are the same."""

ALIKE = 0.7
"""So much alike are lines of which one was written after the other."""


@dataclass(frozen=True)
class Found:
    """Both operators, or that of one side and what goes on with it on the other, `near`.

    `taken`: the values that the two sides take for each other, where they take others. `several`:
    whether more operators than this one are missing.
    """

    verdict: OperatorVerdict
    one: Node | None
    other: Node | None
    near: Node | None = None
    taken: tuple[Value, Value] | None = None
    several: bool = False


@dataclass
class Search:
    """Goes along the aligned operators of a region; `ends`: who takes its result on each side."""

    region: Region
    ends: tuple[Node, Node]
    deep: int = 0
    ours: list[Node] = field(default_factory=list)
    theirs: list[Node] = field(default_factory=list)

    @property
    def graphs(self) -> tuple[Graph, Graph]:
        return self.region.equality.ours, self.region.equality.theirs

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
        ours, theirs = self.region.unequal(one, other)
        for x, y in zip(ours, theirs, strict=False):
            yield from self.clash(x, y, one, other)
        if not ours or not theirs:
            yield from self.alone(ours, theirs, one, other)

    def alone(
        self, ours: list[Value], theirs: list[Value], one: Node, other: Node
    ) -> Iterator[Found]:
        """One side takes a value more, which an operator gives that the other lacks."""
        if kind_of(one.name) == kind_of(other.name) and count_numbers(one) != count_numbers(other):
            yield Found("differs", one, other)
        for x in ours:
            mine = self.graphs[0].givers.get(x.digest)
            if mine in self.ours:
                yield Found("missing", self.first(mine, self.ours), None, other)
        for y in theirs:
            their = self.graphs[1].givers.get(y.digest)
            if their in self.theirs:
                yield Found("extra", None, self.first(their, self.theirs), one)

    def of_ends(self) -> Iterator[Found]:
        values = [
            graph.values.get(digest)
            for graph, digest in zip(self.graphs, self.region.target, strict=True)
        ]
        if values[0] is not None and values[1] is not None:
            yield from self.clash(values[0], values[1], *self.ends)
        if self.ours and self.theirs:
            yield Found("differs", self.ours[0], self.theirs[0])
        for mine, their in self.region.pairs:
            if mine is not None and their is not None and not are_same(mine, their):
                yield Found("differs", mine, their)

    def clash(self, x: Value, y: Value, one: Node, other: Node) -> Iterator[Found]:
        """What it means that the operators take these two for each other."""
        is_known = x.digest in self.region.equality.partners
        is_theirs_known = y.digest in self.region.equality.partners_of_theirs
        mine, their = (g.givers.get(v.digest) for g, v in zip(self.graphs, (x, y), strict=True))
        yield from self.of_idle(x, y, (one, other))
        if is_known and is_theirs_known:
            yield from self.of_known(x, y, one, other)
        elif self.is_moved(mine, their):
            assert their is not None
            yield from self.clash(x, their.inputs[0], one, their)
        elif self.is_moved(their, mine):
            assert mine is not None
            yield from self.clash(mine.inputs[0], y, mine, other)
        elif (mine is None or their is None) and all(
            graph.is_made(v) for graph, v in zip(self.graphs, (x, y), strict=True)
        ):
            ends = self.made(0, x, one), self.made(1, y, other)
            yield Found("value", *ends, taken=(x, y))
        elif is_theirs_known and mine in self.ours:
            assert mine is not None
            yield from self.of_other_inputs(mine, y, other)
            first = self.first(mine, self.ours)
            for found in self.lacking(first, y, other):
                yield replace(found, several=first != mine)
        elif is_known and their in self.theirs:
            yield from self.added(self.first(their, self.theirs), x, one)
        elif mine is None and their is None:
            yield Found("value", one, other, taken=(x, y))
        elif mine in self.ours and their in self.theirs:
            yield Found("differs", mine, their)
        elif mine in self.ours:
            yield Found("missing", mine, None, their or other)
        elif their in self.theirs:
            yield Found("extra", None, their, mine or one)

    @staticmethod
    def is_moved(node: Node | None, moved: Node | None) -> bool:
        """Whether the second one only moves what it is given, and the first computes."""
        if node is None or moved is None or not moved.inputs:
            return False
        return kind_of(moved.name) in LAYOUT and kind_of(node.name) not in LAYOUT

    def made(self, side: int, value: Value, taker: Node) -> Node:
        """Who has computed a value that follows from no input: else who takes it."""
        graph = self.graphs[side]
        node = graph.givers.get(value.digest)
        while node is not None and node.inputs and kind_of(node.name) in MOVING:
            node = graph.givers.get(node.inputs[0].digest)
        return node or taker

    def of_idle(self, x: Value, y: Value, ends: tuple[Node, Node]) -> Iterator[Found]:
        """Operators that hand on one of their inputs, each side another one."""
        for mine in self.graphs[0].idle(x):
            for their in self.graphs[1].idle(y):
                kinds = kind_of(mine.name), kind_of(their.name)
                is_before = mine.number < ends[0].number and their.number < ends[1].number
                if not is_before or not (kinds[0] == kinds[1] or are_related(*kinds)):
                    continue
                if kinds[0] != kinds[1] and not any(self.region.unequal(mine, their)):
                    yield Found("differs", mine, their)

    def of_known(self, x: Value, y: Value, one: Node, other: Node) -> Iterator[Found]:
        """Both sides have both values: one of them takes the wrong one, or got it so."""
        mine, their = (g.givers.get(v.digest) for g, v in zip(self.graphs, (x, y), strict=True))
        if mine is not None and their is not None and kind_of(mine.name) == kind_of(their.name):
            ours, theirs = self.region.unequal(mine, their)
            if not ours and not theirs and not are_same(mine, their):
                yield Found("differs", mine, their)
            if ours and theirs and self.deep < DEEPEST and are_same(mine, their):
                target = ours[0].digest, theirs[0].digest
                inner = Region(self.region.equality, target)
                yield from Search(inner, (mine, their), self.deep + 1).found()
        if mine is not None and their is not None and self.is_named_there(x, y, one, other):
            yield Found("value", mine, their, taken=(x, y))
        yield Found("value", one, other, taken=(x, y))

    def is_named_there(self, x: Value, y: Value, one: Node, other: Node) -> bool:
        """Whether B gives both values on one line, and both sides take them by the same names: so
        it is that line on which they are exchanged."""
        partners = self.region.equality.partners.get(x.digest, ())
        lines = [
            (giver.line.file, giver.line.number)
            for digest in (y.digest, *partners)
            for giver in [self.graphs[1].givers.get(digest)]
            if giver is not None
        ]
        texts = one.line.expression, other.line.expression
        is_one_line = len(lines) > 1 and len(set(lines)) == 1
        return is_one_line and alike(*texts) >= ALIKE

    def lacking(self, mine: Node | None, y: Value, other: Node) -> Iterator[Found]:
        """B does without the operator, unless it has one in its place that does nothing here."""
        if mine is None:
            return
        twin = self.twin(mine, 1, y, other.number)
        if twin is not None:
            yield Found("differs", mine, twin)
        yield Found("missing", mine, None, self.nearest(mine, 1, y, other))

    def of_other_inputs(self, mine: Node, y: Value, other: Node) -> Iterator[Found]:
        """B has the operator too, and it gives the value, as it takes another one."""
        for their in reversed(self.graphs[1].nodes[: other.number]):
            gives = y.digest in {v.digest for v in their.outputs}
            if not gives or kind_of(their.name) != kind_of(mine.name) or self.deep >= DEEPEST:
                continue
            ours, theirs = self.region.unequal(mine, their)
            shares = len(mine.inputs) > 1 and len(their.inputs) > 1
            is_like = shares or likeness(mine.line, their.line) >= ALIKE
            if len(ours) != 1 or len(theirs) != 1 or not is_like:
                continue
            target = ours[0].digest, theirs[0].digest
            inner = Search(Region(self.region.equality, target), (mine, their), self.deep + 1)
            if target[0] in self.region.equality.partners:
                yield from inner.of_known(ours[0], theirs[0], mine, their)
            else:
                yield from inner.found()
                yield Found("value", mine, their, taken=(ours[0], theirs[0]))

    def added(self, their: Node | None, x: Value, one: Node) -> Iterator[Found]:
        if their is None:
            return
        twin = self.twin(their, 0, x, one.number)
        if twin is not None:
            yield Found("differs", twin, their)
        yield Found("extra", None, their, self.nearest(their, 0, x, one))

    def twin(self, node: Node, side: int, value: Value, end: int) -> Node | None:
        """An operator of the other side on a line like it, that takes what it takes and gives the
        value; of several the last before `end`."""
        best: Node | None = None
        given = self.region.equality.same(side, value.digest)
        for other in self.graphs[side].nodes:
            pair = (node, other) if side else (other, node)
            gives = given & {v.digest for v in other.outputs}
            is_candidate = (
                gives
                and other.is_operator
                and other.number <= end
                and self.region.takes_equal(*pair)
            )
            kinds = kind_of(node.name), kind_of(other.name)
            if not is_candidate or not (kinds[0] == kinds[1] or are_related(*kinds)):
                continue
            like = likeness(node.line, other.line)
            is_like = like >= ALIKE or node.is_part or other.is_part
            if is_like and (best is None or like >= likeness(node.line, best.line)):
                best = other
        return best

    def nearest(self, node: Node, side: int, value: Value, taker: Node) -> Node:
        """Where on the other side the operator would stand: of who gives and who takes the value,
        and those that called them, the line that is most like its own, or answers to it."""
        graph = self.graphs[side]
        same = self.region.equality.same(side, value.digest)
        givers = [one for one in graph.nodes if same & {v.digest for v in one.outputs}]
        if node.is_part:  # whose line says nothing of its own
            own = graph.givers.get(value.digest)
            return taker if taker.is_operator or own is None else own
        best, most = taker, -9.0
        for one in (*givers, taker):
            for line in (one.line, *one.line.callers):
                if not line.number:
                    continue
                placed = at_line(one, line)
                like = self.like(node, placed, side)
                if like > most:
                    best, most = placed, like
        return best

    def like(self, node: Node, other: Node, side: int) -> float:
        """How likely a node of one side stands where one of the other, `side`, does."""
        return likeness(node.line, other.line) + self.bonus(side, other.line, node.line)

    def bonus(self, side: int, line: Line, wanted: Line) -> float:
        """Whether equal values come from both lines; or from the one, and from others."""
        own = (line.file, line.number)
        answers = {pair[1 - side] for pair in self.answers if pair[side] == own}
        if not answers:
            return 0.0
        return 0.5 if (wanted.file, wanted.number) in answers else -0.5

    @cached_property
    def answers(self) -> set[tuple[tuple[str, int], tuple[str, int]]]:
        """The lines of both sides, by file and number, that give equal values."""
        found = set()
        for digest, others in self.region.equality.partners.items():
            for other in others:
                one = self.graphs[0].givers.get(digest)
                two = self.graphs[1].givers.get(other)
                if one is not None and two is not None:
                    lines = one.line, two.line
                    found.add(((lines[0].file, lines[0].number), (lines[1].file, lines[1].number)))
        return found

    def first(self, last: Node | None, among: list[Node]) -> Node | None:
        """Of operators that follow each other the first that only one side has, in the function
        in which the last one stands."""
        own = None if last is None else last.line.function
        found = last
        while last is not None:
            found = last if last.line.function == own else found
            digests = {value.digest for value in last.inputs}
            before = [
                node
                for node in among
                if node.inputs and node != last and digests & {v.digest for v in node.outputs}
            ]
            last = before[0] if before else None
        return found


def count_numbers(node: Node) -> int:
    """How many of the arguments are numbers by themselves."""
    values = node.arguments.values()
    return sum(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def are_same(one: Node, other: Node) -> bool:
    """Whether two operators are the same function with the same options."""
    if kind_of(one.name) != kind_of(other.name):
        return False
    told = [
        tuple(str(v) for v in node.arguments.values() if not str(v).startswith("#"))
        for node in (one, other)
    ]
    return told[0] == told[1] or kind_of(one.name) in (*LAYOUT, "split", "unbind")


def at_line(node: Node, line: Line) -> Node:

    return replace(node, line=line)
