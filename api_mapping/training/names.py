"""What a statement reads and writes: names, and attributes of names as `self.loss`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeGuard

from ..syntax.containers import CHANGING
from ..syntax.nodes import dotted
from ..table.facts.gradients import CUTTING

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
IMPORTS = ast.Import | ast.ImportFrom


NUMBERS = frozenset({"float", "int", "bool", "len", "isinstance", "type", "str", "range"})
"""Functions of Python whose results have no history."""


@dataclass(frozen=True)
class Access:
    """The names that a statement reads before it writes them, and those that it writes.

    `sure` are the written ones that have no old value behind the statement.
    """

    reads: tuple[str, ...]
    writes: frozenset[str]
    sure: frozenset[str]


def root(name: str) -> str:
    return name.partition(".")[0]


@cache
def access(node: ast.AST) -> Access:
    """What a statement or an expression reads and writes."""
    finder = Finder()
    finder.visit(node)
    reads = dict.fromkeys(finder.reads)
    return Access(tuple(reads), frozenset(finder.writes), frozenset(finder.sure))


class Finder(ast.NodeVisitor):
    """Walks a statement in the order in which it runs."""

    def __init__(self) -> None:
        self.reads: list[str] = []
        self.writes: set[str] = set()
        self.sure: set[str] = set()
        self.hidden: list[frozenset[str]] = []
        self.depth = 0

    def read(self, name: str) -> None:
        if name and name not in self.sure and not any(root(name) in names for names in self.hidden):
            self.reads.append(name)

    def write(self, name: str) -> None:
        if name and not any(root(name) in names for names in self.hidden):
            self.writes.add(name)
            if not self.depth:
                self.sure.add(name)

    def change(self, name: str) -> None:
        """Notes a write that leaves some of the old value."""
        self.read(name)
        if name:
            self.writes.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load | ast.Del):
            self.read(node.id)
        if not isinstance(node.ctx, ast.Load):
            self.write(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            self.read(dotted(node))
        else:
            self.write(dotted(node))

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            self.change(changed_by(node.value))

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.read(dotted(node.target))
        self.visit(node.value)
        self.visit(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_Expr(self, node: ast.Expr) -> None:
        self.visit(node.value)
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            name = call.func.attr
            if name in CHANGING or (name.endswith("_") and not name.startswith("_")):
                self.change(changed_by(call.func.value))

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self.maybe([node.target, *node.body, *node.orelse])

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self.maybe([*node.body, *node.orelse])

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        before = set(self.sure)
        branches = []
        for branch in (node.body, node.orelse):
            self.sure = set(before)
            for statement in branch:
                self.visit(statement)
            branches.append(self.sure)
        self.sure = branches[0] & branches[1]

    def visit_Try(self, node: ast.Try) -> None:
        self.maybe([*node.body, *node.handlers, *node.orelse])
        for statement in node.finalbody:
            self.visit(statement)

    def maybe(self, nodes: list[ast.AST]) -> None:
        """Visits what may not run."""
        before = set(self.sure)
        for node in nodes:
            self.visit(node)
        self.sure = before

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for outer in (*node.decorator_list, *node.args.defaults):
            self.visit(outer)
        self.inner(node, node.body)
        self.write(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.inner(node, [node.body])

    def inner(self, node: FUNCTIONS, body: list[ast.stmt] | list[ast.expr]) -> None:
        """Reads what a function takes from around it."""
        self.hidden.append(bound_in(node))
        for part in body:
            self.visit(part)
        self.hidden.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            self.visit(base)
        self.write(node.name)

    def comprehension(self, node: COMPREHENSIONS) -> None:
        targets = [n.id for g in node.generators for n in ast.walk(g.target) if is_name(n)]
        self.visit(node.generators[0].iter)
        self.hidden.append(frozenset(targets))
        self.generic_visit(node)
        self.hidden.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def visit_Import(self, node: IMPORTS) -> None:
        for alias in node.names:
            self.write(alias.asname or root(alias.name))

    visit_ImportFrom = visit_Import

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        """Says nothing of values."""

    visit_Nonlocal = visit_Global


def is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def changed_by(node: ast.expr) -> str:
    """What a write to a part of an expression changes: `x` of `x[0].view(-1)`."""
    while isinstance(node, ast.Subscript | ast.Call):
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return ""
    return dotted(node)


def bound_in(function: FUNCTIONS) -> frozenset[str]:
    """The parameters and local names of a function."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    names = {a.arg for a in every}
    if isinstance(function, ast.Lambda):
        return frozenset(names)
    return frozenset(names | written_in(function.body))


def written_in(body: list[ast.stmt]) -> set[str]:
    """The names that statements bind, but those that they declare to be others'."""
    found: set[str] = set()
    declared: set[str] = set()
    for statement in body:
        found |= {name for name in access(statement).writes if "." not in name}
        for node in ast.walk(statement):
            if isinstance(node, ast.Global | ast.Nonlocal):
                declared |= set(node.names)
    return found - declared


def is_cut(node: ast.Attribute) -> bool:
    """Whether an attribute has no gradients, by its name: `loss.data`."""
    return node.attr in CUTTING


def flows(node: ast.AST, is_cut: Callable[[ast.Attribute], bool] = is_cut) -> Iterator[str]:
    """The names through whose values a gradient could flow into an expression or statement."""
    if isinstance(node, ast.Compare) or (isinstance(node, ast.Attribute) and is_cut(node)):
        return  # True and False have no gradients
    if isinstance(node, ast.AugAssign):
        yield dotted(node.target)  # it has the old value, too
    if isinstance(node, ast.Call):
        name = dotted(node.func)
        if name in NUMBERS or name.rpartition(".")[2] in CUTTING:
            return
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield dotted(node)
    for child in ast.iter_child_nodes(node):
        yield from flows(child, is_cut)
