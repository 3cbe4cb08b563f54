"""Which networks give the same twice: of layers without statistics and draws, without state."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ....formats.storage.opening import bytes_of
from ...analysis.files.reading import MAX_BYTES
from ...syntax.containers import CHANGING as CONTAINED
from ...syntax.nodes import dotted
from ...table.facts.repetition import CHANGED_AT, DRAWING, PURE, WEIGHTED
from ..blocks import parameters_of
from ..names import access, bound_in, root
from ..region import NoRegion

HOLDERS = frozenset("Module Sequential ModuleList ModuleDict ParameterList ParameterDict".split())
"""What says nothing of the layers in it."""
TYPES = frozenset("Module Tensor FloatTensor LongTensor DoubleTensor Size Generator".split())
CHANGED_BY = frozenset({"track_running_stats", "dropout", "max_norm", "dropout_p"})
"""Arguments that make such a layer draw, or keep something."""
CONSUMING = frozenset("next pop popleft popitem send anext readline read input".split())
"""Calls that take something away, so that the next one gives something else."""
AMBIGUOUS = frozenset({"add", "sort", "update", "insert", "remove", "reverse", "clear"})
"""Methods of containers whose names tensors, or functions of PyTorch, have as well."""
SPECIAL = frozenset(
    """
    spectral_norm register_forward_hook register_forward_pre_hook register_module_forward_hook
    register_module_forward_pre_hook register_parametrization
    """.split()
)
"""What makes layers count, or do what is not to be seen in them."""
SOURCES = frozenset(
    {"torch", "numpy", "matplotlib", "tqdm", "scipy", "einops", "__future__", "typing"}
)
ELSEWHERE = frozenset({"torch.load", "torch.jit.load", "torch.export.load"})
"""Where PyTorch takes networks from that the code does not make."""
MAKER = "__init__"
AGAIN = "a second forward pass may give something else"


def is_plain_import(name: str) -> bool:
    """Whether a library brings no networks."""
    return name in SOURCES or name in sys.stdlib_module_names


@dataclass(frozen=True)
class Definitions:
    """The classes, functions and constants of one file, and what they are made of."""

    tree: ast.Module
    seen: set[tuple[str, bool]] = field(default_factory=set)

    @cached_property
    def named(self) -> Mapping[str, list[ast.AST]]:
        """The definitions of the file by their names, in whatever scope."""
        found: dict[str, list[ast.AST]] = defaultdict(list)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found[node.name].append(node)
        for statement in self.tree.body:
            if isinstance(statement, ast.Assign):
                for name in access(statement).writes:
                    found[name].append(statement)
        return found

    @cached_property
    def imported(self) -> Mapping[str, str]:
        """What the names are that the file imports."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                named = ((a.asname or root(a.name), a.name) for a in node.names)
                found |= dict(named)
            elif isinstance(node, ast.ImportFrom):
                start = "." * node.level + (node.module or "")
                found |= {a.asname or a.name: f"{start}.{a.name}" for a in node.names}
        return found

    def check_changes(self, scope: ast.AST | None = None) -> None:
        """Raises: NoRegion if the file gives layers hooks, or norms that iterate

        What functions other than `scope` do to networks that they make and keep does not count.
        """
        functions = (n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef))
        apart = (f for f in functions if scope not in (None, *ast.walk(f)) and keeps(f))
        hooked = {id(n) for f in apart for n in ast.walk(f) if is_hooking(n, f)}
        nodes = [n for n in ast.walk(self.tree) if id(n) not in hooked]
        words = {n.id for n in nodes if isinstance(n, ast.Name)}
        words |= {n.attr for n in nodes if isinstance(n, ast.Attribute)}
        # What is imported by its own name and not used here shows by that name where it is used.
        last = ((own, name.rpartition(".")[2]) for own, name in self.imported.items())
        words |= {name for own, name in last if name != own}
        if found := sorted(words & SPECIAL):
            raise NoRegion(f"{found[0]} is used: {AGAIN}")
        for node in (n for n in ast.walk(self.tree) if isinstance(n, ast.Assign)):
            if any(is_part(target) for target in node.targets):
                self.check_nodes(node.value, forward=False)

    def check_all(self) -> None:
        """Raises: NoRegion unless every network of the file gives the same twice"""
        for name in self.imported.values():
            if not is_plain_import(root(name)):
                raise NoRegion(f"{name} may bring a network: whether {AGAIN} is not to be seen")
        for cls in (n for n in ast.walk(self.tree) if isinstance(n, ast.ClassDef)):
            self.check_class(cls.name)
        for node in ast.walk(self.tree):
            self.check_name(node, frozenset(), forward=False)

    def is_same_layer(self, api: str) -> bool:
        """Whether a layer of PyTorch's is one that gives the same twice."""
        start, _, last = api.rpartition(".")
        return start.startswith("torch.nn") and last in PURE - HOLDERS

    def check_layer_calls(self, api: str) -> None:
        """Raises: NoRegion if the file makes such a layer draw, or keep something"""
        calls = (n for n in ast.walk(self.tree) if isinstance(n, ast.Call))
        for call in calls:
            if self.full(call.func).rpartition(".")[2] == api.rpartition(".")[2]:
                check_given(call)

    def full(self, node: ast.expr) -> str:
        """The name of something with what its first part was imported as."""
        name = dotted(node)
        first, dot, rest = name.partition(".")
        return self.imported.get(first, first) + dot + rest

    def check_class(self, name: str) -> None:
        """Raises: NoRegion unless instances of a class give the same twice"""
        if (name, True) in self.seen:
            return
        self.seen.add((name, True))
        found = [n for n in self.named.get(name, ()) if isinstance(n, ast.ClassDef)]
        if not found:
            raise NoRegion(f"{name} is defined elsewhere: whether {AGAIN} is not to be seen")
        for cls in found:
            self.check_nodes(cls, forward=False)
            self.check_forward(cls)

    def check_forward(self, cls: ast.ClassDef) -> None:
        """Raises: NoRegion if what forward runs draws, or changes the instance"""
        methods = {n.name: n for n in cls.body if isinstance(n, ast.FunctionDef)}
        waiting, seen = ["forward", "__call__", "__getattr__"], {MAKER}
        if any(dotted(base) in self.named for base in cls.bases):
            waiting += methods  # forward of one above may call them
        while waiting:
            name = waiting.pop()
            if name not in methods or name in seen:
                continue
            seen.add(name)
            function = methods[name]
            check_state(function)
            self.check_nodes(function, forward=True)
            nodes = (n for n in ast.walk(function) if isinstance(n, ast.Attribute))
            waiting.extend(n.attr for n in nodes)

    def check_nodes(self, node: ast.AST, *, forward: bool) -> None:
        """Raises: NoRegion for a name in a definition that stands for what is not the same"""
        functions = (n for n in ast.walk(node) if isinstance(n, ast.FunctionDef | ast.Lambda))
        local = frozenset(name for function in functions for name in bound_in(function))
        for inner in ast.walk(node):
            self.check_name(inner, local, forward=forward)
            if forward and isinstance(inner, ast.Call):
                check_call(inner, written_by(getattr(node, "body", [])))

    def check_name(self, node: ast.AST, local: frozenset[str], *, forward: bool) -> None:
        """Raises: NoRegion for a name that stands for what is not the same twice"""
        if isinstance(node, ast.Call):
            check_given(node)
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return
        if isinstance(node, ast.Name) and node.id not in self.imported:
            if node.id in self.named and node.id not in local:
                self.check_definition(node.id, forward=forward)
            return
        self.check_imported(self.full(node), forward=forward)

    def check_imported(self, name: str, *, forward: bool) -> None:
        """Raises: NoRegion for what a library gives that is not the same twice"""
        first, _, last = name.rpartition(".")
        if forward and (last in DRAWING | WEIGHTED) and first.startswith(("torch", "numpy")):
            raise NoRegion(f"{name} gives something else the next time")
        is_layer = last[:1].isupper() and last not in PURE | TYPES and is_of_layers(first)
        if is_layer or first == "torch.hub" or name in ELSEWHERE:
            raise NoRegion(f"{name}: {AGAIN}")
        if root(name) in self.imported_roots and not is_plain_import(root(name)):
            raise NoRegion(f"{name} may be a layer: whether {AGAIN} is not to be seen")

    @cached_property
    def imported_roots(self) -> frozenset[str]:
        return frozenset(root(name) for name in self.imported.values())

    def check_definition(self, name: str, *, forward: bool) -> None:
        """Raises: NoRegion if what a name of the file stands for is not the same twice"""
        for node in self.named[name]:
            if isinstance(node, ast.ClassDef):
                self.check_class(name)
            elif (name, forward) not in self.seen:
                self.seen.add((name, forward))
                if isinstance(node, ast.FunctionDef) and forward:
                    check_state(node)
                self.check_nodes(node, forward=forward and isinstance(node, ast.FunctionDef))


