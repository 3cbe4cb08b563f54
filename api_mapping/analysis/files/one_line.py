"""Training steps on one line, taken apart: `opt.zero_grad(); loss.backward(); opt.step()`.

With commas, too: `opt.zero_grad(), loss.backward(), opt.step()`. What is converted goes to
different places, each with lines of its own.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...syntax.nodes import end_of, start_of
from ...syntax.source_text import indent_of
from ...table.facts.gradients import STEP_METHODS

Step = ast.stmt | ast.expr
"""A statement, or a call between commas that might be one."""

BODIES = ("body", "orelse", "finalbody")
INDENT = "    "


@dataclass(frozen=True)
class Apart:
    """Lines of which none has a step and something else.

    `places` has for each line where it began: the line, from one, and by how many bytes further.
    """

    lines: Sequence[str]
    places: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Cut:
    """The bytes of a line that become a line end, and the indentation behind it."""

    start: int
    end: int
    indent: str


def taken_apart(tree: ast.Module, lines: Sequence[str]) -> Apart | None:
    """The lines of a file with its steps taken apart; None if none shares a line."""
    cuts: dict[int, list[Cut]] = defaultdict(list)
    for run, owner in runs_of(tree):
        for line, cut in cuts_of(run, owner, lines):
            cuts[line].append(cut)
    if not cuts:
        return None
    pieces = [
        (piece, (number, shift))
        for number, line in enumerate(lines, 1)
        for piece, shift in pieces_of(line, cuts.get(number, ()))
    ]
    return Apart([text for text, _ in pieces], [place for _, place in pieces])


def pieces_of(line: str, cuts: Sequence[Cut]) -> Iterator[tuple[str, int]]:
    """The lines that a line becomes, each with how many bytes further it began."""
    if not cuts:
        yield line, 0
        return
    data, begun, indent = line.encode(), 0, ""
    for cut in sorted(cuts, key=lambda cut: cut.start):
        yield indent + data[begun : cut.start].decode(), begun - len(indent)
        begun, indent = cut.end, cut.indent
    yield indent + data[begun:].decode(), begun - len(indent)


def runs_of(tree: ast.Module) -> Iterator[tuple[list[Step], ast.AST]]:
    """Statements that share a line, of bodies with steps, with what the body is of."""
    for owner in ast.walk(tree):
        for body in (getattr(owner, name, ()) for name in BODIES):
            if not isinstance(body, list):  # of a lambda
                continue
            parts = [part for statement in body for part in parts_of(statement)]
            if any(map(is_step, parts)):
                yield from ((run, owner) for run in by_line(parts))


def parts_of(statement: ast.stmt) -> Sequence[Step]:
    """The calls of a statement that is steps with commas between them, or the statement."""
    row = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(row, ast.Tuple) or not any(map(is_step, row.elts)):
        return [statement]
    bare = start_of(row) == start_of(row.elts[0]) and end_of(row) == end_of(row.elts[-1])
    return row.elts if bare else [statement]


def by_line(body: Sequence[Step]) -> Iterator[list[Step]]:
    """The statements of a body, those that share a line together."""
    run: list[Step] = []
    for statement in body:
        if run and statement.lineno != end_of(run[-1])[0]:
            yield run
            run = []
        run.append(statement)
    yield run


def cuts_of(run: Sequence[Step], owner: ast.AST, lines: Sequence[str]) -> Iterator[tuple[int, Cut]]:
    """Where lines are cut between the statements of a run, and behind the header before it."""
    line, start = start_of(run[0])
    text = lines[line - 1]
    before = text.encode()[:start].rstrip()
    if not before:
        indent = indent_of(text)
    elif before.endswith(b":"):
        is_body = first_of(owner) == start_of(run[0]) and hasattr(owner, "lineno")
        indent = indent_of(lines[owner.lineno - 1] if is_body else text) + INDENT  # type: ignore
        yield line, Cut(len(before), start, indent)
    else:
        return
    for one, other in pairwise(run):
        line, end = end_of(one)
        yield line, Cut(end, start_of(other)[1], indent)


def first_of(owner: ast.AST) -> tuple[int, int] | None:
    """Where the body begins that stands behind a header."""
    body = getattr(owner, "body", ())
    return start_of(body[0]) if isinstance(body, list) and body else None


def is_step(part: Step) -> bool:
    """Whether a statement, or a call, is of what a training step is made of."""
    called = part.value if isinstance(part, ast.Expr) else part
    function = called.func if isinstance(called, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in STEP_METHODS
