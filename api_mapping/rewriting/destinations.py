"""Where values go: through the names, attributes, containers and parameters of their file.

A subclass says what ends the way of a value, and what of that it looks for. What is not to be seen,
what functions of other libraries do with it for one, is no end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..analysis import FileAnalysis
from ..analysis.classes import method
from ..analysis.definitions import Class, Function
from ..syntax.containers import TAKING
from ..syntax.walk import FunctionNode, every, inner
from .inventory import Inventory

BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module, ast.ClassDef)

HANDING_ON = frozenset(
    "list tuple dict set frozenset iter next zip enumerate reversed sorted map filter".split()
)
"""Functions of Python whose results hold what they are given."""

ONE_TARGET = (ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension)
HOLDING = (
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred, ast.IfExp, ast.BoolOp, ast.BinOp),
    *(ast.Subscript, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp),
)
"""Expressions that give, or hold, what stands in them."""


@dataclass
class Destinations:
    """The ways of values in one file."""

    nodes: Inventory
    analysis: FileAnalysis
    known: dict[tuple[str, ast.AST], bool] = field(default_factory=dict, init=False)

    def ends(self, node: ast.AST, parent: ast.AST | None) -> bool | None:
        """Whether a value is used by what it stands in; None if it goes on from there."""
        raise NotImplementedError

    def is_used_in(self, name: str, text: str) -> bool:
        """Whether a function of another file, by its text, uses a parameter."""
        raise NotImplementedError

    def is_stopped(self, reads: list[ast.AST], used: list[ast.AST]) -> bool:
        """Whether some of the places that read a name keep the others from being uses."""
        return False

    def reads_of(self, reads: Iterable[ast.AST]) -> Iterable[ast.AST]:
        """The places that read a name or attribute for the value that is followed."""
        return reads

    def is_absorbed(self, call: ast.Call) -> bool:
        """Whether a call keeps a value without using it."""
        return False

    def is_kept(self, target: ast.Attribute) -> bool:
        """Whether what an attribute is set to is used by the object alone."""
        return False

    # ways

    def is_used(self, node: ast.AST) -> bool:
        """Whether a value is used anywhere."""
        parent = self.parents.get(node)
        end = self.ends(node, parent)
        if end is not None:
            return end
        if isinstance(parent, ast.keyword):
            return self.is_used_by_call(self.parents[parent], parent)
        if isinstance(parent, ast.Call):
            return self.is_used_by_call(parent, node)
        if isinstance(parent, ast.arguments):
            names = parameters_by_default(parent, node)
            return any(self.is_used_as_name(name, self.parents[parent]) for name in names)
        if isinstance(parent, HOLDING):
            is_index = isinstance(parent, ast.Subscript) and parent.slice is node
            return not is_index and self.is_used(parent)
        return any(map(self.is_used_as, targets_of(parent, node)))

    def is_used_by_call(self, call: ast.AST, given: ast.AST) -> bool:
        """Whether what is called uses an argument."""
        assert isinstance(call, ast.Call)
        kind, func = self.analysis.kind_of(call.func), call.func
        if isinstance(func, ast.Name) and func.id in HANDING_ON:
            return self.is_used(call)
        if isinstance(func, ast.Attribute) and func.attr in TAKING and kind.target is None:
            return self.is_used_as(func.value)
        target = kind.target
        if isinstance(target, Class) and kind.tag == "class":
            target = None if self.is_absorbed(call) else method(target, "__init__")
        if not isinstance(target, Function):
            return False
        name = parameter_of(target, call, given, kind.tag in ("bound", "class"))
        return bool(name) and self.is_used_by(target, name)

    def is_used_by(self, function: Function, name: str) -> bool:
        """Whether a function uses a parameter."""
        own = self.node_of(function)
        if own is not None:
            return self.is_used_as_name(name, own)
        node = function.node
        lines = function.module.source.lines[node.lineno - 1 : node.end_lineno]
        return self.is_used_in(name, "\n".join(lines))

    def is_used_as(self, target: ast.AST) -> bool:
        """Whether a value is used by the name, attribute or container that it is put into."""
        if isinstance(target, ast.Name):
            block = self.block_of(target)
            if isinstance(block, ast.ClassDef) and self.is_used_attribute(target.id):
                return True
            return self.is_used_as_name(target.id, block)
        if isinstance(target, ast.Tuple | ast.List):
            return any(map(self.is_used_as, target.elts))
        if isinstance(target, ast.Starred | ast.Subscript):
            return self.is_used_as(target.value)
        if not isinstance(target, ast.Attribute) or self.is_kept(target):
            return False
        return self.is_used_attribute(target.attr)

    def is_used_as_name(self, name: str, block: ast.AST) -> bool:
        """Whether what a name holds in a block is used there, or in a function in it."""
        if (name, block) not in self.known:
            self.known[name, block] = False  # while it is found out: ways may go in circles
            found = (n for n in every(block) if isinstance(n, ast.Name) and n.id == name)
            reads = [*self.reads_of(n for n in found if isinstance(n.ctx, ast.Load))]
            own = {n for n in reads if self.block_of(n) is block}
            used = [n for n in reads if self.is_used(n)]
            here = [n for n in used if n in own]
            self.known[name, block] = bool(used) and not self.is_stopped(reads, here)
        return self.known[name, block]

    def is_used_attribute(self, name: str) -> bool:
        """Whether what attributes of a name hold is used in the file."""
        key = f".{name}", self.nodes.tree
        if key not in self.known:
            self.known[key] = False
            found = (n for n in self.nodes.of(ast.Attribute) if n.attr == name)
            reads = [*self.reads_of(n for n in found if isinstance(n.ctx, ast.Load))]
            used = any(map(self.is_used, reads))
            self.known[key] = used and not self.is_stopped(reads, [])
        return self.known[key]

    # the file

    def node_of(self, function: Function) -> FunctionNode | None:
        """The tree of a function of this file."""
        if function.module.path is not self.analysis.path:
            return None
        return self.functions.get((function.name, function.node.lineno))

    @cached_property
    def functions(self) -> dict[tuple[str, int], FunctionNode]:
        return {(n.name, n.lineno): n for n in self.nodes.all if isinstance(n, FunctionNode)}

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in self.nodes.all for child in inner(node)}

    def block_of(self, node: ast.AST) -> ast.AST:
        """The function, class or file that a node stands in."""
        node = self.parents.get(node, self.nodes.tree)
        while not isinstance(node, BLOCKS):
            node = self.parents.get(node, self.nodes.tree)
        return node


def targets_of(statement: ast.AST | None, node: ast.AST) -> Iterator[ast.expr]:
    """What a statement, or part of one, gives an expression in it to."""
    if isinstance(statement, ast.Assign) and statement.value is node:
        yield from statement.targets
    elif isinstance(statement, ONE_TARGET) and statement.target is not node:
        yield statement.target


def all_parameters(node: FunctionNode) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def parameters_by_default(arguments: ast.arguments, node: ast.AST) -> Iterator[str]:
    """The parameters whose default an expression is."""
    places = [*arguments.posonlyargs, *arguments.args]
    last = places[len(places) - len(arguments.defaults) :]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [*zip(last, arguments.defaults, strict=True)]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    yield from (argument.arg for argument, default in pairs if default is node)


def parameter_of(function: Function, call: ast.Call, given: ast.AST, is_bound: bool) -> str:
    """The parameter that gets an argument of a call, "" if that is not to be seen."""
    if isinstance(given, ast.keyword):
        return given.arg or ""
    if given not in call.args or any(isinstance(a, ast.Starred) for a in call.args):
        return ""
    arguments = function.node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][is_bound:]
    place = call.args.index(given)
    return names[place] if place < len(names) else ""
