"""Where on the other side an operator would stand, and which of several it answers to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...sides.child.messages import Line, Value
from .difference import OperatorVerdict
from .graph import Graph, Node
from .kinds import LAYOUT, are_related, kind_of
from .regions import BLOCKS, Region, alike, closeness, likeness
from .statements import idle_statement

INDEX = re.compile(r"\[(-?\d+)\]")
"""Of two values of a list the line says by the index which it takes."""

MOVING = (*LAYOUT, "getitem")
SAME = 0.9
"""So much alike are lines that say the same in both frameworks."""

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


@dataclass(frozen=True)
class Placing:
    """The lines of both sides, and which of them answer to each other."""

    region: Region

    @property
    def graphs(self) -> tuple[Graph, Graph]:
        return self.region.graphs

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
        are_indices = [sorted(INDEX.findall(text)) for text in texts]
        return is_one_line and alike(*texts) >= ALIKE and are_indices[0] == are_indices[1]

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

    def has_another(self, side: int, node: Node, twin: Node) -> bool:
        """Whether a node's own side has another one to which an operator of the other side
        answers: of its kind, that takes the same and gives the same, on a line as much like its."""
        like = likeness(node.line, twin.line)
        for other in self.givers(side, twin):
            pair = (twin, other) if side else (other, twin)
            is_same = other != node and kind_of(other.name) == kind_of(twin.name)
            ours, theirs = self.region.unequal(*pair)
            if is_same and not ours and not theirs:
                return likeness(other.line, twin.line) >= like
        return False

    def givers(self, side: int, twin: Node) -> Iterator[Node]:
        """The nodes of a side that give what an operator of the other side gives."""
        equality = self.region.equality
        known = equality.partners if side else equality.partners_of_theirs
        for value in twin.outputs:
            for digest in known.get(value.digest, ()):
                yield from self.graphs[side].all_givers.get(digest, ())

    def is_answered(self, line: Line) -> bool:
        """Whether one of B's gives what a line of A's has given."""
        return any(pair[0] == (line.file, line.number) for pair in self.answers)

    def across(self, node: Node, side: int, otherwise: Node) -> Node:
        """Of the other side's that give or take what a node takes the one on the likest line."""
        known = (self.region.equality.partners_of_theirs, self.region.equality.partners)[side]
        equal = {digest for value in node.inputs for digest in known.get(value.digest, ())}
        found = [
            one
            for one in self.graphs[side].nodes
            if one.line.number and equal & {v.digest for v in (*one.inputs, *one.outputs)}
        ]
        return max(found, key=lambda one: closeness(node.line, one.line), default=otherwise)

    def nearest(self, node: Node, side: int, value: Value, taker: Node) -> Node:
        """Where on the other side the operator would stand: of who gives and who takes the value,
        and those that called them, the line that is most like its own, or answers to it."""
        graph = self.graphs[side]
        same = self.region.equality.same(side, value.digest)
        givers = [one for one in graph.nodes if same & {v.digest for v in one.outputs}]
        for one in givers:  # what only moves, on the line of who takes it, says nothing of its own
            is_step = one.is_part or one.line.number == taker.line.number
            if is_step and one.is_operator and kind_of(one.name) in MOVING and one.inputs:
                moved = one.inputs[0].digest
                before = graph.nodes[: one.number]
                givers += [x for x in before if moved in {v.digest for v in x.outputs}]
        if not node.line.number and taker.line.number:  # of an ONNX file
            shared = self.shared_giver(node, side, givers, taker)
            return self.at_call(self.idle_before(node, side, givers, shared), side)
        if node.is_part:  # whose line says nothing of its own
            own = graph.givers.get(value.digest)
            return taker if taker.is_operator or own is None else own
        if self.is_taken_before(node, 1 - side):
            givers = []
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

    def is_taken_before(self, node: Node, side: int) -> bool:
        """Whether another line takes what a node takes before it does, as in a round of a loop: so
        the node stands behind that, and not where its value was given."""
        graph = self.graphs[side]
        for value in node.inputs[:1]:
            giver = graph.giver(value, node)
            if giver is None:
                continue
            own = {giver.line.number, node.line.number}
            for other in graph.nodes[giver.number + 1 : node.number]:
                is_there = value.digest in {x.digest for x in other.inputs}
                every = (other.line, *other.line.callers)
                is_near = node.line.function in {line.function for line in every}
                lines = {line.number for line in every}
                if is_there and other.is_operator and is_near and not own & lines:
                    return True
        return False

    def idle_before(self, node: Node, side: int, givers: list[Node], taker: Node) -> Node:
        """Of what gives a value as it was given it, the last one that goes on behind the node on
        the node's side; else who takes it."""
        given = {value.digest for value in node.outputs}
        nodes = self.graphs[1 - side].nodes
        kinds = {kind_of(x.name) for x in nodes if given & {v.digest for v in x.inputs}}
        idle = [
            one
            for one in givers
            if one.is_operator and one.is_idle and one.number < taker.number
            if kind_of(one.name) in kinds
        ]
        return idle[-1] if idle else taker

    def at_call(self, near: Node, side: int) -> Node:
        """What goes on in a function that does what it should in another call, at its own call: it
        is given something else there."""
        known = (self.region.equality.partners, self.region.equality.partners_of_theirs)[side]
        right = {
            (x.line.file, x.line.number, x.name)
            for x in self.graphs[side].nodes
            if x.line.callers and x.outputs and all(v.digest in known for v in x.outputs)
        }
        while near.line.callers and (near.line.file, near.line.number, near.name) in right:
            near = outer(near)
        return near

    def shared_giver(self, node: Node, side: int, givers: list[Node], taker: Node) -> Node:
        """Who gives a value that several lines take, if on the node's side all of these take what
        the node gives: so it stands where the value gets its name; else the taker."""
        nodes = self.graphs[1 - side].nodes
        before = [x for x in nodes if takes(x, node.inputs[:1])]
        same = {digest for one in givers for digest in (v.digest for v in one.outputs)}
        after = {
            x.line.number
            for x in self.graphs[side].nodes
            if x.line.number and same & {v.digest for v in x.inputs}
        }
        own = [x for x in givers if x.is_operator and x.line.number and not x.is_idle]
        own = [x for x in own if x.number < taker.number]
        lines = after - {x.line.number for x in own}
        return own[-1] if own and len(before) == 1 and len(lines) > 1 else taker

    def like(self, node: Node, other: Node, side: int) -> float:
        """How likely a node of one side stands where one of the other, `side`, does."""
        return closeness(node.line, other.line) + self.bonus(side, other.line, node.line)

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

    def made(self, side: int, value: Value, taker: Node) -> Node:
        """Who has computed a value that follows from no input: else who takes it."""
        graph = self.graphs[side]
        node = graph.givers.get(value.digest)
        while node is not None and node.inputs and kind_of(node.name) in MOVING:
            node = graph.givers.get(node.inputs[0].digest)
        return node or taker

    def unanswered(self, mine: Node, ours: list[Node]) -> Iterator[Found]:
        """What A does before on a line that answers to none of B's, where its own line does: so B
        comes to that line, too, without what is done before, as in another round of a loop."""
        if not self.is_answered(mine.line):
            return
        for node in before(mine, ours):
            if not self.is_answered(node.line):
                near = self.across(node, 1, node)
                if near is not node:  # B has something of what it takes
                    yield Found("missing", node, None, near)
                return

    def handed(self, found: Found) -> Found:
        """Where both sides take another value in a function that reads the same, and has it as an
        argument: the lines that call it."""
        one, other = found.one, found.other
        while one is not None and other is not None and found.taken is not None:
            takers = zip(self.graphs, found.taken, (one, other), strict=True)
            is_own = any(is_made_in(graph, value, taker.line) for graph, value, taker in takers)
            is_same = alike(one.line.text, other.line.text) >= SAME
            if is_own or not is_same or not (one.line.callers and other.line.callers):
                break
            one, other = outer(one), outer(other)
        return replace(found, one=one, other=other)

    def likeliest(self, one: Node, other: Node) -> Node:
        """Of the operators of B's that give the same of the same the one on the likest line."""
        given = {value.digest for value in other.inputs}
        found = [
            node
            for value in other.outputs
            for node in self.graphs[1].all_givers.get(value.digest, ())
            if node.name == other.name and {v.digest for v in node.inputs} == given
            if node.line.function == other.line.function
        ]
        return max((other, *found), key=lambda node: closeness(one.line, node.line))


