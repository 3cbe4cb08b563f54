"""`torch.autograd.grad` in a function that is handed what is differentiated.

def penalty(pred, x): (g,) = autograd.grad(pred.sum(), x, create_graph=True); return g.pow(2).sum()

pred = net(x); loss = penalty(pred, x)  ->  who calls says how `pred` is computed from `x`:

def pred_of_x(x):
    pred = net(x)
    return pred

compat.computed_by(pred, pred_of_x)
loss = penalty(pred, x)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from ...syntax.nodes import dotted
from ..blocks import Block, parameters_of
from ..handed import Caller
from ..names import access, flows, written_in
from ..region import Finder, NoRegion
from .repeating import Repeating, is_flag

Dependent = Callable[[Block, int, ast.expr, Collection[str]], Iterator[int]]
"""Gives the places of the statements that compute an output from inputs. Raises: NoRegion"""
ELSEWHERE = "what is differentiated is computed elsewhere"


@dataclass(frozen=True)
class Recomputed:
    """An argument of a call: the statements that compute it from others, by their names there."""

    caller: Caller
    value: ast.Name
    inputs: tuple[str, ...]
    body: tuple[int, ...]


@dataclass(frozen=True)
class Recomputing:
    """Finds what functions are handed, and how their callers compute it."""

    tree: ast.Module
    finder: Finder
    dependent: Dependent

    def of(
        self, block: Block, place: int, output: ast.expr, tensors: Sequence[str]
    ) -> tuple[tuple[str, ...], list[Recomputed]]:
        """The parameters that an output is computed from, and what each caller gives for them.

        Raises: NoRegion if a caller does not compute them beside the call, or is not to be seen
        """
        function = block.scope
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            raise NoRegion(ELSEWHERE)
        check_between_calls(block, place)
        needed = self.needed(block, place, output)
        given = parameters_of(function) - written_in(function.body)
        if not set(tensors) <= given:
            raise NoRegion(ELSEWHERE)
        names = [name for name in sorted(given & needed) if name not in tensors]
        callers = self.callers(function)
        several = [self.by_caller(caller, function, names, tensors) for caller in callers]
        handed = tuple(name for name in names if several and all(name in one for one in several))
        if not handed or any(set(one) != set(handed) for one in several):
            raise NoRegion(ELSEWHERE)
        return handed, [recomputed for one in several for recomputed in one.values()]

    def needed(self, block: Block, place: int, output: ast.expr) -> set[str]:
        """The names that an output is computed from, by the statements before it."""
        found = set(flows(output))
        for statement in reversed(block.statements[:place]):
            known = access(statement)
            if known.writes & found:
                found = (found - known.sure) | set(flows(statement))
        return found

    def callers(self, function: ast.FunctionDef) -> list[Caller]:
        """The calls of a function. Raises: NoRegion if it is named elsewhere, too"""
        found = self.finder.weights.handed.callers.get((function.name, function.lineno), [])
        called = {id(caller.call.func) for caller in found}
        nodes = (n for n in ast.walk(self.tree) if isinstance(n, ast.Name | ast.Attribute))
        named = [n for n in nodes if dotted(n).rpartition(".")[2] == function.name]
        if any(id(n) not in called and self.may_be(n, function) for n in named):
            raise NoRegion(f"{function.name} is handed on: who calls it is not to be seen here")
        return found

    def may_be(self, node: ast.expr, function: ast.FunctionDef) -> bool:
        """Whether a name, or an attribute of something unknown, stands for a function."""
        known = self.finder.weights.function_of(node)
        if known is not None:
            return known is function
        kind = self.finder.weights.analysis.kind_of(node)
        return isinstance(node, ast.Attribute) and kind.is_unknown

    def by_caller(
        self,
        caller: Caller,
        function: ast.FunctionDef,
        names: Sequence[str],
        tensors: Sequence[str],
    ) -> dict[str, Recomputed]:
        """What a caller computes beside the call, by the names of the parameters.

        Raises: NoRegion if one of the tensors has no name there
        """
        given = dict(caller.given(function))
        inputs = [given.get(name) for name in tensors]
        plain = tuple(node.id for node in inputs if isinstance(node, ast.Name))
        if len(plain) < len(inputs):
            raise NoRegion(ELSEWHERE)
        found = {}
        for name in names:
            value = given.get(name)
            if not isinstance(value, ast.Name):
                continue
            try:
                body = tuple(self.dependent(caller.block, caller.place, value, plain))
            except NoRegion:
                continue
            Repeating(self.finder).check(caller.block, body, caller.place, value)
            found[name] = Recomputed(caller, value, plain, body)
        return found


def check_between_calls(block: Block, place: int) -> None:
    """Raises: NoRegion if a function changes others' values before it differentiates"""
    outer = [(block, place), *block.around()]
    for statement in (s for inner, end in outer for s in inner.statements[:end]):
        declared = any(isinstance(n, ast.Global | ast.Nonlocal) for n in ast.walk(statement))
        written = {name for name in access(statement).writes if "." in name and not is_flag(name)}
        if declared or written:
            raise NoRegion("values change before what is differentiated is computed again")
