"""Which names are read behind each statement of a scope."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..syntax.walk import all_in, of_types

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LEAVING = (ast.Return, ast.Raise)
NAMING = frozenset({ast.Name, ast.comprehension})
NO_NAMES: frozenset[str] = frozenset()


@dataclass
class Liveness:
    """The names that are read behind statements, by the statements' ids."""

    behind: dict[int, frozenset[str]] = field(default_factory=dict)
    exits: list[tuple[frozenset[str], frozenset[str]]] = field(default_factory=list)
    """For the loops around: what is read behind them, and in their next round."""
    touched: dict[int, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)
    """What statements and expressions read and bind, by their ids: loops are gone through twice."""

    @classmethod
    def of(cls, body: Sequence[ast.stmt], at_the_end: frozenset[str] = NO_NAMES) -> Liveness:
        found = cls()
        found.block(body, at_the_end)
        return found

    def block(self, body: Iterable[ast.stmt], after: frozenset[str]) -> frozenset[str]:
        """The names that are read from the beginning of a block on."""
        for statement in reversed(list(body)):
            known = self.behind.get(id(statement))
            self.behind[id(statement)] = after if known is None else known | after
            after = self.before(statement, after)
        return after

    def before(self, node: ast.stmt, after: frozenset[str]) -> frozenset[str]:
        match node:
            case ast.Assign() | ast.Expr():
                pass
            case ast.If():
                test = self.reads(node.test)
                return test | self.block(node.body, after) | self.block(node.orelse, after)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self.loop(node, after)
            case ast.With() | ast.AsyncWith():
                heads = [self.reads(item.context_expr) for item in node.items]
                return self.block(node.body, after).union(*heads)
            case ast.Try() | ast.TryStar():
                return self.attempt(node, after)
            case ast.Match():
                cases = [self.block(case.body, after) | reads(case) for case in node.cases]
                return reads(node.subject).union(after, *cases)
            case ast.Break() | ast.Continue() if self.exits:
                return self.exits[-1][isinstance(node, ast.Continue)]
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return after - {node.name}
        read, bound = self.names_in(node)
        return read if isinstance(node, LEAVING) else (after - bound) | read

    def names_in(self, node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
        found = self.touched.get(id(node))
        if found is None:
            found = self.touched[id(node)] = names_in(node)
        return found

    def reads(self, node: ast.AST) -> frozenset[str]:
        return self.names_in(node)[0]

    def loop(
        self, node: ast.For | ast.AsyncFor | ast.While, after: frozenset[str]
    ) -> frozenset[str]:
        head = self.reads(node.test) if isinstance(node, ast.While) else NO_NAMES
        targets = NO_NAMES if isinstance(node, ast.While) else self.names_in(node.target)[1]
        behind = self.block(node.orelse, after)
        again = behind
        for _ in range(2):
            self.exits.append((after, again | head))
            again = behind | (self.block(node.body, again | head) - targets)
            self.exits.pop()
        self.behind[id(node)] |= again | head
        return again | (head if isinstance(node, ast.While) else self.reads(node.iter))

    def attempt(self, node: ast.Try | ast.TryStar, after: frozenset[str]) -> frozenset[str]:
        """An error may leave the body anywhere: what handlers read, is read all through it."""
        last = self.block(node.finalbody, after)
        handlers = [self.block(handler.body, last) for handler in node.handlers]
        rescued = last.union(*handlers)
        inner = self.block(node.body, self.block(node.orelse, last) | rescued)
        for statement in node.body:
            self.behind[id(statement)] |= rescued
        return inner | rescued


def reads(node: ast.AST) -> frozenset[str]:
    """The names that an expression or a simple statement reads."""
    return names_in(node)[0]


def names_in(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """The names that an expression or a simple statement reads, and those it binds or deletes."""
    nodes = list(of_types(all_in(node), NAMING))
    names = [n for n in nodes if type(n) is ast.Name]
    read = {name.id for name in names if type(name.ctx) is ast.Load}
    bound = [name for name in names if type(name.ctx) is not ast.Load]
    loops = [n for n in nodes if type(n) is ast.comprehension] if bound else []
    inner = {id(part) for loop in loops for part in all_in(loop.target)}
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        read.add(node.target.id)
    return frozenset(read), frozenset([name.id for name in bound if id(name) not in inner])