def stated(graph: Graph, node: Node, near: Node) -> Node:
    """What goes on with a node's value on the other side, at the statement that answers to the
    node's own: at one that computes nothing, if there is such a one."""
    line = None if node.is_part or not node.line.number else idle_statement(graph, node)
    return outward(near, node) if line is None else at_line(near, line)


def takes(node: Node, values: Sequence[Value]) -> bool:
    return bool({v.digest for v in values} & {v.digest for v in node.inputs})


def outward(near: Node, node: Node) -> Node:
    """Where a node of the other side would stand: in the function that answers to its own, where
    that has called what goes on. A step of a function that one side calls as a whole has none."""
    if node.is_part:
        return near
    own = BLOCKS.get(node.line.function, node.line.function)
    for line in (near.line, *near.line.callers):
        if BLOCKS.get(line.function, line.function) == own and own:
            return at_line(near, line)
    return near


def before(last: Node, among: list[Node]) -> list[Node]:
    """Those of the nodes that a node follows from, the nearest first."""
    found: list[Node] = []
    waiting = {value.digest for value in last.inputs}
    for node in sorted(among, key=lambda node: -node.number):
        if node.number < last.number and waiting & {value.digest for value in node.outputs}:
            found.append(node)
            waiting |= {value.digest for value in node.inputs}
    return found


def is_made_in(graph: Graph, value: Value, line: Line) -> bool:
    """Whether a value comes from the function of a line, or from what that calls; a part of what
    it is given is no such."""
    node = graph.givers.get(value.digest)
    while node is not None and node.inputs and kind_of(node.name) in MOVING:
        node = graph.givers.get(node.inputs[0].digest)
    if node is None:
        return False
    return line.function in (node.line.function, *(one.function for one in node.line.callers))


def outer(node: Node) -> Node:
    """The node at the line that called the function in which it stands."""
    first, *rest = node.line.callers
    return at_line(node, replace(first, callers=tuple(rest)))


def at_line(node: Node, line: Line) -> Node:

    return replace(node, line=line)


def callers_of(nodes: Sequence[Node]) -> Iterator[Node]:
    """The nodes at their own lines, and at those that called them."""
    for node in nodes:
        yield from (at_line(node, line) for line in (node.line, *node.line.callers))
