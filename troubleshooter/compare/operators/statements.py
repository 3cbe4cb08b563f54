"""Statements that compute nothing, where the other side's do: no operator stands on their lines."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from io import StringIO
from pathlib import Path

from ....formats.storage.opening import text_of
from ...sides.child.messages import Line
from .graph import Graph, Node
from .regions import BLOCKS, TARGET

PLAIN = (ast.Name, ast.Attribute, ast.Constant)
RETURNED = "return"
MOST_SOURCE = 16 << 20
"""Bytes of a file of code that are read."""


def idle_statement(graph: Graph, node: Node) -> Line | None:
    """Where a side only gives a name to what it has, `x = y`, or returns it, of which the other
    one, `node`, computes something; None unless it is the one such statement of its function."""
    name = named_by(node.line.text)
    if not name.isidentifier():
        return None
    own = BLOCKS.get(node.line.function, node.line.function)
    here = Counter(
        (own_name, line.expression)
        for function, lines in plain_statements(node.line.file)
        if BLOCKS.get(function.name, function.name) == own
        for own_name, line in lines
    )
    at_work = {(x.line.file, x.line.number) for x in graph.nodes if x.line.number}
    found = [
        (own_name, line)
        for file in sorted({file for file, _ in at_work})
        for function, lines in plain_statements(file)
        if BLOCKS.get(function.name, function.name) == own
        if any(f == file and number in span(function) for f, number in at_work)
        for own_name, line in lines
        if own_name == name and (file, line.number) not in at_work
    ]
    there = Counter((own_name, line.expression) for own_name, line in found)
    own_alone = [line for x, line in found if there[x, line.expression] > here[x, line.expression]]
    return own_alone[0] if len(own_alone) == 1 else None


def named_by(text: str) -> str:
    """What a statement sets; `return` of one that returns something."""
    target = TARGET.match(text)
    if target is not None:
        return target[1]
    return RETURNED if text.lstrip().startswith(f"{RETURNED} ") else ""


def span(function: ast.FunctionDef) -> range:
    return range(function.lineno, (function.end_lineno or function.lineno) + 1)


Named = list[tuple[str, Line]]


@lru_cache(maxsize=16)
def plain_statements(file: str) -> list[tuple[ast.FunctionDef, Named]]:
    """Of each function of a file the names that it gives to others' values, and where."""
    try:
        text = text_of(Path(file), MOST_SOURCE)
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    lines = StringIO(text, newline=None).readlines()  # as Python counts them: no form feed ends one
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [(function, list(plain_in(file, function, lines))) for function in functions]


def plain_in(file: str, function: ast.FunctionDef, lines: list[str]) -> Iterator[tuple[str, Line]]:
    for node in ast.walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) and not node.targets[1:] else None
        name = target.id if isinstance(target, ast.Name) else ""
        name = RETURNED if isinstance(node, ast.Return) else name
        if name and isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, PLAIN):
            text = lines[node.lineno - 1].strip()
            last = node.end_lineno or node.lineno
            expression = ast.unparse(node.value)
            yield name, Line(file, node.lineno, text, expression, last, function.name)
