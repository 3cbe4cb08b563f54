"""What is known of one file: its expressions, its functions, and what calls write to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from ..analysis import FileAnalysis, Kind
from ..analysis.definitions import Class, Function
from ..syntax import unpacking
from ..syntax.nodes import dotted, owner_called
from ..syntax.walk import FunctionNode, Layout, every
from ..table import registry
from ..table.facts.gradients import GRADIENT
from ..table.facts.writes import COPY, FILLED
from ..table.kinds import PARAMETER, PLAIN, UNKNOWN, present
from ..table.named import Resolve
from ..table.side_arguments import asides_of, is_told_to_write, written_by
from .names import Scope, ScopeNames
from .tensors import How

CONTAINERS = frozenset({"list", "tuple", "dict", "set", "iterator"})
HOLDING_NONE = PLAIN - {"numpy"}
"""Kinds of what has no memory in common with a tensor."""


@dataclass(frozen=True)
class Summary:
    """The parameters of a function that it writes to, and those that it may return, or parts of.

    `items`: those that it writes to by an index alone.
    """

    writes: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()
    returns: frozenset[tuple[str, How | None]] = frozenset()


@dataclass
class Knowledge:
    """The file; `summaries` and `observed` grow while its functions are followed.

    `observed`: the parameters, by function, that a caller reads when the function has run.
    """

    analysis: FileAnalysis
    layout: Layout
    resolve: Resolve
    unpacking: unpacking.Displays
    summaries: dict[ast.AST, Summary] = field(default_factory=dict)
    observed: set[tuple[ast.AST, str]] = field(default_factory=set)
    called: set[ast.AST] = field(default_factory=set)
    scopes: dict[Scope, ScopeNames] = field(default_factory=dict)
    written: dict[int, ast.expr | None] = field(default_factory=dict)
    made: dict[FunctionNode, ast.Call | None] = field(default_factory=dict)
    elements: dict[ast.AST, dict[str, list[ast.expr]]] = field(default_factory=dict)

    @cached_property
    def kinds(self) -> Mapping[ast.AST, Kind]:
        return self.analysis.kinds

    @cached_property
    def holders(self) -> frozenset[str]:
        """The tensors whose gradients the file reads: a new tensor of the name would have none."""
        read = (use.receiver for use in self.analysis.uses if use.api == GRADIENT)
        return frozenset(dotted(node) for node in read if node is not None) - {""}

    def names_of(self, scope: Scope) -> ScopeNames:
        if scope not in self.scopes:
            self.scopes[scope] = ScopeNames(scope)
        return self.scopes[scope]

    def kind(self, node: ast.AST) -> Kind:
        found = self.kinds.get(node, UNKNOWN)
        return present(found) if found.tag == "union" else found

    def is_tensor(self, node: ast.AST) -> bool:
        return self.kind(node).tag == "tensor"

    def is_plain(self, node: ast.AST) -> bool:
        """Whether it is a value that has no memory of a tensor."""
        tag = self.kinds.get(node, UNKNOWN).tag
        return tag in HOLDING_NONE or (tag == "union" and self.kind(node).tag in HOLDING_NONE)

    def is_container(self, node: ast.AST) -> bool:
        return self.kind(node).tag in CONTAINERS

    def api(self, callee: ast.expr) -> str:
        named = self.resolve(callee)
        return "" if named is None else named.api

    def first_argument(self, call: ast.Call) -> ast.expr | None:
        """The tensor that a method or function of PyTorch's is about."""
        named = self.resolve(call.func)
        if named is None or named.receiver is not None:
            return None if named is None else named.receiver
        given = [a for a in call.args if not isinstance(a, ast.Starred)]
        return given[0] if given else next((k.value for k in call.keywords), None)

    def written_by(self, call: ast.Call) -> ast.expr | None:
        """What a use of PyTorch writes to in place, None if it does not."""
        key = id(call)
        if key not in self.written:
            place = self.place_written_by(call)
            self.written[key] = self.detached(place) or place
        return self.written[key]

    def detached(self, node: ast.expr | None) -> ast.expr | None:
        """The Parameter of `parameter.detach()`, which is written to itself; None of others."""
        owner = owner_called(node, "detach")
        return owner if owner is not None and self.kind(owner) == PARAMETER else None

    def place_written_by(self, call: ast.Call) -> ast.expr | None:
        named = self.resolve(call.func)
        if named is None or not may_write(named.api):
            return None
        if named.api == COPY or named.api.startswith(FILLED):
            return self.first_argument(call)
        rules = registry.find(named.api)
        place = written_by(call, rules, named.receiver, self.unpacking)
        return asides_of(call, rules).out if place is None and rules else place

    # the functions of the file

    @cached_property
    def functions(self) -> Mapping[tuple[str, int], FunctionNode]:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        return {(n.name, n.lineno): n for kind in kinds for n in self.layout.of_type(kind)}

    def function_of(self, call: ast.Call) -> tuple[FunctionNode | None, bool]:
        """The function of this file that a call runs, and whether its first parameter is given."""
        kind = self.kind(call.func)
        found: object = kind.target
        if found is None:
            return None, False
        if kind.tag == "module" and isinstance(found, Class):
            found = found.methods.get("forward")
        if not isinstance(found, Function) or found.module.path is not self.analysis.path:
            return None, False
        node = self.functions.get((found.name, found.node.lineno))
        return node, kind.tag in ("bound", "module") and not found.is_static

    def arguments(self, call: ast.Call) -> Iterator[tuple[FunctionNode, str, ast.expr]]:
        """The function of this file that is called, with each parameter and what it is given."""
        function, is_bound = self.function_of(call)
        if function is None:
            return
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        rest = function.args.vararg.arg if function.args.vararg is not None else ""
        names = names[1:] if is_bound else names
        for place, given in enumerate(call.args):
            name = names[place] if place < len(names) else rest
            value = given.value if isinstance(given, ast.Starred) else given
            yield function, name, value
        for keyword in call.keywords:
            yield function, keyword.arg or "", keyword.value

    @cached_property
    def layers(self) -> Mapping[str, ast.Call]:
        """The calls that build layers which write to their inputs, by the place that is set."""
        found: dict[str, ast.Call] = {}
        for node in self.layout.of_type(ast.Assign):
            layer = self.first_layer(node.value)
            if layer is None and not found:
                continue
            places = (t for t in node.targets if isinstance(t, ast.Name | ast.Attribute))
            for key in map(self.key_of, places):
                if layer is not None:
                    found[key] = layer
                else:
                    found.pop(key, None)
        return found

    def first_layer(self, node: ast.expr) -> ast.Call | None:
        """The call that builds the layer which sees the input, if that writes to it."""
        if not isinstance(node, ast.Call):
            return None
        api = self.api(node.func)
        if api == "torch.nn.Sequential" and node.args:
            first = self.first_of(node.args[0])
            return None if first is None else self.first_layer(first)
        rules = registry.find(api) if api.startswith("torch.nn.") else ()
        if rules:
            return node if is_told_to_write(node, rules) else None
        function, is_bound = self.function_of(node)
        return None if function is None or is_bound else self.layer_made_by(function)

    def layer_made_by(self, function: FunctionNode) -> ast.Call | None:
        """The same of what a function of the file gives."""
        if function not in self.made:
            self.made[function] = None  # while it is looked at
            found = map(self.first_layer, returned_by(function))
            self.made[function] = next(filter(None, found), None)
        return self.made[function]

    def first_of(self, node: ast.expr) -> ast.expr | None:
        """The first layer that an argument of Sequential gives: `*layers`, OrderedDict([...]).

        A list that names are bound to is looked at once, however often it stands in others.
        """
        waiting, seen = [node], set[str]()
        while waiting:
            node = waiting.pop()
            match node:
                case ast.Starred():
                    waiting.append(self.unpacking.get(id(node.value), node.value))
                case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
                    waiting.append(first)
                case ast.BinOp(op=ast.Add()):
                    waiting += [node.right, node.left]
                case ast.Name() if node.id not in seen:
                    seen.add(node.id)
                    waiting += reversed(self.elements_of(node))
                case ast.Call(args=[ast.List(elts=[ast.Tuple(elts=[*_, layer]), *_])]):
                    return layer
                case ast.Call():
                    return node
        return None

    def elements_of(self, place: ast.Name) -> Sequence[ast.expr]:
        """What a name is given, and what is put into its list, in the order of the text."""
        scope = self.layout.scope_of(place).function or self.analysis.tree
        if scope not in self.elements:
            self.elements[scope] = elements_in(scope)
        return self.elements[scope].get(place.id, ())

    def key_of(self, place: ast.expr) -> str:
        """How a place is known in the file: with its class or function."""
        scope = self.layout.scope_of(place)
        is_own = isinstance(place, ast.Attribute)
        owner = scope.owner if is_own else scope.function
        return f"{0 if owner is None else owner.lineno}:{dotted(place) or ast.unparse(place)}"

    def is_own(self, place: str, node: ast.AST) -> bool:
        """Whether an attribute, of the class around a node, is only set to what is made there."""
        owner = self.layout.scope_of(node).owner
        return self.own.get((owner, place), False)

    @cached_property
    def own(self) -> Mapping[tuple[ast.ClassDef | None, str], bool]:
        """The attributes that classes set, and whether only to new tensors."""
        found: dict[tuple[ast.ClassDef | None, str], bool] = {}
        for node in self.layout.of_type(ast.Assign):
            owner = self.layout.scope_of(node).owner
            for target in (t for t in node.targets if isinstance(t, ast.Attribute)):
                key = owner, dotted(target) or ast.unparse(target)
                is_new = isinstance(node.value, ast.Call | ast.BinOp | ast.Constant)
                found[key] = found.get(key, True) and is_new
        return found

    def is_layer_in_place(self, call: ast.Call) -> bool:
        """Whether a call runs a layer that writes to its input."""
        if not call.args or not self.layers:
            return False
        if isinstance(call.func, ast.Name | ast.Attribute):
            return self.key_of(call.func) in self.layers
        return self.first_layer(call.func) is not None


def elements_in(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """What each name of a function, or of the module, is given, and what its list is."""
    found: dict[str, list[ast.expr]] = {}
    for node in every(scope):
        match node:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                pass
            case ast.AugAssign(target=ast.Name(name), value=value):
                pass
            case ast.Call(func=ast.Attribute(ast.Name(name), "append" | "extend"), args=[value]):
                pass
            case _:
                continue
        found.setdefault(name, []).append(value)
    return found


def returned_by(function: FunctionNode) -> list[ast.expr]:
    """What a function of the file gives, as its returns have it."""
    found = (node.value for node in every(function) if isinstance(node, ast.Return))
    return [value for value in found if value is not None]


@cache
def may_write(api: str) -> bool:
    """Whether uses of an API may write to a tensor that they are given, or to `out`."""
    if api == COPY or api.startswith(FILLED):
        return True
    rules = registry.find(api)
    names = {param.name for rule in rules for param in rule.params}
    return "out" in names or "inplace" in names or any(rule.writes for rule in rules)
