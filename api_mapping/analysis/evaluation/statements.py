"""Runs statements over kinds instead of values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from ...syntax.walk import FunctionNode
from ...table.kinds import (
    MODULE,
    NONE,
    NUMBERS,
    UNKNOWN,
    Kind,
    is_alike,
    join,
    list_of,
    present,
    tuple_of,
)
from ..frame import Frame, Names, any_path, copy_names, join_names
from . import imports, scopes
from .annotations import annotated
from .elements import element_of, unpack
from .evidence import networks_in, note_updated
from .expressions import arithmetic
from .guards import narrow, narrow_match

MAX_ROUNDS = 4
"""Times that a loop's body is run until its names no longer change; then they are unknown."""


def run_block(frame: Frame, body: Iterable[ast.stmt]) -> None:
    """Runs statements in order; one that is nested too deeply is noted, the rest goes on."""
    for statement in body:
        handler = _HANDLERS.get(type(statement))
        if handler is not None:
            handler(frame, statement)


def bind(frame: Frame, name: str, kind: Kind) -> None:
    """Binds a name; a parameter declared to be a tensor stays one where nothing is known."""
    function = frame.function
    if kind.tag == "unknown" and function is not None and name in function.annotated:
        declared = present(function.annotated[name])
        kind = declared if declared.tag == "tensor" else kind
    frame.bind(name, kind)


def _expr(frame: Frame, node: ast.Expr) -> None:
    if type(node.value) is not ast.Constant:
        frame.statement = node.value
        frame.engine.value(frame, node.value)


def _assign(frame: Frame, node: ast.Assign) -> None:
    if type(node.targets[0]) is ast.Subscript:
        note_updated(frame, node.targets[0], node.value)
    kind = frame.engine.value(frame, node.value)
    if kind.tag == "unknown" and type(node.value) is ast.Call:
        kind = network_by_use(frame, node.targets) or kind
    for target in node.targets:
        unpack(frame, target, spread_over(frame, target, node.value) or kind, bind)


def network_by_use(frame: Frame, targets: list[ast.expr]) -> Kind | None:
    """A network, if that is what the scope does with what an unknown function gives."""
    target = targets[0]
    places = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [place.id for place in places if isinstance(place, ast.Name)]
    if len(names) < len(places) or "parameters" not in frame.module.source.text:
        return None
    if frame.networks is None:
        function = frame.function
        frame.networks = networks_in(
            frame.module.source.tree.body if function is None else body_of(function.node)
        )
    if not frame.networks.intersection(names):
        return None
    if isinstance(target, ast.Name):
        return MODULE
    return tuple_of(tuple(MODULE if n in frame.networks else UNKNOWN for n in names))


def body_of(function: FunctionNode) -> list[ast.stmt]:
    return [] if isinstance(function, ast.Lambda) else function.body


