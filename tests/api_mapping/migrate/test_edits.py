"""Edits of a text: what needs to be parsed again, as whole texts that are parsed say it."""

from __future__ import annotations

import ast

import pytest

from msconvert.api_mapping.syntax.edits import Edit, applied, unchanged_from
from msconvert.api_mapping.syntax.source_text import LINE

TEXTS = {
    "behind": "import a\nx = 1\n",
    "decorated": "import a\n@(\n    f\n)\ndef g(): pass\nx = 1\n",
    "one line": "import a; x = 1\ny = 2\n",
    "carriage returns": "import a\r\nx = 1\r\ny = 2\r\n",
    "in a function": "x = 1\ndef f():\n    import a\n    return a\n\n\ny = 2\n",
    "last": "x = 1\nimport a",
    "in parentheses": "import a\n(x\n)\ny = 2\n",
    "after a string": '"""One\ntwo."""\nimport a\nx = 1\n',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("new", ["import b\nimport c", "pass", "import ("])
def test_what_is_behind_the_edits_needs_no_second_look(text: str, new: str) -> None:
    lines, tree = LINE.findall(text), ast.parse(text)
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.Import))
    written = new.replace("\n", f"\n{' ' * node.col_offset}")
    start, end = (node.lineno, node.col_offset), (node.lineno, node.end_col_offset or 0)
    edits = [Edit(start, end, written)]
    place = unchanged_from(tree, edits)
    head, whole = applied(lines[:place], edits), applied(lines, edits)
    assert "".join([head, *lines[place:]]) == whole
    assert is_python(head) == is_python(whole)


def test_a_text_put_before_all_has_its_line_ends() -> None:
    lines = LINE.findall("x = 1\r\ny = 2\r\n")
    edits = [Edit((1, 0), (1, 0), "import b\n")]
    place = unchanged_from(ast.parse("".join(lines)), edits)
    head = applied(lines[:place], edits)
    assert "".join([head, *lines[place:]]) == "import b\r\nx = 1\r\ny = 2\r\n"


def test_without_edits_nothing_is_looked_at() -> None:
    assert unchanged_from(ast.parse("x = 1\n"), []) == 0
    assert unchanged_from(ast.parse(""), []) > 0


def is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
