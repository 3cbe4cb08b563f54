"""The first operator of a region whose inputs agree and whose output does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...sides.child.messages import Value
from .graph import Graph, Node
from .kinds import LAYOUT, are_related, kind_of, plain_kind
from .placing import ALIKE, MOVING, Found, Placing, stated
from .regions import Pair, Region, likeness, same_numbers

JOINING = ("stack", "cat")
FEW = 2
"""So many values a person may write in another order."""

DEEPEST = 6
"""So often it is looked behind operators that are the same."""


@dataclass
class Search:
    """Goes along the aligned operators of a region; `ends`: who takes its result on each side."""

    region: Region
    ends: tuple[Node, Node]
    deep: int = 0
    ours: list[Node] = field(default_factory=list)
    theirs: list[Node] = field(default_factory=list)

    @cached_property
    def placing(self) -> Placing:
        return Placing(self.region)

    @property
    def graphs(self) -> tuple[Graph, Graph]:
        return self.region.graphs

    def found(self) -> Iterator[Found]:
        """What differs by itself, the first before all."""
        for found in self.unplaced():
            if self.is_nothing(found):
                continue
            node = found.one or found.other
            near = found.near
            if near is not None and node is not None:
                near = stated(self.graphs[1 if found.one is not None else 0], node, near)
            other = found.other
            if found.one is not None and other is not None and other.is_operator:
                other = self.placing.likeliest(found.one, other)
            found = replace(found, near=near, other=other)
            yield self.placing.handed(found) if found.taken is not None else found

    def is_nothing(self, found: Found) -> bool:
        """Whether it is two operators that give the same, not by numbers that do little here."""
        one, other = found.one, found.other
        if found.verdict != "differs" or one is None or other is None or not one.outputs:
            return False
        if sorted(numbers_of(one)) != sorted(numbers_of(other)):
            return False
        pairs = list(zip(one.outputs, other.outputs, strict=False))
        return bool(pairs) and all(self.region.agree(x, y) for x, y in pairs)

    def unplaced(self) -> Iterator[Found]:
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
            yield from self.of_order(one, other)
            kinds = plain_kind(one.name), plain_kind(other.name)
            if kinds[0] != kinds[1] and self.goes_to(1, other, kinds[0]):
                yield Found("extra", None, other, self.placing.across(other, 0, one))
            if kinds[0] != kinds[1] and self.goes_to(0, one, kinds[1]):
                yield Found("missing", one, None, self.placing.across(one, 1, other))
            yield Found("differs", one, other)
            return
        ours, theirs = self.region.unequal(one, other)
        for x, y in zip(ours, theirs, strict=False):
            yield from self.clash(x, y, one, other)
        if not ours or not theirs:
            yield from self.alone(ours, theirs, one, other)

    def of_order(self, one: Node, other: Node) -> Iterator[Found]:
        """Many values joined in another order: nobody exchanges so many, they come so."""
        if kind_of(one.name) != kind_of(other.name) or kind_of(one.name) not in JOINING:
            return
        pairs = zip(one.inputs, other.inputs, strict=False)
        apart = [(x, y) for x, y in pairs if not self.region.agree(x, y)]
        if len(apart) > FEW:
            yield from self.of_known(*apart[0], one, other)

    def goes_to(self, side: int, node: Node, kind: str) -> bool:
        """Whether an operator of this kind takes what the node gives: so it is one more; if the
        other side has not that one, too."""
        nodes = (self.region.ours, self.region.theirs)[side]
        pairs = [pair[side] for pair in self.region.pairs if are_of_kind(pair, kind)]
        paired = {node.number for node in pairs if node is not None}
        given = {value.digest for value in node.outputs}
        return any(
            plain_kind(taker.name) == kind
            and given & {v.digest for v in taker.inputs}
            and taker.number not in paired
            for taker in nodes
        )

    def alone(
        self, ours: list[Value], theirs: list[Value], one: Node, other: Node
    ) -> Iterator[Found]:
        """One side takes a value more, which an operator gives that the other lacks."""
        yield from self.of_numbers(ours, theirs, one, other)
        counts = [len(numbers_of(node)) for node in (one, other)]
        if kind_of(one.name) == kind_of(other.name) and counts[0] != counts[1]:
            yield Found("differs", one, other)
        for x in ours:
            mine = self.graphs[0].givers.get(x.digest)
            if mine in self.ours:
                yield Found("missing", self.first(mine, self.ours), None, other)
        for y in theirs:
            their = self.graphs[1].givers.get(y.digest)
            if their in self.theirs:
                yield Found("extra", None, self.first(their, self.theirs), one)

    def of_like(self, mine: Node | None, their: Node | None) -> Iterator[Found]:
        """The same function of the same tensors, with other numbers; a file has what is computed
        twice only once."""
        if mine is None or their is None or plain_kind(mine.name) != plain_kind(their.name):
            return
        ours, theirs = self.region.unequal(mine, their)
        is_same = not ours and not theirs and bool(mine.inputs)
        if is_same and sorted(numbers_of(mine)) != sorted(numbers_of(their)):
            yield Found("differs", mine, their)
        is_one = len(ours) == len(theirs) == 1 and len(mine.inputs) > 1
        if is_one and self.are_made((ours[0], theirs[0])):
            yield from self.within(ours[0], theirs[0], mine, their)

    def of_repeated(self, mine: Node) -> Iterator[Found]:
        """The other side gives one value twice, by this function of the same tensors, takes it more
        often than this side does, and has that of this one never: where it stands is meant to give
        another."""
        kind = plain_kind(mine.name)
        here, there = ([n for n in g.nodes if plain_kind(n.name) == kind] for g in self.graphs)
        there = [n for n in there if n.inputs and self.region.takes_equal(mine, n)]
        for digest in dict.fromkeys(value.digest for node in there for value in node.outputs):
            same = [n for n in there if digest in {v.digest for v in n.outputs}]
            known = set(self.region.equality.partners_of_theirs.get(digest, ()))
            given = [n for n in here if n == mine or known & {v.digest for v in n.outputs}]
            is_more = takings(self.graphs[1], {digest}) > takings(self.graphs[0], known)
            if len(same) > 1 and len(given) == len(same) and is_more:
                yield Found("differs", mine, same[given.index(mine)])

    def of_recomputed(self, side: int, node: Node, value: Value, taker: Node) -> Iterator[Found]:
        """A value that the other side has had before, and computes once more where it is taken, by
        what is written for this function by mistake; a file has no lines, and has it once."""
        line = taker.line.file, taker.line.number
        for twin in self.graphs[1 - side].all_givers.get(value.digest, ()):
            kinds = plain_kind(node.name), plain_kind(twin.name)
            is_there = (twin.line.file, twin.line.number) == line
            is_other = kinds[0] != kinds[1] and are_related(*kinds)
            mine, their = (twin, node) if side else (node, twin)
            if is_there and is_other and not any(self.region.unequal(mine, their)):
                yield Found("differs", mine, their)

    def of_numbers(
        self, ours: list[Value], theirs: list[Value], one: Node, other: Node
    ) -> Iterator[Found]:
        """One side has a number of its file where the other takes what it computes of weights."""
        nodes = one, other
        for side, values in enumerate((theirs, ours)):
            graph, there = self.graphs[side], self.graphs[1 - side]
            held = [graph.number(number) for number in numbers_of(nodes[side])]
            numbers = [value for value in held if value is not None]
            if len(numbers) != 1 or len(values) != 1 or not there.is_fixed(values[0]):
                continue
            made = self.placing.made(1 - side, values[0], nodes[1 - side])
            if side:
                yield Found("value", made, other, taken=(values[0], numbers[0]))
            else:
                yield Found("value", one, made, taken=(numbers[0], values[0]))

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
        if self.region.agree(x, y):  # one side has moved its axes meanwhile
            return
        is_known = x.digest in self.region.equality.partners
        is_theirs_known = y.digest in self.region.equality.partners_of_theirs
        mine, their = self.graphs[0].giver(x, one), self.graphs[1].giver(y, other)
        yield from self.of_idle(x, y, (one, other))
        yield from self.of_calls(x, y, one, other)
        if is_known and is_theirs_known:
            yield from self.of_one_idle(x, y, one, other)
            yield from self.of_known(x, y, one, other)
        elif not is_theirs_known and is_moved(mine, their):
            assert their is not None
            yield from self.clash(x, their.inputs[0], one, their)
        elif not is_known and is_moved(their, mine):
            assert mine is not None
            yield from self.clash(mine.inputs[0], y, mine, other)
        elif (mine is None or their is None) and self.are_made((x, y)):
            ends = self.placing.made(0, x, one), self.placing.made(1, y, other)
            yield Found("value", *ends, taken=(x, y))
        elif is_theirs_known and mine in self.ours:
            assert mine is not None
            yield from self.of_like(mine, their)
            yield from self.of_other_inputs(0, mine, y, other)
            yield from self.placing.unanswered(mine, self.ours)
            first = self.first(mine, self.ours)
            for found in self.lacking(first, y, other):
                yield replace(found, several=first != mine)
        elif is_known and their in self.theirs:
            assert their is not None
            yield from self.of_like(mine, their)
            yield from self.of_other_inputs(1, their, x, one)
            yield from self.added(self.first(their, self.theirs), x, one)
        elif mine is None and their is None:
            yield Found("value", one, other, taken=(x, y))
        elif mine in self.ours and their in self.theirs:
            yield from self.of_twins(x, y, one, other)
            yield Found("differs", mine, their)
        elif mine in self.ours:
            assert mine is not None
            yield Found("missing", mine, None, self.placing.nearest(mine, 1, y, other))
        elif their in self.theirs:
            assert their is not None
            yield Found("extra", None, their, self.placing.nearest(their, 0, x, one))

    def are_made(self, values: tuple[Value, Value]) -> bool:
        """Whether both follow from nothing that is given; beside a file's number, from nothing but
        weights."""
        both = list(zip(self.graphs, values, strict=True))
        if any(value.digest in graph.constants for graph, value in both):
            return all(graph.is_fixed(value) for graph, value in both)
        return all(graph.is_made(value) for graph, value in both)

    def of_calls(self, x: Value, y: Value, one: Node, other: Node) -> Iterator[Found]:
        """Calls of layers that one side alone has: what they give is nothing that was put there."""
        equality = self.region.equality
        mine = None if x.digest in equality.partners else self.graphs[0].callers.get(x.digest)
        their = self.graphs[1].callers.get(y.digest)
        their = None if y.digest in equality.partners_of_theirs else their
        mine = None if is_shared(mine, equality.partners) else mine
        their = None if is_shared(their, equality.partners_of_theirs) else their
        if mine is not None and their is None:
            yield Found("missing", mine, None, self.placing.nearest(mine, 1, y, other))
        elif their is not None and mine is None:
            yield Found("extra", None, their, self.placing.nearest(their, 0, x, one))

    def of_idle(self, x: Value, y: Value, ends: tuple[Node, Node]) -> Iterator[Found]:
        """Operators that hand on one of their inputs, each side another one."""
        for mine in self.graphs[0].idle(x):
            for their in self.graphs[1].idle(y):
                kinds = kind_of(mine.name), kind_of(their.name)
                is_before = mine.number < ends[0].number and their.number < ends[1].number
                if not is_before or not (kinds[0] == kinds[1] or are_related(*kinds)):
                    continue
                yield from self.of_two_idle(mine, their)

    def of_two_idle(self, mine: Node, their: Node) -> Iterator[Found]:
        """They are not the same function, or what else they take is not the same."""
        ours, theirs = self.region.unequal(mine, their)
        if kind_of(mine.name) != kind_of(their.name):
            if not ours and not theirs:
                yield Found("differs", mine, their)
        elif len(ours) == len(theirs) and likeness(mine.line, their.line) >= ALIKE:
            for x, y in zip(ours, theirs, strict=True):  # a condition and what follows from it
                yield from self.within(x, y, mine, their)

    def of_one_idle(self, x: Value, y: Value, one: Node, other: Node) -> Iterator[Found]:
        """An operator of one side that hands on what it is given, and the other side takes what
        else it is given."""
        for mine in self.graphs[0].idle(x):
            if any(self.region.agree(v, y) for v in mine.inputs) and mine.number < one.number:
                yield Found("missing", mine, None, self.placing.nearest(mine, 1, y, other))
        for their in self.graphs[1].idle(y):
            if any(self.region.agree(x, v) for v in their.inputs) and their.number < other.number:
                yield Found("extra", None, their, self.placing.nearest(their, 0, x, one))

    def of_known(self, x: Value, y: Value, one: Node, other: Node) -> Iterator[Found]:
        """Both sides have both values: one of them takes the wrong one, or got it so."""
        mine, their = self.graphs[0].giver(x, one), self.graphs[1].giver(y, other)
        if mine is not None and their is not None and kind_of(mine.name) == kind_of(their.name):
            ours, theirs = self.region.unequal(mine, their)
            if not ours and not theirs and not are_same(mine, their):
                yield Found("differs", mine, their)
            if ours and theirs and are_same(mine, their):
                yield from self.within(ours[0], theirs[0], mine, their)
        yield from self.of_twins(x, y, one, other)
        if mine is not None and their is not None and self.placing.is_named_there(x, y, one, other):
            yield Found("value", mine, their, taken=(x, y))
        yield Found("value", one, other, taken=(x, y))

    def within(self, x: Value, y: Value, mine: Node, their: Node) -> Iterator[Found]:
        """What differs on the way to two values that these operators take for each other."""
        if self.deep < DEEPEST:
            yield from self.behind(x, y, mine, their).found()

    def behind(self, x: Value, y: Value, mine: Node, their: Node) -> Search:
        region = Region(self.region.equality, (x.digest, y.digest))
        return Search(region, (mine, their), self.deep + 1)

    def lacking(self, mine: Node | None, y: Value, other: Node) -> Iterator[Found]:
        """B does without the operator, unless it has one in its place that does nothing here."""
        if mine is None:
            return
        yield from self.of_repeated(mine)
        yield from self.of_recomputed(0, mine, y, other)
        twin = self.placing.twin(mine, 1, y, other.number)
        if twin is not None:
            yield Found("differs", mine, twin)
        yield Found("missing", mine, None, self.placing.nearest(mine, 1, y, other))

    def of_twins(self, x: Value, y: Value, one: Node, other: Node) -> Iterator[Found]:
        """Where different operators give the values: one side has that of the other side's, too,
        which does nothing there."""
        mine, their = self.graphs[0].giver(x, one), self.graphs[1].giver(y, other)
        if mine is None or their is None or kind_of(mine.name) == kind_of(their.name):
            return
        yield from self.of_other_inputs(0, mine, y, other)
        yield from self.of_other_inputs(1, their, x, one)

    def of_other_inputs(self, side: int, node: Node, value: Value, taker: Node) -> Iterator[Found]:
        """The other side than the node's has the operator too, and it gives the value, as it takes
        another one: a sum of zeros, a product by ones."""
        for twin in reversed(self.graphs[1 - side].nodes[: taker.number]):
            gives = value.digest in {v.digest for v in twin.outputs}
            if not gives or kind_of(twin.name) != kind_of(node.name) or self.deep >= DEEPEST:
                continue
            if self.placing.has_another(side, node, twin):
                continue
            mine, their = (twin, node) if side else (node, twin)
            ours, theirs = self.region.unequal(mine, their)
            shares = len(ours) < len(mine.inputs)
            if len(ours) != len(theirs) or not (shares or are_twins(mine, their)):
                continue
            for x, y in zip(ours, theirs, strict=True):
                yield from self.of_input(side, (x, y), mine, their)

    def of_input(
        self, side: int, taken: tuple[Value, Value], mine: Node, their: Node
    ) -> Iterator[Found]:
        """What two operators of one kind take for each other, one of which does nothing; `side`:
        that of the other one."""
        equality = self.region.equality
        known = (equality.partners, equality.partners_of_theirs)[side]
        inner = self.behind(*taken, mine, their)
        yield from inner.of_idle(*taken, (mine, their))
        if taken[side].digest in known:
            yield from inner.of_known(*taken, mine, their)
            return
        yield from inner.found()
        yield Found("value", mine, their, taken=taken)

    def added(self, their: Node | None, x: Value, one: Node) -> Iterator[Found]:
        if their is None:
            return
        yield from self.of_recomputed(1, their, x, one)
        twin = self.placing.twin(their, 0, x, one.number)
        if twin is not None:
            yield Found("differs", twin, their)
        yield Found("extra", None, their, self.placing.nearest(their, 0, x, one))

    def first(self, last: Node | None, among: list[Node]) -> Node | None:
        """Of operators that follow each other the first that only one side has, in the function
        in which the last one stands."""
        own = None if last is None else last.line.function
        found = last
        while last is not None:
            is_named = found is not None and kind_of(found.name) not in MOVING
            if last.line.function == own or (not is_named and kind_of(last.name) not in MOVING):
                found, own = last, last.line.function
            digests = {value.digest for value in last.inputs}
            before = [
                node
                for node in among
                if node.inputs and node != last and digests & {v.digest for v in node.outputs}
            ]
            last = before[0] if before else None
        return found


def takings(graph: Graph, digests: Set[str]) -> int:
    """How often values are taken."""
    return sum(value.digest in digests for node in graph.nodes for value in node.inputs)


def is_shared(node: Node | None, known: Mapping[str, Sequence[str]]) -> bool:
    """Whether the other side has something of what a layer gives: so it calls that, too."""
    return node is not None and any(value.digest in known for value in node.outputs)


def is_moved(node: Node | None, moved: Node | None) -> bool:
    """Whether the second one only moves what it is given, and the first computes."""
    if node is None or moved is None or not moved.inputs:
        return False
    return kind_of(moved.name) in LAYOUT and kind_of(node.name) not in LAYOUT


def are_twins(one: Node, other: Node) -> bool:
    """Whether two operators of one kind are on lines that are alike; a node of a file has none, so
    that their numbers say it."""
    if one.line.number and other.line.number:
        return likeness(one.line, other.line) >= ALIKE
    return same_numbers(one, other) > 0


def are_of_kind(pair: Pair, kind: str) -> bool:
    return all(node is not None and plain_kind(node.name) == kind for node in pair)


def numbers_of(node: Node) -> list[int | float]:
    """The arguments that are numbers by themselves."""
    values = node.arguments.values()
    return [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]


def are_same(one: Node, other: Node) -> bool:
    """Whether two operators are the same function with the same options."""
    if kind_of(one.name) != kind_of(other.name):
        return False
    told = [tuple(str(v) for v in node.arguments.values() if is_option(v)) for node in (one, other)]
    return told[0] == told[1] or kind_of(one.name) in (*LAYOUT, "split", "unbind")


def is_option(value: Any) -> bool:
    """Whether an argument is no tensor, and none that one framework has and the other has not."""
    return value is not None and value is not False and not str(value).startswith("#")
