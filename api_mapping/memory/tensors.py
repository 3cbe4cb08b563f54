"""What a name may be: a tensor object, by the memory that PyTorch's tensors share."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class How(StrEnum):
    """How a view is made of another tensor; MindSpore's are copies.

    INDEX    `y[0]`: MindSpore writes to y what is set by an index of the result
    ROW      `for row in y`: the same, without an expression for the place
    GIVEN    such a part that a function returns
    ORDER    `y.view(-1)`: all elements, in the same order
    PART     one of the tensors of `y.chunk(2)`: none of them overlap
    OTHER    whatever else: `y.t()`
    """

    INDEX = "index"
    ROW = "row"
    GIVEN = "given"
    ORDER = "order"
    PART = "part"
    OTHER = "other"


LINKED = frozenset({How.INDEX, How.ROW, How.GIVEN})


class Memory(NamedTuple):
    """Memory of PyTorch's: `origin` is "made", "parameter" or "outside".

    `key` is the expression that makes it, the parameter's name, or how the code calls it.
    """

    origin: str
    key: ast.AST | str
    is_older: bool = False
    """Whether it was made by an earlier round of a loop."""


class Cut(NamedTuple):
    """How a view was made: by which expression; `place` counts parts and rows.

    `versions` are those that the names in the expression had.
    """

    how: How
    node: ast.expr
    place: int | None = None
    versions: tuple[tuple[str, int], ...] = ()


class Held(NamedTuple):
    """One tensor object: the whole of a memory, or what was cut from `parent`."""

    memory: Memory
    parent: Held | None = None
    cut: Cut | None = None

    def cut_by(self, cut: Cut) -> Held:
        if self.depth >= MAX_DEPTH:
            return Held(self.memory, self.root, Cut(How.OTHER, cut.node))
        return Held(self.memory, self, cut)

    @property
    def depth(self) -> int:
        return len(self.line)

    @property
    def root(self) -> Held:
        return self.line[0]

    @property
    def line(self) -> list[Held]:
        """From the whole of the memory to this object."""
        found = [self]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found[::-1]

    @property
    def how(self) -> How | None:
        """How it was cut from the whole of the memory, None if it is that."""
        hows = [held.cut.how for held in self.line if held.cut is not None]
        if not hows:
            return None
        return How.GIVEN if all(how in LINKED for how in hows) else How.OTHER

    def in_memory(self, memory: Memory) -> Held:
        """The same cut of another memory."""
        if self.parent is None:
            return Held(memory)
        return Held(memory, self.parent.in_memory(memory), self.cut)


MAX_DEPTH = 5
"""Views of views further than this are only known to share memory."""

Helds = frozenset[Held]
NOTHING: Helds = frozenset()


def are_apart(a: Held, b: Held) -> bool:
    """Whether two objects of one memory have no element in common, for certain."""
    for one, other in zip(a.line, b.line, strict=False):
        if one != other:
            return (
                one.cut is not None and other.cut is not None and are_cuts_apart(one.cut, other.cut)
            )
    return False


def are_cuts_apart(a: Cut, b: Cut) -> bool:
    """Whether two cuts of the same tensor have no element in common."""
    if a.how is not b.how:
        return False
    if a.how is How.INDEX:
        return any(are_places_apart(*pair, a, b) for pair in places(a.node, b.node))
    is_counted = a.how in (How.PART, How.ROW) and a.node is b.node
    return is_counted and a.place is not None and a.place != b.place


def places(a: ast.expr, b: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The places along the same axes in two indices."""
    assert isinstance(a, ast.Subscript)
    assert isinstance(b, ast.Subscript)
    here, there = parts(a.slice), parts(b.slice)
    for one, other in zip(here, there, strict=False):
        yield one, other
        are_alike = is_open(one) == is_open(other)
        if not are_alike or (is_open(one) and len(here) != len(there)):
            return  # the places behind are along other axes


def parts(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def is_open(place: ast.expr) -> bool:
    """Whether it stands for no axis, or for several."""
    return isinstance(place, ast.Constant) and place.value in (None, ...)


def are_places_apart(a: ast.expr, b: ast.expr, first: Cut, second: Cut) -> bool:
    """Whether two places along one axis have nothing in common."""
    numbers = number_of(a), number_of(b)
    if None not in numbers:
        return numbers[0] != numbers[1] and (numbers[0] < 0) == (numbers[1] < 0)  # type: ignore[operator]
    if not isinstance(a, ast.Slice) or not isinstance(b, ast.Slice) or a.step or b.step:
        return False
    known = dict(first.versions), dict(second.versions)
    return any(
        end is not None and start is not None and is_same(end, start, *known)
        for end, start in ((a.upper, b.lower), (b.upper, a.lower))
    )


def number_of(node: ast.expr) -> int | None:
    """The number that is written out, None if it is something else."""
    is_negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    value = node.operand if is_negative else node  # type: ignore[attr-defined]
    if not isinstance(value, ast.Constant) or type(value.value) is not int:
        return None
    return -value.value if is_negative else value.value


def is_same(a: ast.expr, b: ast.expr, here: dict[str, int], there: dict[str, int]) -> bool:
    """Whether two expressions of names and numbers have the same value."""
    if ast.dump(a) != ast.dump(b):
        return False
    names = [node.id for node in ast.walk(a) if isinstance(node, ast.Name)]
    return all(here.get(name) == there.get(name) for name in names)
