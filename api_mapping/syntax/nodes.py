"""Nodes of `ast`: their places, what is under them, arguments that are written out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from string import Formatter
from typing import TypeGuard

from .walk import every, inner

TESTS = frozenset({"isinstance", "issubclass"})
"""Functions of Python that test a type."""


def classes_in(node: ast.AST) -> Sequence[ast.AST]:
    """The classes in a test of a type: of `isinstance(x, C)`, `type(x) is C`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        is_test = node.func.id in TESTS and len(node.args) == 2
        return node.args[1:] if is_test else ()
    if isinstance(node, ast.Compare):
        operands = (node.left, *node.comparators)
        return operands if any(map(is_type_of, operands)) else ()
    return ()


def is_type_of(node: ast.AST) -> bool:
    """Whether it is `type(x)` or `x.__class__`."""
    if isinstance(node, ast.Attribute):
        return node.attr == "__class__"
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return is_call and node.func.id == "type"  # type: ignore[attr-defined]


def operands(node: ast.expr) -> Iterator[ast.expr]:
    """What is computed with in a sum, product and the like; nothing of another expression."""
    for part in (node.left, node.right) if isinstance(node, ast.BinOp) else ():
        yield part
        yield from operands(part)


def is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def is_none(node: ast.AST) -> bool:
    """Whether it is the literal None."""
    return isinstance(node, ast.Constant) and node.value is None


def owner_called(node: ast.AST | None, method: str) -> ast.expr | None:
    """x of the call `x.method()`, which is given nothing; None of anything else."""
    called = node.func if isinstance(node, ast.Call) and not node.args else None
    if not isinstance(called, ast.Attribute) or called.attr != method:
        return None
    return called.value


def replaced_in(node: ast.Return | ast.Assign) -> Iterator[str]:
    """The names that a statement mentions once, and that no one sees with their values after it."""
    targets = [t.id for t in node.targets if is_name(t)] if isinstance(node, ast.Assign) else None
    if node.value is None or targets == []:
        return iter(())
    names = [n.id for n in every(node.value) if is_name(n)]
    return (name for name in targets or names if names.count(name) == 1)


def children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes under a node that have a place of their own, in the order of the text."""
    if isinstance(node, ast.JoinedStr):
        return fields(node)
    found: list[ast.AST] = []
    for child in inner(node):
        found += [child] if hasattr(child, "lineno") else children(child)
    return iter(sorted(found, key=start_of) if len(found) > 1 else found)


def fields(node: ast.JoinedStr) -> Iterator[ast.AST]:
    """The expressions in an f-string: before Python 3.12, what is around them has no place."""
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            yield part.value
            if isinstance(part.format_spec, ast.JoinedStr):
                yield from fields(part.format_spec)


def formatted_in(node: ast.JoinedStr | ast.Call) -> Iterator[ast.expr]:
    """What a text writes in a given form: x of f"{x:.3f}"."""
    return (value for value, _ in forms_in(node))


def forms_in(node: ast.JoinedStr | ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """What a text writes in a given form, beside the form: x and ".3f" of f"{x:.3f}"."""
    if isinstance(node, ast.JoinedStr):
        fields = (part for part in node.values if isinstance(part, ast.FormattedValue))
        given = [field for field in fields if field.format_spec and field.conversion == -1]
        yield from ((field.value, form_of(field.format_spec)) for field in given)
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text = node.func.value
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield from forms_of_fields(text.value, node)


def form_of(node: ast.expr | None) -> str:
    """The form that an expression gives, with {} for what only a run knows of it."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(form_of, node.values))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "{}"


def forms_of_fields(text: str, call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """The arguments of `text.format(...)` that all of its fields write in a given form."""
    given: dict[str, ast.expr] = {str(n): value for n, value in enumerate(call.args)}
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    try:
        found = [(name, spec) for _, name, spec, _ in Formatter().parse(text) if name is not None]
    except ValueError:
        return
    named = [(name or str(n), spec) for n, (name, spec) in enumerate(found)]
    plain = {name for name, spec in named if not spec}
    yield from ((given[n], spec) for n, spec in named if spec and n in given and n not in plain)


def start_of(node: ast.AST) -> tuple[int, int]:
    """Where a node begins; a decorated function or class with its first decorator, behind `@`."""
    decorators = getattr(node, "decorator_list", None)
    first: ast.AST = decorators[0] if decorators else node
    return first.lineno, first.col_offset  # type: ignore[attr-defined]


def end_of(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def dotted(node: ast.AST) -> str:
    """`self.net.head` of a chain of attributes of a name; "" of anything else."""
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return node.id if isinstance(node, ast.Name) else ""
