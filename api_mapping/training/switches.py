"""Which networks the code sets to training or evaluation: MindSpore's begin in evaluation."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ..syntax.nodes import dotted
from .blocks import Scope
from .names import root


@dataclass(frozen=True)
class Switches:
    """The calls of `train` and `eval` in a file."""

    tree: ast.Module

    @cached_property
    def found(self) -> list[tuple[str, int, bool]]:
        """The networks that are switched, with the line, and whether it is to training."""
        calls = [n for n in ast.walk(self.tree) if isinstance(n, ast.Call)]
        named = [(c, c.func) for c in calls if isinstance(c.func, ast.Attribute)]
        found = [(c, f) for c, f in named if f.attr in ("train", "eval")]
        return [(dotted(f.value), c.lineno, f.attr == "train" and not is_off(c)) for c, f in found]

    def lacking(self, networks: Iterable[str], scope: Scope, line: int) -> list[str]:
        """The networks that nothing sets to training, and nothing to evaluation before a line."""
        return [name for name in networks if not self.is_chosen(name, scope, line)]

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
