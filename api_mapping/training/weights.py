"""Whether the weights of a network have a part in what an expression or a statement computes."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..analysis import FileAnalysis, Kind
from ..syntax.nodes import dotted
from ..syntax.unpacking import pairs_of
from ..syntax.walk import FunctionNode, Layout, Scope, layout_of
from ..table.facts.gradients import ATTRIBUTE, CUTTING, PASSIVE, TELLING
from ..table.kinds import PARAMETER
from .blocks import Block, parameters_of
from .handed import HOLDING, Handed
from .names import COMPREHENSIONS, NUMBERS, access, bound_in, is_cut, root

NETWORK = re.compile(r"(^|_)(model|net|network)$")

WITHOUT = "no_grad", "inference_mode"
FLAG = "requires_grad"
OBJECTS = frozenset({"object", "instance"})
CALLED = "function", "bound"
"""What functions of the project are to the analysis."""

UNSEEN = "unknown", "lambda"
"""What is called without it being known what it computes with."""

DEPTH = 6
"""Functions that are looked into one from another."""


@dataclass(frozen=True)
class Weights:
    """Follows the weights through the statements of one file."""

    analysis: FileAnalysis
    known: dict[int, bool] = field(default_factory=dict)
    passing: dict[int, bool] = field(default_factory=dict)
    """Functions that were looked into."""
    is_guessing: bool = False
    """Functions that are given a network, or what has methods of one, compute with its weights."""
    leaving: str = ""
    """A name that is no leaf yet where it is asked for: it is made one there."""

    @cached_property
    def guessing(self) -> Weights:
        return Weights(self.analysis, is_guessing=True)

    def reach(self, node: ast.AST, carried: Collection[str], depth: int = DEPTH) -> bool:
        """Whether gradients flow from weights into a node; `carried` names have them already."""
        if isinstance(node, ast.With | ast.AsyncWith) and is_without_gradients(node):
            return False
        if isinstance(node, ast.Expr) and needing(node.value) is not None:
            return False
        if isinstance(node, ast.Attribute) and self.is_cut(node):
            return False
        if isinstance(node, ast.Compare):  # True and False have no gradients
            return False
        if self.makes_network(node):
            return False
        if isinstance(node, ast.Assign) and self.makes_leaf(node, carried, depth):
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
            if not self.is_passing(node, depth):
                return False
        if isinstance(node, COMPREHENSIONS):
            return self.is_listed(node, carried, depth)
        return any(self.reach(child, carried, depth) for child in ast.iter_child_nodes(node))

    def makes_network(self, node: ast.AST) -> bool:
        """Whether a module comes of it, with its weights: `net = filled(nn.Linear(3, 4))`."""
        if isinstance(node, ast.Assign):
            names = [n for n in ast.walk(ast.Tuple(node.targets)) if isinstance(n, ast.Name)]
            return bool(names) and all(map(self.is_network, names))
        return isinstance(node, ast.Call) and self.is_network(node)

    def makes_leaf(self, node: ast.Assign, carried: Collection[str], depth: int) -> bool:
        """Whether a tensor of its own begins here: `x = x.clone().requires_grad_()`.

        PyTorch's is one where nothing before it needs gradients; where an old `x` was a leaf
        itself, the new one would have no gradient to be read.
        """
        if is_leaf(node.value):
            return True
        tensor = needing(node.value)
        if tensor is None or len(node.targets) != 1:
            return False
        name = dotted(node.targets[0])
        others = replace(self, known={}, passing={}, leaving=name)
        return bool(name) and not others.reach(tensor, carried, depth)

    def is_cut(self, node: ast.Attribute) -> bool:
        """Whether an attribute has no gradients: `.data` of packed sequences is their own."""
        return is_cut(node) and self.analysis.kind_of(node.value).tag not in OBJECTS

    def is_listed(self, node: COMPREHENSIONS, carried: Collection[str], depth: int) -> bool:
        """Whether the elements of a comprehension carry gradients."""
        inner = set(carried)
        for part in node.generators:
            if self.reach(part.iter, inner, depth):
                inner |= access(part.target).writes
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return any(self.reach(element, inner, depth) for element in elements)

    def is_weight(self, node: ast.AST, carried: Collection[str]) -> bool:
        """Whether a name or attribute is a parameter, or carries gradients."""
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return False
        is_carried = dotted(node) in carried and not self.is_network(node)
        return is_carried or (dotted(node) != self.leaving and self.is_parameter(node))

    def is_network(self, node: ast.expr) -> bool:
        """Whether it is a module itself, and so nothing that was computed with its weights."""
        return self.analysis.kind_of(node).tag == "module"

    def written(self, statement: ast.AST) -> Set[str]:
        """What a statement writes, but for the modules that it writes to."""
        places = (n for n in ast.walk(statement) if isinstance(n, ast.Name | ast.Attribute))
        return access(statement).writes - {dotted(n) for n in places if self.is_network(n)}

    def is_parameter(self, node: ast.expr) -> bool:
        """Whether it is a tensor that needs gradients, or a list of some."""
        is_one = self.is_leaf(node) or self.analysis.kind_of(node) == PARAMETER
        return is_one or dotted(node) in self.lists

    @cached_property
    def lists(self) -> frozenset[str]:
        """The names of lists, tuples and dictionaries that hold such tensors."""
        assigned = (n for n in ast.walk(self.analysis.tree) if isinstance(n, ast.Assign))
        parts = (part for node in assigned for part in parts_of(node))
        holding = (t for t, value in parts if any(map(self.is_held_leaf, elements_of(value))))
        return frozenset(map(dotted, holding)) - {""}

    def is_held_leaf(self, node: ast.expr) -> bool:
        is_known = self.analysis.kind_of(node) == PARAMETER
        return is_known or is_leaf(node) or (isinstance(node, ast.Name) and self.is_leaf(node))

    def is_leaf(self, node: ast.expr) -> bool:
        """Whether it is a tensor that is made with `requires_grad`, or gets it later."""
        name = dotted(node)
        if name not in self.leaves:
            return False
        return "." in name or self.home(name, node) in self.homes[name]

    @cached_property
    def leaves(self) -> frozenset[str]:
        """The names of such tensors, in whatever function."""
        return frozenset(self.homes)

    @cached_property
    def homes(self) -> Mapping[str, Set[FunctionNode | None]]:
        """The functions that the names of such tensors belong to; None is the file."""
        found: dict[str, set[FunctionNode | None]] = {}
        for leaf in (leaf for node in ast.walk(self.analysis.tree) for leaf in leaves_in(node)):
            if name := dotted(leaf):
                found.setdefault(name, set()).add(self.home(name, leaf))
        return found

    def home(self, name: str, node: ast.AST) -> FunctionNode | None:
        """The function that the name of a node belongs to: its own, or one around it."""
        scope: Scope | None = self.layout.scope_of(node)
        while scope is not None:
            if scope.function is not None and root(name) in bound_in(scope.function):
                return scope.function
            scope = scope.outer
        return None

    @cached_property
    def layout(self) -> Layout:
        return layout_of(self.analysis.tree, len(self.analysis.lines))

    def is_of_weights(self, call: ast.Call, depth: int) -> bool:
        """Whether a call computes with weights."""
        called = call.func
        kind = self.analysis.kind_of(called)
        if is_module(kind):
            return True
        if kind.tag in CALLED and depth:
            function = self.function_of(called)
            if function is None:  # of another file: what it is given tells
                return self.is_given_module(call)
            is_guess = self.is_guessing and not Cuts(self).are_given(function)
            return self.is_used_by(function, depth - 1) or (is_guess and self.is_given_module(call))
        if isinstance(called, ast.Attribute) and called.attr in PASSIVE:
            return False
        if isinstance(called, ast.Attribute) and is_module(self.analysis.kind_of(called.value)):
            return True
        is_foreign = kind.tag == "foreign" and not kind.name.startswith("builtins.")
        is_guess = self.is_guessing and (is_foreign or kind.tag in UNSEEN)
        is_like = kind.tag == "unknown" and dotted(called) in self.like_modules
        return is_like or (is_guess and self.is_given_module(call))

    def is_passing(self, call: ast.Call, depth: int) -> bool:
        """Whether the gradients of what a function is given flow through it."""
        function = self.function_of(call.func)
        if function is None or not depth:
            return True
        if id(function) not in self.passing:
            self.passing[id(function)] = False  # while it is looked into
            carried = self.carried_in(function, parameters_of(function), depth - 1)
            self.passing[id(function)] = self.is_given_back(function, carried, depth - 1)
        return self.passing[id(function)]

    def function_of(self, called: ast.expr) -> ast.FunctionDef | None:
        """The function of the file that a call is of."""
        kind = self.analysis.kind_of(called)
        if kind.tag not in CALLED:
            return None
        return self.functions.get((kind.target.name, kind.target.node.lineno))

    def is_given_module(self, call: ast.Call) -> bool:
        """Whether an unknown function is given a network, or is a method of one."""
        given = [*call.args, *(k.value for k in call.keywords)]
        given += [call.func.value] if isinstance(call.func, ast.Attribute) else []
        return any(dotted(g) in self.telling or is_module(self.analysis.kind_of(g)) for g in given)

    @cached_property
    def like_modules(self) -> frozenset[str]:
        """The names that are parameters of functions, or have methods that modules alone have."""
        nodes = ast.walk(self.analysis.tree)
        return self.telling | {n.arg for n in nodes if isinstance(n, ast.arg)} - {"self"}

    @cached_property
    def telling(self) -> frozenset[str]:
        """The names that have methods which modules alone have, or that networks are given."""
        nodes = list(ast.walk(self.analysis.tree))
        found = {n.arg for n in nodes if isinstance(n, ast.arg) and NETWORK.search(n.arg)}
        places = (n for n in nodes if isinstance(n, ast.Attribute))
        found |= {dotted(place.value) for place in places if place.attr in TELLING}
        return frozenset(found - {"", "self"})

    @cached_property
    def functions(self) -> dict[tuple[str, int], ast.FunctionDef]:
        """The functions of the file, by name and line."""
        nodes = ast.walk(self.analysis.tree)
        return {(n.name, n.lineno): n for n in nodes if isinstance(n, ast.FunctionDef)}

    def is_used_by(self, function: ast.FunctionDef, depth: int) -> bool:
        """Whether a function of the file computes with weights what it returns or leaves."""
        if id(function) not in self.known:
            self.known[id(function)] = False  # while it is looked into
            if any(self.reach(statement, (), depth) for statement in function.body):
                carried = self.carried_in(function, set(), depth)
                self.known[id(function)] = self.is_given_back(function, carried, depth)
        return self.known[id(function)]

    def is_given_back(self, function: ast.FunctionDef, carried: set[str], depth: int) -> bool:
        """Whether a function returns or leaves something that carries gradients."""
        if any(is_switch(d) for d in function.decorator_list):
            return False
        values = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
        is_returned = any(v is not None and self.reach(v, carried, depth) for v in values)
        left = {name.rpartition(".")[2] for name in carried if "." in name}
        return is_returned or not any(values) or bool(left - {FLAG, ATTRIBUTE, *CUTTING})

    def carried_in(
        self, function: ast.FunctionDef, given: set[str], depth: int = DEPTH
    ) -> set[str]:
        """The names that carry gradients at some place in a function, if some do from before."""
        carried = given
        found = set(given)
        for statement in function.body:
            carried = self.carried_behind(statement, carried, depth)
            found |= carried
        return found

    @cached_property
    def handed(self) -> Handed:
        return Handed(self)

    def carried_before(self, block: Block, place: int) -> set[str]:
        """The names that carry gradients before the statement at a place."""
        if block.parent is None:
            found = set(self.handed.to(block.scope))
        else:
            found = self.carried_before(block.parent, block.place)
            found |= self.of_loop(block.owner, found, DEPTH)
        for statement in block.statements[:place]:
            found = self.carried_behind(statement, found)
        return found

    def of_loop(self, node: ast.AST, carried: set[str], depth: int) -> set[str]:
        """The names that a loop gives values of what carries gradients."""
        if isinstance(node, ast.For | ast.AsyncFor) and self.reach(node.iter, carried, depth):
            return set(access(node.target).writes)
        return set()

    def carried_behind(self, statement: ast.AST, before: set[str], depth: int = DEPTH) -> set[str]:
        """The names that carry gradients behind a statement."""
        inner = [node for node in ast.iter_child_nodes(statement) if isinstance(node, HOLDING)]
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return before
        is_cut = isinstance(statement, ast.With | ast.AsyncWith) and is_without_gradients(statement)
        if not inner or is_cut:
            is_reached = self.reach(statement, before, depth)
            return (
                before | self.written(statement) if is_reached else before - access(statement).sure
            )
        found = before | self.of_loop(statement, before, depth)
        for node in inner:
            found = self.carried_behind(node, found, depth)
        return found if isinstance(statement, ast.With | ast.AsyncWith) else found | before


@dataclass(frozen=True)
class Cuts:
    """Which functions give values without their history, and nothing else."""

    weights: Weights
    seen: set[int] = field(default_factory=set)
    names: set[tuple[int, str]] = field(default_factory=set)
    """The names that were looked into, by their functions."""

    def are_given(self, function: ast.FunctionDef) -> bool:
        returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
        if not returned or id(function) in self.seen:
            return False
        self.seen.add(id(function))
        return all(value is not None and self.is_cut(value, function) for value in returned)

    def is_cut(self, node: ast.expr, function: ast.FunctionDef) -> bool:
        """Whether what an expression gives in a function has no history."""
        if isinstance(node, ast.Call):
            return self.is_cut_call(node, function)
        if isinstance(node, ast.Name):
            return self.is_cut_name(node.id, function)
        if isinstance(node, ast.IfExp):
            return self.is_cut(node.body, function) and self.is_cut(node.orelse, function)
        if isinstance(node, ast.List | ast.Tuple):
            return all(self.is_cut(part, function) for part in node.elts)
        if isinstance(node, ast.BinOp):
            return self.is_cut(node.left, function) and self.is_cut(node.right, function)
        is_known = isinstance(node, ast.Constant)
        return is_known or (isinstance(node, ast.Attribute) and is_cut(node))

    def is_cut_call(self, call: ast.Call, function: ast.FunctionDef) -> bool:
        """Whether it cuts, is of a function that does, or of PyTorch's on values that are cut."""
        if dotted(call.func).rpartition(".")[2] in CUTTING or cuts_last(call):
            return True
        inner = self.weights.function_of(call.func)
        if inner is not None:
            return self.are_given(inner)
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        is_api = self.weights.analysis.kind_of(call.func).tag == "api"
        return is_api and all(self.is_cut(part, function) for part in given)

    def is_cut_name(self, name: str, function: ast.FunctionDef) -> bool:
        """Whether all that a function gives a name, and puts into its list, is cut."""
        nodes = list(ast.walk(function))
        stored = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and is_stored(n)]
        values = [n.value for n in nodes if isinstance(n, ast.Assign) and is_set(n, name)]
        calls = [n for n in nodes if isinstance(n, ast.Call) and dotted(n.func) in adding(name)]
        parts = [*values, *(part for call in calls for part in call.args)]
        if not 0 < len(stored) == len(values) or name in parameters_of(function):
            return False
        if (id(function), name) in self.names:
            return True  # `x = torch.sin(x)` cuts no less than what it begins with
        self.names.add((id(function), name))
        return all(self.is_cut(part, function) for part in parts)


