"""Long dotted names of MindSpore's in converted code: imported once, short where they are used."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..edit import end_of, start_of
from .edits import Edit
from .settings import Target

MEMBERS = ("ms.common.initializer",)
"""Modules whose members are imported one by one."""

PARENTS = ("ms.experimental.optim.lr_scheduler", "ms.experimental.optim")
"""Modules that are imported themselves, the longer names first."""


@dataclass(frozen=True)
class Shortened:
    """The edits of long names, and the imports that the short ones need, after `package.`."""

    edits: tuple[Edit, ...]
    imports: tuple[str, ...]


def shortened(tree: ast.Module, target: Target, taken: Collection[str]) -> Shortened:
    """The long names of a file made short, but for those that another name of it would hide."""
    edits: list[Edit] = []
    members: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        for module, name in long_names(dotted(node)):
            if name not in taken:
                members[module].add(name)
                edits.append(Edit(start_of(node), end_of(node), name))
    package = target.package
    lines = (
        f"from {package}{module.removeprefix('ms')} import {', '.join(sorted(names))}"
        for module, names in sorted(members.items())
    )
    return Shortened(tuple(edits), tuple(lines))


def long_names(name: str) -> Iterator[tuple[str, str]]:
    """(the module to import from, the name to import) of a dotted name, if it is a long one."""
    module, dot, last = name.rpartition(".")
    if (dot and module in MEMBERS) or name in PARENTS:
        yield module, last


def dotted(node: ast.expr) -> str:
    """`a.b.c` of a chain of attributes, "" of any other expression."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""
