"""Whether a computation gives the same once more: nothing draws, counts, or changed in between."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ...analysis import Kind
from ...analysis.definitions import Class
from ...syntax.nodes import dotted
from ...table.facts.gradients import ATTRIBUTE, PASSIVE
from ...table.facts.results import exists
from ...table.kinds import present
from ..blocks import Block, blocks_of, bound_before
from ..events import Step
from ..handed import DEPTH, calls_in
from ..methods import owner_of
from ..names import access, root
from ..region import Finder, NoRegion
from ..weights import FLAG, needing
from .layers import (
    Definitions,
    check_call,
    check_state,
    definitions_in,
    given_to,
    is_plain_import,
    written_by,
)

LIBRARIES = "api", "foreign", "numpy", "method"
OF_MODULES = "torch.nn."
UNSEEN = "unknown", "tensor", "other"
FLAGS = frozenset({FLAG, ATTRIBUTE})
LOADING = frozenset({"load_state_dict", "step", "train", "eval"})
"""Methods that give a network other weights, or make it compute in another way."""


@dataclass(frozen=True)
class Repeating:
    """Refuses statements whose second run may give something else than their first."""

    finder: Finder
    seen: set[int] = field(default_factory=set)
    """The ids of the functions that were looked into, or are."""
    others: dict[Path, Definitions] = field(default_factory=dict)
    """Those of other files. They remember what was looked into, so each check has its own."""

    def check(
        self,
        block: Block,
        body: Sequence[int],
        place: int,
        output: ast.expr | None = None,
        behind: Sequence[ast.stmt] = (),
        *,
        is_moved: bool = False,
    ) -> None:
        """What a body computes is computed once more at a place, with what is read of it there.

        `behind`: statements in that place that run before it is computed again. `is_moved`: it is
        computed there alone, so that it may draw and count.
        Raises: NoRegion
        """
        statements = [block.statements[number] for number in body]
        if body:
            run = [*block.statements[min(body) : place], *behind]
            self.check_between(block, body, run, is_moved=is_moved)
            self.check_there(block, statements, block.statements[place])
        if is_moved:
            return
        for node in (*statements, *([] if output is None else [output])):
            self.check_code(node, block, written_by(statements))

    def check_between(
        self, block: Block, body: Sequence[int], run: Sequence[ast.stmt], *, is_moved: bool = False
    ) -> None:
        """Raises: NoRegion if what the body reads is written behind its statement"""
        own = [block.statements[number] for number in body]
        begun = bound_before(block, min(body))
        sure: set[str] = set()
        reads: set[str] = set()
        for statement in run:
            is_own = statement in own
            if is_own:
                reads |= {name for name in self.reads_of(statement, block) if name not in sure}
                if is_moved:
                    continue  # in their order, as they were
            changed = {w for w in self.written(statement, block) if any(meet(w, r) for r in reads)}
            if is_own:
                changed = {w for w in changed if "." in w or w in begun}
                sure |= access(statement).sure
            if changed:
                raise NoRegion(f"{', '.join(sorted(changed))} changes before it is computed again")
            if not is_own and self.gives_weights(statement):
                raise NoRegion("weights change before it is computed again")

    def check_there(self, block: Block, body: Sequence[ast.stmt], statement: ast.stmt) -> None:
        """Raises: NoRegion if the statement of the call changes itself what the body reads"""
        calls = [*calls_in(statement)]
        written = {n for call in calls for n in self.written_elsewhere(call)}
        named = (n for n in ast.walk(statement) if isinstance(n, ast.NamedExpr))
        written |= {dotted(node.target) for node in named}
        reads = {name for node in body for name in self.reads_of(node, block)}
        if any(meet(w, r) and not is_flag(w) for w in written for r in reads):
            raise NoRegion("values change in the statement that computes it again")

    def written(self, statement: ast.stmt, block: Block) -> set[str]:
        """What a statement gives other values to, through the functions that it calls as well."""
        if isinstance(statement, ast.Expr) and needing(statement.value) is not None:
            return set()  # it sets a flag alone
        known = self.finder.effects_in(block).access(statement).writes
        written = {*known, *self.written_elsewhere(statement)}
        return {name for name in written if not is_flag(name)}

    def gives_weights(self, statement: ast.stmt) -> bool:
        """Whether a statement may give networks other weights."""
        calls = (n.func for n in ast.walk(statement) if isinstance(n, ast.Call))
        is_loading = any(dotted(called).rpartition(".")[2] in LOADING for called in calls)
        return is_loading or any(
            isinstance(event, Step) for event in self.finder.events.all_in(statement)
        )

    def written_elsewhere(self, statement: ast.AST, depth: int = DEPTH) -> Iterator[str]:
        """What the functions that a statement calls write to what is not their own."""
        for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
            function = self.finder.weights.function_of(call.func)
            if function is None or not depth:
                continue
            names = {n for s in function.body for n in access(s).writes}
            declared = {
                name
                for n in ast.walk(function)
                if isinstance(n, ast.Global | ast.Nonlocal)
                for name in n.names
            }
            yield from names & declared
            yield from (n for n in names if "." in n and root(n) not in ("self", *declared))
            owner = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            own = (n for n in names if n.startswith("self."))
            yield from (n.replace("self", owner, 1) for n in own if owner)
            for part in function.body:
                yield from self.written_elsewhere(part, depth - 1)

    def reads_of(self, node: ast.AST, block: Block) -> Iterator[str]:
        """What a statement reads, each by its longest name: `self.net` and no `self`."""
        scope = block.scope
        is_method = block.cls is not None and isinstance(scope, ast.FunctionDef)
        owner = owner_of(scope) if is_method and isinstance(scope, ast.FunctionDef) else ""
        for name in outermost(node):
            yield dotted(name)
            inner = dotted(name.value) if isinstance(name, ast.Attribute) else ""
            is_called = inner == owner and self.finder.weights.function_of(name) is not None
            if inner and (inner != owner or is_called):
                yield inner

    def check_code(self, node: ast.AST, block: Block | None, local: set[str]) -> None:
        """Raises: NoRegion if a call in some code consumes, draws, or is of what may do so"""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                self.check_call(inner, block, local)
            if isinstance(inner, ast.Yield | ast.YieldFrom | ast.Await | ast.Global | ast.Nonlocal):
                raise NoRegion("what is computed once more may be something else then")

    def check_call(self, call: ast.Call, block: Block | None, local: set[str]) -> None:
        analysis, called = self.finder.weights.analysis, call.func
        last = called.attr if isinstance(called, ast.Attribute) else dotted(called)
        owner = called.value if isinstance(called, ast.Attribute) else None
        is_tensor = owner is not None and analysis.kind_of(owner).is_tensor
        check_call(call, local, is_tensor=is_tensor)
        function = self.finder.weights.function_of(called)
        if function is not None:
            self.look_into(function)
            return
        kind = present(analysis.kind_of(called))
        if kind.tag == "method" and kind.name.startswith(OF_MODULES) and owner is not None:
            if last not in PASSIVE - LOADING:
                self.check_network(owner, present(analysis.kind_of(owner)), block)
        elif kind.tag in LIBRARIES:
            self.check_library(kind.name)
        elif kind.tag == "lambda":
            self.check_lambdas(dotted(called), block)
        elif not (kind.tag in UNSEEN and owner is not None and self.is_of_tensors(owner, last)):
            self.check_network(called, kind, block)

    def check_library(self, name: str) -> None:
        """Raises: NoRegion for what a library gives that is not known to be the same twice"""
        self.definitions.check_imported(name, forward=True)
        is_random = "random" in name.split(".")
        if is_random or (root(name) != "builtins" and not is_plain_import(root(name))):
            raise NoRegion(f"{name} may give something else the next time")

    def check_lambdas(self, name: str, block: Block | None) -> None:
        """Raises: NoRegion if a lambda of the file does something else the next time"""
        tree = self.finder.weights.analysis.tree
        assigned = (n for n in ast.walk(tree) if isinstance(n, ast.Assign))
        found = [n.value for n in assigned if name and name in map(dotted, n.targets)]
        if not found or not all(isinstance(value, ast.Lambda) for value in found):
            raise NoRegion(f"{name or 'a lambda'} is not to be seen")
        for value in found:
            if id(value) not in self.seen:
                self.seen.add(id(value))
                self.check_code(value, block, set())

    def is_of_tensors(self, owner: ast.expr, name: str) -> bool:
        """Whether a method of something unknown is one that tensors have, and no module."""
        kind = self.finder.weights.analysis.kind_of(owner)
        is_known = kind.tag in ("tensor", "numpy", "shape", "str", "list", "dict", "tuple")
        return is_known or exists(f"torch.Tensor.{name}")

    def look_into(self, function: ast.FunctionDef) -> None:
        """Raises: NoRegion if a function of the file does something else the next time"""
        if id(function) in self.seen:
            return
        self.seen.add(id(function))
        check_state(function)
        tree = self.finder.weights.analysis.tree
        block = next((b for b in blocks_of(tree) if b.owner is function), None)
        for part in function.body:
            self.check_code(part, block, written_by(function.body))

    def check_network(self, node: ast.expr, kind: Kind, block: Block | None) -> None:
        """Raises: NoRegion unless what is called is a network that is the same twice"""
        definitions = self.definitions
        parts = kind.parts if kind.tag == "union" else (kind,)
        if kind.tag == "unknown":
            parts = tuple(self.kinds_given(node, block))
        definitions.check_changes(None if block is None else block.scope)
        for part in parts or (kind,):
            self.check_kind(part)

    def check_kind(self, kind: Kind) -> None:
        definitions = self.definitions
        if kind.tag == "none":
            return
        if isinstance(kind.target, Class) and kind.tag in ("module", "instance", "object"):
            path = kind.target.module.path
            own = path == self.finder.weights.analysis.path
            of = definitions if own else self.of_file(path)
            if not own:
                of.check_changes()
            of.check_class(kind.target.name)
            for value in given_to(definitions.tree, kind.target.name):
                self.check_given(value)
        elif kind.tag == "module" and kind.parts:
            for part in kind.parts:
                self.check_kind(part)
        elif kind.tag == "module" and definitions.is_same_layer(kind.name):
            definitions.check_layer_calls(kind.name)
        else:
            definitions.check_all()

    def check_given(self, value: ast.expr) -> None:
        """What a network is made with: it may be a layer of it."""
        kind = present(self.finder.weights.analysis.kind_of(value))
        if kind.tag == "module":
            self.check_kind(kind)
        elif kind.tag in ("unknown", "union", "api", "class", "function", "lambda"):
            self.definitions.check_all()

    def kinds_given(self, node: ast.expr, block: Block | None) -> Iterator[Kind]:
        """What the callers give for a parameter that is called."""
        scope = None if block is None else block.scope
        if not isinstance(scope, ast.FunctionDef) or not isinstance(node, ast.Name):
            return
        weights = self.finder.weights
        for caller in weights.handed.callers.get((scope.name, scope.lineno), ()):
            value = dict(caller.given(scope)).get(node.id)
            yield present(weights.analysis.kind_of(value)) if value is not None else Kind("unknown")

    def of_file(self, path: Path) -> Definitions:
        """Those of another file of the project. Raises: NoRegion if it is not to be read"""
        if path not in self.others:
            self.others[path] = definitions_in(path)
        return self.others[path]

    @cached_property
    def definitions(self) -> Definitions:
        return Definitions(self.finder.weights.analysis.tree)


def outermost(node: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """The names that a node reads, each with all of its attributes."""
    if isinstance(node, ast.Name | ast.Attribute) and dotted(node):
        if isinstance(node.ctx, ast.Load):
            yield node
        return
    if isinstance(node, ast.AugAssign) and dotted(node.target):
        loaded = ast.parse(dotted(node.target), mode="eval").body
        yield from outermost(loaded)
    for child in ast.iter_child_nodes(node):
        yield from outermost(child)


def meet(written: str, read: str) -> bool:
    """Whether a write to one name changes what another one gives."""
    return written == read or f"{read}.".startswith(f"{written}.") or written.startswith(f"{read}.")


def is_flag(name: str) -> bool:
    """Whether an attribute says whether gradients are computed, or holds them."""
    return name.rpartition(".")[2] in FLAGS
