"""What decorators make of a function: what calls give, and whether it is given what they say."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from ..syntax.nodes import is_none
from ..table.kinds import Kind
from .definitions import Class, Function, FunctionNode
from .thin import body_of

TRANSPARENT = frozenset(
    """
    builtins.staticmethod builtins.classmethod builtins.property functools.lru_cache
    functools.cache functools.wraps abc.abstractmethod typing.overload functools.cached_property
    typing.no_type_check
    """.split()
)
"""Decorators of Python's own that leave what a call gives."""
HANDED_THROUGH = frozenset({"update_wrapper", "cast", "staticmethod", "classmethod", "property"})
"""Functions that a decorator hands its wrapper to, and which give the wrapper."""
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Result(Enum):
    """Whether a decorated function gives what the function gives."""

    SAME = "same"
    OPEN = "open"
    OTHER = "other"


class Effect(NamedTuple):
    """What decorators make of a function; `keeps_arguments` if it is given what calls say."""

    result: Result
    keeps_arguments: bool

    def sureness(self) -> int:
        return self.keeps_arguments + 2 * (self.result is not Result.OPEN)


SAME = Effect(Result.SAME, True)
OPEN = Effect(Result.OPEN, False)
OTHER = Effect(Result.OTHER, False)


def effect_of(function: Function) -> Effect:
    """What all decorators of a function, which has some, make of it."""
    pairs = zip(function.decorators, function.node.decorator_list, strict=True)
    effects = [_of_decorator(kind, type(node) is ast.Call) for kind, node in pairs]
    if len(effects) == 1:
        return effects[0]
    results = {effect.result for effect in effects}
    worst = next(r for r in (Result.OTHER, Result.OPEN, Result.SAME) if r in results)
    return Effect(worst, all(effect.keeps_arguments for effect in effects))


def is_object(function: Function) -> bool:
    """Whether a class of the project takes the place of the function: a descriptor."""
    return any(kind.tag == "class" for kind in function.decorators)


def _of_decorator(kind: Kind, is_called: bool) -> Effect:
    if kind.tag == "api" or kind.name in TRANSPARENT:
        return SAME
    if kind.tag == "union":  # what stands in for a library that is not there says what it does
        return max((_of_decorator(p, is_called) for p in kind.parts), key=Effect.sureness)
    if isinstance(kind.target, Class):
        return OTHER
    if kind.tag not in ("function", "bound"):
        return OPEN
    decorator: Function = kind.target
    if is_called not in decorator.effects:
        is_dropped = not decorator.node.body
        node = decorator.node
        body = body_of(decorator)
        is_method = decorator.owner is not None and not decorator.is_static
        decorator.effects[is_called] = (
            of_factory(body) if is_called else of_function(node, body, is_method)
        )
        if is_dropped:
            node.body = []
    found: Effect = decorator.effects[is_called]
    return found


def of_factory(body: list[ast.stmt]) -> Effect:
    """Of a function that gives a decorator: one defined in it."""
    inner = functions_in(body)
    found = []
    for given in returns_in(body):
        node = inner.get(given.id) if isinstance(given, ast.Name) else given
        if isinstance(node, ast.Lambda):
            found.append(_of_given(node.body, name_of_first(node.args), {}))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(of_function(node, node.body, False))
        else:
            found.append(OPEN)
    return one_of(found)


def of_function(node: FunctionNode, body: list[ast.stmt], is_method: bool) -> Effect:
    """Of a decorator: what it gives is what it is given, or a wrapper around that."""
    name = name_of_first(node.args, is_method)
    if not name:
        return OPEN
    inner = functions_in(body)
    return one_of([_of_given(given, name, inner) for given in returns_in(body)])


def name_of_first(arguments: ast.arguments, is_method: bool = False) -> str:
    named = [*arguments.posonlyargs, *arguments.args][is_method:]
    return named[0].arg if named else ""


