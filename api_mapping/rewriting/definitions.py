"""Methods of modules that MindSpore calls by other names, where classes define them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from ..analysis.project import ModuleClass
from ..syntax.edits import Edit
from ..syntax.nodes import end_of, start_of
from ..syntax.source_text import indent_of
from ..syntax.walk import every

METHODS = {"forward": "construct", "extra_repr": "extend_repr", "train": "set_train"}
"""Methods of classes that derive from nn.Module, which MindSpore calls by other names."""


def definitions(
    classes: Iterable[ModuleClass], lines: Sequence[str], compat: str
) -> Iterator[Edit]:
    """The edits of the names of methods; `compat` is what the compat module is called."""
    for cls in classes:
        yield from own_mode(cls.node, lines, compat)
        for node in cls.node.body:
            new = METHODS.get(node.name) if isinstance(node, ast.FunctionDef) else None
            if new is not None and isinstance(node, ast.FunctionDef):
                at = node.col_offset + len("def ")
                yield Edit((node.lineno, at), (node.lineno, at + len(node.name)), new)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                yield from map(renamed, names_of_methods(node))


def own_mode(cls: ast.ClassDef, lines: Sequence[str], compat: str) -> Iterator[Edit]:
    """The decorator of a class with a `train` of its own, which its parents would not call."""
    if any(isinstance(node, ast.FunctionDef) and node.name == "train" for node in cls.body):
        at = (cls.lineno, 0)
        yield Edit(at, at, f"{indent_of(lines[cls.lineno - 1])}@{compat}.own_mode\n")


def names_of_methods(node: ast.stmt) -> Iterator[ast.Name]:
    """The names of methods that have other names, in an assignment in the class: `f = forward`."""
    names = (inner for inner in every(node) if isinstance(inner, ast.Name))
    return (name for name in names if name.id in METHODS)


def renamed(node: ast.Name) -> Edit:
    return Edit(start_of(node), end_of(node), METHODS[node.id])
