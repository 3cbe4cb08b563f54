"""What the rules ask about a node: kinds from the analysis, and where the node stands."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...analysis import Kind
from ...analysis.evaluation.expressions import all_arguments
from ...syntax.walk import FunctionNode, Layout, Scope, all_in, of_types

READS_VALUE = frozenset({"item", "tolist", "__int__", "__float__", "__bool__", "numpy"})
"""Methods that bring a tensor's value to Python."""
CASTS = frozenset({"int", "float", "bool", "round"})
DECIDES = frozenset({"torch.equal", "torch.allclose", "torch.is_nonzero"})
"""Functions that make a Python bool of values."""
Values = dict[str, list[Any]]
NOWHERE = Scope()
SAME = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
GIVING = frozenset({ast.Name, ast.arg, ast.AugAssign, ast.Assign})
"""The nodes that give values to names."""


@dataclass
class Facts:
    """About one file: what the analysis knows of its expressions.

    `apis` has the certain uses by their nodes' ids; `families` the classes of the file by their
    nodes' ids ("module", "dataset"...), `buffers` the names that they register; `collators` are
    the functions that a DataLoader is told to collate with; `lost` tells, by the ids of writes
    in place, what does not see them. What is looked at stands in `scope` of the file `module`, in
    a class of the `family`, "" if it is of none.
    """

    kind_of: Callable[[ast.AST], Kind]
    layout: Layout
    apis: Mapping[int, str]
    families: Mapping[int, str]
    collators: frozenset[str]
    buffers: Mapping[int, Collection[str]]
    lost: Mapping[int, str]
    module: ast.Module
    scope: Scope = NOWHERE
    family: str = ""
    assigned: dict[int, Values] = field(default_factory=dict)
    reached: dict[int, frozenset[str]] = field(default_factory=dict)

    def look_at(self, node: ast.AST) -> None:
        """Notes where the node stands that the rules ask about."""
        scope = self.layout.scopes[node.lineno]  # type: ignore[attr-defined]
        if scope is not self.scope:
            self.scope, self.family = scope, self.families.get(id(scope.owner), "")

    def tag(self, node: ast.AST) -> str:
        """The sort of value: "tensor", "module", "list", "int"..., "unknown"."""
        return self.kind_of(node).tag

    def element(self, node: ast.AST) -> str:
        """What the elements of a list, tuple or dictionary are, the same for all of them."""
        parts = self.kind_of(node).parts
        if self.tag(node) == "dict":
            parts = parts[1:]
        tags = {"parameter" if p.name == "torch.nn.Parameter" else p.tag for p in parts}
        return tags.pop() if len(tags) == 1 else ""

    def api(self, node: ast.AST) -> str:
        """The API that a call, name or attribute uses for certain, or ""."""
        return self.apis.get(id(node), "")

    def is_tensor(self, node: ast.expr) -> bool:
        return self.tag(node) == "tensor"

    @property
    def is_graph_code(self) -> bool:
        """Whether it runs as a graph in a module: in `forward` or a method that it calls."""
        function, owner = self.scope.function, self.scope.owner
        if function is None or owner is None:
            return False
        return method_of(self.scope) in self.methods_of_forward(owner)

    def methods_of_forward(self, owner: ast.ClassDef) -> frozenset[str]:
        """`forward` and the methods of the class that it calls, directly or not."""
        known = self.reached.get(id(owner))
        if known is None:
            known = self.reached[id(owner)] = reachable(self.own_calls.get(id(owner), {}))
        return known

    @cached_property
    def own_calls(self) -> Mapping[int, Mapping[str, Collection[str]]]:
        """For each class, by its id, and each method of it, which methods it calls of self."""
        found: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for call in self.layout.of_type(ast.Call):
            function = call.func
            if type(function) is ast.Attribute and is_self(function.value):
                scope = self.layout.scope_of(call)
                if scope.owner is not None:
                    found[id(scope.owner)][method_of(scope)].add(function.attr)
        return found

    def is_from_data(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether the value of an expression follows from values of a tensor, for certain."""
        if depth > 8:
            return False
        if isinstance(node, ast.Name) and not self.is_tensor(node):
            value = self.only_value(node.id)
            return value is not None and self.is_from_data(value, depth + 1)
        if isinstance(node, ast.Call):
            return self.is_read(node) or self.is_tensor(node)
        if isinstance(node, ast.Compare) and any(isinstance(op, SAME) for op in node.ops):
            return False
        parts = operands(node)
        if parts:
            return any(self.is_from_data(part, depth + 1) for part in parts)
        return self.is_tensor(node)

    def is_read(self, node: ast.Call) -> bool:
        """Whether a call brings values of a tensor to Python: `x.item()`, `int(x)`."""
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in READS_VALUE:
            return self.is_tensor(function.value)
        if isinstance(function, ast.Name) and function.id in CASTS:
            return len(node.args) == 1 and self.is_from_data(node.args[0])
        if isinstance(function, ast.Name) and function.id in ("max", "min"):
            return any(self.is_from_data(argument) for argument in node.args)
        return self.api(node) in DECIDES

    def only_value(self, name: str) -> ast.expr | None:
        """What a local variable is assigned, if it is assigned in one place only."""
        values = self.values_of(name)
        return values[0] if len(values) == 1 else None

    def values_of(self, name: str) -> list[Any]:
        block = self.block
        if block is None or is_parameter(block, name):
            return []
        if id(block) not in self.assigned:
            self.assigned[id(block)] = values_in(block)
        return self.assigned[id(block)].get(name, [])

    @property
    def block(self) -> FunctionNode | ast.Module | None:
        """The function that the node stands in, or the file if it stands in none."""
        is_outside = self.scope.function is None and self.scope.owner is None
        return self.module if is_outside else self.scope.function


def is_parameter(block: FunctionNode | ast.Module, name: str) -> bool:
    given = () if isinstance(block, ast.Module) else all_arguments(block.args)
    return any(parameter.arg == name for parameter in given)


def is_self(node: ast.AST) -> bool:
    return type(node) is ast.Name and node.id == "self"


def operands(node: ast.expr) -> list[ast.expr]:
    """The parts whose values make up the value of an operator's expression."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return []


def method_of(scope: Scope) -> str:
    """The method of the class that the innermost function stands in."""
    function = scope.function
    outer: Scope | None = scope
    while outer is not None and outer.owner is scope.owner:
        function = outer.function or function
        outer = outer.outer
    return function.name if function is not None else ""


def reachable(calls: Mapping[str, Collection[str]]) -> frozenset[str]:
    """`forward` and what it calls, directly or not, by what each method calls."""
    waiting, found = ["forward"], set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += calls.get(name, ())
    return frozenset(found)


def values_in(function: FunctionNode | ast.Module) -> Values:
    """All that each local name gets: an expression, an AugAssign, or None for anything else."""
    found: Values = defaultdict(list)
    plain: set[int] = set()
    for node in of_types(all_in(function), GIVING):
        cls = type(node)
        if cls is ast.Name:
            if type(node.ctx) is ast.Store and id(node) not in plain:
                found[node.id].append(None)
        elif cls is ast.arg:
            found[node.arg].append(None)
        elif cls is ast.AugAssign and isinstance(node.target, ast.Name):
            found[node.target.id].append(node)
            plain.add(id(node.target))
        elif cls is ast.Assign:
            names = [t for t in node.targets if isinstance(t, ast.Name)]
            plain.update(map(id, names))
            for name in names:
                found[name.id].append(node.value)
    return found
