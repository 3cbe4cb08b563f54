"""The modules and tensors that the methods of a class give its instances, by attribute."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...formats.names.weight_map import Choice, Container
from ..analysis import FileAnalysis, Kind
from ..syntax.unpacking import pairs_of
from ..syntax.walk import BLOCKS, every

OfKind = Callable[[Kind], Choice]

PARAMETER_LISTS = frozenset({"torch.nn.ParameterList", "torch.nn.ParameterDict"})
CONTAINERS = frozenset(f"torch.nn.{name}" for name in ("Sequential", "ModuleList", "ModuleDict"))
FORMATTED = re.compile(r"%[-+ 0-9.]*[a-zA-Z]|\{[^{}]*\}")
REGISTER = ("register_buffer", "register_parameter")
ADD = ("add_module", "register_module")
MAX_DEPTH = 12
"""Values that are made of one another further than this are unknown."""


@dataclass
class Found:
    """What was found of a class: `*` in a name stands for what a program puts there."""

    modules: dict[str, list[Choice]] = field(default_factory=dict)
    tensors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Collected:
    modules: dict[str, Choice]
    tensors: list[str]


class Members:
    """Walks the methods of a class."""

    def __init__(self, analysis: FileAnalysis, cls: ast.ClassDef, of_kind: OfKind) -> None:
        self.analysis = analysis
        self.cls = cls
        self.of_kind = of_kind
        self.found = Found()
        self.local: dict[str, list[ast.expr]] = {}

    def collected(self) -> Collected:
        """The modules and tensors by attribute; an attribute that is unknown once is unknown."""
        for method in self.cls.body:
            if isinstance(method, ast.FunctionDef) and method.args.args:
                self.method(method)
        modules = {
            name: () if () in choices else tuple(node for choice in choices for node in choice)
            for name, choices in self.found.modules.items()
        }
        return Collected(modules, self.found.tensors)

    def method(self, method: ast.FunctionDef) -> None:
        first = method.args.args[0].arg
        self.local = {}
        nodes = statements_in(method)
        for name, value in local_values(nodes):
            self.local.setdefault(name, []).append(value)
        for node in nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assigned(first, target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self.assigned(first, node.target, node.value)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self.called(first, node.value)

    def assigned(self, first: str, target: ast.expr, value: ast.expr) -> None:
        """`self.x = value`, `self.x[key] = value`, `self.x, self.y = values`."""
        if isinstance(target, ast.Tuple | ast.List):
            self.unpacked(first, target, value)
            return
        if isinstance(target, ast.Subscript):
            name = attribute_of(first, target.value)
            if name and self.is_module(value):
                self.grow(name, Container(named={pattern_of(target.slice): self.choice(value)}))
            return
        name = attribute_of(first, target)
        if not name:
            return
        kind = self.analysis.kind_of(value)
        if kind.tag == "module" and kind.name in PARAMETER_LISTS:
            self.found.tensors.append(f"{name}.*")
        elif may_be_tensor(kind):
            self.found.tensors.append(name)
        elif kind.tag != "none" and self.is_module(value):
            self.found.modules.setdefault(name, []).append(self.choice(value))

    def unpacked(self, first: str, target: ast.Tuple | ast.List, value: ast.expr) -> None:
        """`self.x, self.y = a, b`, or any element of a comprehension for each."""
        pairs = pairs_of(target, value)
        for each, element in pairs:
            self.assigned(first, each, element)
        is_made = isinstance(value, ast.ListComp | ast.GeneratorExp)
        choice = self.elements(value, 0) if is_made else ()
        for each in () if pairs else target.elts:
            name = attribute_of(first, each)
            if name:
                self.found.modules.setdefault(name, []).append(choice)

    def is_module(self, value: ast.expr) -> bool:
        """Whether a value is a module, or nothing says that it is none."""
        kind = self.analysis.kind_of(value)
        tags = {part.tag for part in kind.parts} if kind.tag == "union" else {kind.tag}
        unknown = kind.is_unknown and isinstance(value, ast.Name | ast.IfExp)
        made = kind.tag in ("unknown", "other") and isinstance(value, ast.Call)
        return "module" in tags or unknown or made

    def called(self, first: str, call: ast.Call) -> None:
        """`self.add_module(...)`, `self.x.append(...)`, `super().__init__(...)`..."""
        function, arguments = call.func, call.args
        if is_setattr(call, first):
            self.added(pattern_of(arguments[1]), arguments[2])
        if not isinstance(function, ast.Attribute):
            return
        owner, name = function.value, function.attr
        if isinstance(owner, ast.Name) and owner.id == first and len(arguments) > 1:
            if name in REGISTER:
                self.found.tensors.append(pattern_of(arguments[0]))
            elif name in ADD:
                self.added(pattern_of(arguments[0]), arguments[1])
        elif is_super(owner) and name == "__init__" and self.is_container():
            (node,) = self.container(call)
            self.inherited(node)
        elif attribute_of(first, owner):
            self.grown(attribute_of(first, owner), name, arguments)

    def added(self, name: str, value: ast.expr) -> None:
        if may_be_tensor(self.analysis.kind_of(value)):
            self.found.tensors.append(name)
        elif self.is_module(value):
            self.found.modules.setdefault(name, []).append(self.choice(value))

    def grown(self, name: str, method: str, arguments: list[ast.expr]) -> None:
        """`self.x.append(module)`, `self.x.add_module("name", module)`, `self.x.extend(...)`."""
        if method in ("append", "insert") and arguments and self.is_module(arguments[-1]):
            self.grow(name, Container(each=self.choice(arguments[-1])))
        elif method in ADD and len(arguments) > 1:
            named = {pattern_of(arguments[0]): self.choice(arguments[1])}
            self.grow(name, Container(named=named))
        elif method == "extend" and arguments:
            self.grow(name, Container(each=self.elements(arguments[0], 0)))

    def grow(self, name: str, more: Container) -> None:
        """Adds to a container; one that began empty was unknown until then."""
        before = [choice for choice in self.found.modules.get(name, []) if choice]
        self.found.modules[name] = [*before, (more,)]

    def is_container(self) -> bool:
        """Whether the class extends nn.Sequential or another container."""
        return any(self.analysis.kind_of(base).name in CONTAINERS for base in self.cls.bases)

    def inherited(self, node: object) -> None:
        """The modules that a class which is a container hands to its base."""
        if not isinstance(node, Container):
            return
        for place, choice in enumerate(node.items):
            self.found.modules.setdefault(str(place), []).append(choice)
        for name, choice in node.named.items():
            self.found.modules.setdefault(name, []).append(choice)
        if node.each:
            self.found.modules.setdefault("*", []).append(node.each)

    # values

    def choice(self, value: ast.expr, depth: int = 0) -> Choice:
        """What a value may be: by how it is written, or else by what the analysis says."""
        if depth > MAX_DEPTH:
            return ()
        if isinstance(value, ast.IfExp):
            branches = [value.body, value.orelse]
            return self.either(branches, depth)
        if isinstance(value, ast.Name) and value.id in self.local:
            return self.of_kind(self.analysis.kind_of(value)) or self.either(
                self.local[value.id], depth
            )
        kind = self.analysis.kind_of(value.func) if isinstance(value, ast.Call) else None
        if isinstance(value, ast.Call) and kind is not None and kind.name in CONTAINERS:
            return self.container(value, depth)
        return self.of_kind(self.analysis.kind_of(value))

    def either(self, values: list[ast.expr], depth: int) -> Choice:
        """One of several; unknown if one of them is."""
        known = [v for v in values if self.analysis.kind_of(v).tag != "none"]
        choices = [self.choice(value, depth + 1) for value in known]
        return () if () in choices else tuple(node for choice in choices for node in choice)

    def container(self, call: ast.Call, depth: int = 0) -> Choice:
        """What `nn.Sequential(...)`, `nn.ModuleList([...])`, `nn.ModuleDict({...})` holds."""
        arguments = call.args
        if len(arguments) == 1 and not isinstance(arguments[0], ast.Starred):
            named = self.named(arguments[0], depth)
            if named:
                return (Container(named=named),)
            if isinstance(arguments[0], ast.List | ast.Tuple):
                arguments = arguments[0].elts
            elif self.analysis.kind_of(arguments[0]).tag != "module":
                return (Container(each=self.elements(arguments[0], depth)),)
        if any(isinstance(argument, ast.Starred) for argument in arguments):
            found = [self.elements(ast.List([argument]), depth) for argument in arguments]
            each = () if () in found else tuple(node for choice in found for node in choice)
            return (Container(each=tuple(dict.fromkeys(each))),)
        return (Container(tuple(self.choice(argument, depth + 1) for argument in arguments)),)

    def named(self, value: ast.expr, depth: int) -> dict[str, Choice]:
        """The modules of a dictionary, or of an OrderedDict over a list of pairs."""
        made = self.analysis.kind_of(value.func).name if isinstance(value, ast.Call) else ""
        if isinstance(value, ast.Call) and made.endswith("OrderedDict") and value.args:
            value = value.args[0]
        found: dict[str, list[ast.expr]] = {}
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            keywords = value.keywords if value.func.id == "dict" else []
            found = {word.arg: [word.value] for word in keywords if word.arg is not None}
        for key, item in items_of(value):
            found.setdefault(pattern_of(key), []).append(item)
        return {key: self.either(items, depth) for key, items in found.items()}

    def elements(self, value: ast.expr, depth: int) -> Choice:
        """What any element of a sequence may be."""
        if isinstance(value, ast.List | ast.Tuple):
            found = [
                self.elements(item.value, depth + 1)
                if isinstance(item, ast.Starred)
                else self.choice(item, depth + 1)
                for item in value.elts
            ]
            return () if () in found else tuple(node for choice in found for node in choice)
        if isinstance(value, ast.ListComp | ast.GeneratorExp):
            return self.choice(value.elt, depth + 1)
        kind = self.analysis.kind_of(value)
        choices = [self.of_kind(part) for part in kind.parts if kind.tag in ("list", "tuple")]
        return () if () in choices else tuple(node for choice in choices for node in choice)


def statements_in(function: ast.FunctionDef) -> list[Any]:
    """The statements of a function with those in them, the outer ones first."""
    found: list[Any] = [function]
    for node in found:
        for block in BLOCKS[type(node)]:
            found += getattr(node, block)
    return found


def local_values(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """The names of a function's own with each value that they are given."""
    for node in (n for n in nodes if isinstance(n, ast.Assign) and len(n.targets) == 1):
        target = node.targets[0]
        for name, value in pairs_of(target, node.value) or [(target, node.value)]:
            if isinstance(name, ast.Name):
                yield name.id, value


