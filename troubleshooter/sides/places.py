"""How the files of a pair are imported, and which framework each wants."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from ...formats.storage.opening import bytes_of
from .child.messages import Source

MAX_BYTES = 16 << 20
"""Of a source that is parsed."""

Target = Literal["bundled", "mindspore"]


def roots_of(original: Path, converted: Path) -> tuple[Path, Path]:
    """The folders of both files, without what their paths have in common at their ends.

    Of project/models/net.py and output/models/net.py they are project and output.
    """
    one, other = original.absolute().parent, converted.absolute().parent
    while one.name == other.name and one.name and one.parent != other.parent:
        one, other = one.parent, other.parent
    return one, other


def source_of(file: Path, root: Path) -> Source:
    """How Python imports the file: as a module of its package, if it is in one."""
    path = file.absolute()
    names = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    paths = dict.fromkeys([str(folder), str(root.absolute())])
    return Source(str(path), ".".join(names), tuple(paths))


def syntax_error(file: Path) -> SyntaxError | None:
    """What keeps the file from being parsed, if anything does."""
    found = tree_of(file)
    return found if isinstance(found, SyntaxError) else None


def tree_of(file: Path) -> ast.Module | SyntaxError:
    """The syntax tree of the file, or what keeps it from being parsed."""
    try:
        return ast.parse(bytes_of(file, MAX_BYTES), filename=str(file))
    except SyntaxError as error:
        return error
    except (OSError, ValueError) as error:  # a null byte, or another encoding than it says
        return SyntaxError(str(error))
    except (MemoryError, RecursionError):
        return SyntaxError("too deeply nested to be parsed")


def target_of(converted: Path) -> Target | None:
    """The framework that the converted file imports, or files beside it; None if neither."""
    beside = sorted(converted.parent.rglob("*.py"))
    for file in (converted, *beside):
        tree = tree_of(file)
        found = None if isinstance(tree, SyntaxError) else framework(imported(tree))
        if found is not None:
            return found
    return None


def framework(modules: Iterable[str]) -> Target | None:
    for module in modules:
        if module.partition(".")[0] == "mindspore":
            return "mindspore"
        if module.startswith("msconvert.runtime") or module == "msconvert":
            return "bundled"
    return None


def imported(tree: ast.Module) -> list[str]:
    """The modules that are imported by their full names."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            found.append(node.module)
    return found


def shown(file: str) -> str:
    """The path as a user would type it here."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative
