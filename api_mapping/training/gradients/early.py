"""What reads, writes or clears gradients between a forward pass and its backward.

loss = criterion(net(x), y); optimizer.zero_grad(); loss.backward()

A function that computes both takes the place of the forward pass, so that what stands between
them and is about the gradients of before comes first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ...analysis import FileAnalysis
from ...syntax.walk import FunctionNode
from ...table.facts.gradients import ATTRIBUTE
from ..events import Clear, Events
from ..names import access
from ..region import NoRegion, Region

CLEARING = "zero_grad"
SHOWING = frozenset({"print"})
"""What is called in the order of the text, though no value says so."""


@dataclass(frozen=True)
class Early:
    """The statements of one file that come before the forward pass they stand behind."""

    analysis: FileAnalysis
    events: Events
    known: dict[ast.AST, bool] = field(default_factory=dict)
    """Whether a function is about gradients."""

    def of(self, region: Region) -> Iterator[ast.stmt]:
        """Those of a region, in their order.

        Raises: NoRegion if one needs what is computed since the forward pass began
        """
        made = set(region.writes)
        for node in region.behind:
            known = access(node)
            if not self.is_about(node):
                made |= known.writes | SHOWING.intersection(known.reads)
            elif made & {*known.reads, *known.writes}:
                raise NoRegion("gradients are read or cleared before they are computed anew")
            else:
                yield node

    def is_about(self, node: ast.stmt) -> bool:
        """Whether a statement is about gradients, or calls what is."""
        if isinstance(node, FunctionNode | ast.ClassDef):
            return False
        return isinstance(self.events.of(node), Clear) or self.names_some(node)

    def names_some(self, node: ast.AST) -> bool:
        inner = list(ast.walk(node))
        if any(isinstance(n, ast.Attribute) and n.attr == ATTRIBUTE for n in inner):
            return True
        calls = (n.func for n in inner if isinstance(n, ast.Call))
        return any(map(self.calls_some, calls))

    def calls_some(self, called: ast.expr) -> bool:
        """Whether it is a function or a method of the file that is about gradients."""
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name == CLEARING:
            return True
        functions = self.functions.get(name, ())
        is_own = self.analysis.kind_of(called).tag in ("function", "unknown")
        return is_own and any(map(self.is_function_about, functions))

    def is_function_about(self, function: ast.AST) -> bool:
        if function not in self.known:
            self.known[function] = False  # of one that calls itself
            self.known[function] = self.names_some(function)
        return self.known[function]

    @cached_property
    def functions(self) -> dict[str, list[ast.AST]]:
        """The functions and methods of the file by their names."""
        found: dict[str, list[ast.AST]] = {}
        for node in ast.walk(self.analysis.tree):
            if isinstance(node, FunctionNode):
                found.setdefault(node.name, []).append(node)
        return found
