"""Which networks begin a loop in training: MindSpore's are made in evaluation."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..syntax.nodes import dotted
from .blocks import Scope
from .names import root


@dataclass(frozen=True)
class Switches:
    """The calls of `train` and `eval` in a file.

    `made`: the calls that are written as modules in training, and whether some of their parts have
    modes of their own.
    """

    tree: ast.Module
    made: Mapping[ast.AST, bool]

    @cached_property
    def found(self) -> list[tuple[str, int, bool]]:
        """The networks that are switched, with the line, and whether it is to training."""
        calls = [n for n in ast.walk(self.tree) if isinstance(n, ast.Call)]
        named = [(c, c.func) for c in calls if isinstance(c.func, ast.Attribute)]
        found = [(c, f) for c, f in named if f.attr in ("train", "eval")]
        return [(dotted(f.value), c.lineno, f.attr == "train" and not is_off(c)) for c, f in found]

    @cached_property
    def has_evaluation(self) -> bool:
        """Whether anything is set to evaluation: a network by another name, or as it is made."""
        return not all(is_on for _, _, is_on in self.found)

    @cached_property
    def values(self) -> Mapping[str, list[ast.expr]]:
        """What names and attributes are given, as they are written."""
        values: dict[str, list[ast.expr]] = {}
        for node in (n for n in ast.walk(self.tree) if isinstance(n, ast.Assign)):
            for target in node.targets:
                values.setdefault(dotted(target), []).append(node.value)
        return values

    def statements(
        self, networks: Iterable[str], scope: Scope, line: int, compat: str
    ) -> Iterator[str]:
        """What sets to training what nothing sets to it, nor to evaluation before a line.

        Where it may have been set elsewhere, what has been chosen stays. `compat`: the name of
        that module.
        """
        for name in networks:
            if self.is_chosen(name, scope, line):
                continue
            if not self.has_evaluation and self.is_new(name):
                yield f"{name}.set_train()"
            elif not self.is_begun(name):
                yield f"{compat}.begun({name})"

    def is_new(self, name: str) -> bool:
        """Whether a network is made in the file, and not by what chooses modes in it."""
        values = self.values.get(name, ())
        is_made = bool(values) and all(isinstance(value, ast.Call) for value in values)
        return is_made and not any(self.made.get(value) for value in values)

    def is_begun(self, name: str) -> bool:
        """Whether a network is written in training where it is made."""
        values = self.values.get(name, ())
        return bool(values) and all(value in self.made for value in values)

    def is_chosen(self, name: str, scope: Scope, line: int) -> bool:
        """Whether the code chooses the mode that a network has in a scope at a line.

        What a function is given, its callers may have set: then any switch of the name counts.
        """
        own = [(line, is_on) for network, line, is_on in self.found if network == name]
        if any(is_on for _, is_on in own):
            return True
        is_attribute = "." in name
        given = () if isinstance(scope, ast.Module) else [a.arg for a in scope.args.args]
        if root(name) in given and not is_attribute:
            return bool(own)
        return any(switched < line for switched, _ in own) and not is_attribute


def is_off(call: ast.Call) -> bool:
    """Whether it is `train(False)`."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(value, ast.Constant) and value.value is False for value in given)
