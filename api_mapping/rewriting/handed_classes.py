"""Classes of layers that are handed on as values: to be called, or to test types by.

What is called takes PyTorch's arguments, a class of the compat module; what types are tested by is
the class that MindSpore's calls build.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..analysis import FileAnalysis, Use
from ..syntax.containers import GIVING
from ..syntax.nodes import classes_in, is_type_of
from ..table.adapter import adapter_of
from .destinations import Destinations
from .inventory import Inventory

REGISTERING = "register"
"""The method of a function of `functools.singledispatch`, which is given a class."""


@dataclass(frozen=True)
class HandedClasses:
    """The names of classes that types are tested by alone, and those that are called as well."""

    tested: frozenset[ast.AST] = frozenset()
    both: frozenset[ast.AST] = frozenset()


def is_handed_class(use: Use) -> bool:
    """Whether it names a class of layers, not called, whose arguments MindSpore has otherwise."""
    if use.kind != "reference" or use.certainty != "is" or not use.api.startswith("torch.nn."):
        return False
    return use.api.rpartition(".")[2][:1].isupper() and adapter_of(use.api) is not None


def handed_classes(
    analysis: FileAnalysis, names: Collection[ast.AST], resolved: Collection[ast.AST]
) -> HandedClasses:
    """What the named classes are for; `resolved` are the names that are APIs, and written alone."""
    if not names:
        return HandedClasses()
    nodes = Inventory(analysis.tree)
    tests, calls = Tests(nodes, analysis, resolved), Calls(nodes, analysis, resolved)
    tested = frozenset(filter(tests.is_used, names))
    both = frozenset(filter(calls.is_used, tested))
    return HandedClasses(tested - both, both)


@dataclass
class Tests(Destinations):
    """The ways of classes to what tests types."""

    resolved: Collection[ast.AST]

    def ends(self, node: ast.AST, parent: ast.AST | None) -> bool | None:
        if is_test(node, parent):
            return True
        if isinstance(parent, ast.Dict | ast.Subscript) and node in self.resolved:
            return True if is_key(node, parent) else None
        if isinstance(parent, ast.Compare):
            return any(map(self.is_type, (parent.left, *parent.comparators)))
        if isinstance(parent, ast.Call) and parent.func is node:
            return False
        return self.by_method(parent)

    def by_method(self, parent: ast.AST | None) -> bool | None:
        """What a method of a container hands on; attributes of a class are not of interest."""
        if not isinstance(parent, ast.Attribute):
            return None
        call = self.parents.get(parent)
        is_call = isinstance(call, ast.Call) and call.func is parent
        return parent.attr in GIVING and is_call and call is not None and self.is_used(call)

    def is_type(self, node: ast.AST) -> bool:
        """Whether it is the type of something: `type(x)`, or a name that was set to one."""
        if isinstance(node, ast.Name):
            return any(map(is_type_of, self.nodes.values_of(node.id)))
        return is_type_of(node)

    def reads_of(self, reads: Iterable[ast.AST]) -> Iterable[ast.AST]:
        return (node for node in reads if node not in self.resolved)

    def is_used_in(self, name: str, text: str) -> bool:
        own = re.escape(name)
        found = re.search(rf"is(instance|subclass)\([^()]*,[^()]*\b{own}\b|\b(in|is) {own}\b", text)
        return found is not None


@dataclass
class Calls(Tests):
    """The ways of classes to what calls them."""

    def ends(self, node: ast.AST, parent: ast.AST | None) -> bool | None:
        if isinstance(parent, ast.Call) and parent.func is node:
            return True
        if is_test(node, parent) or isinstance(parent, ast.Compare) or is_key(node, parent):
            return False
        return self.by_method(parent)

    def is_used_in(self, name: str, text: str) -> bool:
        return re.search(rf"\b{re.escape(name)}\(", text) is not None


def is_test(node: ast.AST, parent: ast.AST | None) -> bool:
    """Whether a class is what a type is tested by."""
    if isinstance(parent, ast.MatchClass):
        return node is parent.cls
    if not isinstance(parent, ast.Call | ast.Compare):
        return False
    return node in classes_in(parent) or node in given_to_register(parent)


def given_to_register(node: ast.Call | ast.Compare) -> list[ast.expr]:
    """The class that a function of `functools.singledispatch` is given, if it is that call."""
    func = node.func if isinstance(node, ast.Call) else None
    is_registered = isinstance(func, ast.Attribute) and func.attr == REGISTERING
    return node.args[:1] if isinstance(node, ast.Call) and is_registered else []


def is_key(node: ast.AST, parent: ast.AST | None) -> bool:
    """Whether something is looked up by it, or is to be: types of modules, where it is a class."""
    if isinstance(parent, ast.Dict):
        return node in parent.keys
    return isinstance(parent, ast.Subscript) and node is parent.slice
