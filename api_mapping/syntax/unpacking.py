"""Arguments behind `*` and `**`, one by one where the code says what they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

Displays = Mapping[int, ast.expr]
"""The tuples, lists and dictionaries that names behind `*` and `**` stand for, by their ids.

An `ast.IfExp` is a choice of dictionaries: which keywords there are is known only at run time.
"""


class Chosen(ast.IfExp):
    """One keyword argument that is given on a condition; a branch that gives none is None."""


def places(args: Sequence[ast.expr], displays: Displays) -> Iterator[ast.expr]:
    """Positional arguments, those in a list or tuple behind `*` one by one."""
    for arg in args:
        inner = displays.get(id(arg.value), arg.value) if isinstance(arg, ast.Starred) else None
        if isinstance(inner, ast.List | ast.Tuple):
            yield from places(inner.elts, displays)
        else:
            yield arg


def keywords(given: Sequence[ast.keyword], displays: Displays) -> Iterator[ast.keyword]:
    """Keyword arguments, those in a dictionary behind `**` one by one."""
    for keyword in given:
        pairs = displays.get(id(keyword.value), keyword.value)
        if keyword.arg is None and isinstance(pairs, ast.IfExp):
            yield from (ast.keyword(name, chosen(pairs, name)) for name in names_of(pairs))
        elif keyword.arg is None and isinstance(pairs, ast.Dict) and all(map(is_text, pairs.keys)):
            for name, value in zip(pairs.keys, pairs.values, strict=True):
                yield ast.keyword(name.value, value)  # type: ignore[union-attr]
        else:
            yield keyword


def chosen(pairs: ast.IfExp, name: str) -> Chosen:
    """The argument by one name, of dictionaries that are chosen from."""
    one, other = value_by(pairs.body, name), value_by(pairs.orelse, name)
    return Chosen(pairs.test, one, other)  # type: ignore[arg-type]


def value_by(pairs: ast.expr, name: str) -> ast.expr | None:
    assert isinstance(pairs, ast.Dict)
    found = zip(pairs.keys, pairs.values, strict=True)
    return next((value for key, value in found if is_text(key) and key.value == name), None)


def names_of(pairs: ast.expr) -> Iterator[str]:
    """The keys of a dictionary, or of those that are chosen from."""
    if isinstance(pairs, ast.IfExp):
        yield from dict.fromkeys((*names_of(pairs.body), *names_of(pairs.orelse)))
    elif isinstance(pairs, ast.Dict):
        yield from (key.value for key in pairs.keys)  # type: ignore[union-attr]


def is_text(node: ast.expr | None) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def pairs_of(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The places and values of `a, b = x, y`; none where they are not written one for one."""
    rows = [node.elts for node in (target, value) if isinstance(node, ast.Tuple | ast.List)]
    if len(rows) < 2 or any(isinstance(node, ast.Starred) for row in rows for node in row):
        return []
    return list(zip(*rows, strict=True)) if len(rows[0]) == len(rows[1]) else []
