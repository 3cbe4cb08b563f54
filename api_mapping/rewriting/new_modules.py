"""Modules that are used in the mode in which they were made: training, in PyTorch.

MindSpore's new cells are in evaluation mode.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from ..analysis import FileAnalysis
from ..analysis.definitions import Function
from ..syntax.containers import GIVING, TAKING
from ..syntax.nodes import dotted, start_of
from ..syntax.walk import every
from ..table.facts.modes import ASIDE, CALLING, KEEPING, PARAMETRIZING, SELF, SWITCHES
from .destinations import Destinations, all_parameters, parameter_of
from .inventory import Inventory
from .module_modes import Find, Modes


def switched_on(nodes: Inventory, analysis: FileAnalysis, find: Find) -> dict[ast.AST, bool]:
    """The calls that make a module which is used in training mode though nothing chooses it.

    True: the mode of some of its parts was chosen before, by its constructor, or as its arguments.
    """
    modules = [call for call in nodes.of(ast.Call) if analysis.kind_of(call).tag == "module"]
    ways = NewModules(nodes, analysis)
    made = set(filter(ways.is_made, modules))
    outermost = made - {inner_call(call) for call in made}
    modes = Modes(nodes, analysis.kind_of, find)
    asked = [node for node in nodes.of(ast.Attribute) if asks(node, analysis)]
    shown = ways.asked_by_name(asked, outermost)
    chosen = (call for call in outermost if call in shown or modes.has_two(call))
    used = sorted((c for c in chosen if ways.is_used(c) or ways.is_asked(c, shown)), key=start_of)
    return {call: ways.has_parts_chosen(call) or modes.is_chosen_inside(call) for call in used}


def asks(node: ast.Attribute, analysis: FileAnalysis) -> bool:
    """Whether it asks what may be a network which mode it has, from outside: `net.training`."""
    is_read = node.attr == "training" and isinstance(node.ctx, ast.Load)
    if not is_read or dotted(node.value) == "self":
        return False
    return analysis.kind_of(node.value).tag in ("module", "unknown", "union")


@dataclass
class NewModules(Destinations):
    """The ways of modules that a file makes; they are used where they are in the mode they have."""

    def asked_by_name(self, asked: Sequence[ast.Attribute], made: Set[ast.AST]) -> Set[ast.AST]:
        """Those of the new modules that may be asked; all where one is not asked by its name."""
        names = {(dotted(node.value) or "").partition(".")[0] for node in asked}
        bound = [n for n in self.nodes.of(ast.Name) if n.id in names and is_store(n)]
        values = [getattr(self.parents[name], "value", name) for name in bound]
        given = {argument.arg for argument in self.nodes.of(ast.arg)}
        is_named = names <= {name.id for name in bound} - given
        return set(values) if is_named and made >= set(values) else made

    def is_asked(self, call: ast.Call, shown: Set[ast.AST]) -> bool:
        """Whether it is a module with a name that may be asked: what chooses its mode may be for
        a while, as in a function that puts back what it was.
        """
        statement = self.parents.get(call)
        names = statement.targets if isinstance(statement, ast.Assign) else ()
        return call in shown and any(isinstance(name, ast.Name) for name in names)

    def has_parts_chosen(self, call: ast.Call) -> bool:
        """Whether a call is given, by its name, a module that is switched anywhere in the file."""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        names = {dotted(n) for value in given for n in ast.walk(value)} - {None, ""}
        found = (n for n in self.nodes.of(ast.Attribute) if n.attr in SWITCHES)
        return any(dotted(node.value) in names for node in found)

    def is_used_by_call(self, call: ast.AST, given: ast.AST) -> bool:
        return (
            super().is_used_by_call(call, given)
            or self.is_called_by(call, given)
            or (self.is_returned_by(call, given) and self.is_used(call))
        )

    def is_called_by(self, call: ast.AST, given: ast.AST) -> bool:
        """Whether a function of PyTorch calls this argument: a weight's parametrization for one."""
        assert isinstance(call, ast.Call)
        name = self.analysis.kind_of(call.func).name or ""
        place, keyword = CALLING.get(name, (None, ""))
        if place is None or given is not argument_of(call, place, keyword):
            return False
        return name != PARAMETRIZING or not self.is_evaluated_before(call)

    def is_evaluated_before(self, call: ast.Call) -> bool:
        """Whether the module of a parametrization, whose mode it gets, has been set to evaluate."""
        module = argument_of(call, 0, "module")
        module = module.value if isinstance(module, ast.keyword) else module
        name = "" if module is None else dotted(module).partition(".")[0]
        switches = [
            node
            for node in self.nodes.of(ast.Attribute)
            if node.attr in SWITCHES
            and dotted(node.value).partition(".")[0] == name
            and self.block_of(node) is self.block_of(call)
            and start_of(node) < start_of(call)
        ]
        if not switches:
            return False
        last = max(switches, key=start_of)
        made = self.parents.get(last)
        return isinstance(made, ast.Call) and (last.attr == "eval" or bool(made.args))

    def is_returned_by(self, call: ast.AST, given: ast.AST) -> bool:
        """Whether the result of a function of the file is its argument: `net = filled(Net())`."""
        assert isinstance(call, ast.Call)
        kind = self.analysis.kind_of(call.func)
        node = self.node_of(kind.target) if isinstance(kind.target, Function) else None
        if node is None or kind.tag not in ("function", "bound"):
            return False
        assert isinstance(kind.target, Function)
        name = parameter_of(kind.target, call, given, kind.tag == "bound")
        results = [n.value for n in every(node) if isinstance(n, ast.Return)]
        return any(isinstance(value, ast.Name) and value.id == name for value in results)

    def is_made(self, call: ast.Call) -> bool:
        """Whether a call, or what its method is called on, makes a module; what its mode is."""
        while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
            if call.func.attr in SWITCHES:
                return False
            if call.func.attr not in SELF:
                break
            call = call.func.value
        kind = self.analysis.kind_of(call.func)
        if kind.name in KEEPING:
            return False
        if kind.tag == "function" and isinstance(kind.target, Function):
            return self.is_maker(kind.target)
        return kind.tag in ("class", "lambda") or (kind.tag == "api" and kind.name != "torch.load")

    def is_maker(self, function: Function) -> bool:
        """Whether a function gives new modules, and nothing that it is given."""
        node = self.node_of(function)
        if node is None:
            return True
        values = [n.value for n in every(node) if isinstance(n, ast.Return) and n.value is not None]
        parameters = {argument.arg for argument in all_parameters(node)}
        return all(
            isinstance(value, ast.Call)
            or (isinstance(value, ast.Name) and value.id not in parameters)
            for value in values
        )

    def ends(self, node: ast.AST, parent: ast.AST | None) -> bool | None:
        if isinstance(parent, ast.Attribute):
            return self.is_used_by_attribute(parent)
        if isinstance(parent, ast.Tuple | ast.Dict):
            return True if isinstance(self.parents.get(parent), ast.Return) else None
        if not isinstance(parent, ast.Call):
            return None
        if parent.func is node:
            return True
        return self.is_used(parent) if self.analysis.kind_of(parent.func).name in KEEPING else None

    def is_used_by_attribute(self, node: ast.Attribute) -> bool:
        call = self.parents.get(node)
        if node.attr in SWITCHES | ASIDE | TAKING:
            return False
        if isinstance(call, ast.Call) and call.func is node:
            return node.attr not in SELF | GIVING or self.is_used(call)
        if node.attr == "training":
            return True
        return self.analysis.kind_of(node).tag in ("module", "unknown") and self.is_used(node)

    def is_used_in(self, name: str, text: str) -> bool:
        name = rf"\b{re.escape(name)}"
        switch = re.search(rf"{name}\.({'|'.join(SWITCHES)})\(", text)
        stored = re.search(rf"self\.(\w+) = {name}\b", text)
        called = re.search(rf"{name}(\.forward)?\(", text)
        if switch is not None:
            return called is not None and called.start() < switch.start()
        return called is not None or stored is not None

    def is_absorbed(self, call: ast.Call) -> bool:
        return self.analysis.kind_of(call).tag == "module"

    def is_kept(self, target: ast.Attribute) -> bool:
        """Whether it is an attribute of a module, whose mode it has."""
        return self.analysis.kind_of(target.value).tag == "module" or self.is_in_module(target)

    def is_in_module(self, node: ast.AST) -> bool:
        """Whether a node stands in a class of modules."""
        while (node := self.block_of(node)) is not self.nodes.tree:
            if isinstance(node, ast.ClassDef):
                return self.analysis.families.get(node) == "module"
        return False

    def is_stopped(self, reads: list[ast.AST], used: list[ast.AST]) -> bool:
        """Whether the mode is chosen before the first use, or in a function of the block."""
        first = min((start_of(node) for node in used), default=None)
        blocks = {self.block_of(node) for node in used}
        return any(
            self.is_switch(node)
            and (first is None or self.block_of(node) not in blocks or start_of(node) <= first)
            for node in reads
        )

    def is_switch(self, node: ast.AST) -> bool:
        """Whether it chooses a mode; not that of one of several modules: `nets[0].eval()`."""
        parent = self.parents.get(node)
        while isinstance(parent, ast.Subscript) and parent.value is node:
            if isinstance(parent.slice, ast.Constant | ast.UnaryOp | ast.Slice):
                return False
            node, parent = parent, self.parents.get(parent)
        return isinstance(parent, ast.Attribute) and parent.attr in SWITCHES


def argument_of(call: ast.Call, place: int, name: str) -> ast.AST | None:
    """What stands in a call for an argument: the expression, or the keyword with it."""
    named = (keyword for keyword in call.keywords if keyword.arg == name)
    return call.args[place] if place < len(call.args) else next(named, None)


def is_store(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def inner_call(call: ast.Call) -> ast.AST | None:
    """The call whose result a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None
