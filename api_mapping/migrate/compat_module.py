"""The module beside converted code: the functions that it calls and MindSpore does not have."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..adapter import adapter_named
from ..edit import Source, start_of
from .settings import Target

FILES = Path(__file__).parents[2] / "templates" / "compat"
NAME = "_ms_compat.py"

HEADER = '''"""What the converted code needs and MindSpore does not have, in MindSpore's own API."""
'''
IMPORTS = {
    "itertools": "import itertools",
    "math": "import math",
    "np": "import numpy as np",
    "ms": "import {package} as ms",
    "ds": "import {package}.dataset as ds",
}
MODULES = ("mint", "nn", "ops")
"""What gives the names that the functions use, in the order of the imports."""


@dataclass(frozen=True)
class Piece:
    """A function, class or constant of the templates, and the names that it uses."""

    name: str
    text: str
    order: int
    uses: frozenset[str]


@cache
def pieces() -> dict[str, Piece]:
    """Everything in the templates, by name. Raises: ValueError if two have the same name"""
    found: dict[str, Piece] = {}
    for file in sorted(FILES.glob("*.txt")):
        for piece in pieces_in(file.read_text(encoding="utf-8"), len(found)):
            if piece.name in found:
                raise ValueError(f"{file.name}: a second {piece.name}")
            found[piece.name] = piece
    return found


def pieces_in(text: str, order: int) -> Iterator[Piece]:
    """The pieces of one template; a text below a constant, which explains it, goes with it."""
    source = Source.of(text)
    body = ast.parse(text).body
    for node, behind in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Expr):
            continue
        end = behind if isinstance(behind, ast.Expr) else node
        code = source.between(start_of_whole(node), (end.end_lineno or 0, end.end_col_offset or 0))
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        order += 1
        yield Piece(name_of(node), code, order, frozenset(names))


def start_of_whole(node: ast.stmt) -> tuple[int, int]:
    """Where a definition begins, with the `@` of its first decorator."""
    line, column = start_of(node)
    is_decorated = bool(getattr(node, "decorator_list", ()))
    return line, column - 1 if is_decorated else column


def name_of(node: ast.stmt) -> str:
    """The name that a statement binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    assert isinstance(node, ast.Assign | ast.AnnAssign)
    return ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)


def with_what_they_use(names: Iterable[str]) -> list[Piece]:
    """The pieces of these names and of all that they use, in the order of the templates."""
    found: dict[str, Piece] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        piece = None if name in found else pieces().get(name) or adapted(name)
        if piece is not None:
            found[name] = piece
            waiting += piece.uses
    return sorted(found.values(), key=lambda piece: piece.order)


@cache
def adapted(name: str) -> Piece | None:
    """The function of this name that takes PyTorch's arguments for a row of the table."""
    adapter = adapter_named(name) if "_" in name else None
    return None if adapter is None else next(pieces_in(adapter.code, len(pieces())))


def compat_module(names: Collection[str], target: Target) -> str:
    """The text of the module with these functions; "" if there are none."""
    chosen = with_what_they_use(names)
    if not chosen:
        return ""
    used = frozenset().union(*(piece.uses for piece in chosen))
    imports = [line for name, line in IMPORTS.items() if name in used]
    if modules := [name for name in MODULES if name in used]:
        imports.append(f"from {{package}} import {', '.join(modules)}")
    head = "\n".join([HEADER, *imports]).format(package=target.package)
    blocks = [head, *(piece.text for piece in chosen)]
    return ("\n\n\n".join(blocks) + "\n").replace("from mindspore.", f"from {target.package}.")


def is_ours(text: str) -> bool:
    """Whether a module was written by an earlier run."""
    return text.startswith(HEADER.rstrip())


def names_in(text: str) -> frozenset[str]:
    """The functions that a module written by an earlier run has."""
    return frozenset(name_of(node) for node in ast.parse(text).body if is_piece(node))


def is_piece(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign)
