"""Trees without the bodies of functions: all that is kept of modules which are asked for names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import TypeVar

from ..syntax.bindings import Bound, bound_names
from .definitions import Class, Function, FunctionNode, Module
from .files.reading import parsed
from .frame import NOWHERE

Definition = TypeVar("Definition", FunctionNode, ast.ClassDef)


def drop_bodies(body: Iterable[ast.stmt]) -> None:
    """Takes the bodies out of the functions of a module and of its classes."""
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = []
        elif isinstance(node, ast.ClassDef | ast.If | ast.Try | ast.With):
            stack.extend(node.body)
            stack.extend(getattr(node, "orelse", ()))
            for handler in getattr(node, "handlers", ()):
                stack.extend(handler.body)


def body_of(function: Function) -> list[ast.stmt]:
    """The statements of a function, parsed again if they were dropped."""
    node = function.node
    if not node.body:
        text = text_of(function)
        if not text:
            return []  # of a module that was forgotten
        # what stands in it is known by its lines: they are those of the file
        head = "\n" * (node.lineno - 2) + "if 1:\n" if node.col_offset else "\n" * (node.lineno - 1)
        statement = parsed(head + text).body[0]
        found = statement.body[0] if isinstance(statement, ast.If) else statement
        assert isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef)
        node.body = found.body
    return node.body


def text_of(function: Function) -> str:
    """The lines of a function, without its decorators."""
    node, module = function.node, function.module
    if node.lineno not in module.texts:
        lines = module.source.lines[node.lineno - 1 : node.end_lineno]
        module.texts[node.lineno] = "\n".join(lines)
    return module.texts[node.lineno]


def is_kept_as_text(function: Function) -> bool:
    """Whether the body can be parsed again if it is dropped."""
    return function.node.lineno in function.module.texts


def bound_of(function: Function) -> Bound:
    """What the function's body binds, found once."""
    if function.bound is None:
        is_dropped = not function.node.body
        function.bound = bound_names(body_of(function))
        if is_dropped:
            function.node.body = []
    return function.bound


def is_unread(function: Function) -> bool:
    """Whether what the body binds would have to be found out by parsing it."""
    return function.bound is None and not function.node.body


def bound_if_named(function: Function, name: str) -> Bound | None:
    """What the body binds; None if the name does not stand in it, whose body is not parsed then."""
    if is_unread(function) and name not in text_of(function):
        return None
    return bound_of(function)


def setters_of(cls: Class, attribute: str) -> list[Function]:
    """The methods of a class whose bodies could assign to the attribute, found once."""
    found = cls.setters.get(attribute)
    if found is None:
        found = [function for function in cls.methods.values() if may_set(function, attribute)]
        cls.setters[attribute] = found
    return found


def may_set(function: Function, attribute: str) -> bool:
    """Whether the body could assign to the attribute: no, if its text only reads what that has."""
    if not is_unread(function):
        return True
    text = text_of(function)
    if attribute not in text:
        return False
    quoted = f'"{attribute}"' in text or f"'{attribute}'" in text
    return quoted or re.search(rf"\.{attribute}\b(?!\s*[.(\[])", text) is not None


def make_thin(module: Module) -> None:
    """Lets go of the module's tree, which may be in use elsewhere, and of what only it knew.

    What other modules are told of it is then the same whether it has been analysed or not.
    """
    for definition in module.defined.values():
        if isinstance(definition, Function):
            definition.node = without_body(definition.node)
            definition.bound = None
            definition.forget_runs()
            definition.given.clear()
        elif isinstance(definition, Class):
            definition.node = without_body(definition.node)
            definition.state = "new"
            definition.registered = None
            definition.attributes.clear()
            definition.readers.clear()
            definition.placed.clear()
            definition.frame.recorder = NOWHERE
    if module.frame is not None:
        module.frame.recorder = NOWHERE
    module.is_whole = False
    module.state = "told"
    module.bindings.clear()
    module.run.clear()


def without_body(node: Definition) -> Definition:
    """A copy that ends where the definition ends, with nothing in it."""
    copy = type(node).__new__(type(node))
    vars(copy).update(vars(node), body=[])
    return copy
