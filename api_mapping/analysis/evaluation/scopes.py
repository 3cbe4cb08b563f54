"""Functions and classes: defined, and run with what is known of their parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from ...syntax.bindings import bound_names, names_bound, pattern_names
from ...table.kinds import (
    COLLATED,
    NEVER,
    NONE,
    PART,
    STR,
    UNKNOWN,
    Kind,
    coroutine_of,
    dict_of,
    join,
    join_all,
)
from ..classes import instance_of_class
from ..decorators import Result, effect_of
from ..definitions import Class, Function, FunctionNode
from ..frame import HOLDER, Frame
from ..thin import body_of, bound_of
from .annotations import annotated
from .expressions import all_arguments, resolve, value
from .parameters import kind_of_parameter

RunBlock = Callable[[Frame, Iterable[ast.stmt]], None]


def define_function(frame: Frame, node: FunctionNode) -> None:
    """Binds the function; its body is run when all names around it are known."""
    module = frame.module
    key = (node.lineno, node.name)
    function = module.defined.get(key)
    if isinstance(function, Function):
        function.restart(node, frame)
        function.owner = frame.klass
    else:
        function = Function(node.name, node, module, frame.klass, frame)
        module.defined[key] = function
    if module is frame.engine.active:
        sign(frame, function)
    accessor = any(
        isinstance(each, ast.Attribute) and each.attr in ("setter", "deleter")
        for each in node.decorator_list
    )
    if frame.klass is not None and not accessor:
        frame.klass.methods[node.name] = function
        frame.klass.setters.clear()
    if frame.function is not None and frame.klass is None:
        frame.nested.append(function)
    else:
        module.functions.append(function)
    if not accessor:
        frame.bind(node.name, Kind("function", "", (), function))


def sign(frame: Frame, function: Function) -> None:
    """Reads decorators, annotations and defaults."""
    function.is_signed = True
    function.decorators = tuple(decorator(frame, each) for each in function.node.decorator_list)
    _take_signature(frame, function)
    if function.decorators:
        effect = effect_of(function)
        function.is_other = "" if effect.result is Result.SAME else effect.result.value
        function.escapes |= not effect.keeps_arguments


def decorator(frame: Frame, node: ast.expr) -> Kind:
    """What the decorator is; one that is called counts by its name, as a decorator."""
    if isinstance(node, ast.Call):
        called = resolve(frame, node.func)
        for part in (*node.args, *(keyword.value for keyword in node.keywords)):
            value(frame, part)
        if called.tag == "api":
            frame.mention(node, called.name, "decorator")
        return called
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
        if declared.tag != "unknown" and is_coroutine(function):
            declared = coroutine_of(declared)
        function.declared = None if declared.tag == "unknown" else declared


def define_class(frame: Frame, node: ast.ClassDef, run_block: RunBlock) -> None:
    """Binds the class, with its body run in a frame of its own."""
    module = frame.module
    key = (node.lineno, node.name)
    cls = module.defined.get(key)
    if isinstance(cls, Class):
        cls.restart(node)
    else:
        cls = module.defined[key] = Class(node.name, node, module)
    inner = cls.frame = Frame(frame.engine, module, frame)
    inner.klass = cls
    module.classes.append(cls)
    if module is frame.engine.active:
        _run_class(frame, cls, run_block)
    else:
        _index_class(cls, run_block)
    frame.bind(node.name, Kind("class", "", (), cls))


def _run_class(frame: Frame, cls: Class, run_block: RunBlock) -> None:
    node = cls.node
    for each in node.decorator_list:
        decorator(frame, each)
    cls.bases = tuple(_base(frame, each) for each in node.bases)
    for keyword in node.keywords:
        value(frame, keyword.value)
    run_block(cls.frame, node.body)
    cls.names = {
        name: kind
        for name, kind in cls.frame.env.items()
        if not (kind.tag == "function" and kind.target.owner is cls)
    }


def _index_class(cls: Class, run_block: RunBlock) -> None:
    """Takes the methods; what the other statements bind is found out when it is asked for."""
    for statement in cls.node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            run_block(cls.frame, [statement])
            function = cls.module.defined[statement.lineno, statement.name]
            if isinstance(function, Function) and statement.body:
                function.bound = bound_names(statement.body)
                statement.body = []  # parsed again if it must run
        elif not isinstance(statement, ast.Expr):
            for name in names_bound(statement):
                cls.lazy.setdefault(name, []).append(statement)


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


def run_function(frame: Frame, function: Function, run_block: RunBlock) -> Kind:
    """Runs the body and those of the functions in it; what the function returns."""
    body = body_of(function)
    enter(frame, function)
    run_block(frame, body)
    if function.module is frame.engine.active:
        for inner in frame.nested:
            frame.engine.run(inner)
    return _result(frame, function)


def enter(frame: Frame, function: Function) -> None:
    """Binds the parameters to what is known of them."""
    frame.function = function
    frame.of_body(bound_of(function))
    function.ran_with = _parameters(function)
    for name, kind in function.ran_with.items():
        frame.env[name] = kind
        if frame.all is not None:
            frame.all[name] = kind


def is_as_before(function: Function) -> bool:
    """Whether the parameters are what they were when the function ran last."""
    return _parameters(function) == function.ran_with


def first_parameter(function: Function) -> str:
    """What the method calls its instance; "" if it has none."""
    arguments = function.node.args
    first = next(iter([*arguments.posonlyargs, *arguments.args]), None)
    return "" if first is None or function.is_static else first.arg


def _parameters(function: Function) -> dict[str, Kind]:
    arguments = function.node.args
    kinds = {}
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in named:
        kinds[argument.arg] = kind_of_parameter(function, argument.arg)
    if arguments.vararg is not None:
        held = function.annotated.get(arguments.vararg.arg) or kind_of_rest(function)
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


def kind_of_rest(function: Function) -> Kind:
    """What each of the arguments that `*rest` takes up is."""
    name = function.node.args.vararg.arg  # type: ignore[union-attr]
    found = function.found.get(name)
    if found is not None and found is not HOLDER:
        return found if found is COLLATED else UNKNOWN
    return PART._replace(target=(function, name))


def is_coroutine(function: Function) -> bool:
    """Whether its calls give what is to be awaited."""
    return isinstance(function.node, ast.AsyncFunctionDef) and not bound_of(function).has_yield


def _result(frame: Frame, function: Function) -> Kind:
    found = _returned(frame, function)
    return coroutine_of(found) if is_coroutine(function) else found


def _returned(frame: Frame, function: Function) -> Kind:
    if frame.yields or (function.bound is not None and function.bound.has_yield):
        return Kind("iterator", "", (join_all(frame.yields),))
    if is_stub(body_of(function)):
        return UNKNOWN
    found = join_all(frame.returns)
    if not frame.dead:
        found = join(found, NONE)
    return UNKNOWN if found is NEVER else found


def is_stub(body: list[ast.stmt]) -> bool:
    """Whether the body is only a docstring, `pass` or `...`: others say what it returns."""
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in body
    )