def may_be_tensor(kind: Kind) -> bool:
    """Whether a value is a tensor, perhaps among others: `Parameter(...) if bias else None`."""
    return kind.is_tensor or (kind.tag == "union" and any(part.is_tensor for part in kind.parts))


def items_of(value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Keys and values of `{...}`, and of `[(key, value), ...]`."""
    if isinstance(value, ast.Dict):
        for key, item in zip(value.keys, value.values, strict=True):
            if key is not None:
                yield key, item
    elif isinstance(value, ast.DictComp):
        yield value.key, value.value
    elif isinstance(value, ast.List | ast.Tuple):
        for pair in value.elts:
            if isinstance(pair, ast.Tuple) and len(pair.elts) == 2:
                yield pair.elts[0], pair.elts[1]


def attribute_of(first: str, node: ast.expr) -> str:
    """`x` of `self.x`; "" for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == first else ""
    return ""


def is_setattr(call: ast.Call, first: str) -> bool:
    """Whether it is `setattr(self, name, value)`."""
    if not isinstance(call.func, ast.Name) or call.func.id != "setattr" or len(call.args) != 3:
        return False
    return isinstance(call.args[0], ast.Name) and call.args[0].id == first


def is_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )


def pattern_of(node: ast.expr) -> str:
    """A name as it is written, with `*` for what is put into it when the program runs."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant):
        if isinstance(node.op, ast.Mod) and isinstance(node.left.value, str):
            return FORMATTED.sub("*", node.left.value)
        return f"{node.left.value!s}*" if isinstance(node.op, ast.Add) else "*"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        text = node.func.value
        if node.func.attr == "format" and isinstance(text, ast.Constant):
            return FORMATTED.sub("*", str(text.value))
    return "*"


def growing_bases(classes: Iterable[ast.ClassDef]) -> Iterator[ast.expr]:
    """The bases of classes without a `forward` that set attributes of their instances."""
    for cls in classes:
        names = {node.name for node in cls.body if isinstance(node, ast.FunctionDef)}
        places = (node for node in every(cls) if isinstance(node, ast.Attribute))
        if "forward" not in names and any(isinstance(node.ctx, ast.Store) for node in places):
            yield from cls.bases
