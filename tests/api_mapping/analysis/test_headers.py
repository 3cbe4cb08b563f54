"""Functions whose bodies are left out are those that Python's own parser finds, with their text."""

import ast
from pathlib import Path
from textwrap import indent

import pytest

import msconvert
from msconvert.api_mapping.analysis.files.headers import parse_header

BODIES = (Path(__file__).parent / "class_bodies.txt").read_text().split("=== ")[1:]
"""Each the body of a class, behind a line with its name."""
CLASSES = {name: body for name, _, body in (each.partition("\n") for each in BODIES)}


def functions_of(statement: ast.stmt) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    members = statement.body if isinstance(statement, ast.ClassDef | ast.If) else [statement]
    return [node for node in members if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def check(text: str, first_line: int) -> int:
    """How many bodies were left out; the rest is as Python parses it, and so are their texts."""
    whole = ast.parse("\n" * (first_line - 1) + text).body[0]
    found, texts = parse_header(text, first_line, isinstance(whole, ast.ClassDef))
    assert [(f.name, f.lineno, ast.dump(f.args)) for f in functions_of(found)] == [
        (f.name, f.lineno, ast.dump(f.args)) for f in functions_of(whole)
    ]
    for function in functions_of(found):
        if not function.body:
            inside = "if 1:\n" if function.col_offset else ""
            (again,) = functions_of(ast.parse(inside + texts[function.lineno]).body[0])
            function.body = again.body
    assert ast.dump(found) == ast.dump(whole)
    return len(texts)


@pytest.mark.parametrize("depth", [2, 4, 8, 12])
@pytest.mark.parametrize("name", CLASSES)
def test_class(name: str, depth: int) -> None:
    body = "".join(indent(CLASSES[name], " " * depth, lambda line: True))
    check(f"@decorated\nclass A(B):\n{body}\n\n", 7)


def test_bodies_are_left_out() -> None:
    body = indent(CLASSES["decorators"] + CLASSES["long header"], "    ")
    assert check(f"class A:\n{body}", 3) == 3
    assert check("@decorated\ndef f(x, y=(1, 2)):\n    return x\n", 3) == 1


def test_of_this_package() -> None:
    """Every class and function of the top level of our own sources."""
    left_out = 0
    for path in sorted(Path(msconvert.__file__).parent.glob("api_mapping/**/*.py")):
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                left_out += check("".join(lines[first - 1 : node.end_lineno]), first)
    assert left_out > 1_000
