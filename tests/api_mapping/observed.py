"""Runs PyTorch code and notes what its names, attributes and their owners are while it runs."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

Place = tuple[int, int]
"""The end of an expression, as `ast` has it: line and column. No two dotted names end alike."""

LOOK, NOTE, GET = "_look", "_note", "_get"

MOST = 20
"""Values that are kept of each place: a bound method is another one each time."""


def is_like(one: Any, other: Any) -> bool:
    return one is other if callable(other) else type(one) is type(other)


class Observed:
    """What has been seen at each place: owners of attributes, and what names and attributes are."""

    def __init__(self) -> None:
        self.owners: dict[Place, list[Any]] = defaultdict(list)
        self.values: dict[Place, list[Any]] = defaultdict(list)

    def look(self, owner: Any, name: str, line: int, column: int) -> Any:
        value = getattr(owner, name)
        is_proxy = isinstance(owner, super)
        self.keep(self.owners[line, column], owner.__self__ if is_proxy else owner)
        self.keep(self.values[line, column], value)
        return value

    def get(self, owner: Any, name: str, *rest: Any) -> Any:
        """`getattr(owner, name)` or with a default, and where it ends."""
        *default, line, column = rest
        if not default or hasattr(owner, name):
            return self.look(owner, name, line, column)
        return self.note(default[0], line, column)

    def note(self, value: Any, line: int, column: int) -> Any:
        self.keep(self.values[line, column], value)
        return value

    def keep(self, seen: list[Any], value: Any) -> None:
        """One of each type, and some functions and classes each: enough to tell a lie."""
        if len(seen) < MOST and not any(is_like(each, value) for each in seen):
            seen.append(value)


class Watched(ast.NodeTransformer):
    """The same code, with every read of a name or attribute told; positions stay."""

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        """A pattern has names only."""
        node.guard = self.visit(node.guard) if node.guard is not None else None
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        is_get = isinstance(node.func, ast.Name) and node.func.id == "getattr"
        self.generic_visit(node)
        is_literal = is_get and isinstance(node.args[1], ast.Constant)
        return self.told(GET, node, *node.args) if is_literal else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        is_private = node.attr.startswith("__") and not node.attr.endswith("__")
        if not isinstance(node.ctx, ast.Load) or is_private:
            return node
        return self.told(LOOK, node, node.value, ast.Constant(node.attr))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id in ("super", "__class__", "locals"):
            return node
        return self.told(NOTE, node, node)

    def told(self, function: str, node: ast.expr, *given: ast.expr) -> ast.expr:
        place = [ast.Constant(node.end_lineno), ast.Constant(node.end_col_offset)]
        called = ast.Call(ast.Name(function, ast.Load()), [*given, *place], [])
        return ast.fix_missing_locations(ast.copy_location(called, node))


def run(path: Path, name: str) -> tuple[ModuleType, Observed]:
    """The file, run as a module of this name, and what was seen; its use lets more be seen."""
    seen = Observed()
    tree = Watched().visit(ast.parse(path.read_text(encoding="utf-8")))
    module = ModuleType(name)
    vars(module).update({"__file__": str(path)})
    vars(module).update({LOOK: seen.look, NOTE: seen.note, GET: seen.get})
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        exec(compile(tree, str(path), "exec"), vars(module))
    finally:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before
    return module, seen
