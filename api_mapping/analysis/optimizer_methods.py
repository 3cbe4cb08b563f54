"""Methods of the project's own optimisers that apply gradients, and when they call a closure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..table.kinds import Kind
from .definitions import Class
from .thin import body_of


def method_of(kind: Kind, name: str) -> ast.FunctionDef | None:
    """The method of an optimiser of the project's own; None if it defines none by this name."""
    if kind.tag != "optimizer" or not isinstance(kind.target, Class):
        return None
    function = kind.target.methods.get(name)
    if function is None or not isinstance(function.node, ast.FunctionDef):
        return None
    body_of(function)  # which was dropped, perhaps
    return function.node


def applies(function: ast.FunctionDef) -> bool:
    """Whether a method reads gradients, or has another optimiser make a step."""
    names = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    return not names.isdisjoint({"grad", "step"})


def asks_first(function: ast.FunctionDef) -> bool:
    """Whether `step(closure)` calls the closure before anything else, and no more than once."""
    arguments = function.args.args
    if len(arguments) < 2 or not function.body:
        return len(arguments) < 2  # not known, of a module that was forgotten
    name = arguments[1].arg
    calls = list(calls_of(function, name))
    reads = sum(is_read(node, name) for node in ast.walk(function))
    if len(calls) > 1 or reads > len(calls) + tests_of(function, name):
        return False
    loops = (n for n in ast.walk(function) if isinstance(n, ast.For | ast.While))
    if any(call in ast.walk(loop) for loop in loops for call in calls):
        return False
    has_call = (any(call in ast.walk(s) for call in calls) for s in function.body)
    first = next((place for place, found in enumerate(has_call) if found), 0)
    return not any(isinstance(n, ast.Call) for s in function.body[:first] for n in ast.walk(s))


def calls_of(function: ast.FunctionDef, name: str) -> Iterator[ast.Call]:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return (call for call in calls if is_read(call.func, name))


def is_read(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def tests_of(function: ast.FunctionDef, name: str) -> int:
    """How often it is asked whether there is a closure."""
    tests = (n.test for n in ast.walk(function) if isinstance(n, ast.If | ast.IfExp | ast.Assert))
    return sum(is_read(inner, name) for test in tests for inner in ast.walk(test))
