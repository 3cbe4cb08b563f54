"""Between values that agree and the first one that does not: the operators in question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property

import numpy as np

from ...sides.child.messages import Line, Value
from ..matching.sequence import best_pairs
from ..records import Array
from .equality import Equality
from .graph import Graph, Node
from .kinds import LAYOUT, are_related, kind_of, plain_kind

MOST = 150
"""So many operators of a region are aligned, the last ones."""

MODULES = re.compile(r"\b(torch|F|ops|mint|ms|nn|functional|np)\.")
TARGET = re.compile(r"\s*([\w., ]+?)\s*[-+*/@]?=(?!=)")
"""What a statement sets."""

BLOCKS = {"construct": "forward"}

Pair = tuple[Node | None, Node | None]


@dataclass(frozen=True)
class Region:
    """The operators on each side from which a value follows that differs, in order.

    They begin where both sides have equal values. `target`: the value's digest on each side.
    """

    equality: Equality
    target: tuple[str, str]

    @cached_property
    def ours(self) -> tuple[Node, ...]:
        known = set(self.equality.partners) - self.given_alike
        return behind(self.equality.ours, self.target[0], known)

    @cached_property
    def theirs(self) -> tuple[Node, ...]:
        known = set(self.equality.partners_of_theirs) - self.given_alike
        return behind(self.equality.theirs, self.target[1], known)

    @cached_property
    def given_alike(self) -> set[str]:
        """The targets, if the same kind of operator gives both: that the one is equal to some
        other value of the other side's is by accident, unless that comes from a line that is more
        like its own."""
        one, other = (
            graph.givers.get(digest) for graph, digest in zip(self.graphs, self.target, strict=True)
        )
        if one is None or other is None or kind_of(one.name) != kind_of(other.name):
            return set()
        equal = (self.equality.partners, self.equality.partners_of_theirs)
        like = likeness(one.line, other.line)
        return {
            target
            for side, (target, giver) in enumerate(zip(self.target, (one, other), strict=True))
            if all(
                twin is None
                or kind_of(twin.name) != kind_of(giver.name)
                or likeness(twin.line, giver.line) <= like
                for twin in map(self.graphs[1 - side].givers.get, equal[side].get(target, ()))
            )
        }

    @property
    def graphs(self) -> tuple[Graph, Graph]:
        return self.equality.ours, self.equality.theirs

    def agree(self, one: Value, other: Value) -> bool:
        return other.digest in self.equality.partners.get(one.digest, ())

    def takes_equal(self, one: Node, other: Node) -> bool:
        """Whether both take the same values, in whatever order; of one function, one may lack
        some."""
        ours, theirs = self.unequal(one, other)
        if plain_kind(one.name) != plain_kind(other.name) and (ours or theirs):
            return False
        made = self.equality.ours.givers, self.equality.theirs.givers
        is_known = [
            value.digest not in makers or value.digest in equal
            for values, makers, equal in zip(
                (ours, theirs),
                made,
                (self.equality.partners, self.equality.partners_of_theirs),
                strict=True,
            )
            for value in values
        ]
        return not (ours and theirs) and all(is_known)

    def unequal(self, one: Node, other: Node) -> tuple[list[Value], list[Value]]:
        """What each of two operators takes that the other does not, in order.

        What the one takes twice, the other must take twice.
        """
        theirs = list(other.inputs)
        ours = []
        for x in one.inputs:
            twin = next((y for y in theirs if self.agree(x, y)), None)
            if twin is None:
                ours.append(x)
            else:
                theirs.remove(twin)
        return ours, theirs

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The operators of both sides, aligned, in order; None where one side has none."""
        chosen = best_pairs(self.scores)
        found: list[Pair] = []
        i = j = 0
        for one, other in (*chosen, (len(self.ours), len(self.theirs))):
            found += [(node, None) for node in self.ours[i:one]]
            found += [(None, node) for node in self.theirs[j:other]]
            if one < len(self.ours):
                found.append((self.ours[one], self.theirs[other]))
            i, j = one + 1, other + 1
        return tuple(found)

    @cached_property
    def scores(self) -> Array:
        """Shapes: (operators of A's, of B's)"""
        rows = [[self.score(one, other) for other in self.theirs] for one in self.ours]
        return np.array(rows, float).reshape(len(self.ours), len(self.theirs))

    def score(self, one: Node, other: Node) -> float:
        """How likely two operators are the same one of the source."""
        kinds = plain_kind(one.name), plain_kind(other.name)
        equal = sum(any(self.agree(x, y) for y in other.inputs) for x in one.inputs)
        share = equal / max(len(one.inputs), len(other.inputs), 1)
        shapes = [tuple(value.shape for value in node.outputs) for node in (one, other)]
        alike = 1.0 if shapes[0] == shapes[1] else 0.0
        alike += likeness(one.line, other.line) + same_numbers(one, other)
        if kinds[0] == kinds[1]:
            return 2.0 + 2.0 * share + alike
        if are_related(*kinds):
            return 1.0 + share + alike if share or alike else 0.0
        if (kinds[0] in LAYOUT) != (kinds[1] in LAYOUT):
            return 0.0
        return 0.5 if share == 1 and alike else 0.0


def same_numbers(one: Node, other: Node) -> float:
    """1 where both take the same numbers, and some."""
    found = [
        sorted(float(v) for v in node.arguments.values() if type(v) in (int, float))
        for node in (one, other)
    ]
    return 1.0 if found[0] and found[0] == found[1] else 0.0


def likeness(one: Line, other: Line) -> float:
    """How much alike two lines are, from 0 to 1: their functions, then their texts."""
    names = [BLOCKS.get(line.function, line.function) for line in (one, other)]
    same = 0.5 if names[0] == names[1] else 0.0
    texts = [(one.expression or one.text, other.expression or other.text), (one.text, other.text)]
    return same + sum(0.25 * alike(x, y) for x, y in texts)


def closeness(one: Line, other: Line) -> float:
    """Which of several lines is the one that another was made of: likeness, and what they set."""
    names = [TARGET.match(line.text) for line in (one, other)]
    same = names[0] is not None and names[1] is not None and names[0][1] == names[1][1]
    return likeness(one, other) + (0.25 if same else 0.0)


@cache
def alike(one: str, other: str) -> float:
    """How much of two texts is the same, the names of frameworks' modules aside."""
    texts = [MODULES.sub("", text) for text in (one, other)]
    return float(SequenceMatcher(None, texts[0], texts[1], autojunk=False).ratio())


def behind(graph: Graph, target: str, known: set[str]) -> tuple[Node, ...]:
    """The operators that a value follows from, up to values that are known."""
    found: dict[int, Node] = {}
    waiting = [target]
    while waiting:
        digest = waiting.pop()
        node = graph.givers.get(digest)
        if node is None or node.number in found or digest in known:
            continue
        found[node.number] = node
        waiting += [value.digest for value in node.inputs]
    return tuple(found[number] for number in sorted(found))[-MOST:]
