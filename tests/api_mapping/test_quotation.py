"""Code that is put into code means what it meant: Python's own parser reads the same tree."""

from __future__ import annotations

import ast

import pytest

from msconvert.api_mapping.syntax.code import Code, text_of
from msconvert.api_mapping.syntax.quotation import expression, statement
from msconvert.api_mapping.syntax.reading import (
    MAX_DEPTH,
    Reading,
    Unreadable,
    expression_of,
    unparsed,
)
from msconvert.api_mapping.syntax.source_text import Source

OPERATORS = [*"+ - * / // % @ ** << >> & | ^ and or < == in is".split(), "not in", "is not"]
SLOTS = (
    *(f"hole {sign} b" for sign in OPERATORS),
    *(f"a {sign} hole" for sign in OPERATORS),
    *("-hole", "~hole", "not hole", "await hole", "hole.a", "hole(b)", "hole[b]", "a[hole]"),
    *(
        "a(hole)",
        "a(b=hole)",
        "a(*hole)",
        "a(**hole)",
        "[hole]",
        "{hole}",
        "{hole: b}",
        "{a: hole}",
    ),
    *("[*hole]", "{**hole}", "(hole, b)", "a[hole:b]", "a[b, hole]", "hole if b else c"),
    *("a if hole else c", "a if b else hole", "lambda: hole", "lambda a=hole: a", "(a := hole)"),
    *("[hole for a in b]", "[a for a in hole]", "[a for a in b if hole]", "{hole: a for a in b}"),
    *("f'{hole}'", "f'{hole:.3f}'", "hole * b + c", "a + hole * b", "a - (b - hole)"),
)
CODES = (
    *("x", "1", "1.5", "-1", "x.y", "x(y)", "x[y]", "'x'", "[x, y]", "(x, y)", "{x: y}", "..."),
    *(f"x {sign} y" for sign in OPERATORS),
    *("-x", "~x", "not x", "x ** -y", "-x ** y", "x if y else z", "lambda: x", "lambda t: t + x"),
    *("x < y < z", "x + y * z", "(x + y) * z", "x and y or z", "[t for t in x]", "(t for t in x)"),
    *("(x := y)", "await x", "f'{x}'", "x, y", "'x' 'y'"),
)


def in_place(template: str, code: str) -> str:
    """The tree that is meant, by Python's `ast` alone."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.parse(f"({code})", mode="eval").body if node.id == "hole" else node

        def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
            self.generic_visit(node)
            first, *rest = node.values
            if isinstance(first, ast.BoolOp) and type(first.op) is type(node.op):
                return ast.BoolOp(node.op, [*first.values, *rest])  # `(a and b) and c` is the same
            return node

    return ast.dump(Put().visit(ast.parse(template, mode="eval")))


def read(code: str) -> Code:
    """The code as LibCST reads it."""
    return expression_of(code)


def plain(code: str) -> Code:
    """The code as a text that nobody has read."""
    return unparsed(ast.parse(f"({code})", mode="eval").body)


@pytest.mark.parametrize("made", [read, plain])
@pytest.mark.parametrize("template", SLOTS)
def test_parentheses_stand_where_they_are_needed(template: str, made: object) -> None:
    assert callable(made)
    for code in CODES:
        if "'" in template and "'" in code:
            continue  # quotes in f-strings: test_template.py
        text = text_of(expression(template, hole=made(code)))
        assert ast.dump(ast.parse(text, mode="eval")) == in_place(template, code), text


@pytest.mark.parametrize(
    ("template", "code", "text"),
    [
        ("a + hole", "x * y", "a + x * y"),
        ("hole + b", "x + y", "x + y + b"),
        ("a + hole", "x + y", "a + (x + y)"),
        ("hole * b", "x + y", "(x + y) * b"),
        ("a - hole", "-x", "a - (-x)"),
        ("hole - b", "-x", "-x - b"),
        ("f(hole)", "(x + y)", "f(x + y)"),
        ("f(hole)", "(t for t in x)", "f(t for t in x)"),
        ("f(hole, b)", "(t for t in x)", "f((t for t in x), b)"),
        ("not hole", "x < y", "not (x < y)"),
    ],
)
def test_there_are_no_others(template: str, code: str, text: str) -> None:
    tree = ast.parse(code, mode="eval").body
    reading = Reading(Source.of(code))
    reading.tree(tree)
    assert text_of(expression(template, hole=reading.plain(tree))) == text


def test_statements_are_written_as_they_read() -> None:
    assert text_of(statement("x = value", value=expression("a, b"))) == "x = a, b"
    assert text_of(statement("place.copy_(value)", place=read("a + b"), value=read("c"))) == (
        "(a + b).copy_(c)"
    )


@pytest.mark.parametrize(
    "nested", [" + ".join, lambda xs: "(" * 180 + "x" + ")" * 180, lambda xs: "-" * len(xs) + "x"]
)
def test_what_is_nested_too_deep_is_refused_before_it_is_read(nested: object) -> None:
    assert callable(nested)
    for depth in (MAX_DEPTH // 4, 2 * MAX_DEPTH):
        code = nested(["x"] * depth)
        node = ast.parse(code, mode="eval").body
        reading = Reading(Source.of(code))
        if depth < MAX_DEPTH or "((" in code:
            assert text_of(reading.tree(node)) in (code, "x")
        else:
            with pytest.raises(Unreadable, match="nesting"):
                reading.tree(node)
