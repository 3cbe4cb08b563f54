"""`break`, `continue` and `return` as flags: afterwards a function has one way through.

What follows an `if` that jumps on one side moves into the other side; where either may jump, what
follows stands under a test of the flags. A flag that is a plain False when the code is traced costs
nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

RETURNED, RESULT = "_flow_returned", "_flow_result"
Loop = ast.While | ast.For


class UnsupportedError(Exception):
    """The source has something that is left to Python."""


def name(identifier: str) -> ast.Name:
    return ast.Name(identifier, ast.Load())


def assignment(identifier: str, value: ast.expr, place: ast.AST) -> ast.Assign:
    made = ast.Assign([ast.Name(identifier, ast.Store())], value)
    return ast.fix_missing_locations(ast.copy_location(made, place))


def flag(identifier: str, value: bool, place: ast.AST) -> ast.Assign:
    return assignment(identifier, ast.Constant(value), place)


def untouched(flags: Sequence[str]) -> ast.expr:
    """`not (a or b)`."""
    names: list[ast.expr] = [name(one) for one in flags]
    either = names[0] if len(names) == 1 else ast.BoolOp(ast.Or(), names)
    return ast.UnaryOp(ast.Not(), either)


def guarded(flags: Sequence[str], body: list[ast.stmt], place: ast.AST) -> ast.If:
    made = ast.If(untouched(flags), body, [])
    return ast.fix_missing_locations(ast.copy_location(made, place))


def jumps(node: ast.AST, inside: bool = False) -> bool:
    """Whether a return, or a break or continue of the loop around, stands in `node`."""
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, (ast.Break, ast.Continue)):
        return not inside
    if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AsyncFunctionDef)):
        return False
    inside = inside or isinstance(node, Loop)
    return any(jumps(child, inside) for child in ast.iter_child_nodes(node))


def always_jumps(body: list[ast.stmt]) -> bool:
    """Whether no way through the statements reaches their end."""
    for node in body:
        if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return True
        if isinstance(node, ast.If) and always_jumps(node.body) and always_jumps(node.orelse):
            return True
    return False


@dataclass
class Straightened:
    """One function without jumps: `body` is its new body."""

    node: ast.FunctionDef
    count: int = 0
    loops: list[tuple[str, str]] = field(default_factory=list)
    """The flags for break and continue of the loops around, the innermost last."""

    def body(self) -> list[ast.stmt]:
        first = self.node.body[0]
        last = self.node.body[-1]
        early = any(jumps(one) for one in self.node.body[:-1])
        if not early and (isinstance(last, ast.Return) or not jumps(last)):
            return self.block(self.node.body, top=True)
        ends = always_jumps(self.node.body)
        unset = ast.Attribute(name("_flow"), "UNSET", ast.Load())
        flags: list[ast.expr] = [] if ends else [name(RETURNED)]
        result = ast.Call(
            ast.Attribute(name("_flow"), "returned", ast.Load()), [name(RESULT), *flags], []
        )
        end = ast.fix_missing_locations(ast.copy_location(ast.Return(result), last))
        body = self.block(self.node.body)
        return [flag(RETURNED, False, first), assignment(RESULT, unset, first), *body, end]

    def block(self, body: list[ast.stmt], top: bool = False) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for k, node in enumerate(body):
            rest = body[k + 1 :]
            if isinstance(node, ast.Return):
                return [*made, node] if top else made + self.returning(node)
            if isinstance(node, (ast.Break, ast.Continue)):
                which = self.loops[-1][isinstance(node, ast.Continue)]
                return [*made, flag(which, True, node)]
            if isinstance(node, ast.If):
                made += self.branch(node, rest)
                if jumps(node):
                    return made
            elif isinstance(node, Loop):
                made += self.loop(node)
                if any(isinstance(part, ast.Return) for part in own_statements(node)):
                    return made + self.after([RETURNED], rest, node)
            elif jumps(node):
                raise UnsupportedError(f"{type(node).__name__} with a jump in it")
            else:
                made.append(self.inner(node))
        return made

    def inner(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.With):
            node.body = self.block(node.body)
        return node

    def returning(self, node: ast.Return) -> list[ast.stmt]:
        value = node.value if node.value is not None else ast.Constant(None)
        made: list[ast.stmt] = [assignment(RESULT, value, node), flag(RETURNED, True, node)]
        return made

    def branch(self, node: ast.If, rest: list[ast.stmt]) -> list[ast.stmt]:
        """The `if`, and what follows it where it jumps."""
        made = ast.copy_location(ast.If(node.test, [], []), node)
        if not jumps(node):
            made.body, made.orelse = self.block(node.body), self.block(node.orelse)
            return [made]
        body, orelse = node.body, node.orelse
        if always_jumps(body):
            orelse, rest = orelse + rest, []
        elif always_jumps(orelse):
            body, rest = body + rest, []
        made.body, made.orelse = self.block(body) or [ast.Pass()], self.block(orelse)
        return [made, *self.after(self.flags(node), rest, node)]

    def flags(self, node: ast.stmt) -> list[str]:
        """Those that a statement may set."""
        parts = own_statements(node)
        found = [RETURNED] if any(isinstance(part, ast.Return) for part in parts) else []
        if any(isinstance(part, ast.Break) for part in parts):
            found.append(self.loops[-1][0])
        if any(isinstance(part, ast.Continue) for part in parts):
            found.append(self.loops[-1][1])
        return found

    def after(self, flags: list[str], rest: list[ast.stmt], node: ast.AST) -> list[ast.stmt]:
        return [guarded(flags, self.block(rest), node)] if rest else []

    def loop(self, node: Loop) -> list[ast.stmt]:
        """The loop with its flags around it: `stops` are those that end it."""
        self.count += 1
        broken, continued = f"_flow_broken{self.count}", f"_flow_continued{self.count}"
        self.loops.append((broken, continued))
        parts = [part for one in node.body for part in [one, *own_statements(one)]]
        found = {kind for kind in (ast.Break, ast.Continue) for p in parts if isinstance(p, kind)}
        returns = any(isinstance(part, ast.Return) for part in parts)
        body = self.block(node.body)
        self.loops.pop()
        if ast.Continue in found:
            body = [flag(continued, False, node), *body]
        stops = [broken] * (ast.Break in found) + [RETURNED] * returns
        before = [flag(broken, False, node)] if ast.Break in found else []
        after: list[ast.stmt] = []
        if node.orelse and stops:
            after = [guarded(stops, self.block(node.orelse), node)]
        elif node.orelse:
            after = self.block(node.orelse)
        return [*before, stopping(node, body, stops), *after]


def stopping(node: Loop, body: list[ast.stmt], stops: list[str]) -> ast.stmt:
    """The loop, which no flag of `stops` lets turn again."""
    made: Loop
    if isinstance(node, ast.For):
        made = ast.For(node.target, node.iter, body, [])
        made.stop = untouched(stops).operand if stops else None  # type: ignore[attr-defined]
    else:
        test = ast.BoolOp(ast.And(), [untouched(stops), node.test]) if stops else node.test
        made = ast.While(test, body, [])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def own_statements(node: ast.stmt) -> list[ast.AST]:
    """What stands in `node`, without functions; breaks and continues of loops inside left out."""
    found: list[ast.AST] = [node]

    def walk(part: ast.AST, inside: bool) -> None:
        for child in ast.iter_child_nodes(part):
            if isinstance(child, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
                continue
            if not (inside and isinstance(child, (ast.Break, ast.Continue))):
                found.append(child)
            walk(child, inside or isinstance(child, Loop))

    walk(node, isinstance(node, Loop))
    return found
