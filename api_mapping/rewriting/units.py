"""The edits that make MindSpore code of one unit of a source: a statement, or a compound's head."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..syntax.code import text_of
from ..syntax.edits import Edit, applied
from ..syntax.nodes import children, end_of, start_of
from ..syntax.slots import LAMBDA, TUPLE, strength, strength_of
from ..syntax.source_text import is_whole
from .rewriter import Rewriter


def changes(part: ast.AST, parent: ast.AST, to: Rewriter) -> Iterator[Edit]:
    """The edits of a part of a unit; none where its text stays.

    Raises: Unreadable
    """
    if isinstance(part, ast.expr):
        text = expression_text(part, parent, to)
    elif isinstance(part, ast.stmt):
        text = new_text(part, to)
    else:
        text = text_of_parts(part, to)
    if text != to.reading.source.of_node(part):
        yield Edit(start_of(part), end_of(part), text)


def text_of_parts(part: ast.AST, to: Rewriter) -> str:
    """The text of what is no expression, with new code in it: a parameter with its annotation."""
    source = to.reading.source
    edits = [edit for child in children(part) for edit in changes(child, part, to)]
    if not edits:
        return source.of_node(part)
    above = Edit((1, 0), start_of(part), "")
    below = Edit(end_of(part), (len(source.lines) + 1, 0), "")
    return applied(source.lines, [above, *edits, below])


def new_text(node: ast.expr | ast.stmt, to: Rewriter) -> str:
    """The text of an expression or a small statement by itself."""
    if isinstance(node, ast.expr):
        return to.text(node)
    return to.written(node) or text_of_parts(node, to.within(node))


LOOSE = (ast.For, ast.AsyncFor, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
"""Statements in which a tuple needs no parentheses."""


def expression_text(part: ast.expr, parent: ast.AST, to: Rewriter) -> str:
    """The text of an expression in a statement, in parentheses where it needs them."""
    old = to.reading.source.of_node(part)
    if not to.has_use(part):
        return old
    to.read(part)
    code = to.part(part, parent)
    text = text_of(code)
    if text == old:
        return old
    least = TUPLE if isinstance(parent, LOOSE) else LAMBDA
    is_weak = strength(code) < min(least, strength_of(part, old))
    is_open = is_whole(old, "eval") and not is_whole(text, "eval")
    return f"({text})" if is_weak or is_open else text
