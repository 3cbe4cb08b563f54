"""The nodes of a tree by their types: it is walked once, and asked many times."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from ..syntax.nodes import start_of
from ..syntax.walk import by_type, every
from ..table.aliases import Family, Import, names_of_import

T = TypeVar("T", bound=ast.AST)

NAMED = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar),
)
"""What binds a name, or none, that it has as a text."""


@dataclass(frozen=True)
class Inventory:
    """Every node of a tree."""

    tree: ast.Module

    @cached_property
    def all(self) -> list[ast.AST]:
        """The nodes in the order of the text."""
        return list(every(self.tree))

    def of(self, *kinds: type[T]) -> Iterator[T]:
        """The nodes of these types: those of each in the order of the text."""
        for kind in kinds:
            yield from self.by_type.get(kind, ())

    @cached_property
    def imports(self) -> list[Import]:
        """The imports in the order of the text."""
        return sorted(self.of(ast.Import, ast.ImportFrom), key=start_of)

    @cached_property
    def names_read(self) -> frozenset[str]:
        """Every name that the code reads."""
        return frozenset(node.id for node in self.of(ast.Name) if type(node.ctx) is not ast.Store)

    def names_bound(self, family: Family) -> frozenset[str]:
        """Every name that is bound in any scope, but by imports of what templates mean by it."""
        found = {node.id for node in self.of(ast.Name) if type(node.ctx) is not ast.Load}
        found.update(node.arg for node in self.of(ast.arg))
        found.update(node.name for kind in NAMED for node in self.of(kind) if node.name)  # type: ignore[attr-defined]
        found.update(node.rest for node in self.of(ast.MatchMapping) if node.rest)
        found.update(name for node in self.imports for name in names_of_import(node, family))
        return frozenset(found)

    def values_of(self, name: str) -> Sequence[ast.expr]:
        """What a name is set to anywhere, by itself."""
        return self.values.get(name, ())

    @cached_property
    def values(self) -> Mapping[str, Sequence[ast.expr]]:
        found: dict[str, list[ast.expr]] = defaultdict(list)
        for node in self.of(ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id].append(node.value)
        return found

    @cached_property
    def by_type(self) -> Mapping[type[ast.AST], Sequence[Any]]:
        return by_type(self.all)
