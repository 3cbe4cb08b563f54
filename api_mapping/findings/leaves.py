"""Tensors that are told to need gradients, and those of them that optimizers are given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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
        """The calls whose tensors optimizers are given, in lists by name."""
        calls = self.flagged
        made = [n for n in self.layout.of_type(ast.Assign) if calls and n.value in calls]
        targets = [(n.value, dotted(target)) for n in made for target in n.targets]
        targets += [(call, name) for call in self.alone if (name := self.begun_by(call))]
        return frozenset(call for call, name in targets if name in self.listed)

    def begun_by(self, call: ast.AST) -> str:
        """The tensor that `x.requires_grad_()` is about; "" of what is a Parameter already.

        Of an argument of a function, too: who calls it would have another tensor.
        """
        called = call.func if isinstance(call, ast.Call) else None
        if not isinstance(called, ast.Attribute) or not isinstance(call, ast.Call):
            return ""
        flags = [*call.args, *(keyword.value for keyword in call.keywords)]
        is_set = all(isinstance(flag, ast.Constant) and flag.value is True for flag in flags)
        kind, name = present(self.analysis.kind_of(called.value)), dotted(called.value)
        function = self.layout.scope_of(call).function
        is_given = function is not None and name in parameters_of(function)
        return name if is_set and kind.is_tensor and kind != PARAMETER and not is_given else ""

    @cached_property
    def listed(self) -> frozenset[str]:
        """The names and attributes that optimizers are given in lists, as they are written."""
        optimizers = (use.node for use in self.analysis.uses if use.api.startswith(OPTIMIZERS))
        given = [part for node in optimizers for part in every(node)]
        names = {part.id for part in given if isinstance(part, ast.Name)}
        assigned = (n for n in self.layout.of_type(ast.Assign) if names and n.value is not None)
        lists = [n.value for n in assigned if names.intersection(map(dotted, n.targets))]
        return frozenset(elements((*given, *lists)))


def elements(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """The names and attributes in displays."""
    for node in nodes:
        if isinstance(node, ast.List | ast.Tuple):
            yield from filter(None, map(dotted, node.elts))
