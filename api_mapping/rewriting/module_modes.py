"""Whether a module computes otherwise in training, by the names in what makes it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeGuard

from ..analysis import Kind
from ..analysis.definitions import Class, Function
from ..analysis.files.reading import parsed
from ..syntax.walk import every
from ..table.facts.modes import STEMS, SWITCHES, WORDS
from .inventory import Inventory

Definition = Class | Function
Find = Callable[[Definition, str], Definition | None]
"""Gives the class or function that a name in another one's file is."""


@dataclass(frozen=True)
class Modes:
    """What is known of the names in one file."""

    nodes: Inventory
    kind_of: Callable[[ast.AST], Kind]
    find: Find

    def has_two(self, call: ast.Call) -> bool:
        """Whether what a call makes has two modes, by the names in it and in what it is made of."""
        return any(
            word in WORDS or word.startswith(STEMS)
            for tree in self.reached(call)
            for word in words_of(tree)
        )

    def is_chosen_inside(self, call: ast.Call) -> bool:
        """Whether what a call reaches chooses a mode: a constructor that of a part,
        `self.a.eval()`, a function that of what it made.
        """
        return any(map(chooses, self.reached(call)))

    def reached(self, call: ast.Call) -> Iterator[ast.AST]:
        """The trees of a call, and of all that is named in it and in what it is made of."""
        seen: set[str] = set()
        known: set[Definition] = set()
        waiting: list[ast.AST | Definition] = [call]
        while waiting:
            item = waiting.pop()
            if isinstance(item, ast.AST):
                yield item
                words = words_of(item) - seen
                waiting += self.definitions_in(item)
                waiting += (value for word in words for value in self.nodes.values_of(word))
                seen |= words
            elif item in known:
                continue
            else:
                known.add(item)
                yield tree_of(item)
                words = words_of(tree_of(item))
                waiting += (d for word in words if (d := self.find(item, word)) is not None)

    def definitions_in(self, node: ast.AST) -> Iterator[Definition]:
        for part in ast.walk(node):
            is_name = isinstance(part, ast.Name | ast.Attribute)
            target = self.kind_of(part).target if is_name else None
            if isinstance(target, Class | Function):
                yield target


def chooses(tree: ast.AST) -> bool:
    """Whether it is a class whose constructor chooses the mode of something, or a function that
    sets something to evaluation.
    """
    if not isinstance(tree, ast.ClassDef):
        is_function = isinstance(tree, ast.FunctionDef)
        return is_function and any(is_switch(n) and is_to_evaluation(n) for n in ast.walk(tree))
    constructors = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    return any(is_switch(n) for constructor in constructors for n in ast.walk(constructor))


def is_switch(node: ast.AST) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in SWITCHES


def is_to_evaluation(switch: ast.Call) -> bool:
    """Whether it is `eval()`, or a call with a mode that may be that."""
    return switch.func.attr == "eval" or bool(switch.args or switch.keywords)  # type: ignore[attr-defined]


def tree_of(definition: Definition) -> ast.AST:
    """The tree of a definition, whose body the analysis has let go."""
    node = definition.node
    known = definitions_at(definition.module.source.text)
    return known.get((definition.name, node.lineno), node)


@lru_cache(maxsize=16)
def definitions_at(text: str) -> Mapping[tuple[str, int], ast.AST]:
    """The classes and functions of a file by their names and lines."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {(n.name, n.lineno): n for n in every(parsed(text)) if isinstance(n, kinds)}


def words_of(node: ast.AST) -> set[str]:
    """All names and attributes in a node."""
    nodes = list(ast.walk(node))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    return names | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