def spread_over(frame: Frame, target: ast.expr, value: ast.expr) -> Kind | None:
    """The kind of `a, *pair, b` for a tuple of names, whose number tells how many the star is."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return None
    stars = [n for n, element in enumerate(value.elts) if isinstance(element, ast.Starred)]
    more = len(target.elts) - len(value.elts)
    has_star = any(isinstance(element, ast.Starred) for element in target.elts)
    if len(stars) != 1 or has_star or more < -1:
        return None
    kinds = [frame.recorder.kinds.get(element, UNKNOWN) for element in value.elts]
    inner = value.elts[stars[0]]
    assert isinstance(inner, ast.Starred)
    element = element_of(frame.recorder.kinds.get(inner.value, UNKNOWN))
    return tuple_of((*kinds[: stars[0]], *[element] * (more + 1), *kinds[stars[0] + 1 :]))


def _ann_assign(frame: Frame, node: ast.AnnAssign) -> None:
    promised = annotated(frame, node.annotation)
    given = UNKNOWN if node.value is None else frame.engine.value(frame, node.value)
    kind = promised if promised.tag != "unknown" else given
    if promised.tag == given.tag:
        kind = given
    if isinstance(node.target, ast.Name):
        if node.value is not None or frame.klass is not None:
            frame.bind(node.target.id, kind)
        if frame.klass is not None and promised.tag != "unknown":
            frame.klass.annotated[node.target.id] = promised
    elif node.value is not None:
        frame.engine.store(frame, node.target, kind)


def _aug_assign(frame: Frame, node: ast.AugAssign) -> None:
    target = node.target
    note_updated(frame, target, node.value)
    if isinstance(target, ast.Name):
        old = frame.recorder.kinds[target] = frame.lookup(target.id)
    else:
        old = frame.engine.value(frame, target)
    given = frame.engine.value(frame, node.value)
    kind = arithmetic(frame, old, given, node.op, in_place=True)
    if isinstance(node.op, ast.Add) and present(old).tag == "list" and kind.is_unknown:
        kind = list_of(join(present(old).parts[0], element_of(given)))
    if isinstance(target, ast.Name):
        frame.bind(target.id, kind)
    elif isinstance(target, ast.Attribute):
        frame.engine.rebind(frame, target, kind)
    elif isinstance(target, ast.Subscript) and is_number(old) and not kind.is_unknown:
        frame.engine.store(frame, target, kind)  # `metric[0] += loss` of a list of numbers
        frame.recorder.kinds[target] = old


def is_number(kind: Kind) -> bool:
    return kind.tag in NUMBERS or kind.is_mixed


def _if(frame: Frame, node: ast.If) -> None:
    """Runs a chain of if and elif without recursion: generated code has long ones."""
    ends: list[tuple[Names, bool]] = []
    current: ast.If | None = node
    dead_before = frame.dead
    while current is not None:
        frame.engine.value(frame, current.test)
        rest = copy_names(frame.env)
        narrow(frame, current.test, True)
        run_block(frame, current.body)
        ends.append((frame.env, frame.dead))
        frame.env, frame.dead = rest, dead_before
        narrow(frame, current.test, False)
        orelse = current.orelse
        nested = len(orelse) == 1 and isinstance(orelse[0], ast.If)
        current = orelse[0] if nested else None  # type: ignore[assignment]
        if not nested:
            run_block(frame, orelse)
    ends.append((frame.env, frame.dead))
    frame.env, frame.dead = any_path(*ends)


def _for(frame: Frame, node: ast.For | ast.AsyncFor) -> None:
    kind = element_of(frame.engine.value(frame, node.iter))
    _loop(frame, node, lambda: unpack(frame, node.target, kind, bind))


def _while(frame: Frame, node: ast.While) -> None:
    def test() -> None:
        frame.engine.value(frame, node.test)
        narrow(frame, node.test, True)

    _loop(frame, node, test)


def _loop(
    frame: Frame, node: ast.For | ast.AsyncFor | ast.While, begin: Callable[[], None]
) -> None:
    """Runs the body until what it does to the names before it is known."""
    outer_exits, outer_continues, dead = frame.exits, frame.continues, frame.dead
    entry = frame.env
    behind = entry
    for round_ in range(MAX_ROUNDS):
        frame.exits, frame.continues = [], []
        frame.env, frame.dead = copy_names(entry), dead
        begin()
        run_block(frame, node.body)
        ends = [(names, False) for names in (*frame.exits, *frame.continues)]
        after, _ = any_path((frame.env, frame.dead), *ends, (entry, False))
        behind = join_names(entry, after)
        changed = [name for name, kind in entry.items() if behind[name] != kind]
        if not changed:
            break
        entry = copy_names(entry)
        for name in changed:
            is_wider = round_ == 0 or is_alike(entry[name], behind[name])
            entry[name] = behind[name] if is_wider else UNKNOWN
    frame.env, frame.dead = behind, dead
    frame.exits, frame.continues = outer_exits, outer_continues
    run_block(frame, node.orelse)


def _break(frame: Frame, node: ast.Break) -> None:
    frame.exits.append(frame.env)
    _leave(frame, node)


def _continue(frame: Frame, node: ast.Continue) -> None:
    frame.continues.append(frame.env)
    _leave(frame, node)


def _leave(frame: Frame, node: ast.stmt) -> None:
    frame.env = copy_names(frame.env)
    frame.dead = True


def _return(frame: Frame, node: ast.Return) -> None:
    kind = NONE if node.value is None else frame.engine.value(frame, node.value)
    frame.returns.append(kind)
    frame.dead = True


def _raise(frame: Frame, node: ast.Raise) -> None:
    for part in (node.exc, node.cause):
        if part is not None:
            frame.engine.value(frame, part)
    frame.dead = True


def _assert(frame: Frame, node: ast.Assert) -> None:
    frame.engine.value(frame, node.test)
    if node.msg is not None:
        frame.engine.value(frame, node.msg)
    narrow(frame, node.test, True)


ENTERED = frozenset({"module", "other", "object", "iterator"})
"""What `with` hands on as it is: of iterators only progress bars can be entered."""


def _with(frame: Frame, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        kind = frame.engine.value(frame, item.context_expr)
        if item.optional_vars is not None:
            entered = kind if kind.tag in ENTERED else UNKNOWN
            unpack(frame, item.optional_vars, entered, bind)
    run_block(frame, node.body)


def _try(frame: Frame, node: ast.Try) -> None:
    """A handler may start from anywhere in the body: from before it or from behind it."""
    before = copy_names(frame.env)
    dead = frame.dead
    run_block(frame, node.body)
    middle = join_names(before, frame.env)
    run_block(frame, node.orelse)
    ends = [(frame.env, frame.dead)]
    for handler in node.handlers:
        frame.env, frame.dead = copy_names(middle), dead
        if handler.type is not None:
            frame.engine.value(frame, handler.type)
        if handler.name:
            frame.bind(handler.name, UNKNOWN)
        run_block(frame, handler.body)
        if is_import_error(handler.type):
            keep_imported(frame, ends[0][0])
        ends.append((frame.env, frame.dead))
    frame.env, frame.dead = any_path(*ends)
    run_block(frame, node.finalbody)


def is_import_error(node: ast.expr | None) -> bool:
    names = node.elts if isinstance(node, ast.Tuple) else [node]
    missing = ("ImportError", "ModuleNotFoundError")
    return all(isinstance(name, ast.Name) and name.id in missing for name in names)


def keep_imported(frame: Frame, imported: Names) -> None:
    """What stands in for a library that lacks the name is not what the name is."""
    for name, kind in imported.items():
        is_lost = kind.tag == "foreign" and frame.env.get(name) == UNKNOWN
        if (kind.tag == "api" or is_lost) and name in frame.env:
            frame.env[name] = kind
            if frame.all is not None and name in frame.all:
                frame.all[name] = kind


def _match(frame: Frame, node: ast.Match) -> None:
    frame.engine.value(frame, node.subject)
    entry = frame.env
    dead = frame.dead
    ends = [(entry, dead)]
    for case in node.cases:
        frame.env, frame.dead = copy_names(entry), dead
        scopes.bind_pattern(frame, case.pattern)
        narrow_match(frame, node.subject, case.pattern)
        if case.guard is not None:
            frame.engine.value(frame, case.guard)
        run_block(frame, case.body)
        ends.append((frame.env, frame.dead))
    frame.env, frame.dead = any_path(*ends)


def _delete(frame: Frame, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.env.pop(target.id, None)
            if frame.bound is None:
                frame.module.names.pop(target.id, None)
        elif not isinstance(target, ast.Tuple):
            frame.engine.value(frame, target)


def run_function_def(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    scopes.define_function(frame, node)


def run_class_def(frame: Frame, node: ast.ClassDef) -> None:
    scopes.define_class(frame, node, run_block)


_HANDLERS: dict[type, Callable[[Frame, Any], None]] = {
    ast.Expr: _expr,
    ast.Assign: _assign,
    ast.AnnAssign: _ann_assign,
    ast.AugAssign: _aug_assign,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Delete: _delete,
    ast.Import: imports.run_import,
    ast.ImportFrom: imports.run_import_from,
    ast.FunctionDef: run_function_def,
    ast.AsyncFunctionDef: run_function_def,
    ast.ClassDef: run_class_def,
}
