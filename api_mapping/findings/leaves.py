"""Tensors that are told to need gradients, and those of them that optimizers are given."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ..analysis import FileAnalysis
from ..syntax.nodes import dotted
from ..syntax.walk import Layout, every
from ..table.facts.gradients import NEEDING, OPTIMIZERS
from ..table.kinds import PARAMETER, present
from ..training.blocks import parameters_of


@dataclass(frozen=True)
class Leaves:
    """The calls of `requires_grad_` in a file, and the lists that optimizers are given."""

    analysis: FileAnalysis
    layout: Layout

    @cached_property
    def calls(self) -> frozenset[ast.AST]:
        """The calls of `requires_grad_`."""
        return frozenset(use.node for use in self.analysis.uses if use.api == NEEDING)

    @cached_property
    def alone(self) -> frozenset[ast.AST]:
        """Those that are statements."""
        statements = self.layout.of_type(ast.Expr) if self.calls else ()
        return self.calls & {node.value for node in statements}

    @property
    def flagged(self) -> frozenset[ast.AST]:
        """Those that are values."""
        return self.calls - self.alone

    @cached_property
    def trained(self) -> frozenset[ast.AST]:
        """The calls whose tensors become Parameters: optimizers are given them, in lists by name,
        or functions read them that are not handed them.
        """
        calls = self.flagged
        made = [n for n in self.layout.of_type(ast.Assign) if calls and n.value in calls]
        targets = [(n.value, dotted(target)) for n in made for target in n.targets]
        targets += [(call, name) for call in self.alone if (name := self.begun_by(call))]
        held = self.listed | (self.read_in_functions if self.alone else set())
        return frozenset(call for call, name in targets if name in held)

    @cached_property
    def read_in_functions(self) -> set[str]:
        """The names that functions read and do not bind: tensors of the file itself."""
        found: set[str] = set()
        for function in self.layout.of_type(ast.FunctionDef):
            names = [node for node in every(function) if isinstance(node, ast.Name)]
            bound = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
            found |= {name.id for name in names} - bound - parameters_of(function)
        return found

    def begun_by(self, call: ast.AST) -> str:
        """The tensor that `x.requires_grad_()` is about; "" of what is a Parameter already.

        Of an argument of a function, too: who calls it would have another tensor.
        """
        name = self.needing(call)
        return "" if name in self.given_around(call) else name

    @cached_property
    def of_callers(self) -> frozenset[ast.AST]:
        """The calls whose tensors optimizers are given, though functions were handed them."""
        return frozenset(filter(self.is_of_caller, self.alone))

    def is_of_caller(self, call: ast.AST) -> bool:
        name, scope = self.needing(call), self.layout.scope_of(call)
        loops = [n for n in self.layout.of_type(ast.For) if self.layout.scope_of(n) == scope]
        lists = {dotted(n.iter) for n in loops if name and dotted(n.target) == name}
        handed = self.given_around(call) & (lists | {name})
        made = (n for n in self.optimizers if handed and self.layout.scope_of(n) == scope)
        parts = [part for call in made for part in (*call.args, *(k.value for k in call.keywords))]
        return not handed.isdisjoint((*elements(parts), *map(dotted, parts)))

    def needing(self, call: ast.AST) -> str:
        """The tensor that `x.requires_grad_()` is about; "" of Parameters and other flags."""
        called = call.func if isinstance(call, ast.Call) else None
        if not isinstance(called, ast.Attribute) or not isinstance(call, ast.Call):
            return ""
        flags = [*call.args, *(keyword.value for keyword in call.keywords)]
        is_set = all(isinstance(flag, ast.Constant) and flag.value is True for flag in flags)
        kind = present(self.analysis.kind_of(called.value))
        is_plain = kind.is_tensor and kind != PARAMETER
        return dotted(called.value) if is_set and is_plain else ""

    def given_around(self, call: ast.AST) -> set[str]:
        """The arguments of the function that a call stands in."""
        function = self.layout.scope_of(call).function
        return set() if function is None else parameters_of(function)

    @property
    def optimizers(self) -> list[ast.Call]:
        """The calls that make optimizers."""
        uses = (use for use in self.analysis.uses if use.api.startswith(OPTIMIZERS))
        return [use.node for use in uses if isinstance(use.node, ast.Call)]

    @cached_property
    def listed(self) -> frozenset[str]:
        """The names and attributes that optimizers are given in lists, as they are written."""
        given = [part for node in self.optimizers for part in every(node)]
        names = {part.id for part in given if isinstance(part, ast.Name)}
        assigned = (n for n in self.layout.of_type(ast.Assign) if names and n.value is not None)
        lists = [n.value for n in assigned if names.intersection(map(dotted, n.targets))]
        return frozenset(elements((*given, *lists)))


def elements(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names and attributes in displays."""
    for node in nodes:
        if isinstance(node, ast.List | ast.Tuple):
            yield from filter(None, map(dotted, node.elts))
