"""Code as trees of LibCST, and their texts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import libcst as cst

if TYPE_CHECKING:  # names that LibCST does not promise
    from libcst._nodes.expression import ExpressionPosition
    from libcst._nodes.internal import CodegenState

Code = cst.BaseExpression
"""An expression: what new code is written in."""

Statement = cst.BaseSmallStatement

EMPTY = cst.Module([])


@dataclass(frozen=True)
class Verbatim(cst.BaseExpression):
    """An expression in which nothing changes: its text in the source, which LibCST never reads.

    `binding`: how tightly it binds (slots.py).
    """

    value: str = ""
    binding: int = 0
    lpar: Sequence[cst.LeftParen] = ()
    rpar: Sequence[cst.RightParen] = ()

    def _safe_to_use_with_word_operator(self, position: ExpressionPosition) -> bool:
        return True  # it stood there, or stands beside a blank

    def _visit_and_replace_children(self, visitor: cst.CSTVisitorT) -> Verbatim:
        return self

    def _codegen_impl(self, state: CodegenState) -> None:
        with self._parenthesize(state):
            state.add_token(self.value)


LEAVES = frozenset({cst.Name, cst.Integer, cst.Float, cst.SimpleString, Verbatim})
"""Expressions that are one word."""


def text_of(node: cst.CSTNode) -> str:
    """The text of a tree, comments and line ends included."""
    parts: list[str] = []
    write(node, parts)
    return "".join(parts)


def write(node: Any, parts: list[str]) -> None:
    """Adds the text of a tree: of names, literals and calls here, as most new code is made of them.

    LibCST's own writer, which keeps positions by the way, takes ten times as long.
    """
    kind = type(node)
    if kind is cst.SimpleWhitespace or (kind in LEAVES and not node.lpar):
        parts.append(node.value)
    elif kind is cst.Attribute and not node.lpar:
        write(node.value, parts)
        write(node.dot.whitespace_before, parts)
        parts.append(".")
        write(node.dot.whitespace_after, parts)
        parts.append(node.attr.value)
    elif kind is cst.Call and not node.lpar:
        write(node.func, parts)
        write(node.whitespace_after_func, parts)
        parts.append("(")
        write(node.whitespace_before_args, parts)
        for arg in node.args:
            write_argument(arg, arg is node.args[-1], parts)
        parts.append(")")
    else:
        parts.append(EMPTY.code_for_node(node))


def write_argument(arg: cst.Arg, is_last: bool, parts: list[str]) -> None:
    parts.append(arg.star)
    write(arg.whitespace_after_star, parts)
    if arg.keyword is not None and isinstance(arg.equal, cst.AssignEqual):
        parts.append(arg.keyword.value)
        write(arg.equal.whitespace_before, parts)
        parts.append("=")
        write(arg.equal.whitespace_after, parts)
    write(arg.value, parts)
    if isinstance(arg.comma, cst.Comma):
        write(arg.comma.whitespace_before, parts)
        parts.append(",")
        write(arg.comma.whitespace_after, parts)
    elif not is_last:
        parts.append(", ")
    write(arg.whitespace_after_arg, parts)


def value_of(code: Code) -> object:
    """The value of a literal, `...` for everything else."""
    if isinstance(code, cst.Call | cst.Attribute | cst.Subscript):
        return ...
    return value_in(text_of(code))


@lru_cache(4096)
def value_in(text: str) -> object:
    """The value of a literal, `...` for everything else; what begins as a name is seen at once."""
    is_named = text[:1].isalpha() or text[:1] == "_"
    if is_named and text not in ("None", "True", "False") and text[-1] not in "'\"":
        return ...
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return ...


def call_argument(value: Code, keyword: str = "", star: str = "") -> cst.Arg:
    """An argument of a call: `value`, `keyword=value`, `*value` or `**value`."""
    if not keyword:
        return cst.Arg(value, star=star)  # type: ignore[arg-type]
    return cst.Arg(value, cst.Name(keyword), equal=TIGHT)


TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
"""The sign between a keyword and its value."""
