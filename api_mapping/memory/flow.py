"""Follows the statements of one scope: which names share memory, and what is written to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from ..syntax.nodes import dotted
from ..syntax.walk import FunctionNode, all_in, inner
from ..table.facts.views import CASTS, METADATA
from ..table.facts.writes import FILLED
from .knowledge import Knowledge, Summary
from .liveness import FUNCTIONS, NO_NAMES, reads
from .names import Scope, is_alike, is_data, is_of_complex, names_of
from .record import Act, Event, Record, is_overlap, sharers_of, told
from .tensors import NOTHING, Cut, Held, Helds, How, Memory
from .values import any_element, elements, value

NOWHERE = ast.Constant(None)
"""Stands for the expression of what is no place to write to."""
ELSEWHERE = ".elsewhere"
"""Stands for whatever keeps a tensor that no name of the scope shows."""


@dataclass
class State:
    """What each name may be; which of its values it has, by a number."""

    names: dict[str, Helds] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.names), dict(self.versions))


class Flow:
    """One run through a scope; `records` has what each node was seen to write."""

    def __init__(self, known: Knowledge, scope: Scope) -> None:
        self.known = known
        self.scope = scope
        self.state = State()
        self.records: dict[int, Record] = {}
        self.returned: set[tuple[str, How | None]] = set()
        self.written: dict[str, set[Act]] = {}
        self.count = 0
        self.kept: set[Memory] = set()
        self.values: dict[int, Helds] = {}
        self.dead = False
        self.leaving: list[State] = []
        self.at: ast.stmt = ast.Pass()
        self.own = known.names_of(scope)
        self.asked: dict[FunctionNode, set[Summary]] = {}
        self.others: dict[str, Helds] = {}

    def run(self) -> Summary:
        for name in self.own.parameters:
            self.keep(name, frozenset({Held(Memory("parameter", name))}))
        self.block(self.scope.body)
        items = (n for n, acts in self.written.items() if acts <= {Act.ITEM, Act.INDEX})
        return Summary(frozenset(self.written), frozenset(items), frozenset(self.returned))

    # names

    def bind(self, name: str, helds: Helds) -> None:
        if name in self.own.declared:
            self.escape(helds)
            return
        self.count += 1
        self.keep(name, helds)
        self.state.versions[name] = self.count

    def keep(self, name: str, helds: Helds) -> None:
        self.state.names[name] = helds
        self.kept.update([held.memory for held in helds])

    def outside(self, place: str) -> Helds:
        found = self.others.get(place)
        if found is None:
            found = self.others[place] = frozenset({Held(Memory("outside", place))})
        return found

    def made(self, node: ast.AST) -> Helds:
        """A new tensor; what the same expression made in an earlier round is another one."""
        new = Memory("made", node)
        if new in self.kept:
            names, old = self.state.names, Memory("made", node, True)
            for name in [n for n, helds in names.items() for h in helds if h.memory == new]:
                names[name] = frozenset(
                    held.in_memory(old) if held.memory == new else held for held in names[name]
                )
        return frozenset({Held(new)})

    def again(self, node: ast.expr) -> Helds:
        """What an expression is that was looked at already."""
        found = self.values.get(id(node))
        return value(self, node) if found is None else found

    def versions_in(self, node: ast.expr) -> tuple[tuple[str, int], ...]:
        names = {n.id for n in all_in(node) if type(n) is ast.Name}
        return tuple((name, self.state.versions.get(name, 0)) for name in sorted(names))

    def escape(self, helds: Helds) -> None:
        self.keep(ELSEWHERE, self.state.names.get(ELSEWHERE, NOTHING) | helds)

    def put_into(self, container: ast.expr, helds: Helds) -> None:
        """Notes that a container holds more."""
        while isinstance(container, ast.Subscript | ast.Call):
            container = container.value if isinstance(container, ast.Subscript) else container.func
        place = dotted(container)
        name = place if place in self.state.names or "." in place else ""
        if not name:
            self.escape(helds)
        else:
            self.keep(name, self.state.names.get(name, NOTHING) | helds)

    # writes

    def summary_of(self, function: FunctionNode) -> Summary:
        """What a function of the file writes to and returns; it is followed once, if need be."""
        known = self.known.summaries
        if function not in known:
            known[function] = Summary()  # while it is followed
            known[function] = Flow(self.known, function).run()
        self.asked.setdefault(function, set()).add(known[function])
        return known[function]

    def live(self, node: ast.AST) -> frozenset[str]:
        """The names that are read behind a write, in its own statement or later."""
        behind = self.own.liveness.behind.get(id(self.at), NO_NAMES) | self.own.always
        parts = [p for p in inner(self.at) if isinstance(p, ast.expr)]
        if node is self.at or node in parts:
            return behind
        own = reads(node)
        around = [n.id for p in parts for n in all_in(p) if type(n) is ast.Name]
        return behind | frozenset(n for n in around if around.count(n) > 1 or n not in own)

    def pending(self, node: ast.AST) -> Helds:
        """What a statement has read when it comes to a write in it, and goes on to use."""
        found = NOTHING
        if isinstance(self.at, ast.AugAssign) and node in all_in(self.at.value):
            found = self.again(self.at.target)
        parts: list[ast.AST] = [part for part in inner(self.at) if isinstance(part, ast.expr)]
        while (part := next((p for p in parts if node in all_in(p)), None)) is not None:
            found = found.union(*map(self.read_in, parts[: parts.index(part)]))
            parts = [] if part is node else list(inner(part))
        return found

    def read_around(self, node: ast.AST) -> frozenset[str]:
        """The names that the value which a statement assigns reads beside a write in it."""
        value = self.at.value if isinstance(self.at, ast.Assign | ast.AnnAssign) else None
        if value is None or node is value:
            return NO_NAMES
        own = set(map(id, all_in(node)))
        names = (n for n in all_in(value) if type(n) is ast.Name and id(n) not in own)
        return frozenset(n.id for n in names)

    def read_in(self, part: ast.AST) -> Helds:
        """What an operand or argument is, or what the method that is called is of."""
        part = part.value if isinstance(part, ast.keyword) else part
        found = self.values.get(id(part), NOTHING)
        if isinstance(part, ast.Attribute):
            found |= self.values.get(id(part.value), NOTHING)
        return found

    def writes(self, node: ast.Call, place: ast.expr, helds: Helds) -> None:
        """Notes a call that writes to the tensor at a place, maybe behind other such calls."""
        rereading, calls = NOTHING, [node]
        while isinstance(place, ast.Call) and (inner := self.known.written_by(place)) is not None:
            self.records.pop(id(place), None)
            rereading |= self.read_beside(place, calls[-1])
            calls.append(place)
            place = inner
        if isinstance(place, ast.Call) and self.known.api(place.func).rpartition(".")[2] in CASTS:
            return  # it is another tensor, or the writer would not write to it
        if is_data(place) and isinstance(place.value, ast.Subscript):
            place = place.value
        if self.known.api(node.func).startswith(FILLED):
            if dotted(place):  # parts are refused by their rows
                self.note(Event(node, Act.CALL, helds))
        elif isinstance(place, ast.Subscript) and self.known.is_tensor(place.value):
            self.note(Event(node, Act.ITEM, self.again(place.value), dotted(place.value)))
        else:
            self.note(Event(node, Act.VALUE, helds, dotted(place)), rereading)

    def read_beside(self, part: ast.Call, call: ast.Call) -> Helds:
        """What a call reads but for one part of it."""
        own = set(map(id, all_in(part)))
        read = [n for n in all_in(call) if id(n) not in own and n is not call]
        through = {id(n.value) for n in read if self.is_access(n)}
        through |= {id(self.known.first_argument(n)) for n in read if self.is_metadata(n)}
        return NOTHING.union(
            *(self.values.get(id(n), NOTHING) for n in read if id(n) not in through)
        )

    def is_access(self, node: ast.AST) -> TypeGuard[ast.Attribute | ast.Subscript]:
        """Whether it reads what an owner holds, and no more of the owner: `p.grad`."""
        is_seen = isinstance(node, ast.Attribute | ast.Subscript) and id(node) in self.values
        return is_seen and self.known.kind(node).tag != "method"

    def is_metadata(self, node: ast.AST) -> TypeGuard[ast.Call]:
        """Whether it reads no element of the tensor that it asks."""
        if not isinstance(node, ast.Call):
            return False
        return self.known.api(node.func).rpartition(".")[2] in METADATA

    @property
    def given_values(self) -> list[str]:
        """The names that get new values when the statement has run."""
        node = self.at
        if isinstance(node, ast.Assign):
            return [n for target in node.targets for n in names_of(target)]
        return names_of(node.target) if isinstance(node, ast.AnnAssign) else []

    def given_away(self, node: ast.Call, place: ast.expr, act: Act) -> bool:
        """Notes that something else writes to a tensor; whether others see that."""
        return self.note(Event(node, act, self.again(place)))

    def note(self, event: Event, rereading: Helds = NOTHING) -> bool:
        live = self.live(event.node)
        given = set(self.given_values) - self.read_around(event.node)
        pending = self.pending(event.node)
        holders = {
            name: helds
            for name, helds in self.state.names.items()
            if name not in (event.name, event.container, *given) and ("." in name or name in live)
        }
        for parameter in parameters_of(event.helds):
            self.written.setdefault(parameter, set()).add(event.act)
        new = Record(event.node, event.act, event.name)
        record = self.records.setdefault(id(event.node), new)
        found = False
        for held in event.helds:
            is_own = held.memory == Memory("outside", event.name)  # `self.x += 1` sets it anew
            is_set = (
                is_own
                and isinstance(event.node, ast.AugAssign)
                and self.known.is_own(event.name, event.node)
            )
            is_outside = not is_set and self.is_seen_outside(held.memory)
            sharers = sharers_of(held, holders, is_outside)
            if event.name in self.known.holders:
                sharers.append((f"{event.name}.grad", held))
            own = event.name or told(held.memory)
            sharers += [(own, read) for read in pending if is_overlap(read, held)]
            if any(is_overlap(read, held) for read in rereading):
                sharers.append((own, held.cut_by(Cut(How.OTHER, NOWHERE))))
            found |= bool(sharers)
            record.add(held, sharers, self.is_valid(held))
        return found

    def is_seen_outside(self, memory: Memory) -> bool:
        """Whether others than the names of this scope see what is written to a memory."""
        if memory.origin != "parameter":
            return memory.origin == "outside"
        assert not isinstance(self.scope, ast.Module)
        if (self.scope, memory.key) in self.known.observed:
            return True
        if not self.own.gives or self.scope.name.endswith("_"):
            return True
        owner = self.known.layout.scope_of(self.scope).owner
        is_module = owner is not None and self.known.analysis.families.get(owner) == "module"
        return self.scope not in self.known.called and not is_module

    def is_valid(self, held: Held) -> bool:
        """Whether the expression that cut an object still says where it is."""
        if held.cut is None:
            return False
        return all(self.state.versions.get(n, 0) == v for n, v in held.cut.versions)

    # statements

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            if self.dead:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        self.at = node
        match node:
            case ast.Assign():
                self.assign(node.targets, node.value)
            case ast.If():
                value(self, node.test)
                self.fork([node.body, node.orelse], is_rare=is_of_complex(node.test))
            case ast.AnnAssign():
                self.assign([node.target], node.value) if node.value is not None else None
            case ast.AugAssign():
                self.augment(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                self.loop(node)
            case ast.With() | ast.AsyncWith():
                self.enter(node)
            case ast.Try() | ast.TryStar():
                self.attempt(node)
            case ast.Match():
                value(self, node.subject)
                self.fork([*(case.body for case in node.cases), []])
            case _:
                self.simple(node)

    def simple(self, node: ast.stmt) -> None:
        if isinstance(node, FUNCTIONS):
            self.bind(node.name, NOTHING)
            return
        if isinstance(node, ast.Delete):
            for target in node.targets:
                self.state.names.pop(dotted(target), None)
            return
        found = NOTHING
        for part in inner(node):
            if isinstance(part, ast.expr):
                found |= value(self, part)
        self.dead = type(node) in ENDING
        if isinstance(node, ast.Return):
            given = (held for held in found if held.memory.origin == "parameter")
            self.returned |= {(str(held.memory.key), held.how) for held in given}
        elif isinstance(node, ast.Break | ast.Continue):
            self.leaving.append(self.state.copy())

    def assign(self, targets: Sequence[ast.expr], node: ast.expr) -> None:
        helds = value(self, node)
        for target in targets:
            self.give(target, node, helds)

    def give(self, target: ast.expr, node: ast.expr, helds: Helds) -> None:
        """Gives a target what an expression is."""
        if isinstance(target, ast.Name):
            self.bind(target.id, helds)
        elif isinstance(target, ast.Tuple | ast.List):
            each = elements(self, node, target.elts)
            is_open = any(isinstance(part, ast.Starred) for part in target.elts)
            nodes = node.elts if is_alike(node, target) else [node] * len(target.elts)
            for part, own, its in zip(target.elts, list(each), nodes, strict=True):
                inner = part.value if isinstance(part, ast.Starred) else part
                self.give(inner, its, own | helds if is_open else own)
        elif isinstance(target, ast.Attribute):
            value(self, target.value)
            place = dotted(target)
            self.bind(place, helds) if place else self.escape(helds)
        elif isinstance(target, ast.Subscript):
            self.set_item(target, helds)

    def set_item(self, target: ast.Subscript, helds: Helds) -> None:
        owner = value(self, target.value)
        value(self, target.slice)
        if self.known.is_tensor(target.value):
            self.note(Event(target, Act.ITEM, owner, dotted(target.value)))
        else:
            self.put_into(target.value, helds)

    def augment(self, node: ast.AugAssign) -> None:
        given = value(self, node.value)
        target = node.target
        if isinstance(target, ast.Subscript) and not self.known.is_tensor(target.value):
            helds, place = value(self, target), ast.unparse(target)
            if self.known.is_tensor(target):
                self.note(Event(node, Act.VALUE, helds, place, dotted(target.value)))
        elif isinstance(target, ast.Subscript):
            self.set_item(target, NOTHING)
        elif self.known.is_tensor(target):
            owner = target.value if is_data(target) else target
            self.note(Event(node, Act.VALUE, value(self, owner), dotted(owner)))
        elif dotted(target) in self.state.names:
            self.keep(dotted(target), self.state.names[dotted(target)] | given)

    def fork(self, bodies: Sequence[Sequence[ast.stmt]], *, is_rare: bool = False) -> None:
        """Runs the ways that the code may take, each from the same state.

        `is_rare`: what the first leaves behind is of no interest.
        """
        entry, ends = self.state, []
        for number, body in enumerate(bodies):
            self.state, self.dead = entry.copy(), False
            self.block(body)
            if not self.dead and not (is_rare and number == 0):
                ends.append(self.state)
        self.dead = not ends
        self.state = self.joined(ends) if ends else entry

    def joined(self, states: Sequence[State]) -> State:
        found = states[0].copy()
        for state in states[1:]:
            for name, helds in state.names.items():
                known = found.names.get(name)
                if known is not helds:
                    found.names[name] = helds if known is None else known | helds
            if found.versions == state.versions:
                continue
            for name in found.versions.keys() | state.versions.keys():
                if found.versions.get(name) != state.versions.get(name):
                    self.count += 1
                    found.versions[name] = self.count
        return found

    def loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        before, self.leaving = self.leaving, []
        if not isinstance(node, ast.While):
            value(self, node.iter)
        behind = self.state
        for _ in range(ROUNDS):
            self.state, self.dead, self.at = behind.copy(), False, node
            if isinstance(node, ast.While):
                value(self, node.test)
            else:
                self.loop_over(node.target, node.iter)
            self.block(node.body)
            ends = [*self.leaving, *([] if self.dead else [self.state])]
            behind = self.joined([behind, *ends])
        self.state, self.dead, self.leaving = behind, False, before
        self.block(node.orelse)

    def loop_over(self, target: ast.expr, node: ast.expr) -> None:
        """Gives a loop's variables what they get in each round."""
        called = node.func if isinstance(node, ast.Call) else None
        name = called.id if isinstance(called, ast.Name) else ""
        inner = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        if isinstance(node, ast.Call) and name == "enumerate" and len(inner) == 2 and node.args:
            self.give(inner[0], ast.Constant(0), NOTHING)
            self.loop_over(inner[1], node.args[0])
        elif isinstance(node, ast.Call) and name == "zip" and len(inner) == len(node.args):
            for part, each in zip(inner, node.args, strict=True):
                self.loop_over(part, each)
        elif isinstance(target, ast.Name | ast.Attribute):
            self.give(target, node, any_element(self, node, target))
        else:
            for part in inner:
                each = part.value if isinstance(part, ast.Starred) else part
                self.loop_over(each, node)

    def enter(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            helds = value(self, item.context_expr)
            if item.optional_vars is not None:
                self.give(item.optional_vars, item.context_expr, helds)
        self.block(node.body)

    def attempt(self, node: ast.Try | ast.TryStar) -> None:
        entry = self.state.copy()
        self.block(node.body)
        ends = [] if self.dead else [self.state.copy()]
        if not self.dead:
            self.block(node.orelse)
            ends = [] if self.dead else [self.state]
        middle = self.joined([entry, self.state])
        for handler in node.handlers:
            self.state, self.dead = middle.copy(), False
            self.block(handler.body)
            ends += [] if self.dead else [self.state]
        self.dead = not ends
        self.state = self.joined(ends) if ends else middle
        if node.finalbody:
            was_dead, self.dead = self.dead, False
            self.block(node.finalbody)
            self.dead = self.dead or was_dead


ENDING = frozenset({ast.Return, ast.Raise, ast.Break, ast.Continue})
ROUNDS = 2
"""Times that a loop's body is followed: in the second, with what the first has left."""


def parameters_of(helds: Helds) -> set[str]:
    return {str(held.memory.key) for held in helds if held.memory.origin == "parameter"}
