"""A block's operators as a data-flow graph: what each takes, and who has given it."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...sides.child.messages import CALLED, GIVEN, RESULT, Block, Line, Value, unmarked
from ...sides.child.sketch import NUMBERS, PROJECTIONS
from ...sides.child.store import Views
from ..records import Array, SideName
from .kinds import VIEWS, kind_of

MASKED = 1e3
DEEPEST = 8
SAME = (*VIEWS, "cast", "transpose", "getitem")
"""What changes shape and type, and no number; or takes a part."""

MAKING = (
    *("full_like", "zeros_like", "ones_like", "newzeros", "newones", "newfull", "emptylike"),
    *("shape", "size"),
)
"""What takes a tensor for its shape only."""

NO_OPERATORS = (GIVEN, CALLED, RESULT)


@dataclass(frozen=True)
class Node:
    """An operator, or a layer that the block calls; `number` is its place in the order of time.

    `arguments`: as `sides.child.messages.Operator` has them. `place`: of a node of ONNX its name,
    of a layer its path; `index`: which of its calls. `is_part`: whether it is a step of
    the function that the line calls.
    """

    number: int
    name: str
    arguments: dict[str, Any]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    line: Line
    place: str = ""
    index: int = 0
    is_part: bool = False

    @property
    def is_operator(self) -> bool:
        return self.name not in NO_OPERATORS

    @property
    def is_idle(self) -> bool:
        """Whether it gives nothing but what it was given."""
        taken = {value.digest for value in self.inputs}
        return all(value.digest in taken for value in self.outputs)


@dataclass(frozen=True)
class Graph:
    """The nodes of one side, in order; `names`: parameters by the digests of their values.

    `made`: values that were computed here, by their digests. `constants`: what an ONNX file has as
    numbers, of which nobody knows what they were computed of.
    """

    side: SideName
    nodes: tuple[Node, ...]
    sketches: Array = field(repr=False)
    names: dict[str, str]
    views: Views = field(repr=False, default_factory=Views)
    made: dict[str, Array] = field(repr=False, default_factory=dict)
    constants: dict[str, Value] = field(default_factory=dict)

    @cached_property
    def givers(self) -> dict[str, Node]:
        """The operator that first gives each value."""
        found: dict[str, Node] = {}
        for node in self.nodes:
            for value in node.outputs if node.is_operator and not node.is_idle else ():
                found.setdefault(value.digest, node)
        return found

    @cached_property
    def all_givers(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            for value in node.outputs if node.is_operator and not node.is_idle else ():
                found.setdefault(value.digest, []).append(node)
        return found

    def giver(self, value: Value, taker: Node) -> Node | None:
        """Who has given a value by then: of several that give the same the one on the taker's line;
        the last node of a file is its own taker."""
        own = (taker.line.file, taker.line.number)
        for node in reversed(self.all_givers.get(value.digest, ())):
            is_there = (node.line.file, node.line.number) == own
            if is_there and own[1] and node.number < taker.number:
                return node
        first = self.givers.get(value.digest)
        return first if first is None or first.number <= taker.number else None

    @cached_property
    def callers(self) -> dict[str, Node]:
        """The call of a layer that first gives each value that no operator gives."""
        found: dict[str, Node] = {}
        for node in self.nodes:
            for value in node.outputs if node.name == CALLED else ():
                found.setdefault(value.digest, node)
        return {digest: node for digest, node in found.items() if digest not in self.givers}

    @cached_property
    def values(self) -> dict[str, Value]:
        """Every distinct value, in the order of time."""
        found: dict[str, Value] = {}
        for node in self.nodes:
            for value in (*node.inputs, *node.outputs):
                found.setdefault(value.digest, value)
        return found

    def as_here(self, digest: str) -> str | None:
        """A digest as the block has it: of plain values the last one; None if there is none."""
        if digest in self.values:
            return digest
        marked = [own for own, value in self.values.items() if unmarked(value) == digest]
        return marked[-1] if marked else None

    def is_made(self, value: Value) -> bool:
        """Whether it follows from nothing that the block is given: of constants, or outside."""
        return self.follows_from(value, self.constants.keys())

    def is_fixed(self, value: Value) -> bool:
        """Whether it follows from constants and weights, whatever the inputs are."""
        return self.follows_from(value, self.constants.keys() | self.names.keys())

    def follows_from(self, value: Value, sources: Set[str]) -> bool:
        """Whether nothing that the block is given or its layers give leads there but these."""
        waiting, seen = [value], set[str]()
        while waiting:
            value = waiting.pop()
            node = self.givers.get(value.digest)
            if value.digest in seen or (node is not None and kind_of(node.name) in MAKING):
                continue
            seen.add(value.digest)
            if node is None and value.digest in self.labels and value.digest not in sources:
                return False
            waiting += [] if node is None else node.inputs
        return True

    def idle(self, value: Value) -> Iterator[Node]:
        """Operators of several tensors that give it as they were given it."""
        for node in self.nodes:
            given = {x.digest for x in node.outputs}
            is_choice = node.is_operator and node.is_idle and len(node.inputs) > 1
            if is_choice and value.digest in given:
                yield node

    def root(self, value: Value) -> str:
        """The kind of what a value comes from, whatever its shape and type are; "" if it is given,
        or made of nothing."""
        for _ in range(DEEPEST):
            node = self.givers.get(value.digest)
            if node is None:
                return ""
            kind = kind_of(node.name)
            if not node.inputs or kind in MAKING:
                return ""
            if kind not in SAME:
                return kind
            value = node.inputs[0]
        return ""

    @cached_property
    def labels(self) -> dict[str, str]:
        """What values are that no operator gives: parameters, inputs, what layers give."""
        found: dict[str, str] = dict(self.names)
        for node in self.nodes:
            if node.name == GIVEN:
                several = len(node.outputs) > 1
                for i, value in enumerate(node.outputs):
                    found.setdefault(value.digest, f"input {i + 1}" if several else "the input")
            elif node.name == CALLED:
                for value in node.outputs:
                    found.setdefault(value.digest, f"what {node.place} gives")
        return found

    def array(self, value: Value) -> Array | None:
        """None where only its sketch was kept."""
        if value.stored is None:
            return self.made.get(value.digest)
        return self.views.array(value.stored)

    def number(self, number: float) -> Value | None:
        """A constant of the file that is this number; None if it has none."""
        held = self.constants.keys() if isinstance(number, (int, float)) else ()
        for digest in held:
            if self.made[digest].size == 1 and self.made[digest].item() == number:
                return self.constants[digest]
        return None

    def is_masked(self, value: Value) -> bool:
        """Whether it may be scores of which some are masked."""
        found = dict(zip(NUMBERS, self.sketches[value.row], strict=False))
        return bool(found["infinite"] or found["minimum"] < -MASKED)

    def projections(self, value: Value) -> Array:
        found: Array = self.sketches[value.row, -PROJECTIONS:]
        return found


def of_block(side: SideName, block: Block) -> Graph:
    nodes = tuple(
        Node(i, one.name, one.arguments, one.inputs, one.outputs, one.line, one.layer, one.index)
        for i, one in enumerate(block.operators)
    )
    return Graph(side, nodes, block.sketches, block.parameters)