def _of_given(given: ast.expr, name: str, inner: dict[str, FunctionNode]) -> Effect:
    """Of what a decorator gives, which is given a function by this name."""
    if isinstance(given, ast.Lambda):
        return Effect(_of_values([given.body], name, {}), passes_all(given.args, [given], name))
    if isinstance(given, ast.Name):
        wrapper = inner.get(given.id)
        return SAME if given.id == name else OPEN if wrapper is None else of_wrapper(wrapper, name)
    if not isinstance(given, ast.Call) or not given.args:
        return OPEN
    last = given.args[-1] if is_named(given.func, "cast") else given.args[0]
    is_wraps = isinstance(given.func, ast.Call) and is_named(given.func.func, "wraps")
    if is_wraps or any(is_named(given.func, each) for each in HANDED_THROUGH):
        return _of_given(last, name, inner)
    called = inner.get(given.func.id) if isinstance(given.func, ast.Name) else None
    is_given = isinstance(last, ast.Name) and last.id == name
    return of_function(called, called.body, False) if called is not None and is_given else OPEN


def of_wrapper(node: FunctionNode, name: str) -> Effect:
    """Of a function that calls the one by this name in its place."""
    values = [value for value in returns_in(node.body) if not is_none(value)]
    made = assigned_in(node.body)
    return Effect(_of_values(values, name, made), passes_all(node.args, node.body, name))


def _of_values(values: list[ast.expr], name: str, made: dict[str, list[ast.expr | None]]) -> Result:
    """Whether what a wrapper gives is what the function by this name has given."""
    found = set()
    for value in values:
        sources = made.get(value.id, []) if isinstance(value, ast.Name) else [value]
        calls = [source is not None and is_call_of(source, name) for source in sources]
        same = Result.SAME if all(calls) else Result.OPEN
        found.add(same if calls and any(calls) else Result.OTHER)
    return found.pop() if len(found) == 1 else Result.OPEN if found else Result.OTHER


def passes_all(arguments: ast.arguments, body: Iterable[ast.AST], name: str) -> bool:
    """Whether all calls of the function are given what the wrapper is given, in its order."""
    named = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    named += [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    calls = [node for node in every_in(body) if is_call_of(node, name)]
    stored = {n.id for n in every_in(body) if isinstance(n, ast.Name) and is_stored(n)}
    are_kept = stored.isdisjoint(each.lstrip("*") for each in named)
    return are_kept and all(passes(call, named) for call in calls)


def passes(node: ast.AST, named: list[str]) -> bool:
    """Whether a call is given these names by position, and others only by their own."""
    call = node.value if isinstance(node, ast.Await) else node
    assert isinstance(call, ast.Call)
    by_place = [ast.unparse(argument) for argument in call.args]
    by_name = [k.arg is None or is_named(k.value, k.arg) for k in call.keywords]
    return by_place == named[: len(by_place)] and all(by_name)


def one_of(effects: list[Effect]) -> Effect:
    """What is known where any of these may be the one; a decorator that gives nothing is open."""
    if not effects:
        return OPEN
    results = {effect.result for effect in effects}
    result = results.pop() if len(results) == 1 else Result.OPEN
    return Effect(result, all(effect.keeps_arguments for effect in effects))


def is_call_of(node: ast.AST, name: str) -> bool:
    call = node.value if isinstance(node, ast.Await) else node
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name


def is_named(node: ast.expr, name: str | None) -> bool:
    """Whether it is that name, or an attribute by it."""
    if isinstance(node, ast.Attribute):
        return node.attr == name
    return isinstance(node, ast.Name) and node.id == name


def is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def every_in(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def own_in(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a body, without those of the functions and classes in it."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*INNER, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)


def returns_in(body: list[ast.stmt]) -> list[ast.expr]:
    """What a body returns, in any order; nothing for a return of nothing."""
    found = [node.value for node in own_in(body) if isinstance(node, ast.Return)]
    return [value for value in found if value is not None]


def functions_in(body: list[ast.stmt]) -> dict[str, FunctionNode]:
    found = (node for node in own_in(body) if isinstance(node, INNER[:2]))
    return {node.name: node for node in found}


def assigned_in(body: list[ast.stmt]) -> dict[str, list[ast.expr | None]]:
    """What each name gets: an expression, or None for anything else that binds it."""
    found: dict[str, list[ast.expr | None]] = {}
    plain: set[int] = set()
    for node in own_in(body):
        if isinstance(node, ast.Assign):
            names = [target for target in node.targets if isinstance(target, ast.Name)]
            plain.update(map(id, names))
            for name in names:
                found.setdefault(name.id, []).append(node.value)
    for node in own_in(body):
        if isinstance(node, ast.Name) and is_stored(node) and id(node) not in plain:
            found.setdefault(node.id, []).append(None)
    return found