def cuts_last(call: ast.Call) -> bool:
    """Whether the last of a chain of methods cuts: `x.clone().detach()`."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in CUTTING


def is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def is_set(node: ast.Assign, name: str) -> bool:
    return [dotted(target) for target in node.targets] == [name]


def adding(name: str) -> Collection[str]:
    """The methods that put something into a list, of a list of this name."""
    return {f"{name}.{method}" for method in ("append", "extend", "insert")}


def is_module(kind: Kind) -> bool:
    return kind.tag == "module" or (kind.tag == "union" and any(map(is_module, kind.parts)))


def leaves_in(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement makes a tensor that needs gradients: `x` of `x.requires_grad_()`."""
    if isinstance(node, ast.Expr) and (owner := needing(node.value)) is not None:
        yield owner
    if not isinstance(node, ast.Assign):
        return
    for target, value in parts_of(node):
        if is_leaf(value) or needing(value) is not None:
            yield target
    flags = (t for t in node.targets if isinstance(t, ast.Attribute) and t.attr == FLAG)
    if is_true(node.value):
        yield from (flag.value for flag in flags)


def parts_of(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The places of an assignment with their values: two of `a, b = f(), g()`."""
    for target in node.targets:
        yield from pairs_of(target, node.value) or [(target, node.value)]


def is_leaf(node: ast.expr) -> bool:
    """Whether it is `torch.zeros(1, requires_grad=True)`."""
    given = node.keywords if isinstance(node, ast.Call) else []
    return any(is_true(k.value) for k in given if k.arg == FLAG)


def elements_of(node: ast.expr) -> Sequence[ast.expr]:
    """The elements of a display, or what a comprehension makes each of."""
    if isinstance(node, ast.List | ast.Tuple):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    return [node.elt] if isinstance(node, ast.ListComp) else []


def needing(node: ast.expr) -> ast.expr | None:
    """The tensor that a call of `requires_grad_` is of, if it sets the flag."""
    called = node.func if isinstance(node, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr != f"{FLAG}_":
        return None
    assert isinstance(node, ast.Call)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return called.value if all(map(is_true, given)) else None


def is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def is_without_gradients(node: ast.With | ast.AsyncWith) -> bool:
    return any(is_switch(item.context_expr) for item in node.items)


def is_switch(node: ast.expr) -> bool:
    """Whether it is `torch.no_grad()`, as a context or a decorator."""
    called = node.func if isinstance(node, ast.Call) else node
    return dotted(called).rpartition(".")[2] in WITHOUT