def keeps(function: ast.FunctionDef) -> bool:
    """Whether a function gives nothing away."""
    nodes = [*own_nodes(function)]
    returned = (n.value for n in nodes if isinstance(n, ast.Return))
    away = ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom
    return not any(returned) and not any(isinstance(n, away) for n in nodes)


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes in a function, but for those of the functions and classes in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from own_nodes(child)


def is_hooking(node: ast.AST, function: ast.FunctionDef) -> bool:
    """Whether a hook is given to a layer of what a function makes itself."""
    if not isinstance(node, ast.Attribute) or node.attr not in SPECIAL:
        return False
    first = root(dotted(node.value))
    return first in written_by(function.body) and first not in parameters_of(function)


def is_part(target: ast.expr) -> bool:
    """Whether a target is a part of something that is no `self`: `net.head = nn.Dropout()`."""
    owner = target.value if isinstance(target, ast.Attribute | ast.Subscript) else None
    return owner is not None and dotted(owner) != "self"


def is_of_layers(module: str) -> bool:
    return module == "torch.nn" or module.startswith(("torch.nn.modules", "torch.nn.utils"))


def definitions_in(path: Path) -> Definitions:
    """The definitions of another file of the project. Raises: NoRegion if it is not to be read"""
    try:
        return Definitions(ast.parse(bytes_of(path, MAX_BYTES)))
    except (OSError, SyntaxError, ValueError, RecursionError):
        raise NoRegion(f"{path.name} is not to be read") from None


