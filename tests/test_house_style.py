"""The budgets of CONTRIBUTING.md: how long, deep and wide code may be, and what it is called."""

from __future__ import annotations

import ast
import statistics
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = (
    "converter",
    "formats",
    "runtime",
    "api_mapping",
    "troubleshooter",
    "migration",
    "observation",
    "live",
)
SOURCES = sorted(
    [*ROOT.glob("*.py"), *(p for name in SHIPPED for p in (ROOT / name).rglob("*.py"))]
)
MINDSPORES_SIGNATURES = (
    *(
        "runtime/dataset",
        "runtime/nn",
        "runtime/ops",
        "runtime/operations",
        "runtime/experimental",
        "runtime/mint",
        "runtime/numpy",
        "runtime/scipy",
        "runtime/checkpoint",
        "runtime/train",
        "runtime/summary",
        "runtime/profiler",
        "troubleshooter/legacy/migrator",
    ),
)
"""Where parameters are as many as MindSpore, or its former tool, has; a handler or primitive has
ONNX's."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> list[Function]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def length(function: Function) -> int:
    """Lines of the function, less the docstring; a signature counts as one, however it is split."""
    first = function.body[0]
    lines = function.end_lineno - first.lineno + 2
    if ast.get_docstring(function) is None:
        return lines
    return lines - (first.end_lineno - first.lineno + 1)


def depth(node: ast.AST) -> int:
    """How many blocks stand in one another under `node`; an elif is as deep as its if."""
    children = []
    for child in ast.iter_child_nodes(node):
        is_elif = isinstance(node, ast.If) and node.orelse == [child] and isinstance(child, ast.If)
        children.append(depth(child) - is_elif)
    return isinstance(node, BLOCKS) + max(children, default=0)


def parameters(function: Function) -> int:
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def is_one_of_many(function: Function) -> bool:
    """Whether it is a handler, a primitive or a gradient: known by its decorator or name."""
    made = [node.func if isinstance(node, ast.Call) else node for node in function.decorator_list]
    names = [getattr(node, "id", getattr(node, "attr", "")) for node in made]
    known = ("onnx_op", "primitive", "vjp", "vjp_all", "vjp_saving", "composed")
    return function.name.endswith("_vjp") or any(name in known for name in names)


def raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether it cleans up and lets the error go on."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def is_table(path: Path) -> bool:
    """Whether more than half of a module's lines are neither functions nor classes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    code = [node for node in tree.body if isinstance(node, Function | ast.ClassDef)]
    lines = sum(node.end_lineno - node.lineno + 1 for node in code)
    return lines < tree.body[-1].end_lineno / 2 if tree.body else False


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_files_are_short(path: Path) -> None:
    count = len(path.read_text(encoding="utf-8").splitlines())
    assert count <= (1000 if is_table(path) else 500)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_functions_keep_their_budgets(path: Path) -> None:
    free = name_of(path).startswith(MINDSPORES_SIGNATURES)
    found = []
    for function in functions(path):
        limit = 15 if is_one_of_many(function) else 80
        if length(function) > limit:
            found.append(f"{function.name}: {length(function)} lines, at most {limit}")
        if depth(function) > 3:
            found.append(f"{function.name}: blocks {depth(function)} deep, at most 3")
        if parameters(function) > 7 and not (free or is_one_of_many(function)):
            found.append(f"{function.name}: {parameters(function)} parameters, at most 7")
    assert found == []


def test_most_functions_are_short() -> None:
    lengths = [length(function) for path in SOURCES for function in functions(path)]
    assert statistics.median(lengths) <= 8
    assert len([n for n in lengths if n <= 35]) >= 0.9 * len(lengths)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_names_say_something(path: Path) -> None:
    assert path.stem not in ("utils", "common", "helpers", "base", "misc", "manager")
    assert path.parent.name not in ("utils", "common", "helpers", "base", "misc", "manager")


OUTERMOST = ("commands/main.py", "child_process.py")
"""They hold the outermost function of a process each."""


@pytest.mark.parametrize("path", [p for p in SOURCES if p.name not in OUTERMOST], ids=name_of)
def test_only_the_outermost_function_catches_everything(path: Path) -> None:
    handlers = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
    ]
    swallowed = [node for node in handlers if not raises_again(node)]
    caught = ["" if node.type is None else ast.unparse(node.type) for node in swallowed]
    assert [name for name in caught if name in ("", "Exception", "BaseException")] == []


def repeated_blocks(trees: dict[str, ast.Module]) -> list[list[str]]:
    """The functions that share six lines or more; signatures and imports may repeat.

    Lines are `ast.unparse`'s, so it makes no difference how they are split.
    """
    places: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, tree in trees.items():
        every = [node for node in ast.walk(tree) if isinstance(node, Function)]
        inner = {node for outer in every for node in ast.walk(outer) if node is not outer}
        for function in (node for node in every if node not in inner):
            text = "\n".join(ast.unparse(node) for node in function.body)
            lines = [line.strip() for line in text.split("\n")]
            for start in range(len(lines) - 5):
                places[tuple(lines[start : start + 6])].append(f"{name} {function.name}")
    return [found for found in places.values() if len(found) > 1]


def test_no_block_of_six_lines_stands_twice() -> None:
    trees = {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert repeated_blocks(trees) == []


def test_repeated_blocks_are_found() -> None:
    body = "".join(f"    a{i} = {i}\n" for i in range(6))
    trees = {"x": ast.parse(f"def f():\n{body}"), "y": ast.parse(f"def g(b):\n    b = 1\n{body}")}
    assert repeated_blocks(trees) == [["x f", "y g"]]
    assert repeated_blocks({"x": trees["x"]}) == []


def test_measures() -> None:
    source = (
        '@onnx_op("Add", 7)\n'
        "def add(self, a, *, b):\n"
        '    """Two lines\n    of docstring."""\n'
        "    if a:\n        pass\n    elif b:\n        for x in a:\n            pass\n"
    )
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert (length(function), depth(function), parameters(function)) == (6, 2, 2)
    assert is_one_of_many(function)
