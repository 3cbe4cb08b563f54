"""Which names a function binds: those are its own, wherever in it they are read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(slots=True)
class Bound:
    """The names bound in a body, outside of the functions and classes in it."""

    names: set[str] = field(default_factory=set)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)
    attributes: list[tuple[str, str, ast.expr | None]] = field(default_factory=list)
    written: set[tuple[str, str]] = field(default_factory=set)
    has_inner: bool = False
    has_yield: bool = False


DISPLAYS = (ast.Tuple, ast.List)
IMPORTS = (ast.Import, ast.ImportFrom)


def bound_names(body: Iterable[ast.stmt]) -> Bound:
    """What the statements bind; walrus targets come when they are evaluated."""
    bound = Bound()
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        cls = type(node)
        if cls is ast.Assign:
            for target in node.targets:  # type: ignore[attr-defined]
                _bind(target, bound, node.value)  # type: ignore[attr-defined]
            _see_value(node.value, bound)  # type: ignore[attr-defined]
        elif cls is ast.Expr:
            _see_value(node.value, bound)  # type: ignore[attr-defined]
            _registration(node.value, bound)  # type: ignore[attr-defined]
            _written(node.value, bound)  # type: ignore[attr-defined]
        else:
            handler = _STATEMENTS.get(cls)
            if handler is not None:
                handler(node, bound, stack)
    bound.names -= bound.declared_global | bound.declared_nonlocal
    return bound


def names_bound(statement: ast.stmt) -> Collection[str]:
    """The names that one statement binds."""
    if isinstance(statement, IMPORTS):
        return [imported_as(alias) for alias in statement.names]
    return bound_names([statement]).names


def imported_as(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _bind(target: ast.expr, bound: Bound, assigned: ast.expr | None = None) -> None:
    cls = type(target)
    if cls is ast.Name:
        bound.names.add(target.id)  # type: ignore[attr-defined]
    elif cls is ast.Attribute:
        owner = target.value  # type: ignore[attr-defined]
        if isinstance(owner, ast.Name):
            bound.attributes.append((owner.id, target.attr, assigned))  # type: ignore[attr-defined]
    elif isinstance(target, DISPLAYS):
        for element in target.elts:
            _bind(element, bound)
    elif isinstance(target, ast.Starred):
        _bind(target.value, bound)


REGISTRATIONS = frozenset({"register_buffer", "register_parameter", "add_module"})


def _registration(node: ast.expr, bound: Bound) -> None:
    """`self.register_buffer("x", ...)` and `setattr(self, "x", ...)` give an attribute, too."""
    called = node.func if isinstance(node, ast.Call) else None
    if type(called) is ast.Name and called.id == "setattr":
        _set_by_name(node, bound)  # type: ignore[arg-type]
    if type(called) is not ast.Attribute:
        return
    assert isinstance(node, ast.Call)
    owner = called.value
    if called.attr in REGISTRATIONS and isinstance(owner, ast.Name) and len(node.args) > 1:
        name = node.args[0]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            bound.attributes.append((owner.id, name.value, node))


def _set_by_name(call: ast.Call, bound: Bound) -> None:
    owner, name, value = call.args if len(call.args) == 3 else (call, call, call)
    text = name.value if isinstance(name, ast.Constant) else None
    if isinstance(owner, ast.Name) and isinstance(text, str):
        bound.attributes.append((owner.id, text, value))


def _written(node: ast.expr, bound: Bound) -> None:
    """`self.x.add_(1)` writes to the attribute."""
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr.endswith("_"):
        place = called.value
        if isinstance(place, ast.Attribute) and isinstance(place.value, ast.Name):
            bound.written.add((place.value.id, place.attr))


def _see_value(value: ast.expr | None, bound: Bound) -> None:
    cls = type(value)
    if cls is ast.Yield or cls is ast.YieldFrom:
        bound.has_yield = True
    elif cls is ast.Lambda:
        bound.has_inner = True


def _blocks(node: ast.AST, bound: Bound, stack: list[ast.AST]) -> None:
    stack.extend(node.body)  # type: ignore[attr-defined]
    stack.extend(getattr(node, "orelse", ()))


def _for(node: ast.For, bound: Bound, stack: list[ast.AST]) -> None:
    _bind(node.target, bound)
    _blocks(node, bound, stack)


def _with(node: ast.With, bound: Bound, stack: list[ast.AST]) -> None:
    for item in node.items:
        if item.optional_vars is not None:
            _bind(item.optional_vars, bound)
    stack.extend(node.body)


def _try(node: ast.Try, bound: Bound, stack: list[ast.AST]) -> None:
    for handler in node.handlers:
        if handler.name:
            bound.names.add(handler.name)
        stack.extend(handler.body)
    stack.extend(node.finalbody)
    _blocks(node, bound, stack)


def _match(node: ast.Match, bound: Bound, stack: list[ast.AST]) -> None:
    for case in node.cases:
        bound.names.update(pattern_names(case.pattern))
        stack.extend(case.body)


def pattern_names(pattern: ast.pattern) -> Iterable[str]:
    """The names that a pattern of a match statement binds."""
    for node in ast.walk(pattern):
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if isinstance(name, str):
            yield name


def _inner(node: Scope, bound: Bound, stack: list[ast.AST]) -> None:
    bound.names.add(node.name)
    bound.has_inner = True


def _target(node: ast.AnnAssign | ast.AugAssign, bound: Bound, stack: list[ast.AST]) -> None:
    if not (isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute)):
        _bind(node.target, bound, node.value)
    _see_value(node.value, bound)


def _import(node: ast.Import | ast.ImportFrom, bound: Bound, stack: list[ast.AST]) -> None:
    bound.names.update(map(imported_as, node.names))


def _global(node: ast.Global, bound: Bound, stack: list[ast.AST]) -> None:
    bound.declared_global.update(node.names)


def _nonlocal(node: ast.Nonlocal, bound: Bound, stack: list[ast.AST]) -> None:
    bound.declared_nonlocal.update(node.names)


def _return(node: ast.Return, bound: Bound, stack: list[ast.AST]) -> None:
    _see_value(node.value, bound)


def _delete(node: ast.Delete, bound: Bound, stack: list[ast.AST]) -> None:
    for target in node.targets:
        _bind(target, bound)


_STATEMENTS: dict[type, Callable[[Any, Bound, list[ast.AST]], None]] = {
    ast.If: _blocks,
    ast.While: _blocks,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.FunctionDef: _inner,
    ast.AsyncFunctionDef: _inner,
    ast.ClassDef: _inner,
    ast.AnnAssign: _target,
    ast.AugAssign: _target,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Return: _return,
    ast.Delete: _delete,
}