def check_given(call: ast.Call) -> None:
    """Raises: NoRegion if an argument makes a layer draw, or keep something"""
    for given in call.keywords:
        is_off = isinstance(given.value, ast.Constant) and not given.value.value
        if given.arg in CHANGED_BY and not is_off:
            raise NoRegion(f"{given.arg} is given: {AGAIN}")
    last = dotted(call.func).rpartition(".")[2]
    is_open = any(isinstance(a, ast.Starred) for a in call.args)
    is_open = is_open or any(k.arg is None for k in call.keywords)
    if last in CHANGED_AT and (is_open or len(call.args) > CHANGED_AT[last]):
        raise NoRegion(f"what {last} is given makes it draw, or count: {AGAIN}")


def check_state(function: ast.FunctionDef) -> None:
    """Raises: NoRegion if a function changes what is not its own"""
    own = written_by(function.body)
    declared = any(isinstance(n, ast.Global | ast.Nonlocal) for n in ast.walk(function))
    written = {name for s in function.body for name in access(s).writes}
    inside = own | {name for name in bound_in(function) if name not in parameters_of(function)}
    changed = {name for name in written if "." in name and root(name) not in inside}
    changed |= (written & parameters_of(function)) - own
    added = (n.target for n in ast.walk(function) if isinstance(n, ast.AugAssign))
    changed |= {dotted(target) for target in added} & parameters_of(function)
    changed = {name for name in changed if not name.endswith((".requires_grad", ".grad"))}
    if changed or declared:
        raise NoRegion(f"{function.name} changes what it computes with: {AGAIN}")


def written_by(statements: list[ast.stmt]) -> set[str]:
    """The names that statements give values of their own."""
    return {name for s in statements for name in access(s).sure if "." not in name}


def check_call(call: ast.Call, local: set[str], *, is_tensor: bool = False) -> None:
    """Raises: NoRegion if a call draws, or takes something away, by its name"""
    called = call.func
    owner = called.value if isinstance(called, ast.Attribute) else None
    name = called.attr if isinstance(called, ast.Attribute) else dotted(called)
    is_own = isinstance(owner, ast.Name) and owner.id in local
    is_changing = name in CONTAINED - AMBIGUOUS and not is_own and not is_tensor
    if name in DRAWING | CONSUMING or is_changing:
        raise NoRegion(f"{name} gives something else the next time")


def given_to(tree: ast.Module, name: str) -> Iterator[ast.expr]:
    """What the calls of a class in a file give to it."""
    for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if dotted(call.func).rpartition(".")[2] == name:
            yield from call.args
            yield from (k.value for k in call.keywords)
