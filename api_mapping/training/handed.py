"""What functions are handed from elsewhere: values that were computed with weights already."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from .blocks import Block, Scope, blocks_of
from .methods import owner_of

if TYPE_CHECKING:
    from .weights import Weights

HOLDING = ast.stmt | ast.excepthandler | ast.match_case
"""What may be in a compound statement."""

MAKER = "__init__"
DEPTH = 6
"""Callers that are looked into one from another."""


@dataclass(frozen=True)
class Caller:
    """A call of a function of the file, and where its statement stands."""

    block: Block
    place: int
    call: ast.Call
    is_bound: bool

    def given(self, function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
        """The parameters with what they are given, up to a starred argument."""
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)][self.is_bound :]
        for name, value in zip(names, self.call.args, strict=False):
            if isinstance(value, ast.Starred):
                break
            yield name, value
        yield from ((k.arg, k.value) for k in self.call.keywords if k.arg is not None)


@dataclass(frozen=True)
class Handed:
    """Follows the weights into the functions of a file."""

    weights: Weights
    known: dict[int, set[str]] = field(default_factory=dict)
    waiting: list[Scope] = field(default_factory=list)
    """The functions whose callers are looked into."""

    def to(self, scope: Scope) -> set[str]:
        """The parameters that some call of the file gives what carries gradients."""
        if not isinstance(scope, ast.FunctionDef) or scope in self.waiting:
            return set()
        if id(scope) not in self.known and len(self.waiting) < DEPTH:
            self.waiting.append(scope)
            self.known[id(scope)] = set(self.found(scope))
            self.waiting.pop()
        return self.known.get(id(scope), set())

    def found(self, function: ast.FunctionDef) -> Iterator[str]:
        for caller in self.callers.get((function.name, function.lineno), ()):
            carried = self.weights.carried_before(caller.block, caller.place)
            for name, value in caller.given(function):
                is_own = self.weights.is_parameter(value) or self.weights.is_network(value)
                if not is_own and self.weights.reach(value, carried):
                    yield name

    @cached_property
    def callers(self) -> Mapping[tuple[str, int], list[Caller]]:
        """The calls of the functions of the file, by their names and lines."""
        found = defaultdict(list)
        analysis = self.weights.analysis
        blocks = blocks_of(analysis.tree)
        places = ((b, place, s) for b in blocks for place, s in enumerate(b.statements))
        calls = ((b, place, call) for b, place, s in places for call in calls_in(s))
        for block, place, call in calls:
            kind = analysis.kind_of(call.func)
            if kind.tag in ("function", "bound"):
                key = kind.target.name, kind.target.node.lineno
                found[key].append(Caller(block, place, call, kind.tag == "bound"))
        return found

    def kept(self, block: Block, names: set[str]) -> set[str]:
        """Those attributes of the instance that other methods leave with gradients."""
        scope, cls = block.scope, block.cls
        if cls is None or not isinstance(scope, ast.FunctionDef):
            return set()
        owner = f"{owner_of(scope)}."
        wanted = {name for name in names if name.startswith(owner)}
        others = [n for n in cls.body if isinstance(n, ast.FunctionDef) and n is not scope]
        found: set[str] = set()
        for method in others if wanted else ():
            if method.name != MAKER and owner_of(method) == owner[:-1]:
                found |= self.weights.carried_in(method, self.to(method)) & wanted
        return found


def calls_in(statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls in a statement, but for those in the statements that it holds."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, HOLDING):
            yield from (node for node in ast.walk(child) if isinstance(node, ast.Call))
