"""Gradients that tensors hold, as PyTorch's do: `loss.backward()`, then `x.grad`.

Where no step of a known shape takes the gradients, or the code reads them, each backward gives
them to all that its loss is computed from, and steps, clips and clears go to what is held.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...analysis import FileAnalysis, Kind
from ...syntax.edits import Edit
from ...syntax.nodes import dotted, end_of, start_of
from ...table.facts.gradients import ATTRIBUTE
from ...table.facts.weightless import PLAIN_LOSS
from ...table.kinds import present
from ..blocks import Block, blocks_of, bound_before, parameters_of
from ..closures import Closure
from ..events import Backward, Change, Clear, Event, Events, Step
from ..functions import FunctionWriter
from ..group import Group
from ..names import access, root, written_in
from ..region import Finder, NoRegion, Region
from ..text import Converted, statement
from ..weights import CALLED, DEPTH, is_module, is_without_gradients
from ..writing import cleared
from .early import Early
from .repeating import Repeating

NAMED = re.compile(rf"\.[\s\\]*{ATTRIBUTE}\b")
"""How a gradient is named in a text: most files with training code have none."""
HOOK = "register_hook"
LOOPED = ast.For | ast.comprehension


@dataclass(frozen=True)
class Owners:
    """What gradients of a loss are for: tensors by their names, and networks and parameters."""

    tensors: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True)
class Holding:
    """The training code of a file whose tensors hold their gradients."""

    analysis: FileAnalysis
    events: Events
    finder: Finder
    deferred: frozenset[int] = frozenset()
    """The ids of the methods whose backward is left to their callers."""
    closures: tuple[Closure, ...] = ()
    """Steps by closures: they take the gradients of their functions, and hold none."""

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks of the file, but for those of closures."""
        inner = {id(closure.function) for closure in self.closures}
        return [b for b in blocks_of(self.analysis.tree) if id(b.scope) not in inner]

    def regions(self) -> Iterator[tuple[Group, Region]]:
        """The forward pass of each backward. Raises: NoRegion"""
        self.check_steps()
        found = [*self.found()]
        self.check_closures([region for _, region in found])
        yield from found

    def found(self) -> Iterator[tuple[Group, Region]]:
        """The same. Raises: NoRegion"""
        for block in (b for b in self.blocks if id(b.scope) not in self.deferred):
            barrier = -1
            for place, node in enumerate(block.statements):
                event = self.events.of(node)
                if isinstance(event, Backward):
                    group = Group(block, (place,), (), False, barrier, holds=True)
                    yield group, self.region(block, place, barrier)
                    barrier = place

    def region(self, block: Block, place: int, barrier: int) -> Region:
        """The forward pass of a backward, with the hooks on its tensors. Raises: NoRegion"""
        try:
            region = self.finder.region(block, place, barrier)
        except NoRegion:
            if not isinstance(block.owner, ast.If):
                raise
            return self.repeated(block, place)
        hooks = {p for p in range(place) if hooked(block.statements[p]) in region.writes}
        body = tuple(sorted({*region.body, *hooks}))
        region = self.finder.with_outputs(replace(region, body=body))
        self.check(region)
        self.check_again(region)
        self.early.check(region)
        return region

    @cached_property
    def early(self) -> Early:
        return Early(self.analysis, self.events)

    def check_again(self, region: Region) -> None:
        """Raises: NoRegion for what is computed once more and would be something else then"""
        statements = region.block.statements
        if region.copied:
            Repeating(self.finder).check(region.block, region.copied, region.places[0])
        for node in statements[min(region.body, default=region.places[0]) : region.places[0]]:
            names = (n for n in access(node).writes if not n.endswith(f".{ATTRIBUTE}"))
            written = {root(name) for name in names if name not in region.writes}
            is_changed = bool(written & self.leaves & set(region.reads))
            is_step = any(isinstance(event, Step) for event in self.events.all_in(node))
            if is_changed or (is_step and region.copied):
                raise NoRegion("weights change between the forward pass and its backward")

    def repeated(self, block: Block, place: int) -> Region:
        """The forward pass before the `if` that a backward stands in: it is computed once more.

        Raises: NoRegion if that would be another one
        """
        event, outer = self.events.of(block.statements[place]), block.parent
        assert isinstance(event, Backward)
        before = {n for s in block.statements[:place] for n in access(s).writes}
        if outer is None or event.odd or before & set(access(event.loss).reads):
            raise NoRegion("the forward pass is not among the statements before it")
        region = self.finder.completed(Region(outer, (block.place,), (event.loss,), ()), -1)
        region = replace(region, copied=region.body, below=())
        inner = block.statements[:place]
        Repeating(self.finder).check(outer, region.body, block.place, behind=inner)
        self.check(region)
        return region

    def check(self, region: Region) -> None:
        """Raises: NoRegion if gradients are for nothing known, or for what is no leaf"""
        owners = self.owners(region)
        if not owners.tensors and not owners.others:
            raise NoRegion("what its gradients are for is not to be seen here")
        if any(map(self.computes_gradients, region.statements)):
            raise NoRegion("a function that the forward pass calls computes gradients of its own")
        inner = {dotted(node.value) for node in self.reads} & set(region.writes)
        if inner:
            raise NoRegion(f"the gradient of {', '.join(sorted(inner))} is read, which is no leaf")

    def computes_gradients(self, statement: ast.stmt, depth: int = DEPTH) -> bool:
        """Whether a function that a statement calls has a backward in it, which is its own."""
        calls = (n for n in ast.walk(statement) if isinstance(n, ast.Call))
        called = (self.finder.weights.function_of(call.func) for call in calls)
        for function in (f for f in called if f is not None and id(f) not in self.deferred):
            events = (e for part in function.body for e in self.events.all_in(part))
            inner = (self.computes_gradients(part, depth - 1) for part in function.body if depth)
            if any(isinstance(event, Backward) for event in events) or any(inner):
                return True
        return False

    def gradient(self, region: Region) -> ast.expr | None:
        """What the backward of a region is given."""
        node = region.block.statements[region.places[0]]
        found = (self.events.of(inner) for inner in ast.walk(node))
        backs = [e for e in found if isinstance(e, Backward) and e.loss in region.losses]
        return backs[0].gradient if backs else None

    @cached_property
    def reads(self) -> list[ast.Attribute]:
        """The gradients that the code names: `x.grad`."""
        if NAMED.search(self.analysis.source.text) is None:
            return []
        nodes = (n for n in ast.walk(self.analysis.tree) if isinstance(n, ast.Attribute))
        inner = self.by_loops
        return [n for n in nodes if n.attr == ATTRIBUTE and id(n) not in inner and self.is_held(n)]

    def is_held(self, node: ast.Attribute) -> bool:
        """Whether it is an attribute of what may be a tensor: no module has it."""
        kind = present(self.analysis.kind_of(node.value))
        return kind.is_tensor or kind.tag in ("unknown", "union", "collated")

    @property
    def rewritten(self) -> Iterator[ast.stmt]:
        """The statements that get other code; clips have a row of the table."""
        for event in self.others():
            is_clip = isinstance(event, Change) and not event.is_unscaling
            if not is_clip or isinstance(event.node, ast.For):
                yield event.node

    @cached_property
    def by_loops(self) -> set[int]:
        """The ids of the nodes in loops that clear or clip all gradients of a network."""
        loops = (e.node for e in self.others() if isinstance(e.node, ast.For))
        return {id(n) for loop in loops for n in ast.walk(loop)}

    def others(self) -> Iterator[Event]:
        """What clears, changes and applies gradients that are held."""
        by_closures = {id(closure.step.node) for closure in self.closures}
        for block in self.blocks:
            for node in block.statements:
                event = self.events.of(node)
                is_other = event is not None and not isinstance(event, Backward)
                if event is not None and is_other and id(node) not in by_closures:
                    yield event

    def check_steps(self) -> None:
        """Raises: NoRegion for what applies gradients in a way of its own"""
        for event in self.others():
            if isinstance(event, Step) and event.closure is not None:
                raise NoRegion("a step is given a closure")
            if isinstance(event, Step) and event.call is not None:
                raise NoRegion("an optimiser has a step of its own")

    def check_closures(self, regions: Sequence[Region]) -> None:
        """Raises: NoRegion if what closures compute gradients of holds others, or is read"""
        own = {name for closure in self.closures for name in self.named(region_of(closure))}
        optimizers = {closure.step.key for closure in self.closures}
        events = [event for event in self.others() if isinstance(event, Clear | Step)]
        keys = {ast.unparse(e.owner if isinstance(e, Clear) else e.optimizer) for e in events}
        held = {name for region in regions for name in self.named(region)}
        held |= self.read_of if own else set()
        if own & held or optimizers & keys:
            raise NoRegion("a step is given a closure, and other code holds its gradients")

    @property
    def read_of(self) -> set[str]:
        """The names whose gradients are read, and of what loops go through that read them."""
        names = {root(dotted(node.value)) for node in self.reads}
        loops = (n for n in ast.walk(self.analysis.tree) if isinstance(n, LOOPED))
        over = (n.iter for n in loops if access(n.target).writes & names)
        return names | {root(name) for node in over for name in access(node).reads}

    def named(self, region: Region) -> set[str]:
        """The names of what the gradients of a region are for."""
        owners = self.owners(region)
        return {root(name) for name in (*owners.tensors, *owners.others)}

    # what a loss is computed from

    def owners(self, region: Region) -> Owners:
        """What the gradients of a region are for."""
        nodes = [n for s in (*region.statements, *region.losses) for n in ast.walk(s)]
        bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        given = frozenset(parameters_of(region.block.scope))
        found = Collector(self, given=given, local=frozenset(bound))
        for node in (*region.statements, *region.losses):
            found.visit(node)
        leaves = [name for name in region.reads if name in self.leaves]
        more = self.of_module if found.is_open else ()
        others = (name for name in (*found.names, *more) if name not in leaves)
        return Owners(tuple(leaves), tuple(dict.fromkeys(others)))

    @property
    def of_module(self) -> list[str]:
        """The tensors of the file that need gradients: functions may compute with them."""
        assigned = (s for s in self.analysis.tree.body if isinstance(s, ast.Assign))
        named = {name for statement in assigned for name in access(statement).writes}
        return sorted(self.finder.weights.leaves & named)

    @cached_property
    def leaves(self) -> frozenset[str]:
        """The names of tensors that need gradients, or whose gradients are read."""
        read = (node.value for node in self.reads)
        names = {node.id for node in read if isinstance(node, ast.Name)}
        plain = {name for name in self.finder.weights.leaves if "." not in name}
        assigned = (n for n in ast.walk(self.analysis.tree) if isinstance(n, ast.Assign))
        set_ = {dotted(target) for node in assigned for target in node.targets}
        return frozenset(plain | (names - set_))


