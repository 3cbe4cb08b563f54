"""Definitions without the bodies of their functions: most are never asked for, and need no parsing.

Text is cut where lines begin. Where that goes wrong it does not parse, or it is left whole.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise

from .reading import parsed

METHOD = re.compile(r"\n( +)(?:async +)?def ")
DEEPEST = 8
STATEMENTS = [re.compile(rf"\n(?= {{0,{depth}}}[^\s#)\]}}])") for depth in range(DEEPEST + 1)]
"""Behind it begins a statement, or its decorator, that stands no deeper than the index."""
HEADER = re.compile(
    r"""\ *(?:async\s+)?def\s+\w+\s*
    \((?: [^()"'#]++ | \([^()"'#]*+\) | "[^"\\\n]*+" | '[^'\\\n]*+' | \#[^\n]*+ )*+\)\s*
    (?: -> (?: [^:"'#]++ | "[^"\n]*+" | '[^'\n]*+' )*+ )?
    :(?= [ ]*(?:\#[^\n]*)?\n )""",
    re.VERBOSE,
)


def parse_header(text: str, first_line: int, is_class: bool) -> tuple[ast.stmt, dict[int, str]]:
    """The function or class, where it stands in the file, and the functions without a body in it.

    Those are given by the lines that they begin in, with their whole text.

    Raises: SyntaxError, and what else ast.parse raises
    """
    above = "\n" * (first_line - 1)
    header, functions = headers_of(text, first_line, is_class)
    try:
        statement = parsed(above + header).body[0]
    except SyntaxError:
        return parsed(above + text).body[0], {}
    members = statement.body if isinstance(statement, ast.ClassDef) else [statement]
    for node in members:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno in functions:
            node.body = []
    return statement, functions


def headers_of(text: str, first_line: int, is_class: bool) -> tuple[str, dict[int, str]]:
    """The text with `...` for each body, as many lines long, and the functions by their lines."""
    method = METHOD.search(text) if is_class else None
    depth = len(method[1]) if method else 0
    if depth > DEEPEST or (is_class and not method):
        return text, {}
    starts = [0, *(match.end() for match in STATEMENTS[depth].finditer(text)), len(text)]
    kept: list[str] = []
    functions: dict[int, str] = {}
    marks = [quotes for quotes in ('"""', "'''") if quotes in text]
    begin, line, is_open = 0, first_line, [0] * len(marks)
    for start, end in pairwise(starts):
        for i, quotes in enumerate(marks):
            is_open[i] ^= text.count(quotes, start, end) & 1
        if any(is_open):
            continue  # in a text that spans lines
        piece = text[begin:end]
        header = HEADER.match(piece) if begin == start else None
        if header is not None:
            functions[line] = piece
            piece = header[0] + " ..." + "\n" * piece.count("\n", header.end())
        kept.append(piece)
        line += piece.count("\n")
        begin = end
    return ("".join(kept), functions) if begin == len(text) else (text, {})
