"""Lists of statements, where they stand, and which names are read behind a place in them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ..syntax.nodes import is_none
from .names import access, root, written_in

FIELDS = "body", "orelse", "handlers", "finalbody"
LOOPS = ast.For | ast.AsyncFor | ast.While
SCOPES = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Block:
    """Statements one after another: `owner` is what they are the `field` of.

    `parent` and `place` say where the owner stands in the same scope, None at the scope itself.
    """

    statements: Sequence[ast.stmt]
    owner: ast.AST
    scope: Scope
    cls: ast.ClassDef | None
    parent: Block | None = None
    place: int = 0

    @property
    def is_loop(self) -> bool:
        return isinstance(self.owner, LOOPS) and self.statements is self.owner.body

    def around(self) -> Iterator[tuple[Block, int]]:
        """The blocks around this one, with the place of the statement that holds it."""
        block = self
        while block.parent is not None:
            yield block.parent, block.place
            block = block.parent


def blocks_of(tree: ast.Module) -> Iterator[Block]:
    """Every block of a file that runs; functions before what is around them."""
    yield from inner_blocks(Block(tree.body, tree, tree, None))


def inner_blocks(block: Block) -> Iterator[Block]:
    yield block
    for place, statement in enumerate(block.statements):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from inner_blocks(Block(statement.body, statement, statement, block.cls))
        elif isinstance(statement, ast.ClassDef):
            yield from of_class(statement)
        else:
            yield from of_statement(statement, block, place)


def of_class(cls: ast.ClassDef) -> Iterator[Block]:
    for statement in cls.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from inner_blocks(Block(statement.body, statement, statement, cls))


def of_statement(statement: ast.AST, block: Block, place: int) -> Iterator[Block]:
    """The blocks in a compound statement."""
    for field in FIELDS:
        held = getattr(statement, field, None)
        if not isinstance(held, list) or not held:
            continue
        if field == "handlers":
            for handler in held:
                yield from of_statement(handler, block, place)
        else:
            inner = Block(held, statement, block.scope, block.cls, block, place)
            yield from inner_blocks(inner)
    for case in getattr(statement, "cases", ()):
        yield from of_statement(case, block, place)


@dataclass(frozen=True)
class Liveness:
    """Which names are read later."""

    tree: ast.Module

    def is_live(self, name: str, block: Block, place: int, gone: Collection[ast.stmt] = ()) -> bool:
        """Whether the value that a name has behind the statement at a place is read later.

        What statements that are `gone` read does not count.
        """
        behind = [s for s in block.statements[place + 1 :] if s not in gone]
        found = first_use(name, behind)
        if found is None and block.is_loop:
            again = [*header(block.owner), *block.statements[: place + 1]]
            found = first_use(name, [s for s in again if s not in gone]) or None  # or it ends
        if found is not None:
            return found
        if block.parent is not None:
            return self.is_live(name, block.parent, block.place)
        return self.is_seen_outside(name, block.scope)

    def is_seen_outside(self, name: str, scope: Scope) -> bool:
        """Whether others read a name when its scope has run."""
        if not isinstance(scope, ast.Module):
            outer = (n for n in ast.walk(scope) if isinstance(n, ast.Global | ast.Nonlocal))
            return any(root(name) in node.names for node in outer)
        functions = (n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef))
        return any(name in access(f).reads for f in functions)


def leaves(node: ast.AST, *, in_loop: bool = False) -> bool:
    """Whether a statement may end the round of its loop, or the call of its function."""
    if isinstance(node, ast.Break | ast.Continue):
        return not in_loop
    if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom | ast.Await):
        return True
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return False
    inner = in_loop or isinstance(node, LOOPS)
    return any(leaves(child, in_loop=inner) for child in ast.iter_child_nodes(node))


def header(owner: ast.AST) -> list[ast.AST]:
    return [owner.test] if isinstance(owner, ast.While) else []


def first_use(name: str, nodes: Sequence[ast.AST]) -> bool | None:
    """Whether the first node that has to do with a name reads it; None if none does."""
    for node in nodes:
        known = access(node)
        if name in known.reads:
            return True
        if name in known.sure:
            return False
    return None


def bound_names(scope: Scope) -> set[str]:
    """The names that a scope binds, its parameters among them."""
    return written_in(scope.body) | parameters_of(scope)


def bound_before(block: Block, place: int) -> set[str]:
    """The names that may be bound before the statement at a place of a block is run."""
    found = parameters_of(block.scope) | written_in([*block.statements[:place]])
    if isinstance(block.owner, LOOPS):
        found |= written_in([block.owner])
    return found if block.parent is None else found | bound_before(block.parent, block.place)


def optional_in(scope: Scope) -> set[str]:
    """The names of what a function is given or not: their default is None."""
    if isinstance(scope, ast.Module):
        return set()
    arguments = scope.args
    named = [*arguments.posonlyargs, *arguments.args]
    named = [*named[len(named) - len(arguments.defaults) :], *arguments.kwonlyargs]
    pairs = zip(named, [*arguments.defaults, *arguments.kw_defaults], strict=True)
    return {a.arg for a, value in pairs if value is not None and is_none(value)}


def parameters_of(scope: Scope) -> set[str]:
    """The names of what a function is given; a file has none."""
    if isinstance(scope, ast.Module):
        return set()
    arguments = scope.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return {a.arg for a in every}
