"""Which names are read behind each statement of a scope."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..tree import every

Loop = ast.For | ast.AsyncFor | ast.While
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
NO_NAMES: frozenset[str] = frozenset()


@dataclass
class Liveness:
    """The names that are read behind statements, by the statements' ids."""

    behind: dict[int, frozenset[str]] = field(default_factory=dict)
    exits: list[tuple[frozenset[str], frozenset[str]]] = field(default_factory=list)
    """For the loops around: what is read behind them, and in their next round."""

    @classmethod
    def of(cls, body: Sequence[ast.stmt], at_the_end: frozenset[str] = NO_NAMES) -> Liveness:
        found = cls()
        found.block(body, at_the_end)
        return found

    def block(self, body: Iterable[ast.stmt], after: frozenset[str]) -> frozenset[str]:
        """The names that are read from the beginning of a block on."""
        for statement in reversed(list(body)):
            known = self.behind.get(id(statement), NO_NAMES)
            self.behind[id(statement)] = known | after
            after = self.before(statement, after)
        return after

    def before(self, node: ast.stmt, after: frozenset[str]) -> frozenset[str]:
        if isinstance(node, ast.If):
            return reads(node.test) | self.block(node.body, after) | self.block(node.orelse, after)
        if isinstance(node, Loop):
            return self.loop(node, after)
        if isinstance(node, ast.With | ast.AsyncWith):
            heads = [reads(item.context_expr) for item in node.items]
            return self.block(node.body, after).union(*heads)
        if isinstance(node, ast.Try | ast.TryStar):
            return self.attempt(node, after)
        if isinstance(node, ast.Match):
            cases = [self.block(case.body, after) | reads(case) for case in node.cases]
            return reads(node.subject).union(after, *cases)
        if isinstance(node, ast.Break | ast.Continue) and self.exits:
            return self.exits[-1][isinstance(node, ast.Continue)]
        if isinstance(node, ast.Return | ast.Raise):
            return reads(node)
        if isinstance(node, FUNCTIONS):
            return after - {node.name}
        return (after - written(node)) | reads(node)

    def loop(
        self, node: ast.For | ast.AsyncFor | ast.While, after: frozenset[str]
    ) -> frozenset[str]:
        head = reads(node.test) if isinstance(node, ast.While) else NO_NAMES
        targets = NO_NAMES if isinstance(node, ast.While) else written(node.target)
        behind = self.block(node.orelse, after)
        again = behind
        for _ in range(2):
            self.exits.append((after, again | head))
            again = behind | (self.block(node.body, again | head) - targets)
            self.exits.pop()
        self.behind[id(node)] |= again | head
        return again | (head if isinstance(node, ast.While) else reads(node.iter))

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
    found = {n.id for n in every(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found.add(node.target.id)
    return frozenset(found)


def written(node: ast.AST) -> frozenset[str]:
    """The names that a simple statement or a target binds or deletes."""
    inner = {
        id(n) for c in every(node) if isinstance(c, ast.comprehension) for n in every(c.target)
    }
    names = (n for n in every(node) if isinstance(n, ast.Name) and id(n) not in inner)
    return frozenset(n.id for n in names if not isinstance(n.ctx, ast.Load))


def captured(body: Iterable[ast.stmt]) -> frozenset[str]:
    """The names that functions within a scope read: any time."""
    kinds = (*FUNCTIONS, ast.Lambda)
    inner = (n for statement in body for n in every(statement) if isinstance(n, kinds))
    return NO_NAMES.union(*map(reads, inner))
