"""Functions and classes: defined, and run with what is known of their parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from .annotations import annotated
from .bound import Bound, bound_names, pattern_names
from .classes import instance_of_class
from .definitions import Class, Function, FunctionNode
from .expressions import all_arguments, resolve, value
from .frame import Frame
from .kinds import (
    NEVER,
    NONE,
    STR,
    UNKNOWN,
    Kind,
    dict_of,
    join,
    join_all,
)
from .parameters import kind_of_parameter

RunBlock = Callable[[Frame, Iterable[ast.stmt]], None]


def define_function(frame: Frame, node: FunctionNode) -> None:
    """Binds the function; its body is run when all names around it are known."""
    function = Function(node.name, node, frame.module, frame.klass, frame)
    function.decorators = tuple(decorator(frame, each) for each in node.decorator_list)
    _take_signature(frame, function)
    changes_property = any(
        isinstance(each, ast.Attribute) and each.attr in ("setter", "deleter")
        for each in node.decorator_list
    )
    if frame.klass is not None and not changes_property:
        frame.klass.methods[node.name] = function
    if frame.function is not None and frame.klass is None:
        frame.nested.append(function)
    else:
        frame.module.functions.append(function)
    if not changes_property:
        frame.bind(node.name, Kind("function", "", (), function))


def decorator(frame: Frame, node: ast.expr) -> Kind:
    """What the decorator is; one that is called counts by its name, as a decorator."""
    if isinstance(node, ast.Call):
        value(frame, node)
        mention = frame.recorder.mentions.get(node)
        if mention is not None and mention.kind == "call":
            mention.kind = "decorator"
        return frame.recorder.kinds.get(node.func, UNKNOWN)
    kind = resolve(frame, node)
    if kind.tag == "api":
        frame.mention(node, kind.name, "decorator")
    return kind


def _take_signature(frame: Frame, function: Function) -> None:
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    pairs = [*zip(with_default, arguments.defaults, strict=True)]
    pairs += [
        (a, d)
        for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if d is not None
    ]
    for argument, default in pairs:
        function.defaults[argument.arg] = value(frame, default)
    for argument in all_arguments(arguments):
        if argument.annotation is not None:
            function.annotated[argument.arg] = annotated(frame, argument.annotation)
    if function.node.returns is not None:
        declared = annotated(frame, function.node.returns)
        function.declared = None if declared.tag == "unknown" else declared


def define_class(frame: Frame, node: ast.ClassDef, run_block: RunBlock) -> None:
    """Binds the class, with its body run in a frame of its own."""
    for each in node.decorator_list:
        decorator(frame, each)
    cls = Class(node.name, node, frame.module)
    cls.bases = tuple(_base(frame, each) for each in node.bases)
    for keyword in node.keywords:
        value(frame, keyword.value)
    frame.module.classes.append(cls)
    inner = Frame(frame.engine, frame.module, frame)
    inner.klass = cls
    run_block(inner, node.body)
    cls.names = {
        name: kind
        for name, kind in inner.env.items()
        if not (kind.tag == "function" and kind.target.owner is cls)
    }
    frame.bind(node.name, Kind("class", "", (), cls))


def _base(frame: Frame, node: ast.expr) -> Kind:
    if isinstance(node, ast.Subscript):
        value(frame, node.slice)
        node = node.value
    kind = resolve(frame, node)
    if kind.tag == "api":
        frame.mention(node, kind.name, "base")
    return kind


def bind_pattern(frame: Frame, pattern: ast.pattern) -> None:
    """Binds the names of a case's pattern; its values and classes are looked at."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchValue):
            value(frame, node.value)
        elif isinstance(node, ast.MatchClass):
            value(frame, node.cls)
    for name in pattern_names(pattern):
        frame.bind(name, UNKNOWN)


def run_function(
    frame: Frame, function: Function, run_block: RunBlock, given: dict[str, Kind] | None = None
) -> Kind:
    """Runs the body and those of the functions in it; what the function returns.

    `given` are the arguments of one call, instead of what is known of all calls.
    """
    node = function.node
    frame.function = function
    frame.of_body(bound_of(function))
    for name, kind in _parameters(function, given).items():
        frame.env[name] = kind
        if frame.all is not None:
            frame.all[name] = kind
    run_block(frame, node.body)
    for inner in frame.nested:
        frame.engine.run(inner)
    return _result(frame, function)


def bound_of(function: Function) -> Bound:
    """What the function's body binds, found once."""
    if function.bound is None:
        function.bound = bound_names(function.node.body)
    return function.bound


def _parameters(function: Function, given: dict[str, Kind] | None) -> dict[str, Kind]:
    arguments = function.node.args
    kinds = {}
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in named:
        name = argument.arg
        kind = kind_of_parameter(function, name)
        if given is not None and kind.tag in ("unknown", *_WEAK) and name in given:
            kind = given[name]
        kinds[name] = kind
    if arguments.vararg is not None:
        held = function.annotated.get(arguments.vararg.arg, UNKNOWN)
        kinds[arguments.vararg.arg] = Kind("list", "tuple", (held,))
    if arguments.kwarg is not None:
        kinds[arguments.kwarg.arg] = dict_of(STR, UNKNOWN)
    if function.owner is not None and named and not function.is_static:
        first = instance_of_class(function.owner)
        is_class = any(k.name == "builtins.classmethod" for k in function.decorators)
        if is_class or function.name in ("__new__", "__init_subclass__", "__class_getitem__"):
            first = Kind("class", "", (), function.owner)
        kinds[named[0].arg] = first
    return kinds


_WEAK = ("int", "float", "bool", "str")


def _result(frame: Frame, function: Function) -> Kind:
    if isinstance(function.node, ast.AsyncFunctionDef):
        return UNKNOWN
    if frame.yields or (function.bound is not None and function.bound.has_yield):
        return Kind("iterator", "", (join_all(frame.yields),))
    if is_stub(function.node):
        return UNKNOWN
    found = join_all(frame.returns)
    if not frame.dead:
        found = join(found, NONE)
    return UNKNOWN if found is NEVER else found


def is_stub(node: FunctionNode) -> bool:
    """Whether the body is only a docstring, `pass` or `...`: others say what it returns."""
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in node.body
    )
