"""Methods that end with backward: they return the loss, and their callers differentiate them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..syntax.nodes import dotted
from .events import Backward, Events, Step
from .names import Access, access, flows, is_cut


@dataclass(frozen=True)
class Deferred:
    """A method whose backward is left to its callers: `loss` is what it returns.

    `backward` is the statement that goes, None where the loss is another method's; `returns`:
    the method returns it already.
    """

    function: ast.FunctionDef
    loss: ast.expr
    backward: ast.stmt | None
    returns: bool


def deferred_methods(tree: ast.Module, events: Events) -> Iterator[Deferred]:
    """The methods of all classes that compute gradients for steps of other methods."""
    for cls in (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)):
        methods = methods_of(cls)
        found = found_in(methods, events)
        called = {name for f in methods.values() if has_step(f, events) for name in calls_in(f)}
        inner = {name for one in found.values() for name in calls_in(one.function)}
        yield from (one for name, one in found.items() if name in called | inner)


def found_in(methods: Mapping[str, ast.FunctionDef], events: Events) -> dict[str, Deferred]:
    """The methods that end with backward, or with a call of one that does."""
    found: dict[str, Deferred] = {}
    count = -1
    while len(found) > count:
        count = len(found)
        tried = {n: deferred(f, events, found) for n, f in methods.items() if n not in found}
        found |= {name: one for name, one in tried.items() if one is not None}
    return found


def methods_of(cls: ast.ClassDef | None) -> dict[str, ast.FunctionDef]:
    body = cls.body if cls is not None else []
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def has_step(function: ast.FunctionDef, events: Events) -> bool:
    return any(isinstance(e, Step) for s in function.body for e in events.all_in(s))


def calls_in(function: ast.FunctionDef) -> set[str]:
    """The methods of the same instance that a method calls."""
    owner = owner_of(function)
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {f.attr for f in calls if isinstance(f, ast.Attribute) and dotted(f.value) == owner}


def owner_of(function: ast.FunctionDef) -> str:
    """What a method calls its instance."""
    return function.args.args[0].arg if function.args.args else ""


def deferred(
    function: ast.FunctionDef, events: Events, known: Mapping[str, Deferred]
) -> Deferred | None:
    """The method as one that returns its loss, if it ends with backward."""
    if has_step(function, events):
        return None
    backs = [e for s in function.body for e in events.all_in(s) if isinstance(e, Backward)]
    last = function.body[-1]
    if len(backs) == 1 and not backs[0].odd:
        loss = backs[0].loss
        if last is backs[0].node:
            return Deferred(function, loss, last, returns=False)
        value = last.value if isinstance(last, ast.Return) else None
        is_loss = value is not None and ast.dump(value) == ast.dump(loss)
        is_before = len(function.body) > 1 and function.body[-2] is backs[0].node
        return (
            Deferred(function, loss, backs[0].node, returns=True) if is_loss and is_before else None
        )
    if not backs and isinstance(last, ast.Assign) and is_call_of(last.value, function, known):
        target = last.targets[0]
        return Deferred(function, target, None, returns=False) if dotted(target) else None
    return None


def is_call_of(node: ast.expr, function: ast.FunctionDef, known: Mapping[str, Deferred]) -> bool:
    """Whether it calls one of the known methods of the same instance."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return dotted(node.func.value) == owner_of(function) and node.func.attr in known


def calls_of(tree: ast.Module, methods: list[Deferred]) -> frozenset[int]:
    """The ids of the statements that call such methods and leave their results."""
    known = {id(one.function): one for one in methods}
    found: set[int] = set()
    for cls in (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)):
        functions = methods_of(cls).items()
        own = {name: known[id(f)] for name, f in functions if id(f) in known}
        for _, function in functions if own else ():
            nodes = [n for n in ast.walk(function) if isinstance(n, ast.Expr)]
            found |= {id(n) for n in nodes if is_call_of(n.value, function, own)}
    return frozenset(found)


@dataclass(frozen=True)
class Effects:
    """What statements of one class read and write, through the methods that they call."""

    methods: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    owner: str = ""
    entered: tuple[str, ...] = ()
    is_cut: Callable[[ast.Attribute], bool] = is_cut

    def access(self, node: ast.AST) -> Access:
        """What a node reads and writes, the attributes that called methods do included."""
        found = access(node)
        for name in self.called(node):
            inner = self.of_method(name)
            found = Access(
                (*found.reads, *(n for n in inner.reads if n not in found.reads)),
                found.writes | inner.writes,
                found.sure,
            )
        return found

    def flows(self, node: ast.AST) -> set[str]:
        """The names through which gradients could flow into a node."""
        found = set(flows(node, self.is_cut))
        for name in self.called(node):
            found |= set(self.of_method(name).reads)
        return found

    def called(self, node: ast.AST) -> list[str]:
        """The methods of the same instance that a node calls."""
        if not self.owner:
            return []
        calls = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
        own = (f for f in calls if isinstance(f, ast.Attribute) and dotted(f.value) == self.owner)
        return [f.attr for f in own if f.attr in self.methods and f.attr not in self.entered]

    def of_method(self, name: str) -> Access:
        """The attributes of the instance that a method reads and writes."""
        function = self.methods[name]
        inner = replace(self, owner=owner_of(function), entered=(*self.entered, name))
        prefix = f"{inner.owner}."
        reads: dict[str, None] = {}
        writes: set[str] = set()
        sure: set[str] = set()
        for part in map(inner.access, function.body):
            own_reads = (n for n in part.reads if n not in sure)
            reads |= dict.fromkeys(n for n in own_reads if n.startswith(prefix))
            writes |= {n for n in part.writes if n.startswith(prefix)}
            sure |= part.sure
        own = f"{self.owner}."
        renamed = frozenset(own + n.removeprefix(prefix) for n in writes)
        return Access(tuple(own + n.removeprefix(prefix) for n in reads), renamed, frozenset())
