"""Whether the weights of a network have a part in what an expression or a statement computes."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

from ...analysis import FileAnalysis, Kind
from .blocks import Block
from .names import CUTTING, NUMBERS, access, dotted

PASSIVE = frozenset(
    """train eval to cuda cpu half float double parameters named_parameters state_dict buffers
    load_state_dict zero_grad modules children named_modules named_children requires_grad_ apply
    register_buffer share_memory compile""".split()
)
"""Methods of modules that compute nothing with the weights."""

TELLING = frozenset({"train", "eval", "parameters", "named_parameters", "zero_grad"})
"""Methods of modules that say of a receiver that it is one."""

WITHOUT = "no_grad", "inference_mode"
HOLDING = ast.stmt | ast.excepthandler | ast.match_case
"""What may be in a compound statement."""

DEPTH = 6
"""Functions that are looked into one from another."""


@dataclass(frozen=True)
class Weights:
    """Follows the weights through the statements of one file."""

    analysis: FileAnalysis
    known: dict[int, bool] = field(default_factory=dict)
    """Functions that were looked into."""

    def reach(self, node: ast.AST, carried: Collection[str], depth: int = DEPTH) -> bool:
        """Whether gradients flow from weights into a node; `carried` names have them already."""
        if isinstance(node, ast.With | ast.AsyncWith) and is_without_gradients(node):
            return False
        if isinstance(node, ast.Attribute) and node.attr in CUTTING:
            return False
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            return False
        if self.is_weight(node, carried):
            return True
        if isinstance(node, ast.Call):
            last = dotted(node.func).rpartition(".")[2]
            if last in CUTTING or dotted(node.func) in NUMBERS:
                return False
            if self.is_of_weights(node, depth):
                return True
        return any(self.reach(child, carried, depth) for child in ast.iter_child_nodes(node))

    def is_weight(self, node: ast.AST, carried: Collection[str]) -> bool:
        """Whether a name or attribute is a parameter, or carries gradients."""
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return False
        return dotted(node) in carried or self.analysis.kind_of(node).name == "torch.nn.Parameter"

    def is_of_weights(self, call: ast.Call, depth: int) -> bool:
        """Whether a call computes with weights."""
        called = call.func
        kind = self.analysis.kind_of(called)
        if is_module(kind):
            return True
        if kind.tag in ("function", "bound") and depth:
            function = self.functions.get((kind.target.name, kind.target.node.lineno))
            if function is None:  # of another file: what it is given tells
                return any(is_module(self.analysis.kind_of(given)) for given in call.args)
            return self.is_used_by(function, depth - 1)
        if isinstance(called, ast.Attribute):
            return called.attr not in PASSIVE and is_module(self.analysis.kind_of(called.value))
        return kind.tag == "unknown" and dotted(called) in self.like_modules

    @cached_property
    def like_modules(self) -> frozenset[str]:
        """The names that are parameters of functions, or have methods that modules alone have."""
        found = set()
        for node in ast.walk(self.analysis.tree):
            if isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Attribute) and node.attr in TELLING:
                found.add(dotted(node.value))
        return frozenset(found - {"", "self"})

    @cached_property
    def functions(self) -> dict[tuple[str, int], ast.FunctionDef]:
        """The functions of the file, by name and line."""
        nodes = ast.walk(self.analysis.tree)
        return {(n.name, n.lineno): n for n in nodes if isinstance(n, ast.FunctionDef)}

    def is_used_by(self, function: ast.FunctionDef, depth: int) -> bool:
        """Whether a function of the file computes with weights."""
        if id(function) not in self.known:
            self.known[id(function)] = False  # while it is looked into
            free = not any(is_switch(d) for d in function.decorator_list)
            self.known[id(function)] = free and any(
                self.reach(statement, (), depth) for statement in function.body
            )
        return self.known[id(function)]

    def carried_before(self, block: Block, place: int) -> set[str]:
        """The names that carry gradients before the statement at a place."""
        found = set() if block.parent is None else self.carried_before(block.parent, block.place)
        for statement in block.statements[:place]:
            found = self.carried_behind(statement, found)
        return found

    def carried_behind(self, statement: ast.AST, before: set[str]) -> set[str]:
        """The names that carry gradients behind a statement."""
        inner = [node for node in ast.iter_child_nodes(statement) if isinstance(node, HOLDING)]
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return before
        if not inner:
            known = access(statement)
            is_reached = self.reach(statement, before)
            return before | known.writes if is_reached else before - known.sure
        found = set(before)
        if isinstance(statement, ast.For | ast.AsyncFor) and self.reach(statement.iter, before):
            found |= access(statement.target).writes
        for node in inner:
            found = self.carried_behind(node, found)
        return found if isinstance(statement, ast.With | ast.AsyncWith) else found | before


def is_module(kind: Kind) -> bool:
    return kind.tag == "module" or (kind.tag == "union" and any(map(is_module, kind.parts)))


def is_without_gradients(node: ast.With | ast.AsyncWith) -> bool:
    return any(is_switch(item.context_expr) for item in node.items)


def is_switch(node: ast.expr) -> bool:
    """Whether it is `torch.no_grad()`, as a context or a decorator."""
    called = node.func if isinstance(node, ast.Call) else node
    return dotted(called).rpartition(".")[2] in WITHOUT
