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
from ...syntax.nodes import dotted
from ...syntax.walk import FunctionNode
from ...table.facts.gradients import ATTRIBUTE, CLEARING
from ..events import Clear, Events
from ..names import access
from ..region import NoRegion, Region

ZERO_GRAD = "zero_grad"
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

        Raises: NoRegion if one needs what is computed since the forward pass began, or may
        """
        made = set(region.writes)
        for node in region.behind:
            known = access(node)
            if not self.is_about(node):
                made |= known.writes | SHOWING.intersection(known.reads)
            elif made & {*known.reads, *known.writes} or not self.is_movable(node):
                raise NoRegion("gradients are read or cleared before they are computed anew")
            else:
                yield node

    def check(self, region: Region) -> None:
        """Raises: NoRegion if what comes first cannot"""
        for _ in self.of(region):
            pass

    def is_clear(self, node: ast.stmt) -> bool:
        """Whether it clears gradients by a method of an optimiser or a network of PyTorch's."""
        return isinstance(self.events.of(node), Clear)

    def is_about(self, node: ast.stmt) -> bool:
        """Whether a statement is about gradients, or calls what is."""
        if isinstance(node, FunctionNode | ast.ClassDef):
            return False
        return self.is_clear(node) or self.names_some(node)

    def names_some(self, node: ast.AST) -> bool:
        inner = list(ast.walk(node))
        if any(isinstance(n, ast.Attribute) and n.attr == ATTRIBUTE for n in inner):
            return True
        calls = (n.func for n in inner if isinstance(n, ast.Call))
        return any(map(self.calls_some, calls))

    def calls_some(self, called: ast.expr) -> bool:
        """Whether it is a function or a method of the file that is about gradients."""
        return last_of(called) == ZERO_GRAD or any(map(self.is_function_about, self.own(called)))

    def own(self, called: ast.expr) -> list[ast.AST]:
        """The functions and methods of the file that a call may be of."""
        is_own = self.analysis.kind_of(called).tag in ("function", "bound", "unknown")
        return self.functions.get(last_of(called), []) if is_own else []

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

    def is_movable(self, node: ast.stmt) -> bool:
        """Whether nothing that is computed meanwhile decides what a statement does: it clears and
        does nothing else, or reads by itself, where no function shows anything."""
        if self.is_clear(node):
            return True
        if any(self.events.all_in(node)):  # in a branch or a loop, where nobody writes it anew
            return False
        if self.only_clears(node, set()):
            return True
        called = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
        is_simple = isinstance(node, ast.Expr | ast.Assign | ast.AugAssign)
        return is_simple and not any(map(self.own, called)) and not self.shows_beside(node)

    def shows_beside(self, node: ast.stmt) -> bool:
        """Whether a function of the file prints, but for those that a statement stands in."""
        several = (set(ast.walk(one)) for nodes in self.functions.values() for one in nodes)
        inner = (n for nodes in several if node not in nodes for n in nodes)
        return any(isinstance(n, ast.Name) and n.id in SHOWING for n in inner)

    def only_clears(self, node: ast.AST, seen: set[ast.AST]) -> bool:
        """Whether code sets gradients to None or 0, of all or of those that there are."""
        seen.add(node)
        inner = list(ast.walk(node))
        tests = [n.test for n in inner if isinstance(n, ast.If | ast.IfExp | ast.While)]
        targets = [t for n in inner if isinstance(n, ast.Assign) for t in n.targets]
        targets += [n.target for n in inner if isinstance(n, ast.AugAssign | ast.AnnAssign)]
        if not all(map(is_of_gradient, (*tests, *targets))):
            return False
        return all(self.is_clearing(n, seen) for n in inner if isinstance(n, ast.Call))

    def is_clearing(self, call: ast.Call, seen: set[ast.AST]) -> bool:
        own = self.own(call.func)
        if own:
            return all(function in seen or self.only_clears(function, seen) for function in own)
        return last_of(call.func) in CLEARING


def last_of(called: ast.expr) -> str:
    """The last part of what is called; "" of what has no name."""
    return called.attr if isinstance(called, ast.Attribute) else dotted(called)


def is_of_gradient(node: ast.expr) -> bool:
    """Whether nothing but gradients is asked, or set: `p.grad is not None`."""
    if isinstance(node, ast.BoolOp):
        return all(map(is_of_gradient, node.values))
    left = node.left if isinstance(node, ast.Compare) else node
    return isinstance(left, ast.Attribute) and left.attr in (ATTRIBUTE, "requires_grad")