def region_of(closure: Closure) -> Region:
    """The forward pass in the function of a closure."""
    function = closure.function
    block = Block(function.body, function, function, None)
    place = function.body.index(closure.backward.node)
    return Region(block, (place,), (closure.backward.loss,), tuple(range(place)))


def hooked(node: ast.stmt) -> str:
    """The name of the tensor that a statement gives a hook for its gradient."""
    call = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    called = call.func if isinstance(call, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr != HOOK:
        return ""
    return dotted(called.value)


@dataclass
class Collector(ast.NodeVisitor):
    """Collects the networks and parameters that code computes with, by their names."""

    holding: Holding
    names: list[str] = field(default_factory=list)
    given: frozenset[str] = frozenset()
    """The parameters of the function that the code is in."""
    depth: int = DEPTH
    owner: str = ""
    """What `self` is, in a method that is looked into."""
    own: str = ""
    local: frozenset[str] = frozenset()
    is_open: bool = False
    """Whether a parameter is called, which may be a function with weights of its own."""

    def kind(self, node: ast.expr) -> Kind:
        return self.holding.analysis.kind_of(node)

    def add(self, node: ast.AST) -> bool:
        """Notes what a name stands for, if it is seen from where the code is."""
        name = self.outside(node)
        if name:
            self.names.append(name)
        return bool(name)

    def outside(self, node: ast.AST) -> str:
        """What is called so where the code is; nothing for what a function looked into binds."""
        name = dotted(node)
        if not name or root(name) in self.local:
            return ""
        is_own = self.owner and root(name) == self.own
        return name.replace(self.own, self.owner, 1) if is_own else name

    def visit_With(self, node: ast.With) -> None:
        if not is_without_gradients(node):
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and self.has_weights(node):
            self.add(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not (self.has_weights(node) and self.add(node)):
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        called, weights = node.func, self.holding.finder.weights
        kind = self.kind(called)
        function = weights.function_of(called) if kind.tag in CALLED else None
        if function is not None and self.depth:
            bound = called.value if isinstance(called, ast.Attribute) else None
            self.look_into(function, "" if bound is None else self.outside(bound))
        is_plain = isinstance(called, ast.Name) and dotted(called) in weights.like_modules
        self.is_open = self.is_open or dotted(called) in self.given
        if kind.tag == "unknown" and is_plain:
            self.add(called)
        self.generic_visit(node)
        for given in (*node.args, *(k.value for k in node.keywords)):
            if self.kind(given).tag == "unknown" and dotted(given) in weights.telling:
                self.add(given)

    def look_into(self, function: ast.FunctionDef, owner: str) -> None:
        """Collects what a function takes from around it, and of its instance."""
        arguments = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        own = arguments[0] if owner and arguments else ""
        written = {n for s in function.body for n in access(s).writes if "." not in n}
        local = frozenset({*arguments, *written} - {own})
        inner = Collector(self.holding, self.names, self.given, self.depth - 1, owner, own, local)
        for part in function.body:
            inner.visit(part)

    def has_weights(self, node: ast.expr) -> bool:
        """Whether it is a network, a parameter, or holds some."""
        kind = self.kind(node)
        if PLAIN_LOSS.fullmatch(kind.name):
            return False
        if is_module(kind) or self.holding.finder.weights.is_parameter(node):
            return True
        return kind.tag in ("list", "tuple", "dict") and any(map(is_module, kind.parts))


@dataclass(frozen=True)
class HoldingWriter(FunctionWriter):
    """Writes the function that is differentiated where its backward was, and its call."""

    early: Early
    owners: Owners
    gradient: ast.expr | None

    @property
    def is_weighted(self) -> bool:
        """Whether the gradient that backward is given names what the forward pass computes."""
        reads = access(self.gradient).reads if self.gradient is not None else ()
        return bool(set(reads) & set(self.region.writes))

    @property
    def loss(self) -> str:
        loss = super().loss
        if self.gradient is None or not self.is_weighted:
            return loss
        return f"({loss} * {self.converted.code(self.gradient)}).sum()"

    @property
    def results(self) -> tuple[str, list[str]]:
        return ("_", list(self.region.outputs)) if self.is_weighted else super().results

    @property
    def objects(self) -> list[str]:
        return []  # all results come back by the helper

    @property
    def inputs(self) -> list[str]:
        """The tensors that gradients are for, and names that the function gives new values to."""
        region = self.region
        begun = bound_before(region.block, region.body[0]) if region.body else set()
        begun |= written_in(region.staying)
        again = [n for n in region.reads if n in region.writes and n not in self.owners.tensors]
        return [*self.owners.tensors, *(f"{name}={name}" for name in again if name in begun)]

    def makers(self, indent: str) -> str:
        return ""

    def called(self, grads: str, indent: str) -> str:
        """The call that gives the gradients to what they are for."""
        before = "".join(self.above(node, indent) for node in self.early.of(self.region))
        loss, others = self.results
        found = ", ".join((loss, *others))
        tensors = ", ".join(self.owners.tensors)
        tensors = f"({tensors},)" if len(self.owners.tensors) == 1 else f"({tensors})"
        parts = [self.names.forward, tensors, *self.owners.others]
        if self.gradient is not None and not self.is_weighted:
            parts.append(f"gradient={self.converted.code(self.gradient)}")
        given = ", ".join(parts)
        code = f"{self.converted.names['compat']}.backward({given})"
        return before + statement(code if found == "_" else f"{found} = {code}", indent)

    def above(self, node: ast.stmt, indent: str) -> str:
        """The new text of a statement that comes before the call."""
        event = self.early.events.of(node)
        if isinstance(event, Clear):
            return statement(cleared(event, self.converted), indent)
        return self.converted.rows(start_of(node)[0], end_of(node)[0])


def edits_of(holding: Holding, gone: Collection[ast.stmt], converted: Converted) -> Iterator[Edit]:
    """The edits of what clears, changes and applies what is held; of what is not `gone`."""
    for event in (event for event in holding.others() if event.node not in gone):
        yield Edit(start_of(event.node), end_of(event.node), code_of(event, converted))


def code_of(event: Event, converted: Converted) -> str:
    """The statement that takes the place of such an event."""
    compat = converted.names["compat"]
    if isinstance(event, Clear):
        return cleared(event, converted)
    if isinstance(event, Step):
        optimizer = converted.code(event.optimizer)
        held = f"{compat}.held_grads({optimizer}.parameters)"
        if event.scaler is None:
            return f"{optimizer}({held})"
        return f"{converted.code(event.scaler)}.step({optimizer}, {held})"
    assert isinstance(event, Change)
    given = [*event.call.args, *(k.value for k in event.call.keywords if k.arg == "parameters")]
    of = converted.code(given[0])
    if event.is_unscaling:
        assert isinstance(event.call.func, ast.Attribute)
        scaler = converted.code(event.call.func.value)
        changed = f"{scaler}.unscale_({of}, {compat}.held_grads({of}.parameters))"
        return f"{compat}.hold_grads({of}.parameters, {changed})"
    held = f"{compat}.held_grads({of})"
    if isinstance(event.node, ast.For):
        return f"{compat}.clip_grad_value_({held}, {converted.code(event.call.args[1])})"
    return re.sub(r"\bgrads\b", lambda _: held, converted.code(event.node))  # the name in the rows
